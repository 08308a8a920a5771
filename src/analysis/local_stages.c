/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/local_stages.h"

#include "algorithms/route.h"
#include "algorithms/settle.h"
#include "analysis/local_check.h"
#include "schedule/collectives.h"
#include "schedule/memory.h"
#include "schedule/ranks.h"
#include "schedule/schedule.h"
#include "schedule/set.h"

#include <limits.h>
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
    static const char *const names[] = { "route", "tell", "direct" };
    return names[stage];
}

/* ---- sets ---- */

typedef struct maker {
    const anypi_local_call *local;
    anypi_local_stages *stages;
    int p;
    bool all;                   /* ROUTE and DIRECT whatever the decision, each with all blocks */
    char *reason;               /* receives the error */
    size_t size;
    int64_t *given, *got;       /* p for each rank: bytes of its blocks of IN and OUT */
} maker;

/* In an alltoall in place, any block that arrives overwrites another block. */
static bool packs_all(const maker *m)
{
    return m->local->call.in_place && anypi_transposes(m->local->call.collective);
}

static anyp_schedule *new_set(int p)
{
    anyp_schedule *set = anypi_realloc(NULL, (size_t) p * sizeof *set);
    for (int rank = 0; set && rank < p; rank++)
        anyp_schedule_init(&set[rank]);
    return set;
}

/* Sets given[] and got[] of all ranks. */
static bool set_sizes(maker *m)
{
    const size_t p = (size_t) m->p;
    const anyp_call *call = &m->local->call;
    m->given = anypi_realloc(NULL, 2 * p * p * sizeof *m->given);
    if (!m->given)
        return false;
    m->got = m->given + p * p;
    for (int rank = 0; rank < m->p; rank++) {
        const anyp_slice in = anypi_input_of(call, rank, m->p);
        const anyp_slice out = anypi_output_of(call, rank, m->p);
        for (int i = 0; i < m->p; i++) {
            const size_t at = (size_t) rank * p + (size_t) i;
            m->given[at] = i < in.first || i >= in.end ? 0
                : anypi_local_bytes(m->local, rank, anypi_gathers(call) ? call->root : i);
            m->got[at] = i < out.first || i >= out.end ? 0
                : anypi_local_bytes(m->local, anypi_scatters(call) ? call->root : i, rank);
        }
    }
    return true;
}

static const int64_t *of_rank(const maker *m, const int64_t *sizes, int rank)
{
    return sizes + (size_t) rank * (size_t) m->p;
}

/* ---- ROUTE ---- */

/* A message that its receiver has not yet read. */
typedef struct parcel {
    int from;
    int64_t bytes;
    struct parcel *next;
    anypi_size sizes[];
} parcel;

/* A rank on the route. */
typedef struct walking {
    anypi_walk *walk;           /* NULL: it has arrived */
    anyp_schedule *schedule;
    const anypi_route_message *received;        /* of the round that has begun, */
    int received_count;
    bool begun;                 /* if one has */
    parcel *first, **last;      /* messages for this rank */
} walking;

static void pack(void *state, int i, int64_t to, int bytes)
{
    anypi_copy(((walking *) state)->schedule, anypi_block(ANYP_IN, i),
               anypi_slice(ANYP_SCRATCH, (int) to, (int) to + bytes));
}

static void copy(void *state, int64_t from, int64_t to, int bytes)
{
    anypi_copy(((walking *) state)->schedule,
               anypi_slice(ANYP_SCRATCH, (int) from, (int) from + bytes),
               anypi_slice(ANYP_SCRATCH, (int) to, (int) to + bytes));
}

static void deliver(void *state, int i, int64_t from, anypi_size size)
{
    if (size > 0 && size != ANYPI_GOES_DIRECTLY)
        anypi_copy(((walking *) state)->schedule,
                   anypi_slice(ANYP_SCRATCH, (int) from, (int) from + size),
                   anypi_block(ANYP_OUT, i));
}

/* Returns the place of the first message from a rank, or NULL. */
static parcel **find(walking *one, int from)
{
    parcel **at = &one->first;
    while (*at && (*at)->from != from)
        at = &(*at)->next;
    return *at ? at : NULL;
}

