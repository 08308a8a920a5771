/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/backwards.h"

#include "schedule/collectives.h"
#include "schedule/ranks.h"
#include "schedule/schedule.h"

anyp_call anypi_forward_call(const anyp_call *call)
{
    anyp_call forward = *call;
    forward.collective = anypi_collectives[call->collective].forward;
    if (forward.collective != call->collective) {
        forward.commutative = true;     /* no operator, no order */
        forward.reproducible = forward.in_place = false;
    }
    return forward;
}

/* The block of the vector at an index of a buffer. */
static int block_at(const anyp_schedule *forward, int buffer, int i)
{
    i %= forward->blocks;
    return forward->order && buffer >= ANYP_SCRATCH ? forward->order[i] : i;
}

/* The slice of a message, without further copies of the vector. */
static anyp_slice slice_of(const anyp_schedule *forward, const anyp_step *message)
{
    anyp_slice slice = message->kind == ANYP_SEND ? message->from : message->to;
    slice.end = anypi_min(slice.end, slice.first + forward->blocks);
    return slice;
}

/* Has the next piece for the same peer in the round the same blocks? Forwards they are of several
 * copies of the vector. */
static bool is_repeated(const anyp_schedule *forward, const anyp_step *step, const anyp_step *end)
{
    const anyp_slice one = slice_of(forward, step);
    for (const anyp_step *next = step + 1; next < end; next++) {
        const anyp_slice other = slice_of(forward, next);
        if (next->kind != step->kind || next->peer != step->peer)
            return false;
        if (other.end - other.first == one.end - one.first &&
            block_at(forward, other.buffer, other.first) ==
            block_at(forward, one.buffer, one.first))
            return true;
    }
    return false;
}

/* Where the blocks of a rank are. */
typedef struct place {
    int all;                    /* the buffer of all messages */
    int in;                     /* a block that is still in IN only, or -1 */
} place;

/* Adds a message with the blocks of a slice, each once: a piece for each range that is contiguous
 * in the vector. */
static void add_message(const anyp_schedule *forward, const anyp_step *step, const place *here,
                        anyp_schedule *schedule)
{
    const bool sends = step->kind == ANYP_RECV;
    const anyp_slice slice = slice_of(forward, step);
    for (int i = slice.first, next; i < slice.end; i = next) {
        const int first = block_at(forward, slice.buffer, i);
        int end = first + 1;
        for (next = i + 1; next < slice.end && block_at(forward, slice.buffer, next) == end; next++)
            end++;
        const bool own = sends && first == here->in && end == here->in + 1;
        const anyp_slice blocks = anypi_slice(own ? ANYP_IN : here->all, first, end);
        if (sends)
            anypi_send(schedule, step->peer, blocks);
        else
            anypi_recv(schedule, step->peer, blocks);
    }
}

static void copy_own(const anyp_call *call, int from, place *here, anyp_schedule *schedule)
{
    anypi_copy(schedule, anypi_slice(from, call->rank, call->rank + 1),
               anypi_slice(here->all, call->rank, call->rank + 1));
    here->in = -1;
}

/* What is copied before the first message, since messages cannot name where it is. */
static place begin(const anyp_call *call, anyp_schedule *schedule)
{
    const bool rooted = anypi_has_root(call), own = !rooted && !call->in_place;
    place here = { call->gaps_out ? ANYP_SCRATCH : ANYP_OUT, own ? call->rank : -1 };
    anypi_round(schedule);
    if (call->gaps_out && rooted && call->rank == call->root && call->p > 1)
        anypi_copy(schedule, anypi_slice(ANYP_OUT, 0, schedule->blocks),
                   anypi_slice(here.all, 0, schedule->blocks));
    else if (own ? call->gaps_in : call->gaps_out && !rooted)
        copy_own(call, own ? ANYP_IN : ANYP_OUT, &here, schedule);
    return here;
}

static bool is_message(const anyp_step *step)
{
    return step->kind == ANYP_SEND || step->kind == ANYP_RECV;
}

anyp_status anypi_run_backwards(const anyp_call *call, const anyp_schedule *forward,
                                anyp_schedule *schedule)
{
    const bool rooted = anypi_has_root(call);
    anypi_schedule_begin(schedule, call->p, call->rank, forward->blocks);
    anypi_schedule_overlap(schedule, forward->overlap);
    place here = begin(call, schedule);
    for (int round = forward->rounds - 1; round >= 0; round--) {
        const int end = forward->round_start[round + 1];
        anypi_round(schedule);
        for (int i = end - 1; i >= forward->round_start[round]; i--) {
            const anyp_step *step = &forward->steps[i];
            const int receiver = step->kind == ANYP_RECV ? step->peer : call->rank;
            if (is_message(step) && !(rooted && receiver == call->root) &&
                !is_repeated(forward, step, forward->steps + end))
                add_message(forward, step, &here, schedule);
        }
        if (here.in >= 0 && schedule->steps_count > 0)  /* after the first messages */
            copy_own(call, ANYP_IN, &here, schedule);
    }
    if (here.in >= 0)
        copy_own(call, ANYP_IN, &here, schedule);
    anypi_round(schedule);
    if (call->gaps_out && !(rooted && call->rank == call->root))
        anypi_copy(schedule, anypi_slice(here.all, 0, forward->blocks),
                   anypi_slice(ANYP_OUT, 0, forward->blocks));
    return anypi_schedule_end(schedule);
}
