/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/parts.h"

#include "tuner/candidates.h"
#include "tuner/noise.h"
#include "tuner/node_shapes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Counts over cells. */
typedef struct tally {
    int cells, anyp, own, kept; /* number of cells; those that choose AnyP's algorithm, another
                                   one of the library, or keep the library's choice */
    int compared;               /* number with a gain */
    int slower, held, alone;    /* of those that keep the library's choice: AnyP's best is
                                   significantly slower, or faster, or nothing to compare */
    double sum, all;            /* sums of logarithms: of the gain where AnyP is chosen; of the time
                                   saved in all cells, 0 where the library's choice is kept */
    double least, most;         /* gain where AnyP is chosen */
    const anypi_cell *best;     /* the cell with the gain `most` */
} tally;

static void count(const anypi_report *report, const anypi_cell *cell, tally *t)
{
    const anypi_finding finding = anypi_finding_of(report, cell);
    const bool anyp = anypi_is_anyp(report->plan, cell, cell->choice);
    t->cells++;
    t->anyp += anyp;
    t->own += cell->choice && !anyp;
    t->kept += !cell->choice;
    t->slower += !cell->choice && finding.difference == ANYPI_IS_SLOWER;
    t->held += finding.difference == ANYPI_IS_HELD;
    t->alone += !cell->choice && finding.difference == ANYPI_IS_ALONE;
    if (finding.difference == ANYPI_IS_ALONE)
        return;
    t->compared++;
    t->all += cell->choice ? log(finding.gain) : 0;
    if (!anyp)
        return;
    t->sum += log(finding.gain);
    if (finding.gain > t->most) {
        t->most = finding.gain;
        t->best = cell;
    }
    t->least = fmin(t->least, finding.gain);
}

static tally tally_of(const anypi_report *report, const anypi_cell_group *group)
{
    tally t = { .least = INFINITY };
    const anypi_plan *plan = report->plan;
    for (int i = 0; group && i < group->count; i++)
        count(report, group->cells[i], &t);
    for (int i = 0; !group && i < plan->cells_count; i++)
        if (plan->cells[i].rounds)
            count(report, &plan->cells[i], &t);
    return t;
}

static void write_call(FILE *page, const anypi_cell *cell)
{
    fprintf(page, "%s, %s", anypi_procs_text(cell->p, cell->nodes).text,
            anypi_markup_bytes(cell->bytes).text);
}

/* Writes the answer in a sentence. */
static void headline(anypi_report *report, const tally *t)
{
    FILE *page = report->page;
    if (!t->compared) {
        fprintf(page, "<p class=\"answer\">The MPI library's choice was not measured, so there is "
                "no comparison with it. The page shows which algorithms were fastest, and their "
                "times.</p>\n");
        return;
    }
    fprintf(page, "<p class=\"answer\">AnyP is chosen in <b>%d of %d</b> cells", t->anyp, t->cells);
    if (t->best) {
        fprintf(page, ". There it is <b>%s times</b> as fast as the MPI library's choice "
                "(geometric mean; %s to %s times). The largest speed-up is in %s, %s, ",
                anypi_markup_ratio(exp(t->sum / t->anyp)).text, anypi_markup_ratio(t->least).text,
                anypi_markup_ratio(t->most).text, anypi_form_name(t->best->collective),
                anypi_operator(t->best->collective, t->best->commutative));
        write_call(page, t->best);
    }
    fprintf(page, ". ");
    if (t->kept)
        fprintf(page, "The MPI library's choice is kept in %d: AnyP's best algorithm is "
                "significantly slower in %d of them, and not significantly different in %d.",
                t->kept, t->slower,
                t->kept - t->slower - t->held - t->alone);
    if (t->held)
        fprintf(page, " AnyP is faster in %d, but not chosen, since neighbouring sizes share the "
                "MPI library's rule.",
                t->held);
    if (t->alone)
        fprintf(page, " In %d there is nothing to compare with.", t->alone);
    fprintf(page, "</p>\n");
    if (t->anyp && !report->plan->exact)
        fprintf(page, "<p class=\"note\">The same times chose the algorithms, so the speed-ups "
                "are slightly too large. anyp-tune --validate measures again, also at other "
                "sizes.</p>\n");
}

