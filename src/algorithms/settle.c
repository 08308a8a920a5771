/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/settle.h"

#include "algorithms/backwards.h"
#include "algorithms/cost_model.h"
#include "algorithms/network.h"
#include "algorithms/registry.h"
#include "algorithms/route.h"
#include "algorithms/shared/bytes.h"
#include "algorithms/shared/values.h"
#include "schedule/collectives.h"
#include "schedule/ranks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Grids with more points are searched along one parameter after the other. */
enum { MAX_GRID = 160, SWEEPS = 3 };

bool anypi_is_automatic(const anyp_parameter *parameter, int value)
{
    return parameter->values ? value == parameter->automatic : value == ANYP_AUTO;
}

bool anypi_any_automatic(const anyp_algorithm *algorithm, const int *parameters)
{
    for (int i = 0; i < algorithm->parameters_count; i++)
        if (anypi_is_automatic(&algorithm->parameters[i], parameters[i]) &&
            !algorithm->parameters[i].of_local_sizes)
            return true;
    return false;
}

char *anypi_automatic_text(const anyp_algorithm *algorithm, const int *parameters,
                           const int *asked, char *text, size_t size)
{
    const bool uses_nodes = anypi_uses_nodes(algorithm, parameters);
    size_t used = 0;
    *text = '\0';
    for (int i = 0; i < algorithm->parameters_count && used < size; i++) {
        const anyp_parameter *one = &algorithm->parameters[i];
        if (anypi_is_automatic(one, asked[i]) && !one->of_local_sizes &&
            (uses_nodes || !one->of_nodes))
            used += (size_t) snprintf(text + used, size - used, "%s%s", used ? ", " : "",
                                      one->name);
    }
    return text;
}

static void copy(const anyp_algorithm *algorithm, const int *from, int *to)
{
    if (algorithm->parameters_count > 0)
        memcpy(to, from, (size_t) algorithm->parameters_count * sizeof *to);
}

/* Rounded to three binary digits. */
static int64_t round_count(int64_t count)
{
    enum { DIGITS = 3 };
    int shift = 0;
    while (count >> shift >= 1 << DIGITS)
        shift++;
    return shift == 0 ? count : (count + (INT64_C(1) << shift >> 1)) >> shift << shift;
}

int64_t anypi_count_class(const anyp_call *call)
{
    const anyp_call route = anypi_route_call(call);     /* parameters are settled for this one */
    const bool is_short = anypi_has_local_sizes(call->collective) && call->count < call->p;
    return anypi_has_equal_blocks(&route) && !is_short
        ? round_count(call->count / call->p) * call->p : round_count(call->count);
}

int64_t anypi_largest_class(const anyp_call *call)
{
    const int64_t largest = round_count(call->largest), count = anypi_count_class(call);
    return largest < count ? largest : count;
}

/* ---- settled calls ---- */

anypi_settled_call anypi_settled_call_of(const anyp_algorithm *algorithm, const anyp_call *call,
                                         const int *parameters)
{
    anypi_settled_call one = { .algorithm = algorithm, .call = anypi_route_call(call) };
    one.forward = anypi_forward_call(&one.call);
    if (parameters)
        copy(algorithm, parameters, one.parameters);
    return one;
}

/* What the largest block adds to a closed form for equal blocks: at worst, it is in each of the
 * messages that a rank receives one after the other. */
static double excess_time(const anypi_settled_call *one, const anyp_model *model)
{
    const int64_t excess = anypi_excess_bytes(&one->forward);
    if (excess == 0 || one->algorithm->properties & ANYP_UNEVEN)
        return 0;
    return one->algorithm->code->cost(&one->forward, one->parameters).overheads / 2 *
        (double) excess * (model->beta + model->gamma);
}

static double time_of(const anypi_settled_call *one, const anyp_model *model)
{
    const anyp_algorithm_code *code = one->algorithm->code;
    const anyp_call *call = &one->call, *forward = &one->forward;
    const int *parameters = one->parameters;
    const unsigned properties = one->algorithm->properties;
    anyp_model own = *model;    /* of one rank */
    if (anypi_moves(call->collective))
        own.gamma = 0;
    anyp_model shared = own;
    const bool rooted = forward->collective == ANYP_GATHER;     /* one card has all messages */
    const bool runs = model->nodes && !model->nodes->rank;      /* nodes of consecutive ranks */
    const bool tree = runs && forward->collective == ANYP_REDUCE && properties & ANYP_TREE;
    if (runs && anypi_is_prefix(call->collective) && properties & ANYP_NEIGHBOURS) {
        shared.nodes = NULL;    /* each link has one message at a time */
    } else if (!rooted && !tree && !anypi_uses_nodes(one->algorithm, parameters)) {
        shared = anypi_shared_model(&shared, call->p);  /* few neighbours share a node */
        /* in rank order, most bytes stay in groups, since neighbours join first; the links of an
         * ordinary cluster do not limit how pairs combine their blocks */
        const bool pairs = anypi_transposes(call->collective) && !model->nodes;
        const bool near = properties & (ANYP_CANONICAL | ANYP_NEIGHBOURS);
        if (!pairs && (!near || (model->nodes && model->nodes->rank)))
            shared = anypi_spread_model(&shared, call->p);
    }
    double time = code->time ? code->time(rooted ? call : forward, parameters, &shared)
        : anypi_expected_time(code->cost(forward, parameters), &shared);
    if (call->collective == ANYP_BCAST && code->unpaced_time)
        time += code->unpaced_time(forward, parameters, &own);
    return time + excess_time(one, &shared);
}

