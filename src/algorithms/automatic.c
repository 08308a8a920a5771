/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/automatic.h"

#include "algorithms/backwards.h"
#include "algorithms/network.h"
#include "algorithms/registry.h"
#include "algorithms/route.h"
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
            !anypi_parameter_of_local_sizes(&algorithm->parameters[i]))
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
        if (anypi_is_automatic(one, asked[i]) && !anypi_parameter_of_local_sizes(one) &&
            (uses_nodes || !anypi_parameter_of_nodes(one)))
            used += (size_t) snprintf(text + used, size - used, "%s%s", used ? ", " : "",
                                      one->name);
    }
    return text;
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
    return anypi_has_equal_blocks(call) ? round_count(call->count / call->p) * call->p
        : round_count(call->count);
}

int64_t anypi_largest_class(const anyp_call *call)
{
    const int64_t largest = round_count(call->largest), count = anypi_count_class(call);
    return largest < count ? largest : count;
}

void anypi_try(int *list, int *count, int64_t value)
{
    for (int i = 0; i < *count; i++)
        if (list[i] == value)
            return;
    if (*count < ANYPI_TRIES && value >= 0 && value <= INT32_MAX)
        list[(*count)++] = (int) value;
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

typedef struct search {
    const anyp_algorithm *algorithm;
    const anyp_call *call;      /* forwards */
    anyp_collective collective; /* what it was */
    const anyp_model *model;
    int order[ANYP_MAX_PARAMETERS];     /* the parameters that are "auto" */
    int count;                          /* of these */
    int at[ANYP_MAX_PARAMETERS];
    int best[ANYP_MAX_PARAMETERS];
    double time;                        /* of best[]; INFINITY: it does not serve the call */
} search;

/* The values of parameter i, when those before it in the order have theirs in at[]. */
static int tries_of(const search *s, int i, int list[ANYPI_TRIES])
{
    const anyp_parameter *parameter = &s->algorithm->parameters[i];
    int count = 0;
    if (s->algorithm->code->tries)
        count = s->algorithm->code->tries(s->call, s->model, s->at, i, list);
    if (count > 0)
        return count;
    if (anypi_parameter_of_nodes(parameter))
        anypi_try(list, &count, parameter->minimum);
    else if (parameter->values)
        for (int value = parameter->minimum; value <= parameter->maximum; value++) {
            if (value != parameter->automatic)
                anypi_try(list, &count, value);
        }
    else if (parameter->bytes)
        try_bytes(s->call, parameter, list, &count);
    else
        try_numbers(s->call, parameter, list, &count);
    return count;
}

double anyp_cost_time(anyp_cost cost, const anyp_model *model)
{
    return cost.latencies * model->alpha + cost.bytes_sent * model->beta +
        cost.bytes_reduced * model->gamma + cost.overheads * model->overhead;
}

/* The closed form's time, which is an upper bound and so favours few messages too much, but
 * - of k messages of a round, the others are sent while the first one travels, and only then
 *   received: that hides (k - 1) overheads, or the whole latency;
 * - overheads of a rank's messages overlap with the transfer of bytes of others: of the shorter of
 *   the two, only a part adds to the longer. */
double anypi_expected_time(anyp_cost cost, const anyp_model *model)
{
    const double part = 0.2, bytes = cost.bytes_sent * model->beta;
    const double all = cost.overheads * model->overhead;
    const double others = anypi_fmax(all / 2 - cost.latencies * model->overhead, 0);
    const double overheads = all - anypi_fmin(others, cost.latencies * model->alpha);
    const double longer = anypi_fmax(bytes, overheads);
    return cost.latencies * model->alpha + cost.bytes_reduced * model->gamma +
        longer + part * (bytes + overheads - longer);
}

/* What the largest block adds to a closed form for equal blocks: at worst, it is in each of the
 * messages that a rank receives one after the other. */
static double excess_time(const anyp_algorithm *algorithm, const anyp_call *call,
                          const int *parameters, const anyp_model *model)
{
    const int64_t excess = call->largest - call->count / call->p;
    if (call->largest == 0 || excess <= 0 || algorithm->properties & ANYP_UNEVEN)
        return 0;
    return algorithm->code->cost(call, parameters).overheads / 2 * (double) excess *
        (double) call->type_size * (model->beta + model->gamma);
}

anyp_model anypi_inside_model(const anyp_model *model)
{
    anyp_model inside = *model;
    if (model->nodes) {
        inside.alpha = model->inside_alpha;
        inside.beta = model->inside_beta;
        inside.nodes = NULL;
    }
    return inside;
}

anyp_model anypi_shared_model(const anyp_model *model, int p)
{
    anyp_model shared = *model;
    const anyp_shape *one = model->nodes;
    if (!one)
        return shared;
    double most = 1;
    shared.beta *= anypi_fmax((double) p / one->count / model->cards, 1);
    shared.nodes = NULL;
    shared.group = 0;
    shared.taper = 1;
    /* of the links above the nodes, those that are shared most */
    for (int h = 0; (one = one->above) && shared.beta > 0; h++) {
        const int group = (int) anypi_divide_up(p, one->count);
        const double taper = model->above[h].beta * group / shared.beta;
        shared.alpha = anypi_fmax(shared.alpha, model->above[h].alpha);
        if (taper * (p - group) > most * p) {
            most = taper * (p - group) / p;
            shared.group = group;
            shared.taper = taper;
        }
    }
    return shared;
}

anyp_model anypi_spread_model(const anyp_model *shared, int p)
{
    anyp_model spread = *shared;
    if (shared->group > 0)
        spread.beta *= anypi_fmax(shared->taper * (p - shared->group) / p, 1);
    spread.group = 0;
    return spread;
}

double anypi_form_time(const anyp_algorithm *algorithm, const anyp_call *any,
                       const int *parameters, const anyp_model *model)
{
    const anyp_algorithm_code *code = algorithm->code;
    const anyp_call route = anypi_route_call(any), *const call = &route;
    const anyp_call forward = anypi_forward_call(call);
    anyp_model shared = *model;
    if (anypi_moves(call->collective))
        shared.gamma = 0;
    const bool rooted = forward.collective == ANYP_GATHER;      /* one card has all messages */
    const bool alone = model->nodes && !model->nodes->rank && anypi_is_prefix(call->collective) &&
        algorithm->properties & ANYP_NEIGHBOURS;
    if (alone) {
        shared.nodes = NULL;    /* each link has one message at a time */
    } else if (!rooted && model->nodes && !anypi_uses_nodes(algorithm, parameters)) {
        shared = anypi_shared_model(&shared, call->p);  /* few neighbours share a node */
        /* in rank order, most bytes stay in groups, since neighbours join first */
        if (!(algorithm->properties & ANYP_CANONICAL) || model->nodes->rank)
            shared = anypi_spread_model(&shared, call->p);
    }
    const double time = code->time ? code->time(rooted ? call : &forward, parameters, &shared)
        : anypi_expected_time(code->cost(&forward, parameters), &shared);
    return time + excess_time(algorithm, &forward, parameters, &shared);
}

/* The time of at[]; the best so far is kept. Of equal ones, the first. */
static double evaluate(search *s)
{
    double time = INFINITY;
    bool valid = true;
    for (int k = 0; k < s->count; k++) {
        const anyp_parameter *one = &s->algorithm->parameters[s->order[k]];
        const int value = s->at[s->order[k]];
        valid = valid && value >= one->minimum && value <= one->maximum;
    }
    if (!valid)
        return INFINITY;
    if (!s->algorithm->code->refusal || !s->algorithm->code->refusal(s->call, s->at)) {
        anyp_call call = *s->call;
        call.collective = s->collective;
        time = anypi_form_time(s->algorithm, &call, s->at, s->model);
    }
    if (time < s->time * (1 - 1e-9)) {
        s->time = time;
        memcpy(s->best, s->at, sizeof s->best);
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
        s->at[i] = list[k];
        room = evaluate_grid(s, index + 1, room);
    }
    return room;
}

/* Sets at[] to the `start`-th values. Returns the number of points in the grid, if there are as
 * many after any value as after these. */
static int64_t set_start(search *s, int start)
{
    int64_t points = 1;
    for (int k = 0; k < s->count; k++) {
        int list[ANYPI_TRIES];
        const int i = s->order[k], count = tries_of(s, i, list);
        s->at[i] = list[start < count ? start : 0];
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
            int value = s->at[i];
            for (int n = 0; n < count; n++) {
                s->at[i] = list[n];
                const double other = list[n] == value ? INFINITY : evaluate(s);
                if (other < time * (1 - 1e-9)) {
                    time = other;
                    value = list[n];
                    helps = true;
                }
            }
            s->at[i] = value;
        }
    }
}

