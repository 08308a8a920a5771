/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/local_check.h"

#include "analysis/check.h"
#include "analysis/replay.h"
#include "schedule/collectives.h"
#include "schedule/memory.h"

#include <string.h>

typedef struct checker {
    anypi_local_check *check;
    const anyp_schedule *set;
    int p;
    anypi_set_checker errors;
    bool *delivered;            /* p for each rank: blocks by their source */
    anypi_unit *moving;         /* the units that a step reads */
    int moving_count, moving_room;
} checker;

/* Writes a reason; round -1: at the end of the schedule. */
#define wrong(c, rank, round, ...)                                                                 \
    anypi_wrong(&(c)->errors, (anypi_step_position) { rank, round, -1 }, __VA_ARGS__)

static int units_of(const checker *c, int from, int to)
{
    return from == to ? 0 : c->check->units(c->check->state, from, to);
}

/* Returns the units of scratch; a schedule along a route has at most one scratch buffer. */
static int scratch_end(const anyp_schedule *schedule)
{
    return schedule->scratch_count > 0 ? schedule->scratch[0].end : 0;
}

/* Do these blocks, or units, exist on the rank? */
static bool has(const checker *c, int rank, anyp_slice slice)
{
    const anyp_schedule *schedule = &c->set[rank];
    const anyp_call *call = c->check->call;
    const anyp_slice its = slice.buffer == ANYP_IN ? anypi_input_of(call, rank, c->p)
        : slice.buffer == ANYP_OUT ? anypi_output_of(call, rank, c->p)
        : (anyp_slice) { ANYP_SCRATCH, 0, scratch_end(schedule) };
    return slice.buffer <= ANYP_SCRATCH && slice.first >= its.first && slice.end <= its.end &&
        slice.first <= slice.end;
}

/* ---- reading and writing ---- */

static bool put(checker *c, anypi_unit unit)
{
    anypi_unit *moving =
        anypi_grow(c->moving, &c->moving_room, c->moving_count, sizeof *moving);
    if (!moving)
        return false;
    c->moving = moving;
    c->moving[c->moving_count++] = unit;
    return true;
}

/* Puts the units of a slice into c->moving. */
static anyp_status read(checker *c, int rank, int round, anyp_slice slice)
{
    const anyp_call *call = c->check->call;
    c->moving_count = 0;
    if (!has(c, rank, slice) || slice.buffer == ANYP_OUT)
        return wrong(c, rank, round, "it reads what it does not have");
    for (int i = slice.first; i < slice.end; i++) {
        const int to = anypi_gathers(call) ? call->root : i;
        if (slice.buffer == ANYP_IN)
            for (int k = 0; k < units_of(c, rank, to); k++)
                if (!put(c, (anypi_unit) { rank, to, k }))
                    return ANYP_ERR_MEMORY;
        if (slice.buffer == ANYP_IN)
            continue;
        if (c->check->scratch[rank][i].from < 0)
            return wrong(c, rank, round, "it reads unit %d, which nobody has written", i);
        if (!put(c, c->check->scratch[rank][i]))
            return ANYP_ERR_MEMORY;
    }
    return ANYP_SUCCESS;
}

/* Delivers the next units of c->moving, which must be the whole block from a rank. */
static anyp_status deliver(checker *c, int rank, int round, int from, int *next)
{
    const int units = units_of(c, from, rank);
    for (int k = 0; k < units; k++, ++*next) {
        const anypi_unit *unit = &c->moving[*next];
        if (*next == c->moving_count)
            return wrong(c, rank, round, "a part of the block from %d is missing", from);
        if (unit->from != from || unit->to != rank || unit->at != k)
            return wrong(c, rank, round, "as unit %d of the block from %d it gets unit %d of that "
                         "from %d to %d", k, from, unit->at, unit->from, unit->to);
    }
    bool *its = &c->delivered[(size_t) rank * (size_t) c->p + (size_t) from];
    if (*its && units > 0)
        return wrong(c, rank, round, "the block from %d arrives again", from);
    *its = true;
    return ANYP_SUCCESS;
}

/* Writes c->moving to a slice. */
static anyp_status write(checker *c, int rank, int round, anyp_slice slice)
{
    const anyp_call *call = c->check->call;
    int next = 0;
    anyp_status status = ANYP_SUCCESS;
    if (!has(c, rank, slice) || slice.buffer == ANYP_IN)
        return wrong(c, rank, round, "it writes what it does not have");
    if (slice.buffer == ANYP_OUT) {
        for (int i = slice.first; i < slice.end && status == ANYP_SUCCESS; i++)
            status = deliver(c, rank, round, anypi_scatters(call) ? call->root : i, &next);
    } else if (slice.end - slice.first == c->moving_count) {
        memcpy(&c->check->scratch[rank][slice.first], c->moving,
               (size_t) c->moving_count * sizeof *c->moving);
        next = c->moving_count;
    }
    return status == ANYP_SUCCESS && next != c->moving_count
        ? wrong(c, rank, round, "%d units for room of another length", c->moving_count) : status;
}

static anyp_status transfer(checker *c, int from_rank, int from_round, anyp_slice from,
                            int to_rank, int to_round, anyp_slice to)
{
    const anyp_status status = read(c, from_rank, from_round, from);
    return status == ANYP_SUCCESS ? write(c, to_rank, to_round, to) : status;
}

/* ---- the replay ---- */

static anyp_status moved(void *state, const anypi_message *message)
{
    return transfer(state, message->from, message->from_round, message->sent,
                    message->to, message->to_round, message->received);
}

