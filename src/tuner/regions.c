/* SPDX-License-Identifier: BSD-3-Clause */
#include "tuner/regions.h"

#include "tuner/cells.h"
#include "tuner/node_shapes.h"
#include "tuner/noise.h"
#include "tuner/predict.h"
#include "tuner/shared_rules.h"
#include "schedule/memory.h"
#include "schedule/shape.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

anypi_choosing anypi_usual_choosing(const anypi_plan *plan)
{
    return (anypi_choosing) {
        .margin = plan->exact ? 0 : 0.03, .margin_by_model = 0.15,
        .regret = plan->exact ? 0.02 : 0.03, .regret_by_model = 0.08, .automatic = 0.03,
    };
}

/* Predictions beyond the largest measured number of processes end at MAX_P. */
enum { MAX_P = 1 << 16, MAX_POINTS = 3 * ANYPI_MAX_LIST };

/* If two measured numbers of processes have at most this ratio, no point is added between them. */
static const double near = 1.3;

/* The same ratio for two measured sizes. Below: the sizes beyond the largest one for which choices
 * are made, relative to it. */
static const double near_size = 2;
static const int beyond[] = { 4, 32 };

/* A number of processes, measured or not. */
typedef struct point {
    int p;
    anyp_shape *made;           /* nodes that were made for it; NULL: `nodes` belong to the plan */
    const anyp_shape *nodes;
    anypi_near_rows rows;       /* of the measured p around it; if measured, its own */
    bool measured;
} point;

/* A collective, operator kind, and kind and mean ranks of nodes. */
typedef struct group {
    const anypi_plan *plan;
    const anypi_choosing *how;
    anyp_collective collective;
    bool commutative;
    point points[MAX_POINTS];
    int points_count;
    anypi_measured_row rows[ANYPI_MAX_LIST];    /* of the measured points, ascending */
    int rows_count;
    int64_t sizes[ANYPI_MAX_LIST];      /* bytes, ascending */
    int sizes_count;
    bool predicts;              /* also choose where nothing was measured */
} group;

/* ---- measured points ---- */

/* May the candidate be chosen? */
static bool eligible(const anypi_plan *plan, const anypi_cell *cell, int c, double margin)
{
    if (c >= cell->candidates)
        return false;
    if (plan->only_anyp)
        return anypi_time(cell, c) < INFINITY;
    return plan->exact ? anypi_ratio(cell, c) < 1 : anypi_significantly_faster(cell, c, margin);
}

/* Is the candidate "auto"? */
static bool is_automatic(const group *g, int c)
{
    return anypi_candidate_automatic(&g->plan->candidates[g->collective].list[c]);
}

/* Sets the ratios in a measured cell. If no candidate may be chosen, the MPI library's is 1. */
static void measured_ratios(const group *g, const anypi_cell *cell, float *ratios)
{
    double best = INFINITY;
    for (int c = 1; c < cell->candidates; c++)
        if (eligible(g->plan, cell, c, g->how->margin))
            best = fmin(best, anypi_time(cell, c));
    for (int c = 1; c < cell->candidates; c++)
        if (best < INFINITY && eligible(g->plan, cell, c, g->how->margin))
            ratios[c] = (float) (anypi_time(cell, c) / best);
    const double library = g->plan->only_anyp && best < INFINITY ? INFINITY : anypi_time(cell, 0);
    ratios[0] = best < INFINITY ? (float) fmax(1, library / best) : 1;
}

/* ---- predicted cells ---- */

/* Returns by how much the MPI library must be slower: if it is slower by the usual margin at both
 * measured sizes around a cell, by the usual margin; otherwise by more. */
static double margin_of(const group *g, const point *one, const anypi_cell *cell, int c)
{
    const anypi_measured_row *row = one->rows.low;
    const anypi_size_place at = anypi_size_place_of(row, cell->bytes);
    const anypi_cell *low = &row->cells[at.low], *high = &row->cells[at.high];
    return one->measured && at.low < at.high && eligible(g->plan, low, c, g->how->margin) &&
        eligible(g->plan, high, c, g->how->margin) ? g->how->margin : g->how->margin_by_model;
}

/* Sets the ratios in a cell that was not measured. */
static void predicted_ratios(const group *g, const point *one, const anypi_cell *cell,
                             float *ratios)
{
    const anypi_candidate *list = g->plan->candidates[g->collective].list;
    const int count = g->plan->candidates[g->collective].count;
    double best = INFINITY, library = INFINITY;
    double times[ANYPI_MAX_CANDIDATES];
    anypi_predict(g->plan, &one->rows, cell, times);
    for (int c = 0; c < count; c++)
        if (!list[c].algorithm)
            library = fmin(library, times[c]);
    for (int c = 1; c < count; c++) {
        if (list[c].algorithm && library < INFINITY &&
            !(times[c] * (1 + margin_of(g, one, cell, c)) < library))
            times[c] = INFINITY;
        if (list[c].algorithm)
            best = fmin(best, times[c]);
    }
    for (int c = 0; c < count; c++)
        if (best < INFINITY)
            ratios[c] = c && list[c].algorithm ? (float) (times[c] / best) : INFINITY;
        else
            ratios[c] = list[c].algorithm ? INFINITY : (float) (times[c] / library);
    if (best == INFINITY && library == INFINITY)
        ratios[0] = 1;
}

