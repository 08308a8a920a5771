/* SPDX-License-Identifier: BSD-3-Clause
 *
 * control_plugin.c - for the plug-in, by anyp_control.h. Its functions are looked up by name, so
 * that the same program can be linked with the plug-in or run with the plug-in preloaded.
 */
#include "control.h"

#include "anyp_control.h"

#include <mpi.h>

#include <ctype.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static __typeof__(&anyp_control_set) set_variable;
static __typeof__(&anyp_control_last) last;

const bool control_needs_file = false;
static bool prepared;

/* ANYP_[<COLLECTIVE>_]<NAME> = value; NULL unsets it. */
static void set(const char *collective, const char *name, const char *value)
{
    char variable[128];
    const char *reason;
    snprintf(variable, sizeof variable, "%s%s%s", collective, *collective ? "_" : "", name);
    for (char *c = variable; *c; c++)
        *c = (char) toupper((unsigned char) *c);
    if (set_variable(variable, value, &reason) != 0)
        control_fail("cannot set ANYP_%s to %s: %s", variable, value ? value : "nothing", reason);
}

/* A script may request an algorithm of barriers, so that MPI_Init prepares for AnyP's messages, as
 * for a program with a decision file. */
void control_open(const char *table_file)
{
    (void) table_file;
    *(void **) &set_variable = dlsym(RTLD_DEFAULT, "anyp_control_set");
    *(void **) &last = dlsym(RTLD_DEFAULT, "anyp_control_last");
    if (!set_variable || !last)
        control_fail("the plug-in is missing: link with the plug-in, or preload it");
    prepared = getenv("ANYP_BARRIER_ALGORITHM") || getenv("ANYP_TUNING_FILE");
    set("barrier", "algorithm", NULL);
}

void control_close(void)
{
}

/* The plug-in serves such calls if MPI_Init has prepared for AnyP's messages. Their algorithm is
 * that of blocking calls. */
bool control_nonblocking(bool on)
{
    return !on || prepared;
}

void control_algorithm(anyp_collective collective, const anyp_algorithm *algorithm)
{
    set(anyp_collective_name(collective), "algorithm", algorithm ? algorithm->name : NULL);
}

void control_parameter(anyp_collective collective, const anyp_parameter *parameter, int value)
{
    char text[ANYP_VALUE_SIZE];
    set(anyp_collective_name(collective), parameter->name,
        anyp_parameter_text(parameter, value, text, sizeof text));
}

void control_verbose(bool on)
{
    set("", "verbose", on ? "1" : NULL);
}

bool control_last(anyp_collective collective, const char **name)
{
    *name = last(anyp_collective_name(collective));
    return true;
}
