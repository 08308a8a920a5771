/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/best.h"

#include "algorithms/settle.h"
#include "analysis/estimate.h"
#include "analysis/rank_sample.h"
#include "analysis/sweep.h"
#include "schedule/shape.h"
#include "schedule/set.h"

#include <math.h>
#include <string.h>

enum {
    SMALL_RANGE = 64, SMALL_ROW = 16,   /* neighbouring numbers may have very different costs */
    SMALL_OF_NODE = 8, SECOND_START = 4,
    GRID_EVALUATIONS = ANYPI_BEST_EVALUATIONS / 2
};

typedef struct search {
    const anyp_call *call;
    const anyp_model *model;
    anypi_best *best;
    int at[ANYP_MAX_PARAMETERS];        /* the point that is evaluated */
    bool found;
    int fixed;                          /* index of the parameter that a climb keeps; -1: none */
    anyp_schedule *set;                 /* of simulations; its memory is reused */
    int set_capacity;
    uint64_t *seen;                     /* hashes of the points that were simulated */
    int seen_count;
} search;

/* Was a point with the same schedules simulated? If not, notes that this one will be. */
static bool was_simulated(search *s)
{
    const uint64_t hash = anypi_sample_hash(s->best->algorithm, *s->call, s->at);
    for (int i = 0; i < s->seen_count; i++)
        if (s->seen[i] == hash)
            return true;
    if (s->seen_count < ANYPI_BEST_SIMULATIONS)
        s->seen[s->seen_count++] = hash;
    return false;
}

/* Sets *time to the simulated time of a point, by the clock that knows nodes. False if the point
 * cannot be simulated or is slower than the best so far. */
static bool simulate(search *s, double *time)
{
    const double limit = s->found ? s->best->time : INFINITY;
    if (anypi_set_generate_again(s->best->algorithm, s->call, s->at, &s->set, &s->set_capacity) !=
        ANYP_SUCCESS)
        return false;
    return anypi_eager_call(s->set, s->call, s->model, limit, time) == ANYP_SUCCESS &&
        *time <= limit;
}

/* Evaluates a point. Returns whether it is the best so far. */
static bool evaluate(search *s)
{
    const anyp_algorithm *algorithm = s->best->algorithm;
    const char *reason;
    if (anyp_applicable(algorithm, s->call, s->at, &reason) != ANYP_SUCCESS)
        return false;
    double time;
    if (s->seen && was_simulated(s))
        return false;
    s->best->evaluations++;
    if (!s->seen)
        time = anyp_cost_time(anypi_cost_of(algorithm, s->call, s->at), s->model);
    else if (!simulate(s, &time))
        return false;
    if (s->found && time >= s->best->time * (1 - 1e-12))
        return false;
    s->found = true;
    s->best->time = time;
    memcpy(s->best->parameters, s->at, sizeof s->at);
    return true;
}

/* ---- the grid ---- */

/* Lists values of a parameter; numbers grow by factors of 2^shift. */
static void fill(anypi_values *g, const anyp_parameter *parameter, const anyp_call *call, int shift)
{
    g->count = 0;
    if (parameter->of_local_sizes) {
        anypi_values_add(g, parameter, parameter->default_value);
        return;
    }
    if (!call->nodes && parameter->of_nodes) {
        anypi_values_add(g, parameter, parameter->minimum);
        return;
    }
    if (parameter->values) {
        for (int value = parameter->minimum; value <= parameter->maximum; value++)
            if (value != parameter->automatic)
                anypi_values_add(g, parameter, value);
        return;
    }
    if (parameter->of_nodes) {
        const int largest = anypi_shape_largest(call->nodes);
        for (int value = parameter->minimum; value <= SMALL_OF_NODE; value++)
            anypi_values_add(g, parameter, value);
        anypi_values_add(g, parameter, largest / 2);
        anypi_values_add(g, parameter, largest);
        return;
    }
    const int64_t range = (int64_t) parameter->maximum - parameter->minimum;
    const int64_t row = parameter->bytes ? 1 : range < SMALL_RANGE ? range + 1 : SMALL_ROW;
    for (int64_t i = 0; i < row; i++)
        anypi_values_add(g, parameter, parameter->minimum + i);
    anypi_values_add(g, parameter, parameter->maximum);
    anypi_values_add(g, parameter, call->p - 1);
    for (int64_t value = 1; value <= parameter->maximum; value <<= shift)
        anypi_values_add(g, parameter, value);
    for (int64_t bytes = call->count * call->type_size; bytes > 0; bytes >>= shift)
        anypi_values_add(g, parameter, bytes);
}

/* Evaluates all points that differ in the parameters from `index` on. */
static void evaluate_from(search *s, const anypi_values *grids, int index)
{
    if (index == s->best->algorithm->parameters_count) {
        evaluate(s);
        return;
    }
    for (int i = 0; i < grids[index].count; i++) {
        s->at[index] = grids[index].list[i];
        evaluate_from(s, grids, index + 1);
    }
}

static void evaluate_grid(search *s)
{
    const anyp_algorithm *algorithm = s->best->algorithm;
    anypi_values grids[ANYP_MAX_PARAMETERS];
    double points;
    int shift = 0;
    do {                        /* use a coarser grid if it has too many points */
        shift++;
        points = 1;
        for (int i = 0; i < algorithm->parameters_count; i++) {
            fill(&grids[i], &algorithm->parameters[i], s->call, shift);
            points *= grids[i].count;
        }
    } while (points > GRID_EVALUATIONS && shift < 60);
    evaluate_from(s, grids, 0);
}

