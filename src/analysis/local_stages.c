/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/local_stages.h"

#include "algorithms/route.h"
#include "analysis/local_check.h"
#include "schedule/collectives.h"
#include "schedule/memory.h"
#include "schedule/schedule.h"
#include "schedule/set.h"

#include <stdio.h>
#include <string.h>

int64_t anypi_local_bytes(const anypi_local_call *local, int from, int to)
{
    const anyp_call *call = &local->call;
    const bool swapped = call->in_place && anypi_transposes(call->collective) && from > to;
    if ((anypi_distributes(call) && from != call->root) ||
        (anypi_collectives[call->collective].output == ANYPI_AT_ROOT && to != call->root))
        return 0;
    return anypi_sizes_bytes(local->kind, swapped ? to : from, swapped ? from : to, local->mean);
}

const char *anypi_stage_name(anypi_stage stage)
{
    static const char *const names[] = { "sizes", "route", "tell", "direct" };
    return names[stage];
}

/* ---- sets ---- */

typedef struct maker {
    const anypi_local_call *local;
    anypi_local_stages *stages;
    int p;
    bool all;                   /* SIZES, ROUTE and DIRECT whatever the decision, each with all
                                 * blocks */
    char *reason;               /* receives the error */
    size_t size;
    anyp_schedule *route;       /* of all ranks */
    int64_t *given;             /* p */
    int64_t **received;         /* for each rank: the blocks that it receives on the route */
} maker;

/* Returns the destination of block i of a rank's input, or -1. */
static int destination(const maker *m, int rank, int i)
{
    const anyp_call *call = &m->local->call;
    const anyp_slice its = anypi_input_of(call, rank, m->p);
    return i < its.first || i >= its.end ? -1 : anypi_gathers(call) ? call->root : i;
}

/* In an alltoall in place, any block that arrives overwrites another block. */
static bool packs_all(const maker *m)
{
    return m->local->call.in_place && anypi_transposes(m->local->call.collective);
}

/* Returns the source of block i of the rank's output. */
static int source(const maker *m, int i)
{
    const anyp_call *call = &m->local->call;
    return anypi_scatters(call) ? call->root : i;
}

static anyp_schedule *new_set(int p)
{
    anyp_schedule *set = anypi_realloc(NULL, (size_t) p * sizeof *set);
    for (int rank = 0; set && rank < p; rank++)
        anyp_schedule_init(&set[rank]);
    return set;
}

/* Sets given[] to those of a rank's blocks that have more than `above` and up to `most` bytes. */
static void give(maker *m, int rank, int64_t above, int64_t most)
{
    for (int i = 0; i < m->p; i++) {
        const int to = destination(m, rank, i);
        const int64_t bytes = to < 0 ? 0 : anypi_local_bytes(m->local, rank, to);
        m->given[i] = bytes > above && bytes <= most ? bytes : 0;
    }
}

static int one_unit(const void *state, int from, int to)
{
    (void) state, (void) from, (void) to;
    return 1;
}

/* Sets received[] of a rank to the sizes of the blocks at these places of its scratch. */
static bool note_received(maker *m, int rank, const anypi_unit *scratch, const int *places)
{
    const int count = anypi_route_received(&m->route[rank]);
    m->received[rank] = anypi_realloc(NULL, ((size_t) count + 1) * sizeof **m->received);
    for (int k = 0; m->received[rank] && k < count; k++) {
        const anypi_unit unit = scratch[places[k]];
        m->received[rank][k] = anypi_local_bytes(m->local, unit.from, unit.to);
    }
    return m->received[rank];
}

/* Makes the schedules for slots of `bytes`, and the places of slots in scratch. */
static anyp_status make_slots(maker *m, int64_t bytes, anyp_schedule *set, int **places)
{
    anyp_status status = ANYP_SUCCESS;
    for (int rank = 0; rank < m->p && status == ANYP_SUCCESS; rank++) {
        const size_t count = (size_t) anypi_route_received(&m->route[rank]) + 1;
        places[rank] = anypi_realloc(places[rank], count * sizeof **places);
        if (!places[rank])
            return ANYP_ERR_MEMORY;
        status = anypi_route_make(&m->route[rank],
                                  &(anypi_route_sizes) { .all = bytes, .unit = 1,
                                                         .in_place = packs_all(m), .keeps = true },
                                  &set[rank], places[rank]);
    }
    return status;
}

/* Plays SIZES with slots of one unit, which shows what each rank receives; then makes SIZES. */
static anyp_status make_sizes(maker *m)
{
    anypi_local_check check = { .call = &m->stages->limits.call, .units = one_unit,
                                .reason = m->reason, .size = m->size };
    anyp_schedule *set = m->stages->sets[ANYPI_STAGE_SIZES] = new_set(m->p);
    int **places = anypi_realloc(NULL, (size_t) m->p * sizeof *places);
    if (places)
        memset(places, 0, (size_t) m->p * sizeof *places);
    anyp_status status = set && places ? make_slots(m, 1, set, places) : ANYP_ERR_MEMORY;
    if (status == ANYP_SUCCESS)
        status = anypi_local_check_set(&check, set);
    for (int rank = 0; rank < m->p && status == ANYP_SUCCESS; rank++)
        if (!note_received(m, rank, check.scratch[rank], places[rank]))
            status = ANYP_ERR_MEMORY;
    if (status == ANYP_SUCCESS)
        status = make_slots(m, anypi_local_slot(&m->stages->limits), set, places);
    anypi_local_check_free(&check);
    for (int rank = 0; places && rank < m->p; rank++)
        anypi_free(places[rank]);
    anypi_free(places);
    return status;
}

