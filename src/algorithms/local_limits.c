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

/* Data in slots: as many bytes as slots can carry for little more time, of these; or none. */
enum { LEAST_INLINED = 8, MOST_INLINED = 1024 };
static const double little_more = 1.5;

/* Bytes of scratch for slots: all that a rank receives are kept, and those that it sends. */
enum { MOST_SLOTS_BYTES = 65536 };
static const double slots_each = 1.25;

/* No larger block takes the route. */
enum { MOST_LIMIT = 65536 };

/* What direct messages may take longer than the other way before that is taken: closed forms are
 * as exact as this. */
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

/* Of the route with equal blocks. */
static double route_time(const anypi_local_limits *limits, double bytes)
{
    anyp_call call = limits->call;
    call.count = (int64_t) ((double) call.p * bytes);
    return anypi_form_time(limits->algorithm, &call, limits->parameters, &limits->model);
}

/* Blocks that a rank sends on the route, as often as it does. */
static double blocks_sent(const anypi_local_limits *limits)
{
    return anypi_cost_of(limits->algorithm, &limits->call, limits->parameters).bytes_sent /
        ANYPI_NOMINAL_BYTES;
}

/* Of direct messages with `bytes` in all, which one rank gives or gets. */
static double direct_time(const anypi_local_limits *limits, double messages, double bytes)
{
    const anyp_call *call = &limits->call;
    if (messages < 1)
        return 0;
    if (!anypi_transposes(call->collective)) {
        const double share = limits->model.nodes
            ? (double) (anypi_shape_mean(limits->model.nodes) - 1) / anypi_max(call->p - 1, 1) : 0;
        const anypi_fan fan = { (int) messages, bytes * (1 - share), bytes * share,
                                bytes / messages };
        return anypi_fan_time(call, &limits->model, fan);
    }
    anyp_model spread = limits->model;
    if (spread.nodes) {         /* otherwise no form of an alltoall has links that are shared */
        spread = anypi_shared_model(&spread, call->p);
        spread = anypi_spread_model(&spread, call->p);
    }
    const anyp_cost cost = { .latencies = 1, .bytes_sent = bytes, .overheads = 2 * messages };
    return anypi_expected_time(cost, &spread);
}

anypi_local_choice anypi_local_choose(const anypi_local_limits *limits,
                                      const anypi_local_totals *most)
{
    const double bytes = (double) most->routed_bytes + most->large_bytes;
    const double along = most->routed == 0 ? 0
        : route_time(limits, (double) most->routed_bytes / limits->call.p);
    const double combined = along + direct_time(limits, most->large, most->large_bytes);
    const double separate = direct_time(limits, (double) most->routed + most->large, bytes);
    const double rest = combined < separate ? combined : separate;
    return (anypi_local_choice) {
        .combines = combined <= separate,
        .directly =
            direct_time(limits, most->blocks, bytes) <= clearly * (limits->sizes_time + rest),
    };
}

/* The limit that the parameters ask for, or ANYP_AUTO. */
static int asked_limit(const anypi_local_limits *limits)
{
    const int index = anypi_parameter_find(limits->algorithm, "limit", strlen("limit"));
    return index < 0 ? ANYP_AUTO : limits->parameters[index];
}

/* Sets `inlined`, `limit` and `sizes_time`. */
static void set_limits(anypi_local_limits *limits)
{
    const int others = limits->call.p - 1;
    const double least = route_time(limits, ANYPI_LOCAL_HEAD);
    const double slots = slots_each * blocks_sent(limits);
    for (int bytes = LEAST_INLINED; bytes <= MOST_INLINED; bytes *= 2)
        if (slots * (ANYPI_LOCAL_HEAD + bytes) <= MOST_SLOTS_BYTES &&
            route_time(limits, ANYPI_LOCAL_HEAD + bytes) <= little_more * least)
            limits->inlined = bytes;
    limits->sizes_time = route_time(limits, (double) anypi_local_slot(limits));
    if (asked_limit(limits) != ANYP_AUTO) {
        limits->limit = asked_limit(limits);
        limits->inlined = anypi_min((int) limits->inlined, (int) limits->limit);
        return;
    }
    if (clearly * limits->sizes_time >=
        direct_time(limits, others, others * (double) limits->inlined))
        return;
    limits->limit = limits->inlined;
    for (int bytes = anypi_max((int) limits->inlined, LEAST_INLINED); bytes <= MOST_LIMIT;
         bytes *= 2)
        if (clearly * (limits->sizes_time + route_time(limits, bytes)) <
            direct_time(limits, others, (double) others * bytes))
            limits->limit = bytes;
}

anypi_local_limits anypi_local_limits_of(const anyp_algorithm *algorithm, const anyp_call *call,
                                         const int *parameters, const anyp_model *model)
{
    const size_t count = (size_t) algorithm->parameters_count;
    anypi_local_limits limits = { .call = anypi_route_call(call), .algorithm = algorithm };
    memcpy(limits.parameters, parameters, count * sizeof *parameters);
    limits.model = model ? *model : model_of(&limits);
    if (algorithm != ring_of())
        set_limits(&limits);
    return limits;
}

/* ---- totals ---- */

static uint32_t limited(int64_t number)
{
    return number < UINT32_MAX ? (uint32_t) number : UINT32_MAX;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

anypi_local_totals anypi_local_totals_of(const anypi_local_limits *limits, const int64_t *sizes,
                                         int rank)
{
    int64_t routed_bytes = 0, large_bytes = 0;
    anypi_local_totals totals = { 0 };
    for (int i = 0; i < limits->call.p; i++) {
        if (i == rank || sizes[i] == 0)
            continue;
        totals.blocks++;
        if (anypi_local_is_routed(limits, sizes[i])) {
            totals.routed++;
            routed_bytes += sizes[i];
        } else if (sizes[i] > limits->limit) {
            totals.large++;
            large_bytes += limited(sizes[i]);
        }
    }
    totals.routed_bytes = limited(routed_bytes);
    totals.large_bytes = limited(large_bytes);
    return totals;
}

void anypi_local_add_totals(anypi_local_totals *most, const anypi_local_totals *other)
{
    most->routed = larger(most->routed, other->routed);
    most->routed_bytes = larger(most->routed_bytes, other->routed_bytes);
    most->large = larger(most->large, other->large);
    most->large_bytes = larger(most->large_bytes, other->large_bytes);
    most->blocks = larger(most->blocks, other->blocks);
}

/* ---- schedules ---- */

anyp_status anypi_local_direct(const anypi_local_limits *limits, int rank, bool few,
                               anyp_schedule *schedule)
{
    int parameters[ANYP_MAX_PARAMETERS];
    const anyp_algorithm *ring = ring_of();
    const int ports = anypi_parameter_find(ring, "ports", strlen("ports"));
    const int others = anypi_max(limits->call.p - 1, 1);
    const bool at_once = few || others <= ANYPI_LOCAL_IN_FLIGHT;
    anyp_call call = limits->call;
    call.rank = rank;
    memcpy(parameters, limits->parameters, sizeof parameters);
    if (limits->algorithm != ring) {
        anyp_parameters_default(ring, parameters);
        parameters[ports] = at_once ? others : ANYPI_LOCAL_IN_FLIGHT / 2;
    }
    const anyp_status status = anyp_generate(ring, &call, parameters, schedule);
    anypi_schedule_overlap(schedule, 1);        /* two rounds: ports are never idle in between */
    return status;
}

anyp_call anypi_local_tell_call(const anypi_local_limits *limits)
{
    anyp_call call = limits->call;
    call.collective = ANYP_BCAST;
    call.count = 1;
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