/* Begins the next round of a rank, and sends its messages. */
static anyp_status begin_round(walking *all, int rank)
{
    walking *one = &all[rank];
    int count;
    if (!anypi_walk_round(one->walk, &one->received, &one->received_count)) {
        anypi_walk_free(one->walk);
        one->walk = NULL;
        return ANYP_SUCCESS;
    }
    const anypi_route_message *sent = anypi_walk_fill(one->walk, &count);
    anypi_round(one->schedule);
    for (int k = 0; k < count; k++) {
        walking *to = &all[sent[k].peer];
        const size_t bytes = (size_t) sent[k].blocks * sizeof(anypi_size);
        parcel *its = anypi_realloc(NULL, sizeof *its + bytes);
        if (!its)
            return ANYP_ERR_MEMORY;
        *its = (parcel) { .from = rank, .bytes = sent[k].end - sent[k].first };
        memcpy(its->sizes, sent[k].sizes, bytes);
        if (!to->first)
            to->last = &to->first;
        *to->last = its;
        to->last = &its->next;
        anypi_send(one->schedule, sent[k].peer,
                   anypi_slice(ANYP_SCRATCH, (int) sent[k].first, (int) sent[k].end));
    }
    one->begun = true;
    return ANYP_SUCCESS;
}

/* Ends the round of a rank if all its messages are there. Returns whether they are. */
static bool end_round(walking *one)
{
    for (int k = 0; k < one->received_count; k++)
        if (!find(one, one->received[k].peer))
            return false;
    for (int k = 0; k < one->received_count; k++) {
        const int first = (int) one->received[k].first;
        const parcel *its = *find(one, one->received[k].peer);
        anypi_recv(one->schedule, its->from,
                   anypi_slice(ANYP_SCRATCH, first, first + (int) its->bytes));
    }
    for (int k = 0; k < one->received_count; k++) {
        parcel **at = find(one, one->received[k].peer), *its = *at;
        anypi_walk_arrived(one->walk, k, its->sizes);
        *at = its->next;
        if (!its->next)
            one->last = at;
        anypi_free(its);
    }
    anypi_walk_end_round(one->walk);
    one->begun = false;
    return true;
}

/* All ranks walk, each as far as it can. */
static anyp_status walk_all(maker *m, walking *all)
{
    anyp_status status = ANYP_SUCCESS;
    for (bool moved = true; moved && status == ANYP_SUCCESS;) {
        moved = false;
        for (int rank = 0; rank < m->p && status == ANYP_SUCCESS; rank++)
            while (all[rank].walk && status == ANYP_SUCCESS) {
                if (!all[rank].begun)
                    status = begin_round(all, rank);
                else if (!end_round(&all[rank]))
                    break;
                moved = true;
            }
    }
    for (int rank = 0; rank < m->p && status == ANYP_SUCCESS; rank++)
        if (all[rank].walk || all[rank].first) {
            snprintf(m->reason, m->size, "stage route: rank %d waits for a message, or nobody "
                     "waits for one to it", rank);
            status = ANYP_ERR_SCHEDULE;
        }
    return status;
}

/* Begins the walks along the routes of all ranks. */
static anyp_status make_walks(maker *m, const anyp_schedule *routes, walking *all)
{
    static const anypi_walker walker = { pack, copy, deliver };
    anyp_schedule *set = m->stages->sets[ANYPI_STAGE_ROUTE] = new_set(m->p);
    if (!set)
        return ANYP_ERR_MEMORY;
    for (int rank = 0; rank < m->p; rank++) {
        anypi_route_sizes sizes = anypi_local_route(m->stages->limit, of_rank(m, m->given, rank),
                                                    packs_all(m));
        const anypi_route_counts counts = anypi_route_count(&routes[rank]);
        if (m->all)
            sizes.head = sizes.each = 0;
        if (anypi_route_scratch(&counts, &sizes, m->p) > INT_MAX)
            return ANYP_ERR_MEMORY;
        anypi_schedule_begin(&set[rank], m->p, rank, m->p);
        all[rank].schedule = &set[rank];
        all[rank].walk = anypi_walk_new(&routes[rank], &sizes, &walker, &all[rank]);
        if (!all[rank].walk)
            return ANYP_ERR_MEMORY;
    }
    return ANYP_SUCCESS;
}