static anyp_status make_route(maker *m)
{
    const anypi_local_limits *limits = &m->stages->limits;
    anyp_schedule *set = m->stages->sets[ANYPI_STAGE_ROUTE] = new_set(m->p);
    anyp_status status = set ? ANYP_SUCCESS : ANYP_ERR_MEMORY;
    for (int rank = 0; rank < m->p && status == ANYP_SUCCESS; rank++) {
        const int count = anypi_route_received(&m->route[rank]);
        for (int k = 0; k < count; k++)
            if (!anypi_local_is_routed(limits, m->received[rank][k]))
                m->received[rank][k] = 0;
        give(m, rank, limits->inlined, limits->limit);
        status = anypi_route_make(&m->route[rank],
                                  &(anypi_route_sizes) { .all = -1, .given = m->given,
                                                         .received = m->received[rank], .unit = 1,
                                                         .in_place = packs_all(m) },
                                  &set[rank], NULL);
    }
    return status;
}

static anyp_status make_tell(maker *m)
{
    anyp_schedule *set = m->stages->sets[ANYPI_STAGE_TELL] = new_set(m->p);
    anyp_status status = set ? ANYP_SUCCESS : ANYP_ERR_MEMORY;
    for (int rank = 0; rank < m->p && status == ANYP_SUCCESS; rank++)
        status = anypi_local_tell(&m->stages->limits, rank, &set[rank]);
    return status;
}

/* Does a rank send and receive only few blocks of more than `above` bytes? given[] contains those
 * that it sends. */
static bool has_few(const maker *m, int rank, int64_t above)
{
    const anyp_slice output = anypi_output_of(&m->local->call, rank, m->p);
    int given = 0, got = 0;
    for (int i = 0; i < m->p; i++)
        given += m->given[i] > 0;
    for (int i = output.first; i < output.end; i++)
        got += anypi_local_bytes(m->local, source(m, i), rank) > above;
    return given <= ANYPI_LOCAL_IN_FLIGHT && got <= ANYPI_LOCAL_IN_FLIGHT;
}

static anyp_status make_direct_of(maker *m, int rank, int64_t above, anyp_schedule *ring,
                                  anyp_schedule *schedule)
{
    int64_t *received = anypi_realloc(NULL, ((size_t) m->p + 1) * sizeof *received);
    if (!received)
        return ANYP_ERR_MEMORY;
    give(m, rank, above, INT64_MAX);
    anyp_status status =
        anypi_local_direct(&m->stages->limits, rank, has_few(m, rank, above), ring);
    for (int i = 0, k = 0; i < ring->steps_count; i++)
        if (ring->steps[i].kind == ANYP_RECV) {
            const int64_t bytes =
                anypi_local_bytes(m->local, source(m, ring->steps[i].to.first), rank);
            received[k++] = bytes > above ? bytes : 0;
        }
    if (status == ANYP_SUCCESS)
        status = anypi_route_make(ring, &(anypi_route_sizes) { .all = -1, .given = m->given,
                                                               .received = received, .unit = 1 },
                                  schedule, NULL);
    anypi_schedule_overlap(schedule, ring->overlap);
    anypi_free(received);
    return status;
}

static anyp_status make_direct(maker *m, int64_t above)
{
    anyp_schedule ring;
    anyp_schedule *set = m->stages->sets[ANYPI_STAGE_DIRECT] = new_set(m->p);
    anyp_status status = set ? ANYP_SUCCESS : ANYP_ERR_MEMORY;
    anyp_schedule_init(&ring);
    for (int rank = 0; rank < m->p && status == ANYP_SUCCESS; rank++)
        status = make_direct_of(m, rank, above, &ring, &set[rank]);
    anyp_schedule_free(&ring);
    return status;
}

/* ---- decisions ---- */

/* Returns the totals of all ranks that send or receive blocks. */
static anypi_local_totals totals_of(maker *m)
{
    anypi_local_totals most = { 0 };
    for (int rank = 0; rank < m->p; rank++) {
        const anyp_slice output = anypi_output_of(&m->local->call, rank, m->p);
        give(m, rank, 0, INT64_MAX);
        anypi_local_totals its = anypi_local_totals_of(&m->stages->limits, m->given, rank);
        anypi_local_add_totals(&most, &its);
        for (int i = 0; i < m->p; i++)
            m->given[i] = i >= output.first && i < output.end
                ? anypi_local_bytes(m->local, source(m, i), rank) : 0;
        its = anypi_local_totals_of(&m->stages->limits, m->given, rank);
        anypi_local_add_totals(&most, &its);
    }
    return most;
}

