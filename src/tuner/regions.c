/* SPDX-License-Identifier: BSD-3-Clause */
#include "tuner/regions.h"

#include "tuner/cells.h"
#include "tuner/noise.h"
#include "tuner/node_shapes.h"
#include "tuner/shared_rules.h"
#include "schedule/memory.h"
#include "schedule/nodes.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

anypi_choosing anypi_usual_choosing(const anypi_plan *plan)
{
    return (anypi_choosing) {
        .margin = plan->exact ? 0 : 0.03, .margin_by_model = 0.15,
        .regret = plan->exact ? 0.02 : 0.03, .regret_by_model = 0.05, .automatic = 0.03,
    };
}

/* Numbers of processes that are predicted: beyond the largest that was measured up to this. */
enum { MAX_P = 1 << 16, MAX_POINTS = 3 * ANYPI_MAX_LIST };

/* Between two measured numbers of processes, this ratio or a smaller one needs no other point. */
static const double near = 1.3;

/* The largest ratio to the best at the nearest measured point of what may be chosen at others. */
static const double trusted = 1.25;

/* A number of processes, measured or not. */
typedef struct point {
    int p;
    anyp_nodes *made;           /* nodes that were made for it; NULL: `nodes` are of the plan */
    const anyp_nodes *nodes;
    const anypi_cell *cells;    /* of the nearest measured p: a row of sizes, */
    int cells_count;
    bool measured;              /* which is the p itself */
} point;

/* A collective, operator kind, and kind and mean ranks of nodes. */
typedef struct group {
    const anypi_plan *plan;
    const anypi_choosing *how;
    anyp_collective collective;
    bool commutative;
    point points[MAX_POINTS];
    int points_count;
    int64_t sizes[ANYPI_MAX_LIST];      /* bytes, ascending */
    int sizes_count;
} group;

/* ---- measured points ---- */

/* May it be chosen? */
static bool eligible(const anypi_plan *plan, const anypi_cell *cell, int c, double margin)
{
    if (plan->only_anyp)
        return anypi_time(cell, c) < INFINITY;
    return plan->exact ? anypi_ratio(cell, c) < 1 : anypi_significantly_faster(cell, c, margin);
}

/* Is the candidate "auto"? */
static bool is_automatic(const group *g, int c)
{
    return anypi_candidate_automatic(&g->plan->candidates[g->collective].list[c]);
}

/* The ratios in a measured cell. Without a candidate that may be chosen, the library's is 1. */
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

/* ---- predicted points ---- */

/* The ratio of time and closed form of a candidate that is "auto" in a measured cell; INFINITY: it
 * was not measured there. */
static double error_of(const group *g, const anypi_cell *cell, int c)
{
    anypi_candidate settled;
    double form;
    const double time = anypi_time(cell, c);
    return time < INFINITY &&
        anypi_automatic_settle(g->plan, cell, &g->plan->candidates[g->collective].list[c],
                               &settled, &form) ? time / form : INFINITY;
}

/* Is it a choice of the library, or one of its algorithms that serves the cell? */
static bool is_of_library(const anypi_candidate *candidate, const anypi_cell *cell)
{
    const anyp_call call = anypi_cell_call(cell);
    return !candidate->algorithm &&
        (!candidate->own || anypi_own_serves(candidate->own, &call, cell->commutative));
}

/* The ratios in a cell that was not measured, from those of the nearest. */
static void predicted_ratios(const group *g, const anypi_cell *near_cell, const anypi_cell *cell,
                             float *ratios)
{
    const anypi_candidate *list = g->plan->candidates[g->collective].list;
    const int count = near_cell->candidates;
    double best = INFINITY, nearest = INFINITY, library = INFINITY;
    double times[ANYPI_MAX_CANDIDATES], errors[ANYPI_MAX_CANDIDATES];
    for (int c = 1; c < count; c++) {
        errors[c] = is_automatic(g, c) ? error_of(g, near_cell, c) : INFINITY;
        if (errors[c] < INFINITY)
            nearest = fmin(nearest, anypi_time(near_cell, c));
    }
    for (int c = 1; c < count; c++) {
        anypi_candidate settled;
        double form;
        times[c] = INFINITY;
        if (!is_automatic(g, c) ||
            !anypi_automatic_settle(g->plan, cell, &list[c], &settled, &form))
            continue;
        /* one that is far behind there, or was not measured because it is hopeless, is not
         * trusted: closed forms are not accurate enough */
        if (errors[c] == INFINITY || anypi_time(near_cell, c) > trusted * nearest)
            continue;
        times[c] = form * errors[c];
        best = fmin(best, times[c]);
    }
    /* the library's algorithms are expected to grow as AnyP's best does */
    const double growth = best < INFINITY ? best / nearest : 1;
    for (int c = 0; c < count && !g->plan->only_anyp; c++)
        if (is_of_library(&list[c], cell))
            library = fmin(library, anypi_time(near_cell, c) * growth);
    const double limit = library / (1 + g->how->margin_by_model);
    for (int c = 0; c < count; c++)
        if (best < limit && c && times[c] < limit)
            ratios[c] = (float) (times[c] / best);
        else if (!(best < limit) && is_of_library(&list[c], cell))
            ratios[c] = (float) (anypi_time(near_cell, c) * growth / library);
    if (!(best < limit) && !(library < INFINITY))
        ratios[0] = 1;
}

