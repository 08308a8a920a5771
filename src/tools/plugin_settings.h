/* SPDX-License-Identifier: BSD-3-Clause
 *
 * plugin_settings.h - sets variables for a command, and makes its launcher forward them.
 */
#ifndef ANYPI_TOOL_PLUGIN_SETTINGS_H_INCLUDED
#define ANYPI_TOOL_PLUGIN_SETTINGS_H_INCLUDED

#include "tools/mpi_library.h"
#include "tools/tool.h"

#include <limits.h>

enum { TOOL_MAX_SETTINGS = 64 };

typedef struct tool_settings {
    char *text[TOOL_MAX_SETTINGS];     /* "NAME=VALUE" */
    int count;
} tool_settings;

/* Functions return TOOL_GOOD, or another status after an error message. */

/* Sets a variable, also in the environment of this process. A value of NULL means: no memory. */
int anypi_tool_settings_set(const tool_options *options, tool_settings *settings, const char *name,
                            const char *value);

/* Sets the folder of the running program. False: it is not known. */
bool anypi_tool_folder(char folder[PATH_MAX]);

/* Finds the decision file that a user names, writes its name into path and returns it. If the name
 * is "generic" and there is no such file, it means the installed generic.json, which is for
 * machines that were not tuned. Before installation generic.json is beside the program. */
const char *anypi_tool_decision_file(const char *name, char path[PATH_MAX]);

/* Sets the variables of --tuning-file, --algorithm, --verbose, --strict and --reproducible. Names
 * and values of --algorithm are checked first. */
int anypi_tool_settings_read(const tool_options *options, tool_settings *settings);

/* Checks the plug-in's variables in the environment of this process and the decision file, as the
 * plug-in does. So errors are reported before a job starts. */
int anypi_tool_settings_check(const tool_options *options);

/* Warns if no checked variable chooses an algorithm (not in a dry run). Also warns of variables
 * that only an MPICH with AnyP inside understands. */
void anypi_tool_settings_warn(const tool_options *options, tool_family family);

/* Returns the command's words, with options that make Open MPI's launcher forward AnyP's variables
 * to processes on other nodes. It may also set a variable for this. The words are not freed: the
 * process executes the command. */
int anypi_tool_settings_forward(const tool_options *options, tool_settings *settings,
                                const tool_mpi *mpi, char ***words);

#endif
