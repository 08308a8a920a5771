/* SPDX-License-Identifier: BSD-3-Clause
 *
 * run_page.c - writes the record of a run as a page: sentences, pictures, and the table.
 */
#include "report/markup.h"
#include "report/run.h"

#include <stdlib.h>
#include <string.h>

static void paragraph(FILE *page, const anypi_run *run)
{
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    if (!file)
        return;
    anypi_run_headline(file, run);
    if (!fclose(file))
        for (char *rest, *line = strtok_r(text, "\n", &rest); line;
             line = strtok_r(NULL, "\n", &rest)) {
            fprintf(page, "<p class=\"answer\">");
            anypi_markup_text(page, line);
            fprintf(page, "</p>\n");
        }
    free(text);
}

static void seconds(FILE *page, double number, const char *more)
{
    fprintf(page, "<td>%.4g%s</td>", number, more);
}

/* Writes calls, seconds, working and waiting of a run. */
static void time_cells(FILE *page, const anypi_run_time *its)
{
    if (!its->calls) {
        fprintf(page, "<td>-</td><td>-</td><td>-</td><td>-</td>");
        return;
    }
    fprintf(page, "<td>%.6g</td>", anypi_calls_of_rank(its->calls));
    seconds(page, its->seconds, "");
    if (its->work < 0) {
        fprintf(page, "<td>?</td><td>?</td>");
        return;
    }
    seconds(page, its->work, its->mark);
    seconds(page, its->seconds - its->work, its->mark);
}

static void table_head(FILE *page, const anypi_run *run)
{
    static const char times[] = "<th>calls</th><th>seconds</th><th>working</th><th>waiting</th>";
    fprintf(page, "<h2>All calls</h2>\n<p class=\"note\">Seconds of %s. *: no call was sampled; "
            "the process with the least time gives a bound. ~: fewer than %d calls were sampled. "
            "?: working or waiting is not known.%s</p>\n<table><thead>",
            run->record->complete && (!run->after || run->after->complete) ? "an average process"
            : "an average process, or of rank 0 if a record is incomplete", ANYPI_FEW_SAMPLES,
            run->plan ? " AnyP saves: estimated from the timing files; -: such calls were not "
            "measured, or AnyP does not serve them." : "");
    if (run->after)
        fprintf(page, "<tr><th></th><th></th><th colspan=\"%d\">first run</th>"
                "<th colspan=\"4\">second run</th></tr>\n", run->plan ? 6 : 5);
    fprintf(page, "<tr><th>collective</th><th>bytes</th>%s<th>%% of run</th>%s%s</tr></thead>"
            "<tbody>\n", times, run->plan ? "<th>AnyP saves</th>" : "", run->after ? times : "");
}

static void table(FILE *page, const anypi_run *run)
{
    table_head(page, run);
    for (int i = 0; i < run->count; i++) {
        const anypi_run_line *line = &run->lines[i];
        const bool made = line->before.calls;
        fprintf(page, "<tr><th>");
        anypi_markup_text(page, anypi_run_name(run, line).text);
        fprintf(page, "</th><td class=\"text\">%s</td>", anypi_run_bytes(line).text);
        time_cells(page, &line->before);
        if (made)
            fprintf(page, "<td>%.1f</td>", run->record->seconds > 0
                    ? 100 * line->before.seconds / run->record->seconds : 0);
        else
            fprintf(page, "<td>-</td>");
        if (run->plan && line->measured)
            seconds(page, line->gain, "");
        else if (run->plan)
            fprintf(page, "<td>-</td>");
        if (run->after)
            time_cells(page, &line->after);
        fprintf(page, "</tr>\n");
    }
    fprintf(page, "</tbody></table>\n");
}

static void origin(FILE *page, const anypi_record *record)
{
    char nodes[32] = "unknown";
    const char *const shape = record->nodes ? record->shapes[record->nodes] : "";
    const bool several = shape[strspn(shape, "0123456789")];
    if (*shape && !several)
        snprintf(nodes, sizeof nodes, "1 node of %d", record->p);
    const struct {
        const char *name, *text;
    } rows[] = {
        { "command", record->command }, { "MPI library", record->library },
        { "begun", record->begun }, { "algorithms by", record->decided },
        { "nodes", several ? shape : nodes },
        { "written by AnyP", record->version },
    };
    fprintf(page, "<table><tbody><tr><th>processes</th><td class=\"text\">%d</td></tr>\n",
            record->p);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fprintf(page, "<tr><th>%s</th><td class=\"text\">", rows[i].name);
        anypi_markup_text(page, rows[i].text);
        fprintf(page, "</td></tr>\n");
    }
    fprintf(page, "</tbody></table>\n");
}

void anypi_run_page(FILE *page, const anypi_run *run)
{
    fprintf(page, "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n"
            "<head>\n<meta charset=\"utf-8\"/>\n<title>The collectives of a program</title>\n"
            "<style>\n%s</style>\n</head>\n<body>\n<h1>The collectives of a program</h1>\n",
            anypi_page_style);
    paragraph(page, run);
    anypi_run_bars(page, run);
    anypi_run_sizes(page, run);
    table(page, run);
    fprintf(page, "<h2>%s</h2>\n", run->after ? "The first run" : "The run");
    origin(page, run->record);
    if (run->after) {
        fprintf(page, "<h2>The second run</h2>\n");
        origin(page, run->after);
    }
    fprintf(page, "<p class=\"note\">Made by anyp report of AnyP %s.</p>\n</body>\n</html>\n",
            PACKAGE_VERSION);
}
