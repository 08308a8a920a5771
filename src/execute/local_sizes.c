/* SPDX-License-Identifier: BSD-3-Clause
 *
 * local_sizes.c - runs through the stages of a call. The plan of equal calls is made in
 * local_plan.c.
 */
#include "execute/local_sizes.h"

#include "schedule/collectives.h"
#include "schedule/memory.h"

#include <string.h>

/* Number of calls without a look, that is, with DIRECT only: after the first such decision, and the
 * maximum. */
enum { FIRST_PATIENCE = 7, PATIENCE = 63 };

static const anyp_call *call_of(const anypi_local *local)
{
    return &local->plan->limits.call;
}

/* In an alltoall in place, any block that arrives overwrites another block. */
static bool packs_all(const anypi_local *local)
{
    return local->in_place && anypi_transposes(call_of(local)->collective);
}

/* ---- operations ---- */

static void add(anypi_local *local, anypi_op op)
{
    anypi_program *program = &local->program;
    anypi_op *ops = anypi_grow(program->ops, &program->room, program->count, sizeof *ops);
    local->no_memory |= !ops;
    if (!ops)
        return;
    program->ops = ops;
    ops[program->count++] = op;
}

/* Adds an operation that follows the start of the next messages. */
static void add_late(anypi_local *local, anypi_op op)
{
    anypi_op *late = anypi_grow(local->late, &local->late_room, local->late_count, sizeof *late);
    local->no_memory |= !late;
    if (!late)
        return;
    local->late = late;
    late[local->late_count++] = op;
}

static void add_all_late(anypi_local *local)
{
    for (int i = 0; i < local->late_count; i++)
        add(local, local->late[i]);
    local->late_count = 0;
}

static void add_requests(anypi_local *local, anypi_op_kind kind, int first, int count)
{
    if (count > 0)
        add(local, (anypi_op) { .kind = (unsigned char) kind, .first = first, .count = count });
}

static void add_pack(anypi_local *local, int i, int64_t to, int64_t bytes)
{
    add(local, (anypi_op) { .kind = ANYPI_OP_PACK_BLOCK, .to_area = ANYPI_AREA_SCRATCH, .first = i,
                            .count = 1, .elements = bytes, .to = to });
}

static void add_send(anypi_local *local, int peer, int64_t from, int64_t bytes, int request)
{
    add(local, (anypi_op) { .kind = ANYPI_OP_SEND, .from_area = ANYPI_AREA_SCRATCH, .peer = peer,
                            .first = request, .elements = bytes, .from = from });
}

/* ---- ROUTE ---- */

static void pack(void *state, int i, int64_t to, int bytes)
{
    add_pack(state, i, to, bytes);
}

static void copy(void *state, int64_t from, int64_t to, int bytes)
{
    add(state, (anypi_op) { .kind = ANYPI_OP_COPY, .from_area = ANYPI_AREA_SCRATCH,
                            .to_area = ANYPI_AREA_SCRATCH, .elements = bytes, .from = from,
                            .to = to });
}

/* If the sizes of the two ends differ, the sender's size decides how the block travels: a message
 * that nobody receives would be matched by a later call. A block that arrives in another one's
 * message is not unpacked then. */
static void deliver(void *state, int i, int64_t from, anypi_size size)
{
    anypi_local *local = state;
    const bool direct = size == ANYPI_GOES_DIRECTLY;
    if (direct ? local->got[i] <= local->limit : local->got[i] != size) {
        local->disagrees = true;
        local->got[i] = direct ? INT64_MAX : 0;
    } else if (!direct && size > 0) {
        add_late(local, (anypi_op) { .kind = ANYPI_OP_UNPACK_BLOCK,
                                     .from_area = ANYPI_AREA_SCRATCH, .first = i, .count = 1,
                                     .elements = size, .from = from });
    }
}

static anyp_status begin_route(anypi_local *local)
{
    static const anypi_walker walker = { pack, copy, deliver };
    const anypi_route_sizes sizes = anypi_local_route(local->limit, local->given,
                                                      packs_all(local));
    const int p = call_of(local)->p, rank = call_of(local)->rank;
    const anypi_local_totals got = anypi_local_totals_of(local->got, p, rank);
    local->most = anypi_local_totals_of(local->given, p, rank);
    anypi_local_add_totals(&local->most, &got);
    local->walk = anypi_walk_new(&local->plan->route, &sizes, &walker, local);
    return local->walk ? ANYP_SUCCESS : ANYP_ERR_MEMORY;
}

