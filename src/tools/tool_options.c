/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/tool.h"

#include "schedule/shape.h"

#include <getopt.h>
#include <string.h>

/* Largest number of processes. If a command builds schedules, the memory limits p further
 * (described_calls.h). */
#define MAX_P (1 << 20)
#define MAX_BYTES (INT64_C(1) << 52)  /* exact in a double; sums of them fit 64 bits */
#define MAX_REAL 1e100         /* still finite when multiplied by bytes and rounds */

const anypi_option anypi_tool_options[TOOL_OPTIONS + 1] = {
#define TOOL_OPTION(name, ...) [OPTION_##name] = { __VA_ARGS__ },
#include "tools/tool_options.def"
#undef TOOL_OPTION
};

/* Makes the nodes that --nodes describes, or that --ppn and --scattered describe. */
static int read_nodes(tool_options *options)
{
    const char *reason, *shape = options->word[OPTION_NODES];
    const int p = (int) options->number[OPTION_PROCESSES];
    const int ppn = (int) options->number[OPTION_PPN];
    const bool scattered = options->given[OPTION_SCATTERED];
    char text[64];
    if (shape && (options->given[OPTION_PPN] || scattered))
        return anypi_tool_misuse(options, "--ppn and --scattered cannot be combined with --nodes, "
                                 "which describes the nodes");
    if (scattered && !options->given[OPTION_PPN])
        return anypi_tool_misuse(options, "--scattered needs --ppn: by default, all ranks are on "
                                 "one node");
    if (options->given[OPTION_PPN] && p > 0) {
        const int full = p / ppn, rest = p % ppn;
        int length = full ? snprintf(text, sizeof text, "%dx%d", full, ppn) : 0;
        if (rest)
            length += snprintf(text + length, sizeof text - (size_t) length, "%s%d",
                               full ? "," : "", rest);
        snprintf(text + length, sizeof text - (size_t) length, scattered ? ":cyclic" : "");
        shape = text;
    }
    if (!shape)
        return TOOL_GOOD;
    options->nodes = anypi_shape_read(shape, p, &reason);
    if (!options->nodes)
        return anypi_tool_misuse(options, "--nodes %s: %s", shape, reason);
    options->given[OPTION_PROCESSES] = true;
    options->number[OPTION_PROCESSES] = anypi_shape_ranks(options->nodes);
    return TOOL_GOOD;
}

/* Reads --above, and refuses values that do not fit the nodes. */
static int read_heights(tool_options *options)
{
    const char *text = options->word[OPTION_ABOVE];
    const int heights = options->nodes ? anypi_shape_length(options->nodes) - 1 : 0;
    if (options->given[OPTION_LEAF] && options->nodes)
        return anypi_tool_misuse(options, "--leaf cannot be combined with --nodes; write switches "
                                 "in --nodes as parentheses, such as 2x(8x4),(5x4)");
    if (options->given[OPTION_TAPER] && !options->given[OPTION_LEAF] && heights == 0)
        return anypi_tool_misuse(options, "--taper needs --leaf, the ranks at a leaf switch, or "
                                 "--nodes with switches, such as 2x(8x4),(5x4)");
    if (text && heights == 0)
        return anypi_tool_misuse(options, "--above needs --nodes with switches, such as "
                                 "2x(8x4),(5x4)");
    if (text && options->real[OPTION_BETA] == 0)
        return anypi_tool_misuse(options, "--above needs --beta, the time of a byte at a card");
    for (bool more = text; more; text++) {
        double *pair = options->above[options->above_count++];
        int length = 0;
        if (options->above_count > heights)
            return anypi_tool_misuse(options, "--above %s: too many pairs; the heights of "
                                     "switches in --nodes are %d",
                                     options->word[OPTION_ABOVE], heights);
        if (sscanf(text, "%lf:%lf%n", &pair[0], &pair[1], &length) != 2 ||
            !(pair[0] >= 0 && pair[0] <= MAX_REAL && pair[1] >= 0 && pair[1] <= MAX_REAL) ||
            (text[length] && text[length] != ','))
            return anypi_tool_misuse(options, "--above %s: expected pairs of numbers of at least "
                                     "0, such as 1.5:4e-5,2:1e-5", options->word[OPTION_ABOVE]);
        text += length;
        more = *text == ',';
    }
    return TOOL_GOOD;
}

int anypi_tool_options_read(tool_options *options, const tool_command *command, int argc,
                            char **argv)
{
    anypi_command_line line = { .options = anypi_tool_options, .executes = command->executes,
                                .accepted = command->accepts | OPTION_BIT(HELP),
                                .argc = argc, .argv = argv };
    *options = (tool_options) {
        .command = command,
        .number = { [OPTION_MAX_P] = 64, [OPTION_TYPE_SIZE] = 1, [OPTION_PPN] = 1,
                    [OPTION_CARDS] = 1 },
    };
    int separator = 1;          /* getopt moves it before the operands */
    while (separator < argc && strcmp(argv[separator], "--"))
        separator++;
    for (int option; (option = anypi_option_next(&line)) != ANYPI_OPTIONS_END;) {
        if (option == ANYPI_OPTION_WRONG)
            return anypi_tool_misuse(options, "%s", line.message);
        if (option == OPTION_HELP)
            return -1;
        if (option == OPTION_CALLS && options->given[option])
            return anypi_tool_misuse(options, "--calls %s --calls %s: estimate records one by one",
                                     options->word[option], line.word);
        options->given[option] = true;
        options->number[option] = line.number;
        options->real[option] = line.real;
        options->word[option] = line.word;
        if (option != OPTION_PARAM && option != OPTION_ALGORITHM)
            continue;
        if (options->params_count == TOOL_MAX_PARAMS)
            return anypi_tool_misuse(options, "more than %d options --%s", TOOL_MAX_PARAMS,
                                     anypi_tool_options[option].name);
        options->params[options->params_count++] = line.word;
    }
    options->operands = argv + optind;
    options->operands_count = argc - optind;
    if (separator < argc && !strcmp(argv[optind - 1], "--"))
        options->operands_after = argc - separator - 1;

    int status = read_nodes(options);
    if (status == TOOL_GOOD)
        status = read_heights(options);
    if (status != TOOL_GOOD)
        return status;
    for (int i = 0; i < TOOL_OPTIONS; i++)
        if ((command->needs >> i & 1) && !options->given[i] &&
            !options->given[OPTION_CALLS])      /* a record contains all that is needed */
            return anypi_tool_misuse(options, "--%s is missing: %s", anypi_tool_options[i].name,
                                     anypi_tool_options[i].help);
    if (options->operands_count < command->operands_minimum)
        return anypi_tool_misuse(options, "missing argument: %s", command->operands);
    if (options->operands_count > command->operands_maximum)
        return anypi_tool_misuse(options, "unexpected argument '%s'",
                                 options->operands[command->operands_maximum]);
    return TOOL_GOOD;
}

void anypi_tool_help(const tool_command *command, FILE *file)
{
    fprintf(file, "anyp %s - %s\n\nUsage: anyp %s [OPTION]...%s%s\n\n%s\nOptions:\n", command->name,
            command->summary, command->name, *command->operands ? " " : "", command->operands,
            command->description);
    anypi_option_help(anypi_tool_options, command->accepts | OPTION_BIT(HELP),
                      command->needs, file);
    fprintf(file, "\nExit status: %s.\n\nExamples:\n%s",
            command->statuses ? command->statuses : TOOL_STATUSES, command->examples);
}