static anyp_status make_stages(maker *m, bool learned)
{
    anypi_local_stages *stages = m->stages;
    const bool gathers = anypi_gathers(&stages->limits.call);
    if (stages->limits.limit == 0)
        return make_direct(m, 0);
    if (!m->all) {
        const anypi_local_totals most = totals_of(m);
        stages->choice = anypi_local_choose(&stages->limits, &most);
    }
    if (learned && stages->choice.directly)
        return make_direct(m, 0);
    anyp_status status = anypi_set_generate(m->local->algorithm, &stages->limits.call,
                                            m->local->parameters, &m->route);
    if (status == ANYP_SUCCESS)
        status = make_sizes(m);
    const bool combines = m->all || gathers || stages->choice.combines;
    if (status == ANYP_SUCCESS && combines)
        status = make_route(m);
    if (status == ANYP_SUCCESS && gathers && !learned && !m->all)
        status = make_tell(m);
    return status == ANYP_SUCCESS
        ? make_direct(m, m->all ? 0 : combines ? stages->limits.limit : stages->limits.inlined)
        : status;
}

/* Makes the stages by stages->limits. */
static anyp_status make(anypi_local_stages *stages, const anypi_local_call *local, bool all,
                        bool learned, char *reason, size_t size)
{
    const size_t p = (size_t) local->call.p;
    maker m = { .local = local, .stages = stages, .p = local->call.p, .all = all,
                .reason = reason, .size = size };
    *reason = '\0';
    m.given = anypi_realloc(NULL, p * sizeof *m.given);
    m.received = anypi_realloc(NULL, p * sizeof *m.received);
    if (m.received)
        memset(m.received, 0, p * sizeof *m.received);
    const anyp_status status = m.given && m.received ? make_stages(&m, learned) : ANYP_ERR_MEMORY;
    for (int rank = 0; m.received && rank < m.p; rank++)
        anypi_free(m.received[rank]);
    anypi_free(m.received);
    anypi_free(m.given);
    anypi_set_free(m.route, m.p);
    return status;
}

anyp_status anypi_local_stages_make(anypi_local_stages *stages, const anypi_local_call *local,
                                    const anyp_model *model, bool learned, char *reason,
                                    size_t size)
{
    *stages = (anypi_local_stages) {
        .limits = anypi_local_limits_of(local->algorithm, &local->call, local->parameters, model),
    };
    return make(stages, local, false, learned, reason, size);
}

anyp_status anypi_local_make_all(anypi_local_stages *stages, const anypi_local_call *local,
                                 char *reason, size_t size)
{
    *stages = (anypi_local_stages) {
        .limits = anypi_local_limits_of(local->algorithm, &local->call, local->parameters, NULL),
    };
    stages->limits.inlined = 0;
    stages->limits.limit = INT64_MAX;
    return make(stages, local, true, false, reason, size);
}

void anypi_local_stages_free(anypi_local_stages *stages)
{
    for (int i = 0; i < ANYPI_STAGES; i++)
        anypi_set_free(stages->sets[i], stages->limits.call.p);
}

/* ---- proofs ---- */

static int bytes_of(const void *state, int from, int to)
{
    return (int) anypi_local_bytes(state, from, to);
}

/* Proves a stage; an error names it. */
static anyp_status prove_stage(const anypi_local_call *local, const anypi_local_stages *stages,
                               anypi_stage stage, char *reason, size_t size)
{
    char why[256] = "";
    anypi_local_check check = { .call = &stages->limits.call, .units = bytes_of, .state = local,
                                .reason = why, .size = sizeof why };
    const anyp_status status = anypi_local_check_set(&check, stages->sets[stage]);
    anypi_local_check_free(&check);
    if (status == ANYP_ERR_SCHEDULE)
        snprintf(reason, size, "stage %s, %s blocks: %s", anypi_stage_name(stage),
                 anypi_sizes_name(local->kind), why);
    return status;
}

anyp_status anypi_local_prove(const anypi_local_call *local, char *reason, size_t size)
{
    anypi_local_stages stages;
    anyp_status status = anypi_local_make_all(&stages, local, reason, size);
    for (int stage = ANYPI_STAGE_ROUTE; stage < ANYPI_STAGES && status == ANYP_SUCCESS; stage++)
        if (stages.sets[stage])
            status = prove_stage(local, &stages, (anypi_stage) stage, reason, size);
    anypi_local_stages_free(&stages);
    return status;
}

/* ---- cost ---- */

anyp_status anypi_local_simulate(const anypi_local_stages *stages, anypi_stage stage,
                                 const anyp_model *model, anypi_simulation *simulation)
{
    const int p = stages->limits.call.p;
    const anyp_schedule *set = stages->sets[stage];
    const anypi_partition partition = { .blocks = set[0].blocks, .count = set[0].blocks };
    const anyp_status status = anypi_simulate(set, p, &partition, 1, model, simulation);
    if (stage == ANYPI_STAGE_DIRECT)
        simulation->most.bytes_scratch = simulation->total.bytes_scratch = 0;
    return status;
}