double anypi_form_time(const anyp_algorithm *algorithm, const anyp_call *call,
                       const int *parameters, const anyp_model *model)
{
    const anypi_settled_call one = anypi_settled_call_of(algorithm, call, parameters);
    return time_of(&one, model);
}

anyp_cost anypi_cost_of(const anyp_algorithm *algorithm, const anyp_call *call,
                        const int *parameters)
{
    anypi_settled_call one = anypi_settled_call_of(algorithm, call, NULL);
    anypi_settle_call(&one, parameters);
    anyp_cost cost = algorithm->code->cost(&one.forward, one.parameters);
    if (anypi_moves(call->collective))
        cost.bytes_reduced = 0;
    return cost;
}

int anypi_blocks_of(const anyp_algorithm *algorithm, const anyp_call *call, const int *parameters)
{
    anypi_settled_call one = anypi_settled_call_of(algorithm, call, NULL);
    anypi_settle_call(&one, parameters);
    return algorithm->code->blocks(&one.forward, one.parameters);
}

/* ---- values to try ---- */

/* Parts of the vector, two sizes per octave, from the whole on. */
static void try_bytes(const anyp_call *call, const anyp_parameter *parameter, int *list, int *count)
{
    const double bytes = (double) call->count * (double) call->type_size;
    double part = bytes < parameter->maximum ? bytes : parameter->maximum;
    anypi_try(list, count, parameter->maximum);
    /* halves are exact, so that no processor rounds one down to a size with a segment more */
    for (int i = 0; i < 10 && part >= parameter->minimum && part >= 1; i++, part /= 2) {
        anypi_try(list, count, (int64_t) part);
        if (part * M_SQRT1_2 >= parameter->minimum && part * M_SQRT1_2 >= 1)
            anypi_try(list, count, (int64_t) (part * M_SQRT1_2));
    }
}

/* All small numbers, then two per octave to those that p ranks need. */
static void try_numbers(const anyp_call *call, const anyp_parameter *parameter, int *list,
                        int *count)
{
    enum { ALL_SMALL = 8 };
    int64_t end = call->p < parameter->maximum ? call->p : parameter->maximum;
    if (end < parameter->minimum)
        end = parameter->minimum;
    int64_t value = parameter->minimum;
    for (; value <= end && value <= parameter->minimum + ALL_SMALL; value++)
        anypi_try(list, count, value);
    for (value = 12; value < end; value = value % 3 ? value / 2 * 3 : value / 3 * 4)
        if (value > parameter->minimum + ALL_SMALL)
            anypi_try(list, count, value);
    anypi_try(list, count, end > parameter->minimum && end == call->p ? end - 1 : end);
    anypi_try(list, count, end);
}

/* ---- the search ---- */

/* Closed forms that differ less than this are equal but for rounding. */
static const double EQUAL = 1 - 1e-9;

typedef struct search {
    anypi_settled_call at;      /* of the class, with the values that are tried */
    const anyp_model *model;
    int order[ANYP_MAX_PARAMETERS];     /* the parameters that are "auto" */
    int count;                          /* of these */
    int best[ANYP_MAX_PARAMETERS];
    double time;                        /* of best[]; INFINITY: it does not serve the call */
} search;

/* The values of parameter i, when those before it in the order have theirs. */
static int tries_of(const search *s, int i, int list[ANYPI_TRIES])
{
    const anyp_parameter *parameter = &s->at.algorithm->parameters[i];
    const anyp_algorithm_code *code = s->at.algorithm->code;
    const anyp_call *call = &s->at.forward;
    int count = code->tries ? code->tries(call, s->model, s->at.parameters, i, list) : 0;
    if (count > 0)
        return count;
    if (parameter->of_nodes)
        anypi_try(list, &count, parameter->minimum);
    else if (parameter->values)
        for (int value = parameter->minimum; value <= parameter->maximum; value++) {
            if (value != parameter->automatic)
                anypi_try(list, &count, value);
        }
    else if (parameter->bytes)
        try_bytes(call, parameter, list, &count);
    else
        try_numbers(call, parameter, list, &count);
    return count;
}

