/* SPDX-License-Identifier: BSD-3-Clause
 *
 * run_table.c - writes the record of a run to a terminal.
 */
#include "report/run.h"

#include <string.h>

/* Kinds with less than this part of all seconds share a line. */
static const double little = 0.001;

/* Writes seconds with their mark in ten columns: "2.10*". */
static void write_seconds(FILE *file, double seconds, const char *mark)
{
    char text[24];
    snprintf(text, sizeof text, "%.4g%s", seconds, mark);
    fprintf(file, " %10s", text);
}

static void write_time(FILE *file, const anypi_run_time *its, bool waiting)
{
    if (!its->calls) {
        fprintf(file, " %10s %10s%s", "-", "-", waiting ? "          -" : "");
        return;
    }
    write_seconds(file, its->seconds, "");
    if (its->work < 0) {
        fprintf(file, " %10s%s", "?", waiting ? "          ?" : "");
        return;
    }
    write_seconds(file, its->work, its->mark);
    if (waiting)
        write_seconds(file, its->seconds - its->work, its->mark);
}

static void write_line(FILE *file, const anypi_run *run, const anypi_run_line *line)
{
    const anypi_run_text name = anypi_run_name(run, line), bytes = anypi_run_bytes(line);
    fprintf(file, "%-44s %20s ", name.text, bytes.text);
    if (line->before.calls)
        fprintf(file, "%10.6g", line->before.times);
    else
        fprintf(file, "%10s", "-");
    write_time(file, &line->before, true);
    if (run->plan && line->known) {
        char marks[3];
        snprintf(marks, sizeof marks, "%s%s", line->measured ? "" : "^", line->capped ? "=" : "");
        write_seconds(file, line->gain, marks);
    } else if (run->plan) {
        fprintf(file, " %10s", "-");
    }
    if (run->after)
        write_time(file, &line->after, false);
    if (run->several)
        fprintf(file, " %10s", anypi_run_change(line).text);
    fputc('\n', file);
}

static bool is_marked(const anypi_run_line *line, char mark)
{
    return (line->before.calls && *line->before.mark == mark) ||
        (line->after.calls && *line->after.mark == mark);
}

static bool is_unknown(const anypi_run_time *its)
{
    return its->calls && its->work < 0;
}

void anypi_run_table(FILE *file, const anypi_run *run)
{
    int others = 0;
    double rest = 0, rest_after = 0;
    bool bounds = false, few = false, unknown = false, no_times = false, near = false;
    bool capped = false, noise = false, few_runs = false;
    fputc('\n', file);
    if (run->after)
        fprintf(file, "%76s%*s\n", run->several ? "before" : "first run", run->plan ? 56 : 45,
                run->several ? "after" : "second run");
    fprintf(file, "%-44s %20s %10s %10s %10s %10s%s%s%s\n", "collective", "bytes", "calls",
            "seconds", "working", "waiting", run->plan ? "       gain" : "",
            run->after ? "    seconds    working" : "", run->several ? "     change" : "");
    for (int i = 0; i < run->count; i++) {
        const anypi_run_line *line = &run->lines[i];
        if (line->before.seconds < little * run->sum.seconds &&
            line->after.seconds < little * run->sum.seconds && i >= 5) {
            others++;
            rest += line->before.seconds;
            rest_after += line->after.seconds;
            continue;
        }
        bounds |= is_marked(line, '*');
        few |= is_marked(line, '~');
        unknown |= is_unknown(&line->before) || is_unknown(&line->after);
        noise |= line->change == ANYPI_NOISE;
        few_runs |= line->change == ANYPI_TOO_FEW_RUNS;
        no_times |= run->plan && line->served && line->before.calls && !line->known;
        near |= line->known && !line->measured;
        capped |= line->capped;
        write_line(file, run, line);
    }
    if (others) {
        fprintf(file, "%3d more kinds %61s", others, "");
        write_seconds(file, rest, "");
        if (run->after) {
            fprintf(file, " %21s%s", "", run->plan ? "           " : "");
            write_seconds(file, rest_after, "");
        }
        fputc('\n', file);
    }
    if (bounds)
        fprintf(file, "* the rank with the least time gives the bound, not samples\n");
    if (few)
        fprintf(file, "~ fewer than %d calls were sampled\n", ANYPI_FEW_SAMPLES);
    if (unknown)
        fprintf(file, "? not known: no call was sampled, or samples exceed the seconds\n");
    if (no_times)
        fprintf(file, "- as gain: such calls were not measured\n");
    if (near)
        fprintf(file, "^ the gain is estimated from measured sizes near this one\n");
    if (capped)
        fprintf(file, "= limited to the work; by the timing files alone it is more\n");
    if (noise)
        fprintf(file, run->paired ? "noise: the interval of the differences in pairs contains 0\n"
                : "noise: the intervals of the seconds before and after overlap\n");
    if (few_runs)
        fprintf(file, "? as change: a side has fewer than %d runs\n", ANYPI_SURE_RUNS);
}