static void read_messages(anypi_local *local, const char *scratch)
{
    for (int k = 0; k < local->received_count; k++) {
        anypi_local_totals its;
        const char *head = scratch + local->received[k].first;
        memcpy(&its, head, sizeof its);
        anypi_local_add_totals(&local->most, &its);
        anypi_walk_arrived(local->walk, k, head + sizeof its);
    }
}

/* Makes the program of the next round. Returns false after the last one. */
static bool make_round(anypi_local *local, char *scratch)
{
    int count, request = 0;
    if (!anypi_walk_round(local->walk, &local->received, &local->received_count))
        return false;
    for (int k = 0; k < local->received_count; k++)
        add(local, (anypi_op) {
            .kind = ANYPI_OP_RECEIVE, .to_area = ANYPI_AREA_SCRATCH,
            .peer = local->received[k].peer, .first = request++, .to = local->received[k].first,
            .elements = local->received[k].end - local->received[k].first,
        });
    /* a transport that waits for two requests which were not started may have one call for both */
    const bool together = request <= 1 && local->late_count == 0;
    if (!together)
        add_requests(local, ANYPI_OP_START, 0, request);
    const anypi_route_message *sent = anypi_walk_fill(local->walk, &count);
    for (int k = 0; k < count; k++) {
        char *head = scratch + sent[k].first;
        memcpy(head, &local->most, sizeof local->most);
        memcpy(head + sizeof local->most, sent[k].sizes,
               (size_t) sent[k].blocks * sizeof *sent[k].sizes);
        add_send(local, sent[k].peer, sent[k].first, sent[k].end - sent[k].first, request + k);
    }
    if (!together)
        add_requests(local, ANYPI_OP_START, request, count);
    else if (count > 1)
        add_requests(local, ANYPI_OP_START, 0, request + count);
    add_all_late(local);
    add_requests(local, ANYPI_OP_WAIT, 0, request + count);
    return true;
}

/* ---- DIRECT ---- */

/* Copies the blocks of the input to scratch, in the order of their distances. Those that have
 * arrived on the route may still be in front of them. */
static void pack_direct(anypi_local *local)
{
    const int p = call_of(local)->p;
    int64_t to = local->packed;
    for (int distance = 1; distance < p; distance++) {
        const int i = (call_of(local)->rank + distance) % p;
        if (local->given[i] > local->limit) {
            add_pack(local, i, to, local->given[i]);
            to += local->given[i];
        }
    }
}

static anypi_direct direct_at(const anypi_local *local, int distance)
{
    return anypi_local_direct(call_of(local), distance, local->given, local->got, local->limit);
}

static void add_direct_receive(anypi_local *local, const anypi_direct *its, int *request)
{
    if (its->got >= 0)
        add(local, (anypi_op) { .kind = ANYPI_OP_RECEIVE_BLOCK, .peer = its->from,
                                .count = its->got, .first = (*request)++ });
}

/* *packed is where the block is if it was packed. */
static void add_direct_send(anypi_local *local, const anypi_direct *its, int *request,
                            int64_t *packed)
{
    if (its->given < 0)
        return;
    if (packs_all(local))
        add_send(local, its->to, *packed, local->given[its->given], (*request)++);
    else
        add(local, (anypi_op) { .kind = ANYPI_OP_SEND_BLOCK, .peer = its->to,
                                .count = its->given, .first = (*request)++ });
    *packed += local->given[its->given];
}

/* Returns the requests of a window: as many messages each way. */
static int window_of(const anypi_local *local)
{
    return 2 * anypi_local_window(&local->plan->limits);
}

/* Adds the messages of a window, those of distances from *distance on: first those that the rank
 * receives. Moves *distance behind them. Their requests begin at middle, or end there. Returns the
 * number of requests. */