/* ---- points ---- */

/* Returns the measured row of procs[index]; without cells if there are none. */
static anypi_measured_row row_of(const group *g, int index)
{
    const anypi_plan *plan = g->plan;
    const anypi_cell like = { .p = plan->procs[index], .nodes = plan->nodes[index],
                              .collective = g->collective, .commutative = g->commutative };
    anypi_measured_row row = { .count = 0 };
    for (int i = 0; i < plan->cells_count; i++)
        if (anypi_cell_alike(&plan->cells[i], &like) && !row.count++)
            row.cells = &plan->cells[i];
    return row;
}

/* Adds a point that was not measured, with so many processes or nodes; false: no memory. */
static bool add_predicted(group *g, const anyp_shape *like, int units)
{
    point one = { .p = units };
    if (units < 1)
        return true;
    if (like) {
        one.made = anypi_nodes_more(like, units);
        if (!one.made)
            return false;
        one.nodes = one.made;
        one.p = anypi_shape_ranks(one.made);
    }
    bool known = one.p < 2 || one.p > MAX_P || g->points_count == MAX_POINTS;
    for (int i = 0; i < g->points_count; i++)
        known = known || g->points[i].p == one.p;
    if (known)
        anypi_shape_free(one.made);
    else
        g->points[g->points_count++] = one;
    return true;
}

static int by_p(const void *one, const void *other)
{
    return ((const point *) one)->p - ((const point *) other)->p;
}

static int ascending(const void *one, const void *other)
{
    const int64_t a = *(const int64_t *) one, b = *(const int64_t *) other;
    return (a > b) - (a < b);
}

static void add_size(group *g, int64_t bytes)
{
    bool known = g->sizes_count == ANYPI_MAX_LIST;
    for (int n = 0; n < g->sizes_count; n++)
        known = known || g->sizes[n] == bytes;
    if (!known)
        g->sizes[g->sizes_count++] = bytes;
}

/* Adds the sizes of all measured points. (The smallest of a reduce-scatter depends on p.) */
static void add_measured_sizes(group *g)
{
    for (int i = 0; i < g->rows_count; i++)
        for (int k = 0; k < g->rows[i].count; k++)
            add_size(g, g->rows[i].cells[k].bytes);
    qsort(g->sizes, (size_t) g->sizes_count, sizeof *g->sizes, ascending);
}

/* Adds sizes between the measured ones, and beyond them. */
static void add_predicted_sizes(group *g)
{
    const int measured = g->sizes_count;
    const int64_t largest = g->sizes[measured - 1];
    for (int i = 1; i < measured; i++) {
        const double from = (double) g->sizes[i - 1], to = (double) g->sizes[i];
        const int steps = (int) ceil(log(to / from) / log(near_size) - 1e-9);
        for (int k = 1; k < steps && to <= INT_MAX; k++)
            add_size(g, (int64_t) (from * pow(to / from, (double) k / steps)));
    }
    for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++)
        if (largest <= INT_MAX / beyond[i])     /* conditions are ints */
            add_size(g, largest * beyond[i]);
    qsort(g->sizes, (size_t) g->sizes_count, sizeof *g->sizes, ascending);
}

/* Returns the measured rows around a p that was not measured. */
static anypi_near_rows rows_around(const group *g, int p)
{
    int high = 0;
    while (high < g->rows_count - 1 && g->rows[high].cells->p < p)
        high++;
    const int low = high > 0 && g->rows[high].cells->p > p ? high - 1 : high;
    const double from = g->rows[low].cells->p, to = g->rows[high].cells->p;
    return (anypi_near_rows) { &g->rows[low], &g->rows[high],
                               low < high ? log(p / from) / log(to / from) : 0 };
}

/* Adds the predicted sizes, and points below, between and beyond the measured ones, with the rows
 * of the nearest measured ones; false: no memory. */
