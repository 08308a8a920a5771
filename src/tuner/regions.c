/* SPDX-License-Identifier: BSD-3-Clause */
#include "tuner/regions.h"

#include "algorithms/network.h"
#include "algorithms/settle.h"
#include "tuner/candidates.h"
#include "tuner/node_shapes.h"
#include "tuner/noise.h"
#include "tuner/shared_rules.h"
#include "schedule/collectives.h"
#include "schedule/shape.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

anypi_choosing anypi_usual_choosing(const anypi_plan *plan)
{
    return (anypi_choosing) { .margin = plan->exact ? 0 : 0.03,
                              .regret = plan->exact ? 0.02 : 0.03 };
}

/* A rule is valid for sizes up to one part in SLACK beyond the largest measured one. */
enum { SLACK = 8 };

/* Closed forms choose for a number of processes that is below or above all measured ones by more
 * than this factor, up to MOST_PROCS nodes or ranks. */
#define FAR_FACTOR 1.4
enum { MOST_PROCS = 4096, MOST_RANKS = 1 << 15 };

/* A measured number of processes, and its cells in ascending order of sizes. Or numbers that were
 * not measured, from p on: a gap, where a choice must be good at both ends; one power of two, for
 * which MPI libraries are good, and the library keeps its choice; or one far number. */
typedef struct point {
    enum point_kind { MEASURED, GAP, POWER, FAR } kind;
    int p;
    anypi_cell *cells;          /* of a gap, those of the measured point before it */
    int count;
} point;

/* Points for each measured number: itself, gaps, and powers of two between. */
enum { MAX_POINTS = 2 * ANYPI_MAX_LIST + 64 };

/* A collective, operator kind, and kind and mean ranks of nodes. */
typedef struct group {
    const anypi_plan *plan;
    const anypi_choosing *how;
    anyp_collective collective;
    bool commutative;
    const anyp_shape *nodes;            /* of the largest number, with all its switches */
    point points[MAX_POINTS];           /* ascending */
    int points_count;
    int64_t sizes[ANYPI_MAX_LIST];      /* bytes, ascending */
    int sizes_count;
    anypi_cell far[ANYPI_MAX_LIST];     /* of the far points, with their own nodes */
    int far_count;
} group;

/* ---- cells ---- */

/* May the candidate be chosen? */
static bool eligible(const anypi_plan *plan, const anypi_cell *cell, int c, double margin)
{
    if (c >= cell->candidates)
        return false;
    if (plan->only_anyp)
        return anypi_time(cell, c) < INFINITY;
    return plan->exact ? anypi_ratio(cell, c) < 1
        : anypi_significantly_faster(cell, c, 0, margin) && anypi_pays(cell, c);
}

/* Sets the ratios in a cell. If no candidate may be chosen, the MPI library's is 1. */
static void set_ratios(const group *g, const anypi_cell *cell, float *ratios, int choices)
{
    double best = INFINITY;
    for (int c = 0; c < choices; c++)
        ratios[c] = INFINITY;
    for (int c = 1; c < cell->candidates; c++)
        if (eligible(g->plan, cell, c, g->how->margin))
            best = fmin(best, anypi_time(cell, c));
    for (int c = 1; c < cell->candidates; c++)
        if (best < INFINITY && eligible(g->plan, cell, c, g->how->margin))
            ratios[c] = (float) (anypi_time(cell, c) / best);
    const double library = g->plan->only_anyp && best < INFINITY ? INFINITY : anypi_time(cell, 0);
    ratios[0] = best < INFINITY ? (float) fmax(1, library / best) : 1;
}

/* Sets the ratios where nothing was measured, between two cells. If no candidate may be chosen in
 * both, the MPI library's is 1. */