static int add_window(anypi_local *local, bool ends, int middle, int *distance, int64_t *packed)
{
    const int begin = *distance, most = anypi_local_window(&local->plan->limits);
    const int first_op = local->program.count;
    int sent = 0, received = 0, request = middle;
    for (; *distance < call_of(local)->p && sent < most && received < most; ++*distance) {
        const anypi_direct its = direct_at(local, *distance);
        sent += its.given >= 0;
        received += its.got >= 0;
        add_direct_receive(local, &its, &request);
    }
    for (int i = begin; i < *distance; i++) {
        const anypi_direct its = direct_at(local, i);
        add_direct_send(local, &its, &request, packed);
    }
    for (int i = first_op; ends && i < local->program.count; i++)
        local->program.ops[i].first -= sent + received;
    return sent + received;
}

/* Copies what the rank has for itself. */
static void copy_own(anypi_local *local)
{
    const anyp_call *call = call_of(local);
    const bool has_own = anypi_transposes(call->collective) || call->rank == call->root;
    if (local->given[call->rank] > 0 && has_own && !local->in_place)
        add(local, (anypi_op) { .kind = ANYPI_OP_COPY_BLOCK, .first = call->rank, .count = 1 });
}

/* Two windows of requests take turns: one may be waited for while the other is under way. The
 * requests of the first end where those of the second begin, so that one wait serves both. */
static void make_direct(anypi_local *local)
{
    const int middle = window_of(local);
    bool ends = true;           /* the newer window's requests: at the middle */
    int before = 0, distance = 1;
    int64_t packed = local->packed;
    if (packs_all(local))
        pack_direct(local);
    int count = add_window(local, ends, middle, &distance, &packed);
    while (distance < call_of(local)->p) {
        add_requests(local, ANYPI_OP_START, ends ? middle - count : middle, count);
        add_requests(local, ANYPI_OP_WAIT, ends ? middle : middle - before, before);
        before = count;
        ends = !ends;
        count = add_window(local, ends, middle, &distance, &packed);
    }
    const bool few = before == 0 && count <= 2;         /* see make_round() */
    add_requests(local, few ? ANYPI_OP_WAIT : ANYPI_OP_START, ends ? middle - count : middle,
                 count);
    add_all_late(local);
    copy_own(local);
    if (!few)
        add_requests(local, ANYPI_OP_WAIT, middle - (ends ? count : before), before + count);
}

/* ---- decisions ---- */

/* Sets the limit of the next call, or how many run only DIRECT. */
static void learn(anypi_learned *learned, int limit)
{
    const int more = learned->patience ? 2 * learned->patience + 1 : FIRST_PATIENCE;
    const bool directly = limit == ANYPI_LOCAL_DIRECTLY;
    learned->patience = (unsigned char) (!directly ? 0 : more < PATIENCE ? more : PATIENCE);
    learned->direct = learned->patience;
    learned->limit = (uint16_t) limit;
}

/* Returns whether the root of a gatherv tells its decision in this call: always after calls that
 * ran only DIRECT, otherwise at some of the looks, which all ranks count. */
static bool tells(const anypi_local *local)
{
    const anypi_learned *learned = local->learned;
    return learned && (learned->patience > 0 || learned->looks == 1 || learned->looks == 4 ||
                       learned->looks == 16 || learned->looks % (PATIENCE + 1) == 0);
}

/* Begins what follows the route. */
static void decide(anypi_local *local)
{
    local->stage = ANYPI_LOCAL_DIRECT;
    if (!local->learned)
        return;
    local->told = (uint16_t) anypi_local_choose(&local->plan->limits, &local->most);
    if (anypi_transposes(call_of(local)->collective) && local->told != ANYPI_LOCAL_DIRECTLY)
        local->learned->nominal = (uint16_t) anypi_local_nominal(&local->plan->limits,
                                                                 &local->most, local->told);
    if (!anypi_gathers(call_of(local)))
        learn(local->learned, local->told);
    else if (tells(local))
        local->stage = ANYPI_LOCAL_TELL;
}

/* ---- stages ---- */

