/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/parts.h"

#include "tuner/noise.h"
#include "tuner/node_shapes.h"

#include <math.h>
#include <stdio.h>

enum { WIDTH = 760, HEIGHT = 320, LEFT = 66, RIGHT = 210, TOP = 14, BOTTOM = 44,
       LINES = 6, MOST = 4 };

/* The score of an algorithm at a size at which it was not measured, because it is hopeless. */
static const double missing = 3;

typedef struct line {
    const anyp_algorithm *algorithm;    /* NULL: the library */
    bool own;                           /* the best of the library's other algorithms */
    double score;                       /* the mean ratio to the fastest; small is good */
} line;

typedef struct curves {
    anypi_report *report;
    const anypi_cell *const *cells;
    int count;
    line lines[LINES];
    int lines_count;
    double low, high;                   /* times on the axis */
} curves;

/* Returns the candidate that a line shows at a size; -1: none. */
static int shown(const curves *d, const line *l, const anypi_cell *cell)
{
    const anypi_plan *plan = d->report->plan;
    int best = -1;
    if (l->algorithm) {
        best = anypi_fastest_of(plan, cell, l->algorithm);
        return best ? best : -1;
    }
    if (!l->own)
        return cell->trials[0].count ? 0 : -1;
    for (int c = 1; c < cell->candidates; c++)
        if (cell->trials[c].count && !anypi_is_anyp(plan, cell, c) &&
            (best < 0 || anypi_time(cell, c) < anypi_time(cell, best)))
            best = c;
    return best;
}

static double score_of(const curves *d, const line *l)
{
    double sum = 0;
    int measured = 0;
    for (int i = 0; i < d->count; i++) {
        const int c = shown(d, l, d->cells[i]);
        measured += c >= 0;
        sum += log(c < 0 ? missing
                   : anypi_time(d->cells[i], c) / anypi_shortest_of_all(d->cells[i]));
    }
    return measured ? sum / d->count : INFINITY;
}

/* Adds a line to the lines of algorithms, which begin at `first`, and drops the worst. */
static void add_line(curves *d, line l, int first)
{
    l.score = score_of(d, &l);
    if (!(l.score < INFINITY))
        return;
    int i = d->lines_count < first + MOST ? d->lines_count++ : d->lines_count - 1;
    if (i == first + MOST - 1 && d->lines[i].algorithm && d->lines[i].score <= l.score)
        return;
    for (; i > first && d->lines[i - 1].score > l.score; i--)
        d->lines[i] = d->lines[i - 1];
    d->lines[i] = l;
}

static void choose_lines(curves *d)
{
    int count;
    const anyp_algorithm *algorithms = anyp_algorithms(&count);
    for (int own = 0; own < 2; own++) {
        const line l = { .own = own };
        if (score_of(d, &l) < INFINITY)
            d->lines[d->lines_count++] = l;
    }
    const int first = d->lines_count;
    for (int i = 0; i < count; i++)
        add_line(d, (line) { .algorithm = &algorithms[i] }, first);
}

static double x_of(const curves *d, int64_t bytes)
{
    const double first = log2((double) d->cells[0]->bytes);
    const double last = log2((double) d->cells[d->count - 1]->bytes);
    return LEFT + 16 + (WIDTH - LEFT - RIGHT - 32) *
        (last > first ? (log2((double) bytes) - first) / (last - first) : 0.5);
}

static double y_of(const curves *d, double time)
{
    return TOP + (HEIGHT - TOP - BOTTOM) * (log(d->high / time) / log(d->high / d->low));
}

/* Makes the axis of times, from the times that are shown. */
static void scale(curves *d)
{
    d->low = INFINITY;
    d->high = 0;
    for (int k = 0; k < d->lines_count; k++)
        for (int i = 0; i < d->count; i++) {
            const int c = shown(d, &d->lines[k], d->cells[i]);
            if (c < 0)
                continue;
            const anypi_interval interval = anypi_trial_interval(d->cells[i], c);
            d->low = fmin(d->low, interval.low);
            d->high = fmax(d->high, interval.high);
        }
    d->low /= 1.1;
    d->high = fmax(d->high * 1.1, 2 * d->low);
}