/* ---- the choice ---- */

/* The parameters that are "auto" in the order of their choice: names first, since they decide what
 * numbers mean; then the numbers from the last to the first. */
static void set_order(search *s)
{
    for (int names = 1; names >= 0; names--)
        for (int i = s->algorithm->parameters_count - 1; i >= 0; i--) {
            const anyp_parameter *one = &s->algorithm->parameters[i];
            if ((one->values != NULL) == names && anypi_is_automatic(one, s->at[i]) &&
                !anypi_parameter_of_local_sizes(one))
                s->order[s->count++] = i;
        }
}

double anypi_settle_by(const anyp_algorithm *algorithm, const anyp_call *any,
                       const anyp_model *model, const int *parameters, int *settled)
{
    const anyp_call route = anypi_route_call(any), *const call = &route;
    anyp_call one = anypi_forward_call(call);
    anyp_model its = *model;
    search s = { .algorithm = algorithm, .call = &one, .collective = call->collective,
                 .model = &its, .time = INFINITY };
    if (anypi_moves(call->collective))
        its.gamma = 0;
    one.rank = one.root = 0;
    one.in_place = false;
    one.count = anypi_count_class(call);
    one.largest = anypi_largest_class(call);
    one.starts = NULL;          /* they would be those of another count */
    memcpy(s.at, parameters, (size_t) algorithm->parameters_count * sizeof *parameters);
    set_order(&s);
    const bool small = set_start(&s, 0) <= MAX_GRID;
    memcpy(s.best, s.at, sizeof s.best);        /* in case none serves the call */
    if (!small || evaluate_grid(&s, 0, MAX_GRID) < 0) {
        descend(&s, 0);
        descend(&s, 1);
    }
    memcpy(settled, s.best, (size_t) algorithm->parameters_count * sizeof *settled);
    return s.time;
}