anyp_status anypi_local_open(anypi_local *local, anypi_local_plan *plan, bool in_place,
                             anypi_learned *learned, bool blocks)
{
    const size_t p = (size_t) plan->limits.call.p;
    *local = (anypi_local) { .learned = blocks ? learned : NULL, .known = *learned,
                             .in_place = in_place };
    anypi_program_init(&local->program);
    local->program.extent = 1;
    local->given = anypi_realloc(NULL, 2 * p * sizeof *local->given);
    if (!local->given)
        return ANYP_ERR_MEMORY;
    memset(local->given, 0, 2 * p * sizeof *local->given);
    local->got = local->given + p;
    local->plan = anypi_local_plan_hold(plan);
    return ANYP_SUCCESS;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Sets what the programs need. */
static void measure(anypi_local *local)
{
    const anypi_local_plan *plan = local->plan;
    const anypi_route_sizes sizes = anypi_local_route(local->limit, NULL, packs_all(local));
    const int64_t p = call_of(local)->p, window = window_of(local);
    int64_t direct = 0;
    for (int i = 0; i < p; i++)
        direct += packs_all(local) && local->given[i] > local->limit ? local->given[i] : 0;
    local->packed = local->limit > 0 ? anypi_route_scratch(&plan->counts, &sizes, (int) p) : 0;
    local->scratch = larger(local->packed + direct, plan->tell.scratch);
    local->requests = larger(2 * (p - 1) < window ? window : 2 * window, plan->tell.requests);
    if (local->limit > 0)
        local->requests = larger(local->requests, plan->counts.messages);
}

/* Returns the limit of a call. What was learned may be of another algorithm. */
static int limit_of(const anypi_local *local)
{
    const anypi_local_limits *limits = &local->plan->limits;
    const anypi_learned *known = local->learned ? local->learned : &local->known;
    if (known->direct > 0 || (local->learned && !known->begun))
        return ANYPI_LOCAL_DIRECTLY;
    if (known->limit == 0 || limits->limit == ANYPI_LOCAL_DIRECTLY)
        return limits->limit;
    return known->limit < limits->most ? known->limit : limits->most;
}

void anypi_local_begin(anypi_local *local)
{
    anypi_walk_free(local->walk);       /* of a call that has failed */
    local->walk = NULL;
    local->received = NULL;
    local->late_count = 0;
    local->stage = ANYPI_LOCAL_BEGIN;
    local->disagrees = local->no_memory = false;
    local->limit = limit_of(local);
    measure(local);
}

const anypi_program *anypi_local_program(const anypi_local *local)
{
    return local->stage == ANYPI_LOCAL_END ? NULL
        : local->stage == ANYPI_LOCAL_TELL ? &local->plan->tell : &local->program;
}

/* Begins the first stage that has a program. */
static anyp_status start(anypi_local *local)
{
    if (local->limit > 0 && begin_route(local) != ANYP_SUCCESS)
        return ANYP_ERR_MEMORY;
    if (local->learned && local->limit > 0)
        local->learned->looks++;
    else if (local->learned && local->learned->direct > 0)
        local->learned->direct--;
    if (local->learned)
        local->learned->begun = true;
    local->stage = local->limit > 0 ? ANYPI_LOCAL_ROUTE : ANYPI_LOCAL_DIRECT;
    return ANYP_SUCCESS;
}

anyp_status anypi_local_next(anypi_local *local, char *scratch)
{
    local->program.count = 0;
    if (local->stage == ANYPI_LOCAL_DIRECT) {
        local->stage = ANYPI_LOCAL_END;
        return ANYP_SUCCESS;
    }
    if (local->stage == ANYPI_LOCAL_BEGIN && start(local) != ANYP_SUCCESS) {
        return ANYP_ERR_MEMORY;
    } else if (local->stage == ANYPI_LOCAL_TELL) {
        learn(local->learned, local->told);
        local->stage = ANYPI_LOCAL_DIRECT;
    } else if (local->stage == ANYPI_LOCAL_ROUTE && local->received) {
        read_messages(local, scratch);
        anypi_walk_end_round(local->walk);
    }
    if (local->stage == ANYPI_LOCAL_ROUTE && !make_round(local, scratch)) {
        anypi_walk_free(local->walk);
        local->walk = NULL;
        local->received = NULL;
        decide(local);
    }
    if (local->stage == ANYPI_LOCAL_DIRECT)
        make_direct(local);
    return local->no_memory ? ANYP_ERR_MEMORY : ANYP_SUCCESS;
}

void anypi_local_close(anypi_local *local)
{
    anypi_walk_free(local->walk);
    anypi_local_plan_release(local->plan);
    anypi_program_free(&local->program);
    anypi_free(local->late);
    anypi_free(local->given);
}