static anyp_status finished(void *state, int rank, int round)
{
    checker *c = state;
    const anyp_schedule *schedule = &c->set[rank];
    anyp_status status = ANYP_SUCCESS;
    for (int i = schedule->round_start[round];
         i < schedule->round_start[round + 1] && status == ANYP_SUCCESS; i++) {
        const anyp_step *step = &schedule->steps[i];
        if (step->kind == ANYP_REDUCE_LOCAL)
            return wrong(c, rank, round, "nothing is to be reduced");
        if (step->kind == ANYP_COPY && step->from.buffer == step->to.buffer &&
            step->from.first < step->to.end && step->to.first < step->from.end)
            return wrong(c, rank, round, "a copy overlaps its source");
        if (step->kind == ANYP_COPY)
            status = transfer(c, rank, round, step->from, rank, round, step->to);
    }
    return status;
}

/* Is a unit of the slice marked with this round? Marks the units if the slice is written. */
static bool is_marked(int *marks, int round, anyp_slice slice, bool writes)
{
    for (int i = slice.first; i < slice.end; i++) {
        if (marks[i] == round)
            return true;
        if (writes)
            marks[i] = round;
    }
    return false;
}

/* Checks the messages of a round: in scratch, a RECV must write nothing that another RECV writes or
 * a SEND reads. (Blocks of OUT are delivered once, and never sent.) */
static anyp_status check_messages(checker *c, int rank)
{
    const anyp_schedule *schedule = &c->set[rank];
    const int end = scratch_end(schedule);
    int *marks = anypi_realloc(NULL, ((size_t) end + 1) * sizeof *marks);
    if (!marks)
        return ANYP_ERR_MEMORY;
    memset(marks, 0xff, ((size_t) end + 1) * sizeof *marks);
    anyp_status status = ANYP_SUCCESS;
    for (int round = 0; round < schedule->rounds; round++)
        for (int way = 0; way < 2 && status == ANYP_SUCCESS; way++)
            for (int i = schedule->round_start[round]; i < schedule->round_start[round + 1]; i++) {
                const anyp_step *step = &schedule->steps[i];
                const bool receives = step->kind == ANYP_RECV;
                const anyp_slice slice = receives ? step->to : step->from;
                if (step->kind != (way == 0 ? ANYP_RECV : ANYP_SEND) ||
                    slice.buffer != ANYP_SCRATCH)
                    continue;
                if (!has(c, rank, slice))
                    status = wrong(c, rank, round, "a message is outside of scratch");
                else if (is_marked(marks, round, slice, receives))
                    status = wrong(c, rank, round, "two messages use the same memory");
                if (status != ANYP_SUCCESS)
                    break;
            }
    anypi_free(marks);
    return status;
}

static anyp_status check_delivered(checker *c)
{
    const anyp_call *call = c->check->call;
    for (int to = 0; to < c->p; to++)
        for (int from = 0; from < c->p; from++) {
            const bool is_for = anypi_gathers(call) ? to == call->root
                : !anypi_scatters(call) || from == call->root;
            if (is_for && units_of(c, from, to) > 0 &&
                !c->delivered[(size_t) to * (size_t) c->p + (size_t) from])
                return wrong(c, to, -1, "the block from %d does not arrive", from);
        }
    return ANYP_SUCCESS;
}

/* Scratch is empty at first. */
static anyp_status begin(checker *c)
{
    const size_t p = (size_t) c->p;
    anypi_local_check *check = c->check;
    check->scratch = anypi_realloc(NULL, p * sizeof *check->scratch);
    if (!check->scratch)
        return ANYP_ERR_MEMORY;
    memset(check->scratch, 0, p * sizeof *check->scratch);
    c->delivered = anypi_realloc(NULL, p * p * sizeof *c->delivered);
    if (!c->delivered)
        return ANYP_ERR_MEMORY;
    memset(c->delivered, 0, p * p * sizeof *c->delivered);
    anyp_status status = ANYP_SUCCESS;
    for (int rank = 0; rank < c->p && status == ANYP_SUCCESS; rank++) {
        const size_t end = (size_t) scratch_end(&c->set[rank]) + 1;
        if (c->set[rank].scratch_count > 1)
            return wrong(c, rank, -1, "a route needs one scratch buffer");
        check->scratch[rank] = anypi_realloc(NULL, end * sizeof **check->scratch);
        if (!check->scratch[rank])
            return ANYP_ERR_MEMORY;
        memset(check->scratch[rank], 0xff, end * sizeof **check->scratch);
        status = check_messages(c, rank);
    }
    return status;
}

anyp_status anypi_local_check_set(anypi_local_check *check, const anyp_schedule *set)
{
    checker c = { .check = check, .set = set, .p = check->call->p,
                  .errors = { .reason = check->reason, .size = check->size } };
    const anypi_visitor visitor = { &c, moved, finished };
    *check->reason = '\0';
    anyp_status status = begin(&c);
    if (status == ANYP_SUCCESS)
        status = anypi_replay(set, c.p, &visitor, check->reason, check->size);
    if (status == ANYP_SUCCESS)
        status = check_delivered(&c);
    anypi_free(c.delivered);
    anypi_free(c.moving);
    return status;
}

void anypi_local_check_free(anypi_local_check *check)
{
    for (int rank = 0; check->scratch && rank < check->call->p; rank++)
        anypi_free(check->scratch[rank]);
    anypi_free(check->scratch);
    check->scratch = NULL;
}
