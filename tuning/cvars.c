/* SPDX-License-Identifier: BSD-3-Clause */
#include "cvars.h"

#include <mpi.h>

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { MOST_VARIABLES = 64 };

static struct {
    char name[2 * ANYPI_NAME_SIZE];
    MPI_T_cvar_handle handle;
    bool there;
} variables[MOST_VARIABLES];
static int variables_count;

bool anypi_cvars_open(void)
{
    int provided;
    return MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS;
}

void anypi_cvars_close(void)
{
    for (int i = 0; i < variables_count; i++)
        if (variables[i].there)
            MPI_T_cvar_handle_free(&variables[i].handle);
    variables_count = 0;
    MPI_T_finalize();
}

/* The variable's place, opened on its first use; -1 if the library has none of one int. */
static int find(const char *name)
{
    for (int i = 0; i < variables_count; i++)
        if (!strcmp(variables[i].name, name))
            return variables[i].there ? i : -1;
    if (variables_count == MOST_VARIABLES || strlen(name) >= sizeof variables[0].name)
        return -1;
    const int place = variables_count++;
    int index, count = 0, verbosity, bind, scope, name_length = 0, text_length = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_T_enum enumeration;
    strcpy(variables[place].name, name);
    variables[place].there = MPI_T_cvar_get_index(name, &index) == MPI_SUCCESS &&
        MPI_T_cvar_get_info(index, NULL, &name_length, &verbosity, &type, &enumeration, NULL,
                            &text_length, &bind, &scope) == MPI_SUCCESS && type == MPI_INT &&
        MPI_T_cvar_handle_alloc(index, NULL, &variables[place].handle, &count) == MPI_SUCCESS &&
        count == 1;
    return variables[place].there ? place : -1;
}

bool anypi_cvars_have(const char *name)
{
    return find(name) >= 0;
}

bool anypi_cvars_write(const char *name, int value)
{
    const int place = find(name);
    return place >= 0 && MPI_T_cvar_write(variables[place].handle, &value) == MPI_SUCCESS;
}

bool anypi_cvars_select(anyp_collective collective, const anypi_candidate *candidate)
{
    char name[2 * ANYPI_NAME_SIZE];
    bool done = anypi_cvars_write(anypi_algorithm_variable(collective, name, sizeof name),
                                  candidate->value);
    const anyp_algorithm *algorithm = candidate->algorithm;
    for (int i = 0; algorithm && i < algorithm->parameters_count; i++) {
        snprintf(name, sizeof name, "MPIR_CVAR_%s_ANYP_%s", anyp_collective_name(collective),
                 algorithm->parameters[i].name);
        for (char *c = name; *c; c++)
            *c = (char) toupper((unsigned char) *c);
        done = anypi_cvars_write(name, candidate->parameters[i]) && done;
    }
    return done;
}
