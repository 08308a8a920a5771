/* SPDX-License-Identifier: BSD-3-Clause
 *
 * anyp report - writes a page about the measurements of anyp-tune, or about a program's record.
 */
#include "tools/tool.h"

#include "tuner/text_file.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

static int run(const tool_options *options)
{
    char message[4096];
    const char *output = options->given[OPTION_OUTPUT] ? options->word[OPTION_OUTPUT]
        : "report.html";
    const bool standard = !strcmp(output, "-");
    int status = anypi_tool_mpich(options);
    if (status != TOOL_GOOD)
        return status;
    if (!standard && !anypi_file_writable(output, "--output", message, sizeof message))
        return anypi_tool_complain(options, TOOL_BAD, "%s", message);
    const char *const *files = (const char *const *) options->operands;
    char *table;
    char *page = anypi_report_make(files, options->operands_count, options->given[OPTION_MIXED],
                                   &table, message, sizeof message);
    if (!page)
        return anypi_tool_complain(options, TOOL_BAD, "%s", message);
    for (const char *line = message; *line; line += strcspn(line, "\n"), line += *line == '\n')
        anypi_tool_complain(options, TOOL_GOOD, "%.*s", (int) strcspn(line, "\n"), line);
    if (table && !standard)
        fputs(table, stdout);
    free(table);
    if (standard)
        fputs(page, stdout);
    else if (!anypi_file_replace(output, "--output", page, message, sizeof message))
        status = anypi_tool_complain(options, TOOL_BAD, "%s", message);
    else
        printf("page: %s\n", output);
    free(page);
    return status;
}

const tool_command anypi_tool_report = {
    .name = "report",
    .summary = "show a program's record, or the times of a machine",
    .operands = "FILE...",
    .operands_minimum = 1,
    .operands_maximum = 4096,
    .accepts = OPTION_BIT(OPTION_OUTPUT) | OPTION_BIT(OPTION_MPICH) |
        OPTION_BIT(OPTION_MIXED),
    .description =
        "FILE is a record of `anyp run --record`. anyp report prints a table of the program's\n"
        "collectives: the seconds in which an average process works, and waits for late\n"
        "processes. The page contains the same with pictures. Two records are compared,\n"
        "before and after a change of the program. Timing files add what AnyP saves on that\n"
        "machine. With two records and timing files, the first sentence compares the expected\n"
        "saving with the real one.\n\n"
        "Or all FILEs are timing files of anyp-tune --save, joined as by anyp-tune --join.\n"
        "The page shows where AnyP is chosen, and how much faster it is than the MPI\n"
        "library's choice: maps of processes and sizes, curves with intervals, and errors of\n"
        "the closed forms.\n\n"
        "The page is one HTML file that needs no network. A browser with JavaScript draws it.\n",
    .examples = "  anyp report calls.json\n"
        "  anyp report before.json after.json machine.times\n"
        "  anyp report machine.times\n"
        "  anyp report -o machine.html node.times cluster.times\n",
    .run = run,
};
