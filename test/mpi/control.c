/* SPDX-License-Identifier: BSD-3-Clause */
#include "control.h"

#include <json-c/json.h>
#include <mpi.h>

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAME_SIZE = 128 };

static struct json_object *names;       /* of values, by variable */
static FILE *heard;                     /* stderr's other end while somebody listens */
static int true_stderr = -1;

static void fail(const char *format, ...)
    __attribute__((format(printf, 1, 2), noreturn));

static void fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("test: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    MPI_Abort(MPI_COMM_WORLD, 2);
    exit(2);
}

void control_open(const char *cvars_file)
{
    int provided;
    names = json_object_from_file(cvars_file);
    if (!names)
        fail("cannot read %s: give the cvars.json of a grafted MPICH", cvars_file);
    if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS)
        fail("this MPI library has no tool interface");
}

void control_close(void)
{
    json_object_put(names);
    MPI_T_finalize();
}

static void variable_name(char *name, anyp_collective collective, const char *middle,
                          const char *last)
{
    snprintf(name, NAME_SIZE, "MPIR_CVAR_%s_%s%s", anyp_collective_name(collective), middle, last);
    for (char *c = name; *c; c++)
        *c = (char) toupper((unsigned char) *c);
}

void control_variable(const char *name, int value)
{
    MPI_T_cvar_handle handle;
    int index, count, written = -1;
    if (MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS)
        fail("the MPI library has no variable %s: is it grafted?", name);
    if (MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS || count != 1 ||
        MPI_T_cvar_write(handle, &value) != MPI_SUCCESS ||
        MPI_T_cvar_read(handle, &written) != MPI_SUCCESS || written != value)
        fail("cannot set %s to %d", name, value);
    MPI_T_cvar_handle_free(&handle);
}

void control_algorithm(anyp_collective collective, const char *name)
{
    char variable[NAME_SIZE];
    struct json_object *all, *values, *value;
    variable_name(variable, collective, "intra_algorithm", "");
    if (!json_object_object_get_ex(names, "cvars", &all) ||
        !json_object_object_get_ex(all, variable, &values) ||
        !json_object_object_get_ex(values, name, &value))
        fail("cvars.json has no value %s of %s", name, variable);
    control_variable(variable, json_object_get_int(value));
}

void control_parameter(anyp_collective collective, const char *parameter, int value)
{
    char variable[NAME_SIZE];
    variable_name(variable, collective, "anyp_", parameter);
    control_variable(variable, value);
}

void control_listen(void)
{
    fflush(stderr);
    heard = tmpfile();
    true_stderr = dup(STDERR_FILENO);
    if (!heard || true_stderr < 0 || dup2(fileno(heard), STDERR_FILENO) < 0)
        fail("cannot redirect stderr to a temporary file");
}

void control_heard(char *text, size_t size)
{
    fflush(stderr);
    dup2(true_stderr, STDERR_FILENO);
    close(true_stderr);
    rewind(heard);
    text[fread(text, 1, size - 1, heard)] = '\0';
    fclose(heard);
}
