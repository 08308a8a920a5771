/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/backwards.h"

#include "algorithms/route.h"
#include "schedule/collectives.h"
#include "schedule/memory.h"
#include "schedule/ranks.h"
#include "schedule/schedule.h"

anyp_call anypi_forward_call(const anyp_call *call)
{
    if (anypi_has_no_data(call->collective))
        return (anyp_call) { .collective = ANYP_ALLREDUCE, .p = call->p, .rank = call->rank,
                             .count = 1, .commutative = true, .nodes = call->nodes };
    const anyp_call route = anypi_route_call(call);
    anyp_call forward = route;
    forward.collective = anypi_collectives[route.collective].forward;
    if (anypi_moves(route.collective)) {
        forward.commutative = true;     /* no operator, no order */
        forward.reproducible = false;
    }
    if (forward.collective != route.collective)
        forward.in_place = forward.gaps_in = forward.gaps_out = false;
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

/* The pieces of a message that were seen: for each block that one begins with, the last such step;
 * and for each step, the one before it that begins with the same block. */
typedef struct seen {
    int *of_block, *before;
} seen;

/* Has a later piece for the same peer in the round the same blocks? Forwards they are of several
 * copies of the vector. Steps come from the last to the first. */
static bool is_repeated(const anyp_schedule *forward, seen *pieces, int i, int end)
{
    const anyp_slice one = slice_of(forward, &forward->steps[i]);
    const int block = block_at(forward, one.buffer, one.first);
    int k = pieces->of_block[block];
    pieces->before[i] = k;
    pieces->of_block[block] = i;
    for (; k > i && k < end; k = pieces->before[k]) {
        const anyp_slice other = slice_of(forward, &forward->steps[k]);
        if (other.end - other.first == one.end - one.first)
            return true;
    }
    return false;
}

/* Where a rank keeps the blocks. */
typedef struct stage {
    const anyp_call *call;
    const anyp_schedule *forward;
    int all;                    /* the buffer of this rank's messages */
    anyp_slice own;             /* where ranks have blocks of their own, this rank's, in IN; */
    bool in;                    /* it is still there only */
} stage;

/* Adds a message with the blocks of a slice, each once. Those that follow each other in the vector
 * are one piece. */
static void add_message(const stage *here, const anyp_step *step, anyp_schedule *schedule)
{
    const bool sends = step->kind == ANYP_RECV;
    const anyp_slice slice = slice_of(here->forward, step);
    for (int i = slice.first, next; i < slice.end; i = next) {
        const int first = block_at(here->forward, slice.buffer, i);
        for (next = i + 1; next < slice.end; next++)
            if (block_at(here->forward, slice.buffer, next) != first + next - i)
                break;
        const int end = first + next - i;
        const bool own = here->in && first >= here->own.first && end <= here->own.end;
        const anyp_slice blocks = anypi_slice(sends && own ? ANYP_IN : here->all, first, end);
        if (sends)
            anypi_send(schedule, step->peer, blocks);
        else
            anypi_recv(schedule, step->peer, blocks);
    }
}

static stage open_stage(const anyp_call *call, const anyp_schedule *forward)
{
    const int parts = forward->blocks / call->p;
    stage here = { .call = call, .forward = forward, .all = ANYP_OUT,
                   .own = anypi_slice(ANYP_IN, call->rank * parts, (call->rank + 1) * parts) };
    if (anypi_scatters(call)) {
        bool sends = false;
        for (int k = 0; k < forward->steps_count; k++)
            sends = sends || forward->steps[k].kind == ANYP_RECV;
        const bool root = call->rank == call->root;
        if (root ? call->gaps_in : call->gaps_out || sends)
            here.all = ANYP_SCRATCH;
        else if (root)
            here.all = ANYP_IN;
    } else if (call->gaps_out) {
        here.all = ANYP_SCRATCH;
    }
    return here;
}

static void copy_own(stage *here, int from, anyp_schedule *schedule)
{
    anypi_copy(schedule, anypi_slice(from, here->own.first, here->own.end),
               anypi_slice(here->all, here->own.first, here->own.end));
    here->in = false;
}

/* Copies before the first message what messages cannot name where it is. */
static void begin(stage *here, anyp_schedule *schedule)
{
    const anyp_call *call = here->call;
    anypi_round(schedule);
    if (anypi_scatters(call)) {
        if (here->all == ANYP_SCRATCH && call->rank == call->root)
            anypi_copy(schedule, anypi_slice(ANYP_IN, 0, schedule->blocks),
                       anypi_slice(here->all, 0, schedule->blocks));
    } else if (anypi_has_root(call)) {
        if (here->all != ANYP_OUT && call->rank == call->root && call->p > 1)
            anypi_copy(schedule, anypi_slice(ANYP_OUT, 0, schedule->blocks),
                       anypi_slice(here->all, 0, schedule->blocks));
    } else if (call->in_place) {
        if (here->all != ANYP_OUT)
            copy_own(here, ANYP_OUT, schedule);
    } else {
        here->in = true;
        if (call->gaps_in)
            copy_own(here, ANYP_IN, schedule);
    }
}

/* Copies to OUT what messages brought elsewhere. */
static void end(const stage *here, anyp_schedule *schedule)
{
    const anyp_call *call = here->call;
    const int n = here->forward->blocks;
    anypi_round(schedule);
    if (here->all == ANYP_OUT || !anypi_has_result(call, call->rank))
        return;
    if (anypi_scatters(call))
        anypi_copy(schedule, anypi_slice(here->all, here->own.first, here->own.end),
                   anypi_slice(ANYP_OUT, here->own.first, here->own.end));
    else if (!anypi_has_root(call) || call->rank != call->root)
        anypi_copy(schedule, anypi_slice(here->all, 0, n), anypi_slice(ANYP_OUT, 0, n));
}

anyp_status anypi_run_backwards(const anyp_call *call, const anyp_schedule *forward,
                                anyp_schedule *schedule)
{
    const bool rooted = anypi_has_one_buffer(call);
    anypi_schedule_begin(schedule, call->p, call->rank, forward->blocks);
    anypi_schedule_overlap(schedule, forward->overlap);
    stage here = open_stage(call, forward);
    begin(&here, schedule);
    seen pieces = { .of_block = anypi_realloc(NULL, ((size_t) forward->blocks +
                                                     (size_t) forward->steps_count) *
                                              sizeof *pieces.of_block) };
    if (!pieces.of_block) {
        anypi_schedule_fail(schedule, ANYP_ERR_MEMORY);
        return anypi_schedule_end(schedule);
    }
    pieces.before = pieces.of_block + forward->blocks;
    for (int i = 0; i < forward->blocks; i++)
        pieces.of_block[i] = -1;
    for (int round = forward->rounds - 1; round >= 0; round--) {
        const int last = forward->round_start[round + 1];
        int end_of_message = last;
        anypi_round(schedule);
        for (int i = last - 1; i >= forward->round_start[round]; i--) {
            const anyp_step *step = &forward->steps[i];
            const int receiver = step->kind == ANYP_RECV ? step->peer : call->rank;
            if (i + 1 < last && (step->kind != step[1].kind || step->peer != step[1].peer))
                end_of_message = i + 1;
            if (anypi_is_message(step) && !(rooted && receiver == call->root) &&
                !is_repeated(forward, &pieces, i, end_of_message))
                add_message(&here, step, schedule);
        }
        if (here.in && schedule->steps_count > 0)       /* after the first messages */
            copy_own(&here, ANYP_IN, schedule);
    }
    if (here.in)
        copy_own(&here, ANYP_IN, schedule);
    end(&here, schedule);
    anypi_free(pieces.of_block);
    return anypi_schedule_end(schedule);
}

anyp_status anypi_barrier_make(const anyp_schedule *forward, anyp_schedule *schedule)
{
    anypi_schedule_begin(schedule, forward->p, forward->rank, 1);
    for (int round = 0; round < forward->rounds; round++) {
        anypi_round(schedule);
        for (int i = forward->round_start[round]; i < forward->round_start[round + 1]; i++)
            if (anypi_is_message(&forward->steps[i]))
                anypi_signal(schedule, forward->steps[i].kind, forward->steps[i].peer);
    }
    return anypi_schedule_end(schedule);
}
