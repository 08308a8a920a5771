/* SPDX-License-Identifier: BSD-3-Clause
 *
 * steer_plugin.c - for the plug-in in front of any MPI library. If an algorithm does not serve a
 * call, the plug-in forwards the call instead of refusing it. So it reports what ran. The program
 * contains another copy of AnyP's code: algorithms are compared by name.
 */
#include "measure/steer.h"

#include "anyp_control.h"
#include "select/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const anypi_steering anypi_steer = {
    .file = "ANYP_TUNING_FILE",
    .verbose = "ANYP_VERBOSE",
    .use = "anyp run --tuning-file ",
    .command = "-- mpiexec ...",
    .nodes = "ANYP_NODES",
    .measured = ", through the plug-in",
};

/* While an algorithm is requested, MPI_Init prepares for AnyP's messages, as for a program with a
 * decision file. */
static const char prepared[] = "ANYP_BARRIER_ALGORITHM";

void anypi_steer_clean(void)
{
    extern char **environ;
    for (char **entry = environ; *entry; entry++) {
        char name[256];
        const size_t length = strcspn(*entry, "=");
        if (strncmp(*entry, "ANYP_", 5) || length >= sizeof name)
            continue;
        snprintf(name, sizeof name, "%.*s", (int) length, *entry);
        if (strcmp(name, anypi_steer.nodes) && !unsetenv(name))
            entry = environ - 1;        /* the entries have moved */
    }
    setenv(prepared, "exchange", 1);
}

const char *anypi_steer_file(char *path, size_t size)
{
    (void) path;
    (void) size;
    const char *named = getenv(anypi_steer.file);
    return named && *named ? named : NULL;
}

bool anypi_steer_open(MPI_Comm world, anypi_cvars **cvars, char *message, size_t size)
{
    const char *reason;
    (void) world;
    *cvars = NULL;
    if (anyp_control_set(prepared + strlen("ANYP_"), NULL, &reason) == 0)
        return true;
    snprintf(message, size, "the tuner cannot control the plug-in: %s", reason);
    return false;
}

void anypi_steer_close(void)
{
}

const char *anypi_steer_alone(const char *library)
{
    (void) library;
    return NULL;
}

/* ANYP_<COLLECTIVE>_<name> */
static bool set(anyp_collective collective, const char *name, const char *value)
{
    const char *reason;
    char variable[2 * ANYPI_NAME_SIZE];
    snprintf(variable, sizeof variable, "%s_%s", anyp_collective_name(collective), name);
    anypi_upper(variable);
    return anyp_control_set(variable, value, &reason) == 0;
}

bool anypi_steer_select(anyp_collective collective, const anypi_candidate *candidate)
{
    const anyp_algorithm *algorithm = candidate->algorithm;
    bool done = set(collective, "ALGORITHM", algorithm ? algorithm->name : NULL);
    for (int i = 0; algorithm && i < algorithm->parameters_count; i++) {
        const anyp_parameter *parameter = &algorithm->parameters[i];
        char value[ANYP_VALUE_SIZE];
        anyp_parameter_text(parameter, candidate->parameters[i], value, sizeof value);
        done = set(collective, parameter->name, value) && done;
    }
    return done;
}

bool anypi_steer_ran(anyp_collective collective, const anypi_candidate *candidate)
{
    const char *last = anyp_control_last(anyp_collective_name(collective));
    if (!last || !candidate->algorithm)
        return !last && !candidate->algorithm;
    return !strcmp(last, candidate->algorithm->name);
}
