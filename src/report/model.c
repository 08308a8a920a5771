/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/parts.h"

#include "algorithms/automatic.h"
#include "algorithms/network.h"
#include "tuner/candidates.h"
#include "tuner/cells.h"
#include "tuner/noise.h"
#include "tuner/node_shapes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 760, HEIGHT = 280, LEFT = 66, RIGHT = 210, TOP = 14, BOTTOM = 44, WORST = 8 };

/* The axis of ratios ends at 2^n and its inverse, for an n between these. Ratios beyond are drawn
 * at the ends. */
enum { LEAST_POWER = 2, MOST_POWER = 8 };

/* The prediction for an algorithm's fastest candidate in a cell. */
typedef struct sample {
    const anypi_cell *cell;
    const anyp_algorithm *algorithm;
    int candidate;
    double time, ratio;         /* measured, seconds; predicted / measured */
} sample;

typedef struct samples {
    sample *list;
    int count;
} samples;

static anypi_text name_of(const anypi_plan *plan, const sample *s)
{
    return anypi_candidate_text(anypi_candidate_of(plan, s->cell, s->candidate));
}

/* Returns the prediction for a candidate, in seconds; INFINITY if there is none. */
static double predicted(const anypi_plan *plan, const anypi_cell *cell, int c)
{
    const anypi_candidate *candidate = anypi_candidate_of(plan, cell, c);
    const anyp_call call = anypi_cell_call(cell);
    anyp_model model;
    const char *reason;
    if (anypi_any_automatic(candidate->algorithm, candidate->parameters) ||
        !anypi_network_read(anypi_cell_network(plan, cell), &call, &model) ||
        anyp_applicable(candidate->algorithm, &call, candidate->parameters, &reason) !=
        ANYP_SUCCESS)
        return INFINITY;
    return anypi_form_time(candidate->algorithm, &call, candidate->parameters, &model);
}

/* Collects the samples of a group. The model prefers some candidate in each cell: how much slower
 * is it than AnyP's fastest? *by_model becomes the sum of the logarithms of these ratios, *worst
 * the largest one. */
static int collect(const anypi_plan *plan, const anypi_cell_group *group, samples *all,
                   double *by_model, double *worst)
{
    int algorithms, cells = 0;
    const anyp_algorithm *list = anyp_algorithms(&algorithms);
    *by_model = 0;
    *worst = 1;
    for (int i = 0; i < group->count; i++) {
        const anypi_cell *cell = group->cells[i];
        double shortest = INFINITY, preferred = INFINITY, least = INFINITY;
        for (int a = 0; a < algorithms; a++) {
            const int c = anypi_fastest_of(plan, cell, &list[a]);
            const double expected = c ? predicted(plan, cell, c) : INFINITY;
            if (!(expected < INFINITY) || !(expected > 0))
                continue;
            const double time = anypi_time(cell, c);
            all->list[all->count++] = (sample) { cell, &list[a], c, time, expected / time };
            shortest = fmin(shortest, time);
            if (expected < least) {
                least = expected;
                preferred = time;
            }
        }
        if (!(preferred < INFINITY))
            continue;
        cells++;
        *by_model += log(preferred / shortest);
        *worst = fmax(*worst, preferred / shortest);
    }
    return cells;
}

static int by_ratio(const void *one, const void *other)
{
    const double a = ((const sample *) one)->ratio, b = ((const sample *) other)->ratio;
    return (a > b) - (a < b);
}

static int by_error(const void *one, const void *other)
{
    const double a = fabs(log(((const sample *) one)->ratio));
    const double b = fabs(log(((const sample *) other)->ratio));
    return (a < b) - (a > b);
}

/* ---- a picture of a group ---- */

typedef struct axis {
    double low, high;           /* times */
    int power;
} axis;

static double x_of(const axis *a, double time)
{
    return LEFT + 12 + (WIDTH - LEFT - RIGHT - 24) * log(time / a->low) / log(a->high / a->low);
}

static double y_of(const axis *a, double ratio)
{
    const double shown = fmax(-a->power, fmin(a->power, log2(ratio)));
    return TOP + 8 + (HEIGHT - TOP - BOTTOM - 16) * 0.5 * (1 - shown / a->power);
}

static axis axis_of(const sample *list, int count)
{
    axis a = { INFINITY, 0, LEAST_POWER };
    for (int i = 0; i < count; i++) {
        a.low = fmin(a.low, list[i].time / 1.2);
        a.high = fmax(a.high, list[i].time * 1.2);
        while (a.power < MOST_POWER && fabs(log2(list[i].ratio)) > a.power)
            a.power++;
    }
    return a;
}