static bool add_all_predicted(group *g)
{
    const int measured = g->points_count;
    const anyp_shape *like = g->points[0].nodes;
    const int ranks = like ? anypi_shape_mean(like) : 1;
    bool good = true;
    add_predicted_sizes(g);
    for (int i = 0; i < measured && good; i++)
        good = anypi_measured_row_make(g->plan, &g->rows[i]);
    for (int i = 0; i < measured && good; i++) {
        const double from = i ? (double) g->points[i - 1].p / ranks : like ? 2 : 1;
        const double to = (double) g->points[i].p / ranks;
        const int steps = (int) ceil(log(to / from) / log(near));
        for (int k = i ? 1 : 0; k < steps && good; k++)
            good = add_predicted(g, like, (int) (from * pow(to / from, (double) k / steps)));
    }
    /* values that were measured at one p, perhaps a power of two, are only valid there */
    for (int i = 0; i < measured && good; i++) {
        const int units = g->points[i].p / ranks;
        good = add_predicted(g, like, units - 1) && add_predicted(g, like, units + 1);
    }
    for (double units = (double) g->points[measured - 1].p / ranks * near;
         units * ranks <= MAX_P && good; units *= units * ranks < 1024 ? near : 2)
        good = add_predicted(g, like, (int) units);
    for (int i = measured; i < g->points_count; i++)
        g->points[i].rows = rows_around(g, g->points[i].p);
    qsort(g->points, (size_t) g->points_count, sizeof *g->points, by_p);
    return good;
}

static void set_ratios(const group *g, const anypi_ratios *ratios, int i, int size)
{
    const point *one = &g->points[i];
    const int64_t bytes = g->sizes[size];
    const anypi_measured_row *near_row = one->rows.low;
    const anypi_size_place at = anypi_size_place_of(near_row, bytes);
    const anypi_cell *cell = &near_row->cells[at.part < 0.5 ? at.low : at.high];
    const bool measured = one->measured &&
        (!g->predicts || bytes == cell->bytes || bytes < near_row->cells->bytes);
    float *row = anypi_ratio_at(ratios, i, size);
    for (int c = 0; c < ratios->choices; c++)
        row[c] = INFINITY;
    if (measured) {
        measured_ratios(g, cell, row);
    } else {
        anypi_cell other = *cell;
        other.p = one->p;
        other.nodes = one->nodes;
        other.bytes = bytes;
        predicted_ratios(g, one, &other, row);
    }
    ratios->limits[i * ratios->sizes + size] = (float)
        (1 + (measured ? g->how->regret : fmax(g->how->regret, g->how->regret_by_model)));
}

/* ---- regions ---- */

/* Returns the size at `part` of the way between two sizes, by logarithms. */
static int64_t border(int64_t smaller, int64_t larger, double part)
{
    return (int64_t) (pow((double) smaller, 1 - part) * pow((double) larger, part));
}

static anypi_region *add_region(anypi_regions *regions, const group *g, int last)
{
    anypi_region *list = realloc(regions->list, ((size_t) regions->count + 1) * sizeof *list);
    if (!list)
        return NULL;
    regions->list = list;
    anypi_region *added = &list[regions->count++];
    *added = (anypi_region) { .plan = g->plan, .collective = g->collective,
                              .commutative = g->commutative, .last = last };
    for (int i = 0; i < g->points_count && !added->nodes; i++)
        added->nodes = g->points[i].made ? NULL : g->points[i].nodes;
    return added;
}

/* Sets the choices of the measured cells of the points first .. chain->end - 1. */
static void set_choices(const group *g, int first, const anypi_chain *chain)
{
    for (int i = first; i < chain->end; i++) {
        const point *one = &g->points[i];
        const anypi_measured_row *row = one->rows.low;
        for (int k = 0; k < row->count && one->measured; k++) {
            int size = 0, step = 0;
            while (size + 1 < g->sizes_count && row->cells[k].bytes > g->sizes[size])
                size++;
            while (chain->steps[step].last < size)
                step++;
            g->plan->cells[&row->cells[k] - g->plan->cells].choice = chain->steps[step].choice;
        }
    }
}

/* Without predictions, the library chooses below half of the smallest p and beyond the largest. */
static bool add_regions(anypi_regions *regions, const group *g, const anypi_chain *chains,
                        int count)
{
    const bool limited = g->how->measured_only;
    const int smallest = g->points[0].p, largest = g->points[g->points_count - 1].p;
    if (limited && smallest > 3) {
        anypi_region *hole = add_region(regions, g, (smallest - 1) / 2);
        if (!hole)
            return false;
        hole->steps[hole->count++].bytes = INT64_MAX;
    }
    for (int i = 0, first = 0; i < count; first = chains[i++].end) {
        const anypi_chain *chain = &chains[i];
        const int before = g->points[chain->end - 1].p;
        const int after = i + 1 < count ? g->points[chain->end].p : 0;
        const int last = after ? before + (int) (chain->cut * (after - before))
            : limited ? largest : INT_MAX;
        anypi_region *one = add_region(regions, g, last);
        if (!one)
            return false;
        for (int k = 0; k < chain->count; k++) {
            const int size = chain->steps[k].last;
            one->steps[one->count].bytes = size + 1 < g->sizes_count
                ? border(g->sizes[size], g->sizes[size + 1], chain->steps[k].cut) : INT64_MAX;
            one->steps[one->count++].choice = chain->steps[k].choice;
        }
        set_choices(g, first, chain);
    }
    return true;
}

