/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tool_options.h - the options of all commands in one table (tool_options.c). So an option has the
 * same meaning, check and description in all commands.
 */
#ifndef ANYPI_TOOL_TOOL_OPTIONS_H_INCLUDED
#define ANYPI_TOOL_TOOL_OPTIONS_H_INCLUDED

#include "anyp.h"

#include "options/command_line.h"

typedef enum tool_option {
#define TOOL_OPTION(name, ...) OPTION_##name,
#include "tools/tool_options.def"
#undef TOOL_OPTION
    TOOL_OPTIONS                /* their number */
} tool_option;

#define OPTION_BIT(option) (UINT64_C(1) << (option))

enum { TOOL_MAX_PARAMS = 32 };

/* A command line that has been read. An option that was not given has its default value. */
typedef struct tool_options {
    const struct tool_command *command;
    bool given[TOOL_OPTIONS];
    int64_t number[TOOL_OPTIONS];       /* of options whose value is a whole number */
    double real[TOOL_OPTIONS];          /* of options whose value is any number */
    const char *word[TOOL_OPTIONS];     /* of options whose value is a word; NULL if not given */
    anyp_shape *nodes;                  /* of --nodes or --ppn; NULL: neither was given */
    double above[ANYP_MODEL_HEIGHTS][2];        /* of --above: alpha and beta */
    int above_count;
    const char *params[TOOL_MAX_PARAMS];        /* each --param, or each --algorithm */
    int params_count;
    char *const *operands;
    int operands_count;
} tool_options;

/* Reads argv[1..] for a command (argv[0] is the command's name). Returns TOOL_GOOD, TOOL_USAGE
 * after an error message, or -1 for --help. In all cases call anypi_shape_free(options->nodes)
 * later. */
int anypi_tool_options_read(tool_options *options, const struct tool_command *command, int argc,
                            char **argv);

/* All options, followed by a row without a name. */
extern const anypi_option anypi_tool_options[TOOL_OPTIONS + 1];

/* Writes the command's --help. */
void anypi_tool_help(const struct tool_command *command, FILE *file);

#endif