/* ---- points ---- */

static const anypi_cell *row_of(const group *g, int index, int *count)
{
    const anypi_plan *plan = g->plan;
    const anypi_cell like = { .p = plan->procs[index], .nodes = plan->nodes[index],
                              .collective = g->collective, .commutative = g->commutative };
    const anypi_cell *first = NULL;
    *count = 0;
    for (int i = 0; i < plan->cells_count; i++)
        if (anypi_cell_alike(&plan->cells[i], &like) && !(*count)++)
            first = &plan->cells[i];
    return first;
}

/* Adds a point with that many processes or nodes that was not measured; false: no memory. */
static bool add_predicted(group *g, const anyp_nodes *like, int units)
{
    point one = { .p = units };
    if (units < 1)
        return true;
    if (like) {
        one.made = anypi_nodes_more(like, units);
        if (!one.made)
            return false;
        one.nodes = one.made;
        one.p = anypi_nodes_ranks(one.made);
    }
    bool known = one.p < 2 || one.p > MAX_P || g->points_count == MAX_POINTS;
    for (int i = 0; i < g->points_count; i++)
        known = known || g->points[i].p == one.p;
    if (known)
        anypi_nodes_free(one.made);
    else
        g->points[g->points_count++] = one;
    return true;
}

static int by_p(const void *one, const void *other)
{
    return ((const point *) one)->p - ((const point *) other)->p;
}

/* Adds what is predicted below, between and beyond the measured points, and the rows of the nearest
 * measured ones; false: no memory. */
static bool add_all_predicted(group *g)
{
    const int measured = g->points_count;
    const anyp_nodes *like = g->points[0].nodes;
    const int ranks = like ? anypi_nodes_mean(like) : 1;
    bool good = true;
    for (int i = 0; i < measured && good; i++) {
        const double from = i ? (double) g->points[i - 1].p / ranks : like ? 2 : 1;
        const double to = (double) g->points[i].p / ranks;
        const int steps = (int) ceil(log(to / from) / log(near));
        for (int k = i ? 1 : 0; k < steps && good; k++)
            good = add_predicted(g, like, (int) (from * pow(to / from, (double) k / steps)));
    }
    /* values that were measured at one p, perhaps a power of two, hold there only */
    for (int i = 0; i < measured && good; i++) {
        const int units = g->points[i].p / ranks;
        good = add_predicted(g, like, units - 1) && add_predicted(g, like, units + 1);
    }
    for (double units = (double) g->points[measured - 1].p / ranks * near;
         units * ranks <= MAX_P && good; units *= units * ranks < 1024 ? near : 2)
        good = add_predicted(g, like, (int) units);
    for (int i = measured; i < g->points_count; i++) {
        int nearest = 0;
        for (int k = 1; k < measured; k++)
            if (fabs(log((double) g->points[k].p / g->points[i].p)) <
                fabs(log((double) g->points[nearest].p / g->points[i].p)))
                nearest = k;
        g->points[i].cells = g->points[nearest].cells;
        g->points[i].cells_count = g->points[nearest].cells_count;
    }
    qsort(g->points, (size_t) g->points_count, sizeof *g->points, by_p);
    return good;
}

static int ascending(const void *one, const void *other)
{
    const int64_t a = *(const int64_t *) one, b = *(const int64_t *) other;
    return (a > b) - (a < b);
}

/* The sizes of all measured points. (The smallest of a reduce-scatter depends on p.) */
static void add_sizes(group *g)
{
    for (int i = 0; i < g->points_count; i++)
        for (int k = 0; k < g->points[i].cells_count; k++) {
            bool known = g->sizes_count == ANYPI_MAX_LIST;
            for (int n = 0; n < g->sizes_count; n++)
                known = known || g->sizes[n] == g->points[i].cells[k].bytes;
            if (!known)
                g->sizes[g->sizes_count++] = g->points[i].cells[k].bytes;
        }
    qsort(g->sizes, (size_t) g->sizes_count, sizeof *g->sizes, ascending);
}

