/* SPDX-License-Identifier: BSD-3-Clause
 *
 * control_mpir.c - for an MPICH with AnyP inside: by its variables through MPI's tool interface.
 */
#include "control.h"

#include <json-c/json.h>
#include <mpi.h>

#include <ctype.h>
#include <stdio.h>

enum { NAME_SIZE = 128 };

static struct json_object *names;       /* of values, by variable */
static bool nonblocking;

const bool control_needs_file = true;

void control_open(const char *table_file)
{
    int provided;
    names = json_object_from_file(table_file);
    if (!names)
        control_fail("cannot read %s: give the mpich.json of a grafted MPICH", table_file);
    if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS)
        control_fail("this MPI library has no tool interface");
}

void control_close(void)
{
    json_object_put(names);
    MPI_T_finalize();
}

static void variable_name(char *name, anyp_collective collective, const char *middle,
                          const char *last)
{
    snprintf(name, NAME_SIZE, "MPIR_CVAR_%s%s_%s%s", nonblocking ? "i" : "",
             anyp_collective_name(collective), middle, last);
    for (char *c = name; *c; c++)
        *c = (char) toupper((unsigned char) *c);
}

static void set_variable(const char *name, int value)
{
    MPI_T_cvar_handle handle;
    int index, count, written = -1;
    if (MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS)
        control_fail("the MPI library has no variable %s: is it grafted?", name);
    if (MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS || count != 1 ||
        MPI_T_cvar_write(handle, &value) != MPI_SUCCESS ||
        MPI_T_cvar_read(handle, &written) != MPI_SUCCESS || written != value)
        control_fail("cannot set %s to %d", name, value);
    MPI_T_cvar_handle_free(&handle);
}

bool control_nonblocking(bool on)
{
    nonblocking = on;
    return true;
}

void control_algorithm(anyp_collective collective, const anyp_algorithm *algorithm)
{
    char variable[NAME_SIZE], name[NAME_SIZE];
    struct json_object *all, *values, *value;
    variable_name(variable, collective, "intra_algorithm", "");
    snprintf(name, sizeof name, "%s%s", !algorithm ? "auto" : nonblocking ? "tsp_anyp_" : "anyp_",
             algorithm ? algorithm->name : "");
    if (!json_object_object_get_ex(names, "cvars", &all) ||
        !json_object_object_get_ex(all, variable, &values) ||
        !json_object_object_get_ex(values, name, &value))
        control_fail("mpich.json has no value %s of %s", name, variable);
    set_variable(variable, json_object_get_int(value));
}

void control_parameter(anyp_collective collective, const anyp_parameter *parameter, int value)
{
    char variable[NAME_SIZE];
    variable_name(variable, collective, "anyp_", parameter->name);
    set_variable(variable, value);
}

void control_verbose(bool on)
{
    static int value;           /* another one each time: what was written is written again */
    set_variable("MPIR_CVAR_ANYP_VERBOSE", on ? ++value : 0);
}

bool control_last(anyp_collective collective, const char **name)
{
    (void) collective;
    (void) name;
    return false;
}