static anyp_status make_route(maker *m)
{
    const size_t p = (size_t) m->p;
    anyp_schedule *routes = NULL;
    walking *all = anypi_realloc(NULL, p * sizeof *all);
    if (!all)
        return ANYP_ERR_MEMORY;
    memset(all, 0, p * sizeof *all);
    anyp_status status = anypi_set_generate(m->local->algorithm, &m->stages->limits.call,
                                            m->stages->limits.parameters, &routes);
    if (status == ANYP_SUCCESS)
        status = make_walks(m, routes, all);
    if (status == ANYP_SUCCESS)
        status = walk_all(m, all);
    for (int rank = 0; rank < m->p; rank++) {
        if (status == ANYP_SUCCESS)
            status = anypi_schedule_end(all[rank].schedule);
        anypi_walk_free(all[rank].walk);
        for (parcel *next; all[rank].first; all[rank].first = next) {
            next = all[rank].first->next;
            anypi_free(all[rank].first);
        }
    }
    anypi_free(all);
    anypi_set_free(routes, m->p);
    return status;
}

/* ---- TELL and DIRECT ---- */

static anyp_status make_tell(maker *m)
{
    anyp_schedule *set = m->stages->sets[ANYPI_STAGE_TELL] = new_set(m->p);
    anyp_status status = set ? ANYP_SUCCESS : ANYP_ERR_MEMORY;
    for (int rank = 0; rank < m->p && status == ANYP_SUCCESS; rank++)
        status = anypi_local_tell(&m->stages->limits, rank, &set[rank]);
    return status;
}

/* Adds the messages of a rank; blocks that it sends are in scratch in the order of their distances,
 * and those that it receives come after them. */
static void add_direct(const maker *m, int rank, int64_t above, anyp_schedule *schedule)
{
    const int64_t *given = of_rank(m, m->given, rank), *got = of_rank(m, m->got, rank);
    const int window = anypi_local_window(&m->stages->limits);
    anyp_call call = m->stages->limits.call;
    int packed = 0, at = 0, sent = 0, received = 0;
    call.rank = rank;
    for (int turn = 0; turn < 2; turn++)
        for (int distance = 1; distance < m->p; distance++) {
            const anypi_direct its = anypi_local_direct(&call, distance, given, got, above);
            const int sends = its.given < 0 ? 0 : (int) given[its.given];
            const int receives = its.got < 0 ? 0 : (int) got[its.got];
            if (turn == 0 && sends > 0)
                anypi_copy(schedule, anypi_block(ANYP_IN, its.given),
                           anypi_slice(ANYP_SCRATCH, packed, packed + sends));
            packed += turn == 0 ? sends : receives;
            if (turn == 0)
                continue;
            if (sent + received == 0 || sent >= window || received >= window) {
                anypi_round(schedule);
                sent = received = 0;
            }
            anypi_recv(schedule, its.from,
                       anypi_slice(ANYP_SCRATCH, packed - receives, packed));
            anypi_send(schedule, its.to, anypi_slice(ANYP_SCRATCH, at, at + sends));
            at += sends;
            sent += sends > 0;
            received += receives > 0;
        }
    for (int distance = 1; distance < m->p; distance++) {
        const anypi_direct its = anypi_local_direct(&call, distance, given, got, above);
        const int receives = its.got < 0 ? 0 : (int) got[its.got];
        if (receives > 0)
            anypi_copy(schedule, anypi_slice(ANYP_SCRATCH, at, at + receives),
                       anypi_block(ANYP_OUT, its.got));
        at += receives;
    }
    anypi_schedule_overlap(schedule, 1);        /* two windows: ports are never idle in between */
}

static anyp_status make_direct(maker *m, int64_t above)
{
    anyp_schedule *set = m->stages->sets[ANYPI_STAGE_DIRECT] = new_set(m->p);
    anyp_status status = set ? ANYP_SUCCESS : ANYP_ERR_MEMORY;
    for (int rank = 0; rank < m->p && status == ANYP_SUCCESS; rank++) {
        int64_t all = 0;
        for (int i = 0; i < m->p; i++)
            all += of_rank(m, m->given, rank)[i] + of_rank(m, m->got, rank)[i];
        if (all > INT_MAX)
            return ANYP_ERR_MEMORY;
        anypi_schedule_begin(&set[rank], m->p, rank, m->p);
        add_direct(m, rank, above, &set[rank]);
        status = anypi_schedule_end(&set[rank]);
    }
    return status;
}

