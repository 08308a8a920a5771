/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/local_limits.h"

#include "algorithms/cost_model.h"
#include "algorithms/network.h"
#include "algorithms/registry.h"
#include "algorithms/route.h"
#include "algorithms/settle.h"
#include "algorithms/shared/rooted.h"
#include "schedule/collectives.h"
#include "schedule/ranks.h"
#include "schedule/schedule.h"
#include "schedule/shape.h"

#include <string.h>

/* No larger block takes the route; and the classes of totals. */
static const int bounds[ANYPI_LOCAL_CLASSES - 1] = { 16, 64, 256, 1024, 4096, 16384, 65534 };

/* The maximum number of direct messages of a window, if ring is not the call's algorithm. */
enum { WINDOW = 64 };

/* Of the sizes by which a route is chosen. */
enum { MOST_NOMINAL = 32768 };

/* Scratch for the blocks that a rank receives on the route, in bytes. It is not used up if blocks
 * are shorter than the limit. */
static const double most_scratch = 64 << 20;

/* What direct messages may take longer than the route before that is taken in a first call: closed
 * forms are as exact as this. */
static const double clearly = 1.1;

/* ---- times by closed forms ---- */

static const anyp_algorithm *ring_of(void)
{
    int count;
    return &anyp_algorithms(&count)[ANYPI_ring];
}

/* By the constants that the parameters name, otherwise by those of the machine. */
static anyp_model model_of(const anypi_local_limits *limits)
{
    const int last = limits->algorithm->parameters_count - 1;
    const anyp_algorithm *ring = ring_of();
    const anyp_parameter *network = &ring->parameters[ring->parameters_count - 1];
    int value = network->default_value;
    if (last >= 0 && anypi_parameter_is_network(&limits->algorithm->parameters[last])) {
        network = &limits->algorithm->parameters[last];
        value = limits->parameters[last];
    }
    return anypi_network_model(network, value, &limits->call);
}

/* Of the route with equal blocks, and their sizes. */
static double route_time(const anypi_local_limits *limits, double bytes)
{
    anyp_call call = limits->call;
    call.count = (int64_t) ((double) call.p * (bytes + (double) sizeof(anypi_size)));
    return anypi_form_time(limits->algorithm, &call, limits->parameters, &limits->model);
}

/* Blocks that a rank sends on the route, as often as it does. */
static double blocks_sent(const anypi_local_limits *limits)
{
    const anyp_call *call = &limits->call;
    return anypi_cost_of(limits->algorithm, call, limits->parameters).bytes_sent * call->p /
        (double) call->count;
}

/* The ranks of the root's node, the root not counted. */
static int near_root(const anypi_local_limits *limits)
{
    const anyp_shape *nodes = limits->model.nodes;
    const int root = limits->call.root;
    return !nodes ? 0
        : anypi_shape_size(nodes, anypi_shape_at(nodes, anypi_shape_position(nodes, root))) - 1;
}

/* Direct messages that one rank gives or gets. */
typedef struct directs {
    double messages, bytes;     /* in all */
    double longest;             /* messages of the longest class of sizes */
    double shortest;            /* mean bytes of one of the shortest class */
} directs;

/* Of direct messages to the root, which share its port. Those from its own node end early, and so
 * do shorter ones: their overheads pass while the long ones flow. */
static double gather_time(const anypi_local_limits *limits, directs all)
{
    const anyp_model *model = &limits->model;
    const double near = all.messages * near_root(limits) / anypi_max(limits->call.p - 1, 1);
    const double far = all.messages - near, inside = all.bytes * near / all.messages;
    const double after = all.longest * far / all.messages * model->overhead;
    const double before = far * (all.shortest * model->beta + model->overhead) - after;
    const double early = near * model->overhead + inside * model->inside_beta;
    return (far > 0 ? model->alpha : model->inside_alpha) + model->overhead + after +
        anypi_fmax((all.bytes - inside) * model->beta, anypi_fmax(early, before));
}

static double direct_time(const anypi_local_limits *limits, directs all)
{
    const anyp_call *call = &limits->call;
    if (all.messages < 1)
        return 0;
    if (anypi_gathers(call))
        return gather_time(limits, all);
    if (!anypi_transposes(call->collective)) {
        const double inside = all.bytes * near_root(limits) / anypi_max(call->p - 1, 1);
        const anypi_fan fan = { (int) all.messages, all.bytes - inside, inside,
                                all.bytes / all.messages };
        return anypi_fan_time(call, &limits->model, fan);
    }
    anyp_model spread = limits->model;
    if (spread.nodes) {         /* otherwise no form of an alltoall has links that are shared */
        spread = anypi_shared_model(&spread, call->p);
        spread = anypi_spread_model(&spread, call->p);
    }
    const anyp_cost cost = { .latencies = 1, .bytes_sent = all.bytes,
                             .overheads = 2 * all.messages };
    return anypi_expected_time(cost, &spread);
}