static void combine(const float *low, const float *high, int choices, float *ratios)
{
    float best = INFINITY;
    for (int c = 0; c < choices; c++) {
        ratios[c] = fmaxf(low[c], high[c]);
        best = c ? fminf(best, ratios[c]) : best;
    }
    for (int c = 0; c < choices && best < INFINITY; c++)
        ratios[c] = fmaxf(ratios[c] / best, 1);
    ratios[0] = best < INFINITY ? ratios[0] : 1;
}

/* Returns the cells of procs[index]; without cells if there are none. */
static point point_of(const group *g, int index)
{
    const anypi_plan *plan = g->plan;
    const anypi_cell like = { .p = plan->procs[index], .nodes = plan->nodes[index],
                              .collective = g->collective, .commutative = g->commutative };
    point one = { .p = like.p };
    for (int i = 0; i < plan->cells_count; i++)
        if (anypi_cell_alike(&plan->cells[i], &like) && !one.count++)
            one.cells = &plan->cells[i];
    return one;
}

/* Returns the measured cell of the next size up to `bytes` (direction -1) or from it on; NULL:
 * there is none. */
static anypi_cell *next_cell(const point *one, int64_t bytes, int direction)
{
    anypi_cell *next = NULL;
    for (int i = 0; i < one->count; i++) {
        anypi_cell *cell = &one->cells[i];
        const bool there = direction < 0 ? cell->bytes <= bytes : cell->bytes >= bytes;
        if (cell->rounds && there && (direction < 0 || !next))
            next = cell;
    }
    return next;
}

/* Adds the sizes of all points. (The smallest of a reduce-scatter depends on p.) */
static void add_sizes(group *g)
{
    for (int i = 0; i < g->points_count; i++)
        for (int k = 0; k < g->points[i].count; k++)
            if (g->points[i].cells[k].rounds)
                anypi_list_insert(g->sizes, &g->sizes_count, g->points[i].cells[k].bytes);
}

/* ---- boundaries ---- */

/* Returns the closed form of a candidate for `bytes` in a cell; INFINITY: there is none. */
static double form_at(const group *g, const anypi_cell *cell, int c, int64_t bytes)
{
    const anypi_candidate *candidate = &g->plan->candidates[g->collective].list[c];
    anypi_cell at = *cell;
    at.bytes = bytes;
    const anyp_call call = anypi_cell_call(&at);
    anyp_model model;
    int settled[ANYP_MAX_PARAMETERS];
    return candidate->algorithm &&
        anypi_network_read(anypi_cell_network(g->plan, cell), &call, &model)
        ? anypi_settle_by(candidate->algorithm, &call, &model, candidate->parameters, settled)
        : INFINITY;
}

/* Returns the boundary between two sizes with the choices a and b, for calls as in a cell: where
 * their closed forms cross if they do, otherwise at `part` of the way, by logarithms. Between two
 * sizes of which the library keeps one, it also keeps those between them, except those next to the
 * other: its times may have a step there. */
static int64_t border(const group *g, const anypi_cell *cell, int a, int b, int64_t smaller,
                      int64_t larger, double part)
{
    enum { STEPS = 8 };
    if (!a || !b) {
        /* sizes are rounded down to whole blocks of all ranks */
        const int64_t blocks = anypi_has_blocks(g->collective) ? cell->p * ANYPI_MATRIX_SIZE : 0;
        const int64_t slack = larger / SLACK > blocks ? larger / SLACK : blocks;
        const int64_t near = b ? larger - slack - 1 : smaller + smaller / SLACK;
        return near < smaller ? smaller : near < larger ? near : larger - 1;
    }
    double low = log((double) smaller), high = log((double) larger);
    if (!(form_at(g, cell, a, smaller) < form_at(g, cell, b, smaller) &&
          form_at(g, cell, b, larger) < form_at(g, cell, a, larger)))
        return (int64_t) exp(low + part * (high - low));
    for (int i = 0; i < STEPS; i++) {
        const double middle = (low + high) / 2;
        const int64_t bytes = (int64_t) exp(middle);
        if (form_at(g, cell, a, bytes) < form_at(g, cell, b, bytes))
            low = middle;
        else
            high = middle;
    }
    return (int64_t) exp((low + high) / 2);
}

