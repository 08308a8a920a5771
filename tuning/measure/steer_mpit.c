/* SPDX-License-Identifier: BSD-3-Clause
 *
 * steer_mpit.c - for AnyP inside MPICH: switches algorithms by writing MPICH's control variables
 * through MPI's tool interface. The interface shows them as plain ints, so a table beside the
 * program contains the numbers of the algorithms.
 */
#include "measure/steer.h"

#include "tuner/candidates.h"
#include "schedule/collectives.h"
#include "select/jsonc.h"
#include "select/mpich.h"
#include "select/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of all collectives. */
enum { MAX_VARIABLES = 64 * ANYP_COLLECTIVES };

const anypi_steering anypi_steer = {
    .file = "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE",
    .verbose = "MPIR_CVAR_ANYP_VERBOSE",
    .use = "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=",
    .command = "mpiexec ...",
    .measured = "",
    .inside = true,
};

/* ---- environment ---- */

void anypi_steer_clean(void)
{
    static const char *const prefixes[] = { "MPIR_CVAR", "MPIR_PARAM", "MPICH" };
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        char name[128];
        snprintf(name, sizeof name, "%s_COLL_SELECTION_TUNING_JSON_FILE", prefixes[i]);
        unsetenv(name);
        for (int collective = 0; collective < ANYP_COLLECTIVES; collective++) {
            const char *const forms[] = { anyp_collective_name((anyp_collective) collective),
                                          anypi_collectives[collective].nonblocking };
            for (int form = 0; form < 2; form++) {
                snprintf(name, sizeof name, "%s_%s_INTRA_ALGORITHM", prefixes[i], forms[form]);
                anypi_upper(name);
                unsetenv(name);
            }
        }
    }
    setenv("MPIR_CVAR_ANYP_SYSTEM_FILE", "0", 1);
    /* ranks share memory as in programs with a decision file */
    const char *shares = getenv("MPIR_CVAR_ANYP_SHARED_MEMORY");
    if (!shares || strcmp(shares, "0"))
        setenv("MPIR_CVAR_ANYP_SHARED_MEMORY", "2", 1);
}

const char *anypi_steer_file(char *path, size_t size)
{
    const char *named = getenv(anypi_steer.file);
    const char *system = getenv("MPIR_CVAR_ANYP_SYSTEM_FILE");
    if (named && *named)
        return named;
    if (system && !strcmp(system, "0"))
        return NULL;
    return anypi_installed_file("tuned.json", path, size) ? path : NULL;
}

/* ---- control variables ---- */

static struct {
    char name[2 * ANYPI_NAME_SIZE];
    MPI_T_cvar_handle handle;
    bool there;                 /* an int that can be written */
} variables[MAX_VARIABLES];
static int variables_count;

/* Returns the index of a variable, opened on its first use; -1 if there is no room. */
static int find(const char *name)
{
    for (int i = 0; i < variables_count; i++)
        if (!strcmp(variables[i].name, name))
            return i;
    if (variables_count == MAX_VARIABLES || strlen(name) >= sizeof variables[0].name)
        return -1;
    const int slot = variables_count++;
    int index, count = 0, verbosity, bind, scope, name_length = 0, text_length = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_T_enum enumeration;
    strcpy(variables[slot].name, name);
    const bool open = MPI_T_cvar_get_index(name, &index) == MPI_SUCCESS &&
        MPI_T_cvar_get_info(index, NULL, &name_length, &verbosity, &type, &enumeration, NULL,
                            &text_length, &bind, &scope) == MPI_SUCCESS &&
        MPI_T_cvar_handle_alloc(index, NULL, &variables[slot].handle, &count) == MPI_SUCCESS;
    variables[slot].there = open && type == MPI_INT && count == 1;
    return slot;
}

/* Writes an int variable; false if there is none or MPICH rejects the value. */
static bool write_variable(const char *name, int value)
{
    const int slot = find(name);
    return slot >= 0 && variables[slot].there &&
        MPI_T_cvar_write(variables[slot].handle, &value) == MPI_SUCCESS;
}

bool anypi_steer_write(const char *variable, int value, int *before)
{
    const int slot = find(variable);
    return slot >= 0 && MPI_T_cvar_read(variables[slot].handle, before) == MPI_SUCCESS &&
        write_variable(variable, value);
}

bool anypi_steer_select(anyp_collective collective, const anypi_candidate *candidate)
{
    char name[2 * ANYPI_NAME_SIZE];
    bool done = write_variable(anypi_algorithm_variable(collective, name, sizeof name),
                               candidate->value);
    const anyp_algorithm *algorithm = candidate->algorithm;
    for (int i = 0; algorithm && i < algorithm->parameters_count; i++) {
        snprintf(name, sizeof name, "MPIR_CVAR_%s_ANYP_%s", anypi_form_name(collective),
                 algorithm->parameters[i].name);
        anypi_upper(name);
        done = write_variable(name, candidate->parameters[i]) && done;
    }
    return done;
}

bool anypi_steer_ran(anyp_collective collective, const anypi_candidate *candidate)
{
    (void) collective;
    (void) candidate;
    return true;
}

/* The ch4 devices may serve whole collectives without MPICH's decision trees. */
const char *anypi_steer_alone(const char *library)
{
    if (!strstr(library, "ch4") ||
        !write_variable("MPIR_CVAR_DEVICE_COLLECTIVES", 1 /* none, in MPICH 4.0 */))
        return NULL;
    return "MPIR_CVAR_DEVICE_COLLECTIVES=none";
}

/* ---- beginning and end ---- */

bool anypi_steer_open(MPI_Comm world, anypi_cvars **cvars, char *message, size_t size)
{
    int provided;
    struct json_object *table = anypi_mpich_table();
    *cvars = anypi_cvars_of(table);
    const uint64_t hash = *cvars ? anypi_hash_text(ANYPI_HASH, json_object_to_json_string(table))
        : 0;
    const uint64_t own[] = { hash, ~hash };
    uint64_t largest[2];
    if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS) {
        snprintf(message, size, "this MPI library has no tool interface (MPI_T); use an MPICH with "
                 "AnyP inside");
        return false;
    }
    MPI_Allreduce(own, largest, 2, MPI_UINT64_T, MPI_MAX, world);
    if (largest[0] == ~largest[1] && *cvars)
        return true;
    snprintf(message, size, *cvars ? "the ranks read tables of different MPICHs in share/anyp; "
             "install the same MPICH on all nodes" : "no table share/anyp/mpich.json contains this "
             "MPICH's control variables; use the anyp-tune beside the mpiexec of an MPICH with "
             "AnyP inside, name that MPICH with --mpich PREFIX, or install it again");
    MPI_T_finalize();
    return false;
}

void anypi_steer_close(void)
{
    for (int i = 0; i < variables_count; i++)
        if (variables[i].there)
            MPI_T_cvar_handle_free(&variables[i].handle);
    variables_count = 0;
    MPI_T_finalize();
}