/* The cell of a row whose size is nearest. */
static const anypi_cell *nearest_size(const point *one, int64_t bytes)
{
    const anypi_cell *found = one->cells;
    for (int i = 1; i < one->cells_count; i++)
        if (fabs(log((double) one->cells[i].bytes / (double) bytes)) <
            fabs(log((double) found->bytes / (double) bytes)))
            found = &one->cells[i];
    return found;
}

static void set_ratios(const group *g, const anypi_ratios *ratios, int i, int size)
{
    const point *one = &g->points[i];
    const anypi_cell *cell = nearest_size(one, g->sizes[size]);
    float *row = anypi_ratio_at(ratios, i, size);
    for (int c = 0; c < ratios->choices; c++)
        row[c] = INFINITY;
    if (one->measured) {
        measured_ratios(g, cell, row);
    } else {
        anypi_cell other = *cell;
        other.p = one->p;
        other.nodes = one->nodes;
        predicted_ratios(g, cell, &other, row);
        const double noise = fmax(1, (1 + g->how->regret_by_model) / (1 + g->how->regret));
        for (int c = 0; c < ratios->choices; c++)
            row[c] = (float) fmax(1, row[c] / noise);
    }
    /* "auto" needs no numbers, and holds at other p */
    const double favour = (1 + g->how->automatic) / (1 + g->how->regret);
    for (int c = 1; c < ratios->choices; c++)
        if (row[c] < INFINITY && is_automatic(g, c))
            row[c] = (float) fmax(1, row[c] / favour);
}

/* ---- regions ---- */

/* Between two sizes calls follow the nearer one, by ratio. */
static int64_t border(int64_t smaller, int64_t larger)
{
    return (int64_t) (sqrt((double) smaller) * sqrt((double) larger));
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
        for (int k = 0; k < one->cells_count && one->measured; k++) {
            int size = 0, step = 0;
            while (size + 1 < g->sizes_count && one->cells[k].bytes > g->sizes[size])
                size++;
            while (chain->steps[step].last < size)
                step++;
            g->plan->cells[&one->cells[k] - g->plan->cells].choice = chain->steps[step].choice;
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
        anypi_region *one = add_region(regions, g, after ? before + (after - before) / 2
                                       : limited ? largest : INT_MAX);
        if (!one)
            return false;
        for (int k = 0; k < chain->count; k++) {
            const int last = chain->steps[k].last;
            one->steps[one->count].bytes = last + 1 < g->sizes_count
                ? border(g->sizes[last], g->sizes[last + 1]) : INT64_MAX;
            one->steps[one->count++].choice = chain->steps[k].choice;
        }
        set_choices(g, first, chain);
    }
    return true;
}

/* The regions of the points of a group. */
static bool divide(const group *g, anypi_regions *regions)
{
    const int choices = g->plan->candidates[g->collective].count;
    anypi_ratios ratios = { .points = g->points_count, .sizes = g->sizes_count,
                            .choices = choices };
    anypi_chain *chains = malloc((size_t) g->points_count * sizeof *chains);
    ratios.list = malloc((size_t) ratios.points * (size_t) ratios.sizes * (size_t) choices *
                         sizeof *ratios.list);
    bool good = chains && ratios.list;
    for (int i = 0; good && i < g->points_count; i++)
        for (int size = 0; size < g->sizes_count; size++)
            set_ratios(g, &ratios, i, size);
    const int count = good ? anypi_share(&ratios, 1 + g->how->regret, chains) : -1;
    good = count > 0 && add_regions(regions, g, chains, count);
    free(chains);
    free(ratios.list);
    return good;
}

/* The regions of procs[first .. end - 1], whose nodes are of one kind and mean. */
static bool choose_group(anypi_plan *plan, const anypi_choosing *how, int first, int end,
                         anyp_collective collective, bool commutative, anypi_regions *regions)
{
    static group g;
    g = (group) { .plan = plan, .how = how, .collective = collective,
                  .commutative = commutative };
    for (int i = first; i < end; i++) {
        point one = { .p = plan->procs[i], .nodes = plan->nodes[i], .measured = true };
        one.cells = row_of(&g, i, &one.cells_count);
        if (plan->complete[i] && one.cells)
            g.points[g.points_count++] = one;
    }
    if (!g.points_count)
        return true;
    add_sizes(&g);
    const bool known = !plan->forms && *anypi_cell_network(plan, g.points[0].cells);
    const bool good = (how->measured_only || !known || add_all_predicted(&g)) &&
        divide(&g, regions);
    for (int i = 0; i < g.points_count; i++)
        anypi_nodes_free(g.points[i].made);
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