static void write_axes(FILE *page, const axis *a)
{
    fprintf(page, "<rect x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"%.1f\" fill=\"#eef4ee\"/>\n",
            LEFT, y_of(a, 2), WIDTH - LEFT - RIGHT, y_of(a, 0.5) - y_of(a, 2));
    for (int power = -a->power; power <= a->power; power++)
        fprintf(page, "<path d=\"M%d,%.1fH%d\" stroke=\"%s\"/><text x=\"%d\" y=\"%.1f\" "
                "text-anchor=\"end\" font-size=\"11\">%s%d</text>\n", LEFT, y_of(a, pow(2, power)),
                WIDTH - RIGHT, power ? "#ddd" : "#555", LEFT - 6, y_of(a, pow(2, power)) + 4,
                power < 0 ? "1/" : "", 1 << abs(power));
    const double decades = log10(a->high / a->low);
    for (int decade = (int) floor(log10(a->low)); decade <= log10(a->high); decade++)
        for (int step = 1; step <= (decades > 3 ? 1 : 5); step += step == 1 ? 1 : 3) {
            const double time = step * pow(10, decade);
            if (time < a->low || time > a->high)
                continue;
            fprintf(page, "<path d=\"M%.1f,%dV%d\" stroke=\"#ddd\"/><text x=\"%.1f\" y=\"%d\" "
                    "text-anchor=\"middle\" font-size=\"11\">%s</text>\n", x_of(a, time), TOP,
                    HEIGHT - BOTTOM, x_of(a, time), HEIGHT - BOTTOM + 16,
                    anypi_markup_tick(time).text);
        }
    fprintf(page, "<path d=\"M%d,%dV%dH%d\" stroke=\"#555\" fill=\"none\"/><text x=\"%d\" y=\"%d\" "
            "text-anchor=\"middle\">measured time</text><text transform=\"translate(16 %d) "
            "rotate(-90)\" text-anchor=\"middle\">predicted / measured</text>\n", LEFT, TOP,
            HEIGHT - BOTTOM, WIDTH - RIGHT, (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8,
            (TOP + HEIGHT - BOTTOM) / 2);
}

static void picture(FILE *page, const anypi_plan *plan, const sample *list, int count,
                    const char *name, int number)
{
    char label[192], id[32];
    const axis a = axis_of(list, count);
    int algorithms, keys = 0;
    const anyp_algorithm *known = anyp_algorithms(&algorithms);
    snprintf(label, sizeof label, "%s: predicted time by measured time", name);
    snprintf(id, sizeof id, "model-%d", number);
    anypi_picture_begin(page, id, WIDTH, HEIGHT, label);
    write_axes(page, &a);
    for (int i = 0; i < count; i++) {
        const sample *s = &list[i];
        fprintf(page, "<g><title>");
        anypi_markup_text(page, name_of(plan, s).text);
        fprintf(page, "\n%s, %s: measured %s, predicted %s</title>",
                anypi_procs_text(s->cell->p, s->cell->nodes).text,
                anypi_markup_bytes(s->cell->bytes).text, anypi_markup_time(s->time).text,
                anypi_markup_time(s->time * s->ratio).text);
        anypi_mark_write(page, s->algorithm, x_of(&a, s->time), y_of(&a, s->ratio));
        fprintf(page, "</g>\n");
    }
    for (int k = 0; k < algorithms; k++) {
        int found = 0;
        for (int i = 0; i < count; i++)
            found += list[i].algorithm == &known[k];
        if (!found)
            continue;
        const int x = WIDTH - RIGHT + 24, y = TOP + 12 + 18 * keys++;
        anypi_mark_write(page, &known[k], x, y);
        fprintf(page, "<text x=\"%d\" y=\"%d\">%s</text>\n", x + 14, y + 4, known[k].name);
    }
    fprintf(page, "</svg>\n");
}

/* ---- tables ---- */

/* Writes a row for each algorithm: the median of its ratios, and how far they spread. Sorts the
 * list. */
static void table(FILE *page, samples *all)
{
    int algorithms;
    const anyp_algorithm *known = anyp_algorithms(&algorithms);
    qsort(all->list, (size_t) all->count, sizeof *all->list, by_ratio);
    fprintf(page, "<table><thead><tr><th>algorithm</th><th>times</th><th>predicted / measured: "
            "median</th><th>smallest</th><th>largest</th><th>within a factor of 2</th></tr></thead>"
            "<tbody>\n");
    for (int a = 0; a < algorithms; a++) {
        int count = 0, good = 0, seen = 0;
        double middle = 1, smallest = INFINITY, largest = 0;
        for (int i = 0; i < all->count; i++)
            count += all->list[i].algorithm == &known[a];
        for (int i = 0; i < all->count; i++) {
            const double ratio = all->list[i].ratio;
            if (all->list[i].algorithm != &known[a])
                continue;
            if (seen++ == count / 2)
                middle = ratio;
            smallest = fmin(smallest, ratio);
            largest = fmax(largest, ratio);
            good += ratio >= 0.5 && ratio <= 2;
        }
        if (!count)
            continue;
        fprintf(page, "<tr><th>%s</th><td>%d</td><td>%s</td><td>%s</td><td>%s</td><td>%d %%</td>"
                "</tr>\n", known[a].name, count, anypi_markup_ratio(middle).text,
                anypi_markup_ratio(smallest).text, anypi_markup_ratio(largest).text,
                100 * good / count);
    }
    fprintf(page, "</tbody></table>\n");
}

static void worst_errors(FILE *page, const anypi_plan *plan, samples *all)
{
    qsort(all->list, (size_t) all->count, sizeof *all->list, by_error);
    fprintf(page, "<h3>Largest errors of predictions</h3>\n<table><thead><tr><th>call</th>"
            "<th>algorithm</th><th>measured</th><th>predicted</th><th>predicted / measured</th>"
            "</tr></thead><tbody>\n");
    for (int i = 0; i < all->count && i < WORST; i++) {
        const sample *s = &all->list[i];
        const anypi_cell *cell = s->cell;
        fprintf(page, "<tr><th>%s, %s, %s, %s</th><td class=\"text\">",
                anypi_form_name(cell->collective),
                anypi_operator(cell->collective, cell->commutative),
                anypi_procs_text(cell->p, cell->nodes).text, anypi_markup_bytes(cell->bytes).text);
        anypi_markup_text(page, name_of(plan, s).text);
        fprintf(page, "</td><td>%s</td><td>%s</td><td>%s</td></tr>\n",
                anypi_markup_time(s->time).text, anypi_markup_time(s->time * s->ratio).text,
                anypi_markup_ratio(s->ratio).text);
    }
    fprintf(page, "</tbody></table>\n");
}

void anypi_model_write(anypi_report *report, anypi_cell_group *group)
{
    int algorithms, pictures = 0;
    anyp_algorithms(&algorithms);
    FILE *page = report->page;
    const anypi_plan *plan = report->plan;
    samples all = { calloc((size_t) plan->cells_count * (size_t) algorithms, sizeof *all.list), 0 };
    report->failed |= !all.list;
    fprintf(page, "<h2 id=\"model\">Predicted and measured times</h2>\n<p>AnyP predicts times by "
            "closed forms, from constants of the machine that anyp-tune has fitted. The "
            "predictions choose parameters that are <i>auto</i>, and algorithms for numbers of "
            "processes that were not measured. A point is an algorithm with its fastest measured "
            "parameters. In the shaded band, the prediction is within a factor of 2 of the "
            "measured time. Good choices require only that the predictions are in the right "
            "order.</p>\n");
    group->next = 0;
    while (all.list && anypi_group_next(plan, group)) {
        char name[128];
        double sum, worst;
        const int first = all.count, cells = collect(plan, group, &all, &sum, &worst);
        if (!cells)
            continue;
        anypi_group_name(plan, group, name, sizeof name);
        fprintf(page, "<details%s><summary>%s: if predictions chose among AnyP's algorithms, "
                "calls would take %s times as long as with the fastest one (at most %s "
                "times)</summary>\n<p>Constants (<i>network</i>): %s</p>\n",
                pictures ? "" : " open=\"open\"", name,
                anypi_markup_ratio(exp(sum / cells)).text, anypi_markup_ratio(worst).text,
                anypi_cell_network(plan, group->cells[0]));
        picture(page, plan, &all.list[first], all.count - first, name, ++pictures);
        fprintf(page, "</details>\n");
    }
    if (all.count) {
        table(page, &all);
        worst_errors(page, plan, &all);
    } else {
        fprintf(page, "<p>There are no predictions, since the files contain no constants of the "
                "machine, or no times of AnyP's algorithms.</p>\n");
    }
    free(all.list);
}
