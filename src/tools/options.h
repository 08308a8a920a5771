/* SPDX-License-Identifier: BSD-3-Clause
 *
 * options.h - the options of all commands in one table (options.c), so that an option has the same
 * meaning, check and description everywhere. A number must be the whole word, and in range.
 */
#ifndef ANYPI_TOOL_OPTIONS_H_INCLUDED
#define ANYPI_TOOL_OPTIONS_H_INCLUDED

#include "anyp.h"

#include <stdio.h>

typedef enum tool_option {
    OPTION_PROCESSES,
    OPTION_MAX_P,
    OPTION_RANK,
    OPTION_ROOT,
    OPTION_PARAM,
    OPTION_COUNT,
    OPTION_TYPE_SIZE,
    OPTION_BYTES,
    OPTION_IN_PLACE,
    OPTION_NON_COMMUTATIVE,
    OPTION_USER_OP,
    OPTION_ALPHA,
    OPTION_BETA,
    OPTION_GAMMA,
    OPTION_OVERHEAD,
    OPTION_EAGER,
    OPTION_SKEW,
    OPTION_HIERARCHY,
    OPTION_PPN,
    OPTION_IRREGULAR,
    OPTION_SCATTERED,
    OPTION_THREADS,
    OPTION_INTER,
    OPTION_BEST,
    OPTION_ALL,
    OPTION_JOBS,
    OPTION_PROGRESS,
    OPTION_JSON,
    OPTION_SVG,
    OPTION_MPICH,
    OPTION_MPI,
    OPTION_PLUGIN,
    OPTION_TUNING_FILE,
    OPTION_ALGORITHM,
    OPTION_VERBOSE,
    OPTION_STRICT,
    OPTION_DRY_RUN,
    TOOL_OPTIONS                /* their number */
} tool_option;

#define OPTION_BIT(option) (UINT64_C(1) << (option))

enum { TOOL_MAX_PARAMS = 32 };

/* A command line that has been read. Values of options that were not given are their defaults. */
typedef struct tool_options {
    const struct tool_command *command;
    bool given[TOOL_OPTIONS];
    int64_t number[TOOL_OPTIONS];       /* of options that take a whole number */
    double real[TOOL_OPTIONS];          /* of options that take any number */
    const char *word[TOOL_OPTIONS];     /* of options that take a word; NULL if not given */
    const char *params[TOOL_MAX_PARAMS];        /* each --param, or each --algorithm */
    int params_count;
    char *const *operands;
    int operands_count;
} tool_options;

/* Reads argv[1..] for a command (argv[0] is the command's name). Returns TOOL_GOOD, TOOL_USAGE
 * after an error message, or -1 for --help. */
int anypi_tool_options_read(tool_options *options, const struct tool_command *command, int argc,
                            char **argv);

/* An option, for --help and the manual. */
typedef struct tool_option_text {
    const char *name;
    char letter;                /* 0: none */
    const char *argument;       /* NULL: none */
    bool is_optional;           /* the argument is: "--name[=ARGUMENT]" */
    const char *help;
} tool_option_text;

tool_option_text anypi_tool_option_text(tool_option option);

/* Writes the command's --help. */
void anypi_tool_help(const struct tool_command *command, FILE *file);

#endif
