/* SPDX-License-Identifier: BSD-3-Clause
 *
 * anyp report - a page of what anyp-tune has measured.
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
    char *page = anypi_report_page((const char *const *) options->operands,
                                   options->operands_count, options->given[OPTION_MIXED],
                                   message, sizeof message);
    if (!page)
        return anypi_tool_complain(options, TOOL_BAD, "%s", message);
    for (const char *line = message; *line; line += strcspn(line, "\n"), line += *line == '\n')
        anypi_tool_complain(options, TOOL_GOOD, "%.*s", (int) strcspn(line, "\n"), line);
    if (standard)
        fputs(page, stdout);
    else if (!anypi_file_replace(output, "--output", page, message, sizeof message))
        status = anypi_tool_complain(options, TOOL_BAD, "%s", message);
    free(page);
    return status;
}

const tool_command anypi_tool_report = {
    .name = "report",
    .summary = "make a page of what anyp-tune has measured: is AnyP faster here?",
    .operands = "TIMES...",
    .operands_minimum = 1,
    .operands_maximum = 4096,
    .accepts = OPTION_BIT(OPTION_OUTPUT) | OPTION_BIT(OPTION_MPICH) |
        OPTION_BIT(OPTION_MIXED),
    .description =
        "TIMES are what anyp-tune --save writes; several are joined as anyp-tune --join does.\n"
        "The page is one HTML file that needs no other and no network. It shows where AnyP is\n"
        "chosen and how much faster it is there than the library's choice; for each collective\n"
        "and operator a map of processes and bytes, and curves of times with their intervals;\n"
        "and where closed forms err.\n",
    .examples = "  anyp report machine.times\n"
        "  anyp report -o machine.html node.times cluster.times\n",
    .run = run,
};