static anypi_region *add_region(anypi_regions *regions, const group *g, int last)
{
    anypi_region *list = realloc(regions->list, ((size_t) regions->count + 1) * sizeof *list);
    if (!list)
        return NULL;
    regions->list = list;
    anypi_region *added = &list[regions->count++];
    *added = (anypi_region) { .plan = g->plan, .collective = g->collective,
                              .commutative = g->commutative, .last = last,
                              .nodes = g->nodes };
    return added;
}

static void add_step(anypi_region *region, int64_t bytes, int choice)
{
    region->steps[region->count].bytes = bytes;
    region->steps[region->count++].choice = choice;
}

/* Sets the choices of the cells of the points first .. chain->end - 1. */
static void set_choices(const group *g, int first, const anypi_chain *chain)
{
    for (int i = first; i < chain->end; i++)
        for (int k = 0; k < g->points[i].count && g->points[i].kind == MEASURED; k++) {
            anypi_cell *cell = &g->points[i].cells[k];
            int size = 0, step = 0;
            while (size + 1 < g->sizes_count && cell->bytes > g->sizes[size])
                size++;
            while (chain->steps[step].last < size)
                step++;
            cell->choice = chain->steps[step].choice;
        }
}

/* Adds the steps of a chain. Beyond the measured sizes the library chooses, unless `beyond`. */
static void add_steps(anypi_region *region, const group *g, const anypi_chain *chain)
{
    const anypi_cell *like = g->points[chain->end - 1].cells;
    /* a size may have been rounded down to whole blocks of all ranks */
    const int64_t largest = g->sizes[g->sizes_count - 1] + g->sizes[g->sizes_count - 1] / SLACK;
    const bool limited = !g->how->beyond && !anypi_has_no_size(g->collective);
    for (int k = 0; k < chain->count; k++) {
        const int size = chain->steps[k].last, choice = chain->steps[k].choice;
        const bool last = size + 1 == g->sizes_count;
        add_step(region, !last ? border(g, like, choice, chain->steps[k + 1].choice,
                                        g->sizes[size], g->sizes[size + 1], chain->steps[k].cut)
                 : limited && choice ? largest : INT64_MAX, choice);
    }
    if (region->steps[region->count - 1].bytes < INT64_MAX)
        add_step(region, INT64_MAX, 0);
}

/* Below the smallest p and beyond the largest the library chooses, unless `beyond`. */
static bool add_regions(anypi_regions *regions, const group *g, const anypi_chain *chains,
                        int count)
{
    const int smallest = g->points[0].p, largest = g->points[g->points_count - 1].p;
    if (!g->how->beyond && smallest > 2) {
        anypi_region *hole = add_region(regions, g, smallest - 1);
        if (!hole)
            return false;
        add_step(hole, INT64_MAX, 0);
    }
    for (int i = 0, first = 0; i < count; first = chains[i++].end) {
        const anypi_chain *chain = &chains[i];
        const point *before = &g->points[chain->end - 1];
        const double ratio = i + 1 < count ? (double) before[1].p / before->p : 0;
        anypi_region *one = add_region(regions, g, i + 1 == count
                                       ? g->how->beyond ? INT_MAX : largest
                                       : !g->how->beyond ? before[1].p - 1
                                       : (int) (before->p * pow(ratio, chain->cut)));
        if (!one)
            return false;
        add_steps(one, g, chain);
        set_choices(g, first, chain);
    }
    return true;
}

/* Sets the ratios of a measured point at all sizes. Beyond its own largest size the MPI library's
 * is 1, unless `beyond`. `room` is for two rows of ratios. */