/* ---- refinement ---- */

/* Changes one number by `step`, if the result is in range. Returns whether this helps. */
static bool move(search *s, int index, int64_t step)
{
    const anyp_algorithm *algorithm = s->best->algorithm;
    const int64_t value = s->best->parameters[index] + step;
    if (step == 0 || value < algorithm->parameters[index].minimum ||
        value > algorithm->parameters[index].maximum)
        return false;
    memcpy(s->at, s->best->parameters, sizeof s->at);
    s->at[index] = (int) value;
    return evaluate(s);
}

/* Changes each number by a half, a quarter, ... of its value, down to 1. */
static void refine(search *s)
{
    enum { LAST = 31, ROOM = 4 };
    for (int shift = 1; shift <= LAST; shift++) {
        for (int i = 0; i < s->best->algorithm->parameters_count; i++) {
            if (s->best->algorithm->parameters[i].values)
                continue;
            const int64_t step = s->best->parameters[i] >> shift;
            while (s->best->evaluations < ANYPI_BEST_EVALUATIONS - ROOM &&
                   (move(s, i, step) || move(s, i, -step)))
                continue;
        }
    }
}

/* ---- nodes ---- */

/* Simulates all values of each parameter in turn, until none helps. */
static void climb(search *s)
{
    const anyp_algorithm *algorithm = s->best->algorithm;
    for (bool helps = true; helps;) {
        helps = false;
        for (int i = 0; i < algorithm->parameters_count; i++) {
            anypi_values grid;
            fill(&grid, &algorithm->parameters[i], s->call, 1);
            memcpy(s->at, s->best->parameters, sizeof s->at);
            for (int k = 0; k < grid.count && i != s->fixed; k++) {
                s->at[i] = grid.list[k];
                if (s->best->evaluations < ANYPI_BEST_SIMULATIONS &&
                    grid.list[k] != s->best->parameters[i] && evaluate(s))
                    helps = true;
            }
        }
    }
}

/* Returns the parameter that says whether nodes are used; -1: there is none. */
static int switch_of(const anyp_algorithm *algorithm)
{
    for (int i = 0; i < algorithm->parameters_count; i++)
        if (algorithm->parameters[i].values && algorithm->parameters[i].of_nodes)
            return i;
    return -1;
}

/* Sets the point where a climb starts: the values of "auto" on nodes; or, for `others`, the best
 * closed form with other numbers for nodes. */
static void start(search *s, const int *form, bool others)
{
    const anyp_algorithm *algorithm = s->best->algorithm;
    memcpy(s->at, form, sizeof s->at);
    for (int i = 0; i < algorithm->parameters_count; i++) {
        const anyp_parameter *one = &algorithm->parameters[i];
        if (i == s->fixed)
            s->at[i] = one->minimum + 1;
        else if (one->of_nodes || !others)
            s->at[i] = others ? SECOND_START : one->default_value;
    }
    anypi_settle_by(algorithm, s->call, s->model, s->at, s->at);
}

/* Simulates the best closed form without nodes, and climbs with nodes from two points. One start
 * is not enough: changing one parameter at a time may end early. */
static bool simulate_best(search *s)
{
    const anyp_algorithm *algorithm = s->best->algorithm;
    uint64_t seen[ANYPI_BEST_SIMULATIONS];
    int form[ANYP_MAX_PARAMETERS];
    memcpy(form, s->best->parameters, sizeof form);
    *s = (search) { .call = s->call, .model = s->model, .best = s->best, .seen = seen,
                    .fixed = switch_of(algorithm) };
    s->best->evaluations = 0;
    for (int others = 0; s->fixed >= 0 && others < 2; others++) {
        anypi_best before = *s->best;
        const bool found = s->found;
        start(s, form, others);
        s->found = false;
        if (evaluate(s))
            climb(s);
        before.evaluations = s->best->evaluations;
        if (found && !(s->found && s->best->time < before.time))
            *s->best = before;
        s->found = s->found || found;
    }
    memcpy(s->at, form, sizeof form);
    if (s->fixed >= 0)
        s->at[s->fixed] = algorithm->parameters[s->fixed].minimum;
    evaluate(s);
    anypi_set_free(s->set, s->set_capacity);
    return s->found;
}

/* Finds the best point by closed form; false: none serves the call. */
static bool best_form(search *s)
{
    if (!(s->best->algorithm->collectives & ANYP_IN_SET(s->call->collective)))
        return false;
    evaluate_grid(s);
    if (s->found)
        refine(s);
    return s->found;
}

bool anypi_best_of(const anyp_algorithm *algorithm, const anyp_call *call, const anyp_model *model,
                   anypi_best *best)
{
    *best = (anypi_best) { .algorithm = algorithm };
    search s = { .call = call, .model = model, .best = best };
    return best_form(&s) && (!model->nodes || simulate_best(&s));
}

void anypi_best_insert(anypi_best *list, int count, anypi_best one)
{
    for (; count > 0 && list[count - 1].time > one.time; count--)
        list[count] = list[count - 1];
    list[count] = one;
}

int anypi_best_of_all(const anyp_call *call, const anyp_model *model, anypi_best *list)
{
    int all, count = 0;
    const anyp_algorithm *algorithms = anyp_algorithms(&all);
    for (int i = 0; i < all; i++) {
        anypi_best one;
        if (anypi_best_of(&algorithms[i], call, model, &one))
            anypi_best_insert(list, count++, one);
    }
    return count;
}
