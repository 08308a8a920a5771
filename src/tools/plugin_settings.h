/* SPDX-License-Identifier: BSD-3-Clause
 *
 * plugin_settings.h - variables for a command's environment, and how its launcher passes them on.
 */
#ifndef ANYPI_TOOL_PLUGIN_SETTINGS_H_INCLUDED
#define ANYPI_TOOL_PLUGIN_SETTINGS_H_INCLUDED

#include "tools/mpi_library.h"
#include "tools/tool_options.h"

#include <limits.h>

enum { TOOL_MAX_SETTINGS = 64 };

typedef struct tool_settings {
    char *text[TOOL_MAX_SETTINGS];     /* "NAME=VALUE" */
    int count;
} tool_settings;

/* All return TOOL_GOOD, or another status after an error message. */

/* Sets a variable, in the environment of this process, too. A value of NULL: no memory. */
int anypi_tool_settings_set(const tool_options *options, tool_settings *settings, const char *name,
                            const char *value);

/* The decision file that a user names: that file; but "generic", if there is no such file, means
 * generic.json, which is installed for machines that were not tuned, and is beside the program
 * before that. Writes the name into path and returns it. */
const char *anypi_tool_decision_file(const char *name, char path[PATH_MAX]);

/* Sets the variables of --tuning-file, --algorithm, --verbose, --strict and --reproducible. Names
 * and values of --algorithm are checked first. */
int anypi_tool_settings_read(const tool_options *options, tool_settings *settings);

/* Checks the plug-in's variables in the environment of this process, and the decision file, as the
 * plug-in does, so that errors are reported before a job starts. */
int anypi_tool_settings_check(const tool_options *options);

/* Warns if no checked variable chooses an algorithm (not in a dry run), or if there are variables
 * that only an MPICH with AnyP inside understands. */
void anypi_tool_settings_warn(const tool_options *options, tool_family family);

/* The command's words, with the options that make Open MPI's launcher pass AnyP's variables to
 * processes on other nodes; may set a variable for that, too. The words are not freed: the process
 * executes the command. */
int anypi_tool_settings_forward(const tool_options *options, tool_settings *settings,
                                const tool_mpi *mpi, char ***words);

#endif