static void set_measured(const group *g, const point *one, const anypi_ratios *ratios, int i,
                         float *room)
{
    const int choices = ratios->choices;
    for (int size = 0; size < g->sizes_count; size++) {
        const anypi_cell *low = next_cell(one, g->sizes[size], -1);
        const anypi_cell *high = next_cell(one, g->sizes[size], 1);
        float *its = anypi_ratio_at(ratios, i, size);
        for (int c = 0; c < choices; c++)
            its[c] = c ? INFINITY : 1;
        if (!high && !g->how->beyond)
            continue;
        set_ratios(g, low ? low : high, room, choices);
        set_ratios(g, high ? high : low, room + choices, choices);
        combine(room, room + choices, choices, its);
    }
}

/* Sets the ratios of a point that was not measured. */
static void set_between(const group *g, const anypi_ratios *ratios, int i)
{
    int low = i, high = i;
    while (g->points[low].kind != MEASURED)
        low--;
    while (g->points[high].kind != MEASURED)
        high++;
    for (int size = 0; size < g->sizes_count; size++) {
        float *its = anypi_ratio_at(ratios, i, size);
        combine(anypi_ratio_at(ratios, low, size), anypi_ratio_at(ratios, high, size),
                ratios->choices, its);
        for (int c = 0; c < ratios->choices && g->points[i].kind == POWER; c++)
            its[c] = c ? INFINITY : 1;
    }
}

/* Returns the measured point that is nearest to point i, by ratio. */
static int nearest(const group *g, int i)
{
    int low = i, high = i;
    while (low >= 0 && g->points[low].kind != MEASURED)
        low--;
    while (high < g->points_count && g->points[high].kind != MEASURED)
        high++;
    const double p = g->points[i].p;
    return high == g->points_count ||
        (low >= 0 && p / g->points[low].p < g->points[high].p / p) ? low : high;
}

/* Sets the ratios of a far point, by closed forms. Where the nearest measured number is left to the
 * MPI library, so is this one. */
static void set_far(const group *g, const anypi_ratios *ratios, int i)
{
    const anypi_candidate *list = g->plan->candidates[g->collective].list;
    const int near = nearest(g, i), choices = ratios->choices;
    for (int size = 0; size < g->sizes_count; size++) {
        anypi_cell at = *g->points[i].cells;
        at.bytes = g->sizes[size];
        const anyp_call call = anypi_cell_call(&at);
        const float *its = anypi_ratio_at(ratios, near, size);
        float *row = anypi_ratio_at(ratios, i, size), best = INFINITY;
        bool library = true;
        for (int c = 0; c < choices; c++) {
            const char *reason;
            const bool serves = c && list[c].algorithm &&
                anyp_applicable(list[c].algorithm, &call, list[c].parameters, &reason) ==
                ANYP_SUCCESS;
            row[c] = serves ? (float) form_at(g, &at, c, at.bytes) : INFINITY;
            best = fminf(best, row[c]);
            library = library && !(c && its[c] < INFINITY);
        }
        library = library || !(best < INFINITY);
        for (int c = 0; c < choices; c++)
            row[c] = library ? c ? INFINITY : 1 : row[c] / best;
    }
}

/* Makes the regions of the points of a group. */
static bool divide(const group *g, anypi_regions *regions)
{
    const int choices = g->plan->candidates[g->collective].count;
    anypi_ratios ratios = { .points = g->points_count, .sizes = g->sizes_count,
                            .choices = choices, .limit = (float) (1 + g->how->regret) };
    anypi_chain *chains = malloc((size_t) g->points_count * sizeof *chains);
    ratios.list = malloc((size_t) ratios.points * (size_t) ratios.sizes * (size_t) choices *
                         sizeof *ratios.list);
    float *room = malloc(2 * (size_t) choices * sizeof *room);
    bool good = chains && ratios.list && room;
    for (int i = 0; good && i < g->points_count; i++)
        if (g->points[i].kind == MEASURED)
            set_measured(g, &g->points[i], &ratios, i, room);
    for (int i = 0; good && i < g->points_count; i++)
        if (g->points[i].kind == FAR)
            set_far(g, &ratios, i);
        else if (g->points[i].kind != MEASURED)
            set_between(g, &ratios, i);
    free(room);
    const int count = good ? anypi_share(&ratios, chains) : -1;
    good = count > 0 && add_regions(regions, g, chains, count);
    free(chains);
    free(ratios.list);
    return good;
}