/* ---- decisions ---- */

/* Returns the totals of all ranks. */
static anypi_local_totals totals_of(const maker *m)
{
    anypi_local_totals most = { .blocks = { 0 } };
    for (int rank = 0; rank < m->p; rank++) {
        anypi_local_totals its = anypi_local_totals_of(of_rank(m, m->given, rank), m->p, rank);
        anypi_local_add_totals(&most, &its);
        its = anypi_local_totals_of(of_rank(m, m->got, rank), m->p, rank);
        anypi_local_add_totals(&most, &its);
    }
    return most;
}

/* Returns the largest block. */
static int largest(const maker *m)
{
    int64_t most = 1;
    for (size_t i = 0; i < (size_t) m->p * (size_t) m->p; i++)
        most = m->given[i] > most ? m->given[i] : most;
    return (int) (most < ANYPI_GOES_DIRECTLY ? most : ANYPI_GOES_DIRECTLY - 1);
}

/* Makes the limits those of the route that is best for the sizes. */
static void choose_route(maker *m, const anypi_local_totals *most)
{
    int parameters[ANYP_MAX_PARAMETERS];
    anypi_local_stages *stages = m->stages;
    anyp_call call = m->local->call;
    if (!anypi_transposes(call.collective) || stages->limit == 0 || !m->local->asked)
        return;
    call.count = (int64_t) m->p * anypi_local_nominal(&stages->limits, most, stages->limit);
    const anyp_model *model = &stages->limits.model;
    anypi_settle_by(m->local->algorithm, &call, model, m->local->asked, parameters);
    stages->limits = anypi_local_limits_of(m->local->algorithm, &call, parameters, model);
    stages->limit = anypi_min(stages->limit, stages->limits.most);
}

static anyp_status make_stages(maker *m, anypi_which_call which)
{
    anypi_local_stages *stages = m->stages;
    const anypi_local_totals most = totals_of(m);
    stages->limit = m->all ? largest(m)
        : which == ANYPI_CALL_FIRST ? ANYPI_LOCAL_DIRECTLY : stages->limits.limit;
    if (which == ANYPI_CALL_LATER && stages->limit > 0) {
        stages->limit = anypi_local_choose(&stages->limits, &most);
        choose_route(m, &most);
    }
    anyp_status status = stages->limit > 0 ? make_route(m) : ANYP_SUCCESS;
    if (status == ANYP_SUCCESS && stages->limit > 0 && anypi_gathers(&stages->limits.call) &&
        which == ANYPI_CALL_SECOND)
        status = make_tell(m);
    return status == ANYP_SUCCESS ? make_direct(m, m->all ? 0 : stages->limit) : status;
}

/* Makes the stages by stages->limits. */
static anyp_status make(anypi_local_stages *stages, const anypi_local_call *local, bool all,
                        anypi_which_call which, char *reason, size_t size)
{
    maker m = { .local = local, .stages = stages, .p = local->call.p, .all = all,
                .reason = reason, .size = size };
    *reason = '\0';
    const anyp_status status = set_sizes(&m) ? make_stages(&m, which) : ANYP_ERR_MEMORY;
    anypi_free(m.given);
    return status;
}

anyp_status anypi_local_stages_make(anypi_local_stages *stages, const anypi_local_call *local,
                                    const anyp_model *model, anypi_which_call which, char *reason,
                                    size_t size)
{
    *stages = (anypi_local_stages) {
        .limits = anypi_local_limits_of(local->algorithm, &local->call, local->parameters, model),
    };
    return make(stages, local, false, which, reason, size);
}

anyp_status anypi_local_make_all(anypi_local_stages *stages, const anypi_local_call *local,
                                 char *reason, size_t size)
{
    *stages = (anypi_local_stages) {
        .limits = anypi_local_limits_of(local->algorithm, &local->call, local->parameters, NULL),
    };
    return make(stages, local, true, ANYPI_CALL_FIRST, reason, size);
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
