/* SPDX-License-Identifier: BSD-3-Clause
 *
 * settings.h - variables for a command's environment, and how its launcher hands them on.
 */
#ifndef ANYPI_TOOL_SETTINGS_H_INCLUDED
#define ANYPI_TOOL_SETTINGS_H_INCLUDED

#include "tools/mpi.h"
#include "tools/options.h"

enum { TOOL_MOST_SETTINGS = 64 };

typedef struct tool_settings {
    char *text[TOOL_MOST_SETTINGS];     /* "NAME=VALUE" */
    int count;
} tool_settings;

/* All return TOOL_GOOD, or another status after a complaint. */

/* Sets a variable, in this process's environment as well. A value of NULL: no memory. */
int anypi_tool_settings_set(const tool_options *options, tool_settings *settings, const char *name,
                       const char *value);

/* Sets what --tuning-file, --algorithm, --verbose and --strict say. Names and values of --algorithm
 * are checked first. */
int anypi_tool_settings_read(const tool_options *options, tool_settings *settings);

/* Is all that this process's environment says to the plug-in right, decision file and all? The
 * plug-in's own check, so that a job need not be started to hear of it. */
int anypi_tool_settings_check(const tool_options *options);

/* Warns if nothing that was checked chooses an algorithm (not in a dry run), or if there are
 * variables that only an MPICH with AnyP inside understands. */
void anypi_tool_settings_warn(const tool_options *options, tool_family family);

/* The command's words, with what Open MPI's launcher needs to hand all variables of AnyP's to
 * processes on other nodes; it may set a variable. They live as long as the process, which is to
 * become the command. */
int anypi_tool_settings_hand_on(const tool_options *options, tool_settings *settings,
                           const tool_mpi *mpi, char ***words);

#endif