/* The time of the values that are tried; the best so far is kept. Of equal ones, the first. */
static double evaluate(search *s)
{
    double time = INFINITY;
    for (int k = 0; k < s->count; k++) {
        const anyp_parameter *one = &s->at.algorithm->parameters[s->order[k]];
        const int value = s->at.parameters[s->order[k]];
        if (value < one->minimum || value > one->maximum)
            return INFINITY;
    }
    if (!s->at.algorithm->code->refusal ||
        !s->at.algorithm->code->refusal(&s->at.forward, s->at.parameters))
        time = time_of(&s->at, s->model);
    if (time < s->time * EQUAL) {
        s->time = time;
        memcpy(s->best, s->at.parameters, sizeof s->best);
    }
    return time;
}

/* ---- the whole grid ---- */

/* Evaluates all points, if there are at most `room`; returns how much of it is left. */
static int evaluate_grid(search *s, int index, int room)
{
    int list[ANYPI_TRIES];
    if (index == s->count) {
        if (room > 0)
            evaluate(s);
        return room - 1;
    }
    const int i = s->order[index], count = tries_of(s, i, list);
    for (int k = 0; k < count && room >= 0; k++) {
        s->at.parameters[i] = list[k];
        room = evaluate_grid(s, index + 1, room);
    }
    return room;
}

/* Tries the `start`-th values first. Returns the number of points in the grid, if there are as
 * many after any value as after these. */
static int64_t set_start(search *s, int start)
{
    int64_t points = 1;
    for (int k = 0; k < s->count; k++) {
        int list[ANYPI_TRIES];
        const int i = s->order[k], count = tries_of(s, i, list);
        s->at.parameters[i] = list[start < count ? start : 0];
        points *= count;
    }
    return points;
}

/* ---- one parameter after the other ---- */

/* From the `start`-th values. */
static void descend(search *s, int start)
{
    set_start(s, start);
    double time = evaluate(s);
    bool helps = true;
    for (int sweep = 0; sweep < SWEEPS && helps; sweep++) {
        helps = false;
        for (int k = s->count - 1; k >= 0; k--) {
            int list[ANYPI_TRIES];
            const int i = s->order[k], count = tries_of(s, i, list);
            int value = s->at.parameters[i];
            for (int n = 0; n < count; n++) {
                s->at.parameters[i] = list[n];
                const double other = list[n] == value ? INFINITY : evaluate(s);
                if (other < time * EQUAL) {
                    time = other;
                    value = list[n];
                    helps = true;
                }
            }
            s->at.parameters[i] = value;
        }
    }
}

/* ---- the choice ---- */

/* The parameters that are "auto" in the order of their choice: names first, since they decide what
 * numbers mean; then the numbers from the last to the first. */
static void set_order(search *s)
{
    for (int names = 1; names >= 0; names--)
        for (int i = s->at.algorithm->parameters_count - 1; i >= 0; i--) {
            const anyp_parameter *one = &s->at.algorithm->parameters[i];
            if ((one->values != NULL) == names && anypi_is_automatic(one, s->at.parameters[i]) &&
                !one->of_local_sizes)
                s->order[s->count++] = i;
        }
}

double anypi_settle_call_by(anypi_settled_call *one, const anyp_model *model, const int *asked)
{
    const anyp_call *call = &one->call;
    anyp_call class = *call;
    anyp_model its = *model;
    class.rank = class.root = 0;
    class.in_place = false;
    class.count = anypi_count_class(call);
    class.largest = anypi_largest_class(call);
    class.starts = NULL;        /* they would be those of another count */
    if (anypi_moves(call->collective))
        its.gamma = 0;
    search s = { .at = anypi_settled_call_of(one->algorithm, &class, asked), .model = &its,
                 .time = INFINITY };
    set_order(&s);
    const bool small = set_start(&s, 0) <= MAX_GRID;
    memcpy(s.best, s.at.parameters, sizeof s.best);     /* in case none serves the call */
    if (!small || evaluate_grid(&s, 0, MAX_GRID) < 0) {
        descend(&s, 0);
        descend(&s, 1);
    }
    copy(one->algorithm, s.best, one->parameters);
    return s.time;
}

void anypi_settle_call(anypi_settled_call *one, const int *asked)
{
    if (!anypi_any_automatic(one->algorithm, asked)) {
        copy(one->algorithm, asked, one->parameters);
        return;
    }
    const int network = one->algorithm->parameters_count - 1;
    const anyp_model model = anypi_network_model(&one->algorithm->parameters[network],
                                                 asked[network], &one->call);
    anypi_settle_call_by(one, &model, asked);
}

double anypi_settle_by(const anyp_algorithm *algorithm, const anyp_call *call,
                       const anyp_model *model, const int *parameters, int *settled)
{
    anypi_settled_call one = anypi_settled_call_of(algorithm, call, NULL);
    const double time = anypi_settle_call_by(&one, model, parameters);
    copy(algorithm, one.parameters, settled);
    return time;
}

void anypi_settle(const anyp_algorithm *algorithm, const anyp_call *call, const int *parameters,
                  int *settled)
{
    anypi_settled_call one = anypi_settled_call_of(algorithm, call, NULL);
    anypi_settle_call(&one, parameters);
    copy(algorithm, one.parameters, settled);
}
