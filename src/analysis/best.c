/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/best.h"

#include "algorithms/registry.h"
#include "analysis/simulate.h"
#include "analysis/sweep.h"
#include "schedule/set.h"

#include <string.h>

enum {
    SMALL_RANGE = 64, SMALL_ROW = 16,   /* neighbouring numbers may have very different costs */
    GRID_EVALUATIONS = ANYPI_BEST_EVALUATIONS / 2
};

typedef struct search {
    const anyp_call *call;
    const anyp_model *model;
    anypi_best *best;
    int at[ANYP_MAX_PARAMETERS];        /* the point that is evaluated */
    bool found;
    bool simulates;
    anyp_schedule *set;                 /* of simulations: its memory is kept */
    int set_capacity;
} search;

/* The simulated time of a point; false if it cannot be simulated. */
static bool simulate(search *s, double *time)
{
    anypi_simulation simulation;
    if (anypi_set_generate_again(s->best->algorithm, s->call, s->at, &s->set, &s->set_capacity) !=
        ANYP_SUCCESS)
        return false;
    const anypi_partition partition = { .blocks = s->set[0].blocks, .count = s->call->count };
    if (anypi_simulate(s->set, s->call->p, &partition, s->call->type_size, s->model,
                       &simulation) != ANYP_SUCCESS)
        return false;
    *time = simulation.time;
    return true;
}

/* Evaluates a point; is it the best so far? */
static bool evaluate(search *s)
{
    const anyp_algorithm *algorithm = s->best->algorithm;
    const char *reason;
    if (anyp_applicable(algorithm, s->call, s->at, &reason) != ANYP_SUCCESS)
        return false;
    double time;
    if (!s->simulates)
        time = anyp_cost_time(algorithm->code->cost(s->call, s->at), s->model);
    else if (!simulate(s, &time))
        return false;
    s->best->evaluations++;
    if (s->found && time >= s->best->time * (1 - 1e-12))
        return false;
    s->found = true;
    s->best->time = time;
    for (int i = 0; i < algorithm->parameters_count; i++)
        s->best->parameters[i] = s->at[i];
    return true;
}

/* ---- the grid ---- */

/* Values of a parameter, the default first; rows grow by factors of 2^shift. */
static void fill(anypi_values *g, const anyp_parameter *parameter, const anyp_call *call, int shift)
{
    g->count = 0;
    anypi_values_add(g, parameter, parameter->default_value);
    if (!call->nodes && anypi_parameter_of_nodes(parameter))
        return;
    if (parameter->values) {
        for (int value = parameter->minimum; value <= parameter->maximum; value++)
            anypi_values_add(g, parameter, value);
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
    do {                        /* coarser, if the grid has too many points */
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

/* Moves one number by `step`, if that is in range; does it help? */
static bool move(search *s, int index, int64_t step)
{
    const anyp_algorithm *algorithm = s->best->algorithm;
    const int64_t value = s->best->parameters[index] + step;
    if (step == 0 || value < algorithm->parameters[index].minimum ||
        value > algorithm->parameters[index].maximum)
        return false;
    for (int i = 0; i < algorithm->parameters_count; i++)
        s->at[i] = s->best->parameters[i];
    s->at[index] = (int) value;
    return evaluate(s);
}

/* Steps of a half, a quarter, ... of each number's value, down to 1. */
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

/* Tries all values of each parameter in turn, until none helps. */
static void climb(search *s)
{
    const anyp_algorithm *algorithm = s->best->algorithm;
    for (bool helps = true; helps;) {
        helps = false;
        for (int i = 0; i < algorithm->parameters_count; i++) {
            anypi_values grid;
            fill(&grid, &algorithm->parameters[i], s->call, 1);
            memcpy(s->at, s->best->parameters, sizeof s->at);
            for (int k = 0; k < grid.count; k++) {
                s->at[i] = grid.list[k];
                if (s->best->evaluations < ANYPI_BEST_SIMULATIONS &&
                    grid.list[k] != s->best->parameters[i] && evaluate(s))
                    helps = true;
            }
        }
    }
}

/* Simulates the best point by closed form, and what is near to it if the algorithm uses nodes. */
static bool simulate_best(search *s)
{
    const anyp_algorithm *algorithm = s->best->algorithm;
    bool of_nodes = false;
    *s = (search) { .call = s->call, .model = s->model, .best = s->best, .simulates = true };
    for (int i = 0; i < algorithm->parameters_count; i++) {
        const anyp_parameter *one = &algorithm->parameters[i];
        if (one->values && anypi_parameter_of_nodes(one)) {
            of_nodes = true;
            s->best->parameters[i] = one->maximum;
        }
        s->at[i] = s->best->parameters[i];
    }
    s->best->evaluations = 0;
    if (evaluate(s) && of_nodes)
        climb(s);
    anypi_set_free(s->set, s->set_capacity);
    return s->found;
}

bool anypi_best_of(const anyp_algorithm *algorithm, const anyp_call *call, const anyp_model *model,
                   anypi_best *best)
{
    *best = (anypi_best) { .algorithm = algorithm };
    search s = { .call = call, .model = model, .best = best };
    if (!(algorithm->collectives & ANYP_IN_SET(call->collective)))
        return false;
    evaluate_grid(&s);
    if (s.found)
        refine(&s);
    return s.found && (!model->nodes || simulate_best(&s));
}

int anypi_best_of_all(const anyp_call *call, const anyp_model *model, anypi_best *list)
{
    int all, count = 0;
    const anyp_algorithm *algorithms = anyp_algorithms(&all);
    for (int i = 0; i < all; i++) {
        anypi_best one;
        if (!anypi_best_of(&algorithms[i], call, model, &one))
            continue;
        int index = count++;
        for (; index > 0 && list[index - 1].time > one.time; index--)
            list[index] = list[index - 1];
        list[index] = one;
    }
    return count;
}
