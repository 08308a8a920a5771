/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tool.h - the commands of the `anyp` tool: a command is a row of data and a function.
 *
 * The options of all commands are in one table (tool_options.def). So an option has the same
 * meaning, check and description in all commands. They are read and checked before the command
 * runs. A command writes its answer to stdout and its error messages to stderr, and returns one of
 * the exit statuses below. It does not call exit().
 */
#ifndef ANYPI_TOOL_H_INCLUDED
#define ANYPI_TOOL_H_INCLUDED

#include "anyp.h"

#include "options/command_line.h"

/* ---- options ---- */

typedef enum tool_option {
#define TOOL_OPTION(name, ...) OPTION_##name,
#include "tools/tool_options.def"
#undef TOOL_OPTION
    TOOL_OPTIONS                /* their number */
} tool_option;

#define OPTION_BIT(name) (UINT64_C(1) << OPTION_##name)

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
    int operands_after;         /* how many of them follow a `--` between operands */
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

/* ---- commands ---- */

/* Exit statuses, the same for every command. */
enum {
    TOOL_GOOD = 0,              /* done, and the answer is yes */
    TOOL_BAD = 1,               /* the answer is no (a wrong schedule, a bad file), or an error */
    TOOL_USAGE = 2              /* the command line is wrong; nothing was done */
};

typedef struct tool_command {
    const char *name;
    const char *summary;       /* one line, for the list of commands */
    const char *operands;       /* as in the synopsis: "COLLECTIVE ALGORITHM" */
    int operands_minimum, operands_maximum;
    uint64_t accepts;           /* a set of OPTION_BIT() */
    uint64_t needs;             /* the accepted options that must be given */
    bool executes;              /* its operands are a command that it executes: options end at the
                                 * first operand, and signals are not changed */
    const char *description;    /* paragraphs for --help */
    const char *examples;       /* lines for --help */
    const char *statuses;       /* exit statuses for --help; NULL: those above */
    int (*run)(const tool_options *options);
} tool_command;

extern const tool_command anypi_tool_list, anypi_tool_schedule, anypi_tool_verify, anypi_tool_cost,
    anypi_tool_check, anypi_tool_select, anypi_tool_run, anypi_tool_report;

/* All commands; summary and synopsis of the tool. */
enum { TOOL_COMMANDS = 8 };
extern const tool_command *const anypi_tool_commands[TOOL_COMMANDS];
extern const char anypi_tool_summary[], anypi_tool_synopsis[];

/* The exit statuses above, for --help. */
#define TOOL_STATUSES "0 success; 1 the answer is no, or an error; 2 wrong command line"

/* `anyp cost --best` and `--calls`, as functions of a command. */
int anypi_tool_best(const tool_options *options);
int anypi_tool_cost_calls(const tool_options *options);
/* `anyp verify --sample`. */
int anypi_tool_verify_sample(const tool_options *options);

/* Returns as text which operators an algorithm accepts, and how it brackets them. */
const char *anypi_tool_order(const anyp_algorithm *algorithm);

/* Writes "anyp COMMAND: message" to stderr. Returns `status`. */
int anypi_tool_complain(const tool_options *options, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* As above, for a wrong command line: also names the help. Returns TOOL_USAGE. */
int anypi_tool_misuse(const tool_options *options, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Returns TOOL_GOOD; if `status` is an error, writes a message and returns TOOL_BAD. */
int anypi_tool_status(const tool_options *options, anyp_status status);

/* Selects the names of the MPICH of --mpich. Returns TOOL_GOOD, or a status after an error
 * message. */
int anypi_tool_mpich(const tool_options *options);

#endif