/* Makes the regions of the points of a group. */
static bool divide(const group *g, anypi_regions *regions)
{
    const int choices = g->plan->candidates[g->collective].count;
    anypi_ratios ratios = { .points = g->points_count, .sizes = g->sizes_count,
                            .choices = choices };
    anypi_chain *chains = malloc((size_t) g->points_count * sizeof *chains);
    const size_t cells = (size_t) ratios.points * (size_t) ratios.sizes;
    ratios.list = malloc(cells * (size_t) choices * sizeof *ratios.list);
    ratios.limits = malloc(cells * sizeof *ratios.limits);
    ratios.favours = malloc((size_t) choices * sizeof *ratios.favours);
    bool good = chains && ratios.list && ratios.limits && ratios.favours;
    /* "auto" needs no numbers, and is valid at other p and sizes */
    for (int c = 0; good && c < choices; c++)
        ratios.favours[c] = (float) (is_automatic(g, c)
            ? fmax(1, (1 + g->how->automatic) / (1 + g->how->regret)) : 1);
    for (int i = 0; good && i < g->points_count; i++)
        for (int size = 0; size < g->sizes_count; size++)
            set_ratios(g, &ratios, i, size);
    const int count = good ? anypi_share(&ratios, chains) : -1;
    good = count > 0 && add_regions(regions, g, chains, count);
    free(chains);
    free(ratios.list);
    free(ratios.limits);
    free(ratios.favours);
    return good;
}

/* Makes the regions of procs[first .. end - 1], whose nodes are of one kind and mean. */
static bool choose_group(anypi_plan *plan, const anypi_choosing *how, int first, int end,
                         anyp_collective collective, bool commutative, anypi_regions *regions)
{
    static group g;
    g = (group) { .plan = plan, .how = how, .collective = collective,
                  .commutative = commutative };
    for (int i = first; i < end; i++) {
        g.rows[g.rows_count] = row_of(&g, i);
        if (!plan->complete[i] || !g.rows[g.rows_count].count)
            continue;
        const anypi_measured_row *row = &g.rows[g.rows_count++];
        g.points[g.points_count++] = (point) { .p = plan->procs[i], .nodes = plan->nodes[i],
                                               .rows = { row, row, 0 }, .measured = true };
    }
    if (!g.points_count)
        return true;
    add_measured_sizes(&g);
    g.predicts = !how->measured_only && !plan->forms &&
        *anypi_cell_network(plan, g.rows[0].cells);
    const bool good = (!g.predicts || add_all_predicted(&g)) && divide(&g, regions);
    for (int i = 0; i < g.points_count; i++)
        anypi_shape_free(g.points[i].made);
    for (int i = 0; i < g.rows_count; i++)
        free(g.rows[i].errors);
    return good;
}

bool anypi_choose_all(anypi_plan *plan, const anypi_choosing *how, anypi_regions *regions)
{
    *regions = (anypi_regions) { .list = NULL };
    for (int i = 0; i < plan->cells_count; i++)
        plan->cells[i].choice = 0;
    for (int first = 0, end; first < plan->procs_count; first = end) {
        for (end = first + 1; end < plan->procs_count; end++)
            if (anypi_nodes_order(plan->nodes[first], plan->nodes[end]))
                break;
        for (int collective = 0; collective < ANYP_COLLECTIVES; collective++)
            for (int operators = 0; operators < 2; operators++)
                if (anypi_plan_has(plan, collective, operators) &&
                    !choose_group(plan, how, first, end, (anyp_collective) collective, !operators,
                                  regions))
                    return false;
    }
    return true;
}

anypi_plan *anypi_regions_plan(anypi_regions *regions)
{
    const size_t count = (size_t) regions->plans_count + 1;
    anypi_plan **plans = realloc(regions->plans, count * sizeof *plans);
    if (!plans)
        return NULL;
    regions->plans = plans;
    plans[count - 1] = calloc(1, sizeof **plans);
    regions->plans_count += plans[count - 1] != NULL;
    return plans[count - 1];
}

void anypi_regions_free(anypi_regions *regions)
{
    for (int i = 0; i < regions->plans_count; i++) {
        anypi_plan_free(regions->plans[i]);
        free(regions->plans[i]);
    }
    free(regions->plans);
    free(regions->list);
    *regions = (anypi_regions) { .list = NULL };
}