static void axes(curves *d)
{
    static const int steps[] = { 1, 2, 5 };
    FILE *page = d->report->page;
    const double decades = log10(d->high / d->low);
    double last = -INFINITY;
    for (int decade = (int) floor(log10(d->low)); decade <= log10(d->high); decade++)
        for (int k = 0; k < (decades > 3 ? 1 : 3); k++) {
            const double time = steps[k] * pow(10, decade);
            if (time < d->low || time > d->high)
                continue;
            fprintf(page, "<path d=\"M%d,%.1fH%d\" stroke=\"#ddd\"/><text x=\"%d\" y=\"%.1f\" "
                    "text-anchor=\"end\" font-size=\"11\">%s</text>\n", LEFT, y_of(d, time),
                    WIDTH - RIGHT, LEFT - 6, y_of(d, time) + 4, anypi_markup_tick(time).text);
        }
    for (int i = 0; i < d->count; i++) {
        const double x = x_of(d, d->cells[i]->bytes);
        fprintf(page, "<path d=\"M%.1f,%dV%d\" stroke=\"#ddd\"/>", x, TOP, HEIGHT - BOTTOM);
        if (x - last < 46)              /* labels must not overlap */
            continue;
        last = x;
        fprintf(page, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\" "
                "font-size=\"11\">%s</text>\n", x, HEIGHT - BOTTOM + 16,
                anypi_markup_bytes(d->cells[i]->bytes).text);
    }
    fprintf(page, "<path d=\"M%d,%dV%dH%d\" stroke=\"#555\" fill=\"none\"/><text x=\"%d\" y=\"%d\" "
            "text-anchor=\"middle\">bytes of the vector</text>\n", LEFT, TOP, HEIGHT - BOTTOM,
            WIDTH - RIGHT, (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8);
}

static const char *name_of(const line *l)
{
    return l->algorithm ? l->algorithm->name : l->own ? "MPI library's best other"
        : "MPI library's choice";
}

/* Draws a point with its interval. */
static void point(const curves *d, const line *l, const anypi_cell *cell, int c, double x)
{
    FILE *page = d->report->page;
    const anypi_interval interval = anypi_trial_interval(cell, c);
    fprintf(page, "<g><title>");
    const anypi_candidate *one = anypi_candidate_of(d->report->plan, cell, c);
    anypi_markup_text(page, c ? anypi_candidate_text(one).text : name_of(l));
    fprintf(page, "\n%s: median %s, %s to %s, %d round%s</title>",
            anypi_markup_bytes(cell->bytes).text, anypi_markup_time(interval.median).text,
            anypi_markup_time(interval.low).text, anypi_markup_time(interval.high).text,
            cell->trials[c].count, cell->trials[c].count == 1 ? "" : "s");
    if (interval.high > interval.low)
        fprintf(page, "<path d=\"M%.1f,%.1fV%.1fm-3,0h6M%.1f,%.1fh6\" stroke=\"%s\" "
                "fill=\"none\"/>", x, y_of(d, interval.low), y_of(d, interval.high), x - 3,
                y_of(d, interval.low), anypi_mark_colour(l->algorithm));
    anypi_mark_write(page, l->algorithm, x, y_of(d, interval.median));
    fprintf(page, "</g>\n");
}

/* Draws line k, slightly beside the other lines so that intervals can be told apart. */
static void draw(const curves *d, int k)
{
    FILE *page = d->report->page;
    const line *l = &d->lines[k];
    const double beside = 3 * (k - 0.5 * (d->lines_count - 1));
    const char *dashes = l->algorithm ? "" : l->own ? " stroke-dasharray=\"2 4\""
        : " stroke-dasharray=\"7 4\"";
    bool begun = false;
    fprintf(page, "<path fill=\"none\" stroke-width=\"1.6\" stroke=\"%s\"%s d=\"",
            anypi_mark_colour(l->algorithm), dashes);
    for (int i = 0; i < d->count; i++) {
        const int c = shown(d, l, d->cells[i]);
        if (c >= 0)
            fprintf(page, "%c%.1f,%.1f", begun ? 'L' : 'M', x_of(d, d->cells[i]->bytes) + beside,
                    y_of(d, anypi_trial_interval(d->cells[i], c).median));
        begun |= c >= 0;
    }
    fprintf(page, "\"/>\n");
    for (int i = 0; i < d->count; i++) {
        const int c = shown(d, l, d->cells[i]);
        if (c >= 0)
            point(d, l, d->cells[i], c, x_of(d, d->cells[i]->bytes) + beside);
    }
    const int x = WIDTH - RIGHT + 18, y = TOP + 16 + 22 * k;
    fprintf(page, "<path d=\"M%d,%dh26\" stroke=\"%s\" stroke-width=\"1.6\"%s/>", x, y,
            anypi_mark_colour(l->algorithm), dashes);
    anypi_mark_write(page, l->algorithm, x + 13, y);
    fprintf(page, "<text x=\"%d\" y=\"%d\">%s</text>\n", x + 34, y + 4, name_of(l));
}

void anypi_curve_write(anypi_report *report, const anypi_cell *const *cells, int count)
{
    curves d = { .report = report, .cells = cells, .count = count };
    char label[320], id[32];
    choose_lines(&d);
    if (!d.lines_count)
        return;
    scale(&d);
    snprintf(id, sizeof id, "curve-%d", ++report->curves);
    snprintf(label, sizeof label, "%s: time against bytes of the vector",
             anypi_procs_text(cells[0]->p, cells[0]->nodes).text);
    anypi_picture_begin(report->page, id, WIDTH, HEIGHT, label);
    axes(&d);
    for (int k = d.lines_count - 1; k >= 0; k--)
        draw(&d, k);
    fprintf(report->page, "</svg>\n");
}