/* The limit that the parameters ask for, or ANYP_AUTO. */
static int asked_limit(const anypi_local_limits *limits)
{
    const int index = anypi_parameter_find(limits->algorithm, "limit", strlen("limit"));
    return index < 0 ? ANYP_AUTO : limits->parameters[index];
}

/* Sets `limit` and `most`. `known`: the call's sizes are those of earlier calls. */
static void set_limits(anypi_local_limits *limits, bool known)
{
    const int others = limits->call.p - 1;
    const double room = most_scratch / anypi_fmax(blocks_sent(limits), 1);
    limits->most = (int) anypi_fmin(room, bounds[ANYPI_LOCAL_CLASSES - 2]);
    if (asked_limit(limits) != ANYP_AUTO) {
        limits->limit = limits->most = anypi_min(asked_limit(limits), limits->most);
        return;
    }
    for (int i = 0; i < ANYPI_LOCAL_CLASSES - 1; i++) {
        const int bytes = anypi_min(bounds[i], limits->most);
        const directs all = { others, (double) others * bytes, others, bytes };
        if (clearly * route_time(limits, bytes) < direct_time(limits, all))
            limits->limit = bytes;
    }
    /* earlier calls have shown that there is something to combine */
    for (int i = 0; known && i < ANYPI_LOCAL_CLASSES - 1; i++)
        if (limits->limit == ANYPI_LOCAL_DIRECTLY &&
            bounds[i] * (int64_t) limits->call.p >= limits->call.count)
            limits->limit = anypi_min(bounds[i], limits->most);
}

anypi_local_limits anypi_local_limits_of(const anyp_algorithm *algorithm, const anyp_call *call,
                                         const int *parameters, const anyp_model *model)
{
    const size_t count = (size_t) algorithm->parameters_count;
    anypi_local_limits limits = { .call = anypi_route_call(call), .algorithm = algorithm };
    memcpy(limits.parameters, parameters, count * sizeof *parameters);
    limits.model = model ? *model : model_of(&limits);
    if (algorithm != ring_of())
        set_limits(&limits, call->count > 0);
    return limits;
}

/* ---- totals ---- */

/* The digits of a code, one of which is in its value: a code below 2 DIGITS is the number. */
enum { DIGITS = 1024 };

static anypi_local_code code_of(uint64_t number)
{
    unsigned shift = 0;
    while (number >> shift >= 2 * DIGITS)
        shift++;
    return (anypi_local_code) (shift * DIGITS + (number >> shift));
}

static double number_of(anypi_local_code code)
{
    const unsigned shift = code < 2 * DIGITS ? 0 : code / DIGITS - 1;
    return (double) ((uint64_t) (code - shift * DIGITS) << shift);
}

static int class_of(int64_t bytes)
{
    int class = 0;
    while (class < ANYPI_LOCAL_CLASSES - 1 && bytes > bounds[class])
        class++;
    return class;
}

anypi_local_totals anypi_local_totals_of(const int64_t *sizes, int p, int rank)
{
    anypi_local_totals totals;
    uint64_t blocks[ANYPI_LOCAL_CLASSES] = { 0 }, bytes[ANYPI_LOCAL_CLASSES] = { 0 };
    for (int i = 0; i < p; i++)
        if (i != rank && sizes[i] > 0) {
            blocks[class_of(sizes[i])]++;
            bytes[class_of(sizes[i])] += (uint64_t) sizes[i];
        }
    uint64_t count = 0, above = 0, below = 0;
    for (int up = 0, down = ANYPI_LOCAL_CLASSES - 1; down >= 0; up++, down--) {
        count += blocks[down];
        above += bytes[down];
        below += bytes[up];
        totals.blocks[down] = code_of(count);
        totals.above[down] = code_of(above);
        totals.below[up] = code_of(below);
    }
    totals.others = (anypi_local_code) (UINT16_MAX - code_of(below));
    return totals;
}

static anypi_local_code larger(anypi_local_code a, anypi_local_code b)
{
    return a > b ? a : b;
}

void anypi_local_add_totals(anypi_local_totals *most, const anypi_local_totals *other)
{
    for (int i = 0; i < ANYPI_LOCAL_CLASSES; i++) {
        most->blocks[i] = larger(most->blocks[i], other->blocks[i]);
        most->above[i] = larger(most->above[i], other->above[i]);
        most->below[i] = larger(most->below[i], other->below[i]);
    }
    most->others = larger(most->others, other->others);
}

/* Returns the mean bytes of the ranks of a node as a part of the maximum of all ranks, if one of
 * them has the maximum; 1 if only a root has blocks for others. The mean of the others is nearer to
 * the least than to the most, since few ranks have large blocks. */