static void add_point(group *g, point one, int p, enum point_kind kind)
{
    one.p = p;
    one.kind = kind;
    g->points[g->points_count++] = one;
}

/* Adds what is between the last point and a measured p. */
static void add_between(group *g, int p)
{
    const point last = g->points[g->points_count - 1];
    int next = last.p + 1;
    for (int64_t power = 1; power < p; power *= 2) {
        if (power < next || last.cells->nodes)
            continue;
        if (power > next)
            add_point(g, last, next, GAP);
        add_point(g, last, (int) power, POWER);
        next = (int) power + 1;
    }
    if (p > next)
        add_point(g, last, next, GAP);
}

/* Adds numbers of processes, on nodes of the group's kind, far above a measured number (0: none)
 * and far below another one (INT_MAX: none). */
static bool add_far(group *g, int above, int below)
{
    const anyp_shape *like = g->nodes;
    int numbers[ANYPI_MAX_LIST];
    const int count = anypi_default_procs(MOST_PROCS, numbers);
    const int mean = like ? anypi_shape_mean(like) : 1;
    for (int i = 0; i < count && numbers[i] <= MOST_RANKS / mean; i++) {
        const int p = numbers[i] * mean;
        if (p < FAR_FACTOR * above || FAR_FACTOR * p > below)
            continue;
        anypi_cell *cell = &g->far[g->far_count];
        *cell = (anypi_cell) { .collective = g->collective, .commutative = g->commutative, .p = p,
                               .nodes = like ? anypi_nodes_more(like, numbers[i], mean) : NULL };
        if (like && !cell->nodes)
            return false;
        g->far_count++;
        add_point(g, (point) { .cells = cell, .count = 1 }, p, FAR);
    }
    return true;
}

/* Makes the regions of procs[first .. end - 1], whose nodes are of one kind and mean. */
static bool choose_group(anypi_plan *plan, const anypi_choosing *how, int first, int end,
                         anyp_collective collective, bool commutative, anypi_regions *regions)
{
    group g = { .plan = plan, .how = how, .collective = collective, .commutative = commutative,
                .nodes = plan->nodes[end - 1] };
    const bool far = how->beyond && !plan->forms &&
        *plan->networks[anypi_nodes_kind(g.nodes)][!commutative];
    int before = 0;
    bool good = true;
    for (int i = first; i < end && good; i++) {
        const point one = point_of(&g, i);
        if (!plan->measured[i] || !one.count || !next_cell(&one, 0, 1))
            continue;
        if (far && !before)
            good = add_far(&g, 0, one.p);
        else if (before && !how->beyond)
            add_between(&g, one.p);
        g.points[g.points_count++] = one;
        before = one.p;
    }
    if (before && far)
        good = good && add_far(&g, before, INT_MAX);
    if (before && good) {
        add_sizes(&g);
        good = divide(&g, regions);
    }
    for (int i = 0; i < g.far_count; i++)
        anypi_shape_free((anyp_shape *) g.far[i].nodes);
    return good;
}

bool anypi_choose_all(anypi_plan *plan, const anypi_choosing *how, anypi_regions *regions)
{
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

bool anypi_regions_have(const anypi_regions *regions, anyp_collective collective, bool forms,
                        int operators, int kind)
{
    for (int i = 0; i < regions->count; i++) {
        const anypi_region *one = &regions->list[i];
        if (one->collective == collective && one->plan->forms == forms &&
            (operators < 0 || one->commutative == !operators) &&
            (kind < 0 || anypi_nodes_kind(one->nodes) == kind))
            return true;
    }
    return false;
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