static void bar(FILE *page, const tally *t)
{
    const double scale = 150.0 / t->cells;
    fprintf(page, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"152\" height=\"14\" "
            "viewBox=\"0 0 152 14\"><title>chosen: AnyP %d, another algorithm of the MPI library "
            "%d, the MPI library's choice %d</title><rect x=\"1\" y=\"1\" width=\"150\" "
            "height=\"12\" fill=\"#fff\" stroke=\"#999\"/><rect x=\"1\" y=\"1\" width=\"%.1f\" "
            "height=\"12\" fill=\"#4a93c8\"/><rect x=\"%.1f\" y=\"1\" width=\"%.1f\" "
            "height=\"12\" fill=\"#dccbe6\"/></svg>",
            t->anyp, t->own, t->kept, scale * t->anyp, 1 + scale * t->anyp, scale * t->own);
}

static anypi_number ratio_if(bool known, double ratio)
{
    return known ? anypi_markup_ratio(ratio) : (anypi_number) { "-" };
}

/* Writes a row of the table; href: the section of the group, 0: none. */
static void row(anypi_report *report, const char *name, const tally *t, int href)
{
    FILE *page = report->page;
    const anypi_number mean = ratio_if(t->best, exp(t->sum / t->anyp));
    const anypi_number least = ratio_if(t->best, t->least), most = ratio_if(t->best, t->most);
    const anypi_number all = ratio_if(t->compared, exp(t->all / t->compared));
    if (href)
        fprintf(page, "<tr><th><a href=\"#group-%d\">%s</a></th>", href, name);
    else
        fprintf(page, "<tr class=\"sum\"><th>%s</th>", name);
    fprintf(page, "<td>%d</td><td>%d</td><td>%d</td><td>%d</td><td>", t->cells, t->anyp, t->own,
            t->kept);
    bar(page, t);
    fprintf(page, "</td><td>%s</td><td>%s</td><td>%s</td><td class=\"text\">", mean.text,
            least.text, most.text);
    if (t->best)
        write_call(page, t->best);
    fprintf(page, "</td><td>%s</td></tr>\n", all.text);
}

void anypi_summary_write(anypi_report *report, anypi_cell_group *group)
{
    FILE *page = report->page;
    const tally all = tally_of(report, NULL);
    int number = 0;
    headline(report, &all);
    fprintf(page, "<table><thead><tr><th rowspan=\"2\">collective, operator</th><th "
            "rowspan=\"2\">cells</th><th colspan=\"4\">chosen</th><th colspan=\"4\">speed-up over "
            "the MPI library's choice, where AnyP is chosen</th><th rowspan=\"2\">mean "
            "speed-up,<br/>all cells</th></tr>\n<tr><th>AnyP</th><th>library, "
            "other</th><th>library's "
            "choice</th><th></th><th>mean</th><th>least</th><th>most</th><th>at</th></tr></thead>"
            "<tbody>\n");
    group->next = 0;
    while (anypi_group_next(report->plan, group)) {
        char name[128];
        const tally t = tally_of(report, group);
        anypi_group_name(report->plan, group, name, sizeof name);
        row(report, name, &t, ++number);
    }
    if (number > 1)
        row(report, "all", &all, 0);
    fprintf(page, "</tbody></table>\n<p class=\"note\">A cell is a collective, an operator, a "
            "number of processes and a size. Means are geometric. In the mean of all cells, those "
            "with the MPI library's choice count 1. ");
    if (report->plan->exact)
        fprintf(page, "Times are exact: each was measured once, and AnyP is chosen where it is "
                "faster.</p>\n");
    else
        fprintf(page, "The time of an algorithm in a cell is the lower quartile of its rounds. "
                "AnyP is chosen where it is significantly faster, by more than %.0f %%. "
                "Neighbouring sizes can share a rule, so some speed-ups may be below 1.</p>\n",
                100 * report->how.margin);
}