static double share_of_node(const anypi_local_limits *limits, const anypi_local_totals *most)
{
    const bool all_move = anypi_transposes(limits->call.collective) && limits->model.nodes;
    const double size = all_move ? anypi_shape_mean(limits->model.nodes) : 1;
    const double all = number_of(most->above[0]);
    const double least = number_of((anypi_local_code) (UINT16_MAX - most->others));
    const double mean = least + (all - least) / 3;
    return all > 0 && all_move ? (mean + (all - mean) / size) / all : 1;
}

/* The blocks of the classes from `first` on. Of the bytes in them, only a share counts. */
static directs directs_of(const anypi_local_totals *most, int first, double share)
{
    int longest = ANYPI_LOCAL_CLASSES - 1, longer = first + 1;
    while (longest > first && !most->blocks[longest])
        longest--;
    while (longer < longest && most->blocks[longer] == most->blocks[first])
        longer++;
    const double messages = number_of(most->blocks[first]), bytes = number_of(most->above[first]);
    directs all = { messages, share * bytes, number_of(most->blocks[longest]), bytes };
    if (longest > first)        /* the next class with blocks is `longer` */
        all.shortest -= number_of(most->above[longer]);
    all.shortest /= anypi_fmax(longest > first ? messages - number_of(most->blocks[longer])
                               : messages, 1);
    return all;
}

/* Of a call with such totals if blocks of the first `classes` take the route. */
static double time_of(const anypi_local_limits *limits, const anypi_local_totals *most, int classes)
{
    const double share = share_of_node(limits, most);
    const double along = classes == 0 ? 0
        : route_time(limits, share * number_of(most->below[classes - 1]) / limits->call.p);
    return along + direct_time(limits, directs_of(most, classes, share));
}

/* Totals are rounded to 11 bits, so that smaller differences of times mean nothing. */
static const double profit = 0.998;

int anypi_local_choose(const anypi_local_limits *limits, const anypi_local_totals *most)
{
    int best = ANYPI_LOCAL_DIRECTLY;
    double least = time_of(limits, most, 0);
    if (limits->limit == ANYPI_LOCAL_DIRECTLY)
        return best;
    if (asked_limit(limits) != ANYP_AUTO)
        return time_of(limits, most, class_of(limits->limit) + 1) < least ? limits->limit : best;
    for (int i = 0; i < ANYPI_LOCAL_CLASSES - 1 && bounds[i] <= limits->most; i++) {
        const double time = time_of(limits, most, i + 1);
        if (time < profit * least) {
            least = time;
            best = bounds[i];
        }
    }
    return best;
}

int anypi_local_nominal(const anypi_local_limits *limits, const anypi_local_totals *most,
                        int limit)
{
    const double bytes = share_of_node(limits, most) * number_of(most->below[class_of(limit)]);
    int nominal = 8;
    while (nominal < MOST_NOMINAL && 1.5 * nominal * limits->call.p <= bytes)
        nominal *= 2;
    return nominal;
}

/* ---- schedules ---- */

anypi_direct anypi_local_direct(const anyp_call *call, int distance, const int64_t *given,
                                const int64_t *got, int64_t above)
{
    const int p = call->p, rank = call->rank;
    anypi_direct both = { .to = (rank + distance) % p, .from = (rank - distance + p) % p };
    both.given = anypi_gathers(call) ? rank : both.to;
    both.got = anypi_scatters(call) ? rank : both.from;
    if ((anypi_gathers(call) && both.to != call->root) || given[both.given] <= above)
        both.given = -1;
    if ((anypi_scatters(call) && both.from != call->root) || got[both.got] <= above)
        both.got = -1;
    return both;
}

int anypi_local_window(const anypi_local_limits *limits)
{
    const anyp_algorithm *ring = ring_of();
    if (limits->algorithm != ring)
        return WINDOW;
    const int ports = limits->parameters[anypi_parameter_find(ring, "ports", strlen("ports"))];
    return anypi_max(anypi_min(ports, limits->call.p - 1), 1);
}

anyp_call anypi_local_tell_call(const anypi_local_limits *limits)
{
    anyp_call call = limits->call;
    call.collective = ANYP_BCAST;
    call.count = ANYPI_LOCAL_TOLD;
    return call;
}

anyp_status anypi_local_tell(const anypi_local_limits *limits, int rank, anyp_schedule *schedule)
{
    int count, parameters[ANYP_MAX_PARAMETERS];
    const anyp_algorithm *binomial = &anyp_algorithms(&count)[ANYPI_binomial];
    anyp_call call = anypi_local_tell_call(limits);
    call.rank = rank;
    anyp_parameters_default(binomial, parameters);
    return anyp_generate(binomial, &call, parameters, schedule);
}