anyp_cost anypi_cost_of(const anyp_algorithm *algorithm, const anyp_call *call,
                        const int *parameters)
{
    int settled[ANYP_MAX_PARAMETERS];
    const anyp_call forward = anypi_forward_call(call);
    anypi_settle(algorithm, call, parameters, settled);
    anyp_cost cost = algorithm->code->cost(&forward, settled);
    if (anypi_moves(call->collective))
        cost.bytes_reduced = 0;
    return cost;
}

int anypi_blocks_of(const anyp_algorithm *algorithm, const anyp_call *call, const int *parameters)
{
    const anyp_call forward = anypi_forward_call(call);
    int settled[ANYP_MAX_PARAMETERS];
    anypi_settle(algorithm, call, parameters, settled);
    return algorithm->code->blocks(&forward, settled);
}

void anypi_settle(const anyp_algorithm *algorithm, const anyp_call *call, const int *parameters,
                  int *settled)
{
    const int count = algorithm->parameters_count;
    if (!anypi_any_automatic(algorithm, parameters)) {
        if (count > 0)
            memmove(settled, parameters, (size_t) count * sizeof *settled);
        return;
    }
    const anyp_parameter *network = &algorithm->parameters[count - 1];
    const anyp_model model = anypi_network_model(network, parameters[count - 1], call);
    anypi_settle_by(algorithm, call, &model, parameters, settled);
}
