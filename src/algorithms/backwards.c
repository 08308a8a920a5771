/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/backwards.h"

#include "schedule/collectives.h"
#include "schedule/memory.h"
#include "schedule/ranks.h"
#include "schedule/schedule.h"

anyp_call anypi_forward_call(const anyp_call *call)
{
    anyp_call forward = *call;
    forward.collective = anypi_collectives[call->collective].forward;
    if (anypi_moves(call->collective)) {
        forward.commutative = true;     /* no operator, no order */
        forward.reproducible = false;
    }
    if (forward.collective != call->collective)
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

/* Up to this many bytes of a block, on average, copying it is cheaper than a message of its own. */
enum { STAGED_BYTES = 8192 };

/* How messages are cut into pieces, the same at both ends, and where a rank keeps the blocks. */
typedef struct stage {
    const anyp_call *call;
    const anyp_schedule *forward;
    bool staged;                /* messages are cut as if all ranks had them in scratch, in the
                                 * order that `forward` has, or else from their own block on */
    int *position;              /* with such an order: the index of a block in it */
    int all;                    /* the buffer of this rank's messages */
    int in;                     /* a block that is still in IN only, or -1 */
} stage;

/* The index of a block in the buffer of all messages. */
static int index_of(const stage *here, int block)
{
    if (!here->staged || here->all == ANYP_OUT)
        return block;
    return here->position ? here->position[block]
        : block + (block < here->call->rank ? here->forward->blocks : 0);
}

/* In a message to or from a peer, is a block in the same piece as the one before it? */
static bool follows(const stage *here, int peer, int before, int block)
{
    if (!here->staged)
        return block == before + 1;
    if (here->position)
        return here->position[block] == here->position[before] + 1;
    return block == (before + 1) % here->forward->blocks && block != peer &&
        block != here->call->rank;
}

/* Sets *next to the index after the piece that begins with index i of a message's slice. Returns
 * whether its blocks follow each other in the vector. */
static bool find_piece(const stage *here, const anyp_step *step, anyp_slice slice, int i, int *next)
{
    bool natural = true;
    for (*next = i + 1; *next < slice.end; ++*next) {
        const int before = block_at(here->forward, slice.buffer, *next - 1);
        const int block = block_at(here->forward, slice.buffer, *next);
        if (!follows(here, step->peer, before, block))
            break;
        natural = natural && block == before + 1;
    }
    return natural;
}

/* Adds a message with the blocks of a slice, each once. */
static void add_message(const stage *here, const anyp_step *step, anyp_schedule *schedule)
{
    const bool sends = step->kind == ANYP_RECV;
    const anyp_slice slice = slice_of(here->forward, step);
    for (int i = slice.first, next; i < slice.end; i = next) {
        find_piece(here, step, slice, i, &next);
        const int block = block_at(here->forward, slice.buffer, i);
        const bool own = sends && block == here->in && next == i + 1;
        const int first = own ? block : index_of(here, block);
        const anyp_slice blocks = anypi_slice(own ? ANYP_IN : here->all, first, first + next - i);
        if (sends)
            anypi_send(schedule, step->peer, blocks);
        else
            anypi_recv(schedule, step->peer, blocks);
    }
}

static bool is_message(const anyp_step *step)
{
    return step->kind == ANYP_SEND || step->kind == ANYP_RECV;
}

/* Has every piece of this rank's messages blocks that follow each other in the vector? */
static bool is_natural(const stage *here)
{
    for (int k = 0; k < here->forward->steps_count; k++) {
        const anyp_step *step = &here->forward->steps[k];
        const anyp_slice slice = slice_of(here->forward, step);
        for (int i = slice.first, next; is_message(step) && i < slice.end; i = next)
            if (!find_piece(here, step, slice, i, &next))
                return false;
    }
    return true;
}

/* Decides how messages are cut, alike on all ranks, and where this rank keeps the blocks. */
static stage open_stage(const anyp_call *call, const anyp_schedule *forward,
                        anyp_schedule *schedule)
{
    stage here = { .call = call, .forward = forward, .all = ANYP_OUT, .in = -1 };
    if (anypi_scatters(call)) {
        bool sends = false;
        for (int k = 0; k < forward->steps_count; k++)
            sends = sends || forward->steps[k].kind == ANYP_RECV;
        const bool root = call->rank == call->root;
        if (root ? call->gaps_in : call->gaps_out || sends)
            here.all = ANYP_SCRATCH;
        else if (root)
            here.all = ANYP_IN;
        return here;
    }
    here.staged = anypi_gathers(call) &&
        call->count * call->type_size <= (int64_t) STAGED_BYTES * call->p;
    if (here.staged && forward->order) {
        int *order = anypi_schedule_order(schedule);
        here.position = anypi_realloc(NULL, sizeof *order * (size_t) forward->blocks);
        if (!here.position)
            anypi_schedule_fail(schedule, ANYP_ERR_MEMORY);
        if (!order || !here.position)
            return here;
        for (int i = 0; i < forward->blocks; i++) {
            order[i] = forward->order[i];
            here.position[order[i]] = i;
        }
    }
    if (call->gaps_out || !is_natural(&here))
        here.all = ANYP_SCRATCH;
    return here;
}

static void copy_own(stage *here, int from, anyp_schedule *schedule)
{
    const int own = here->call->rank, to = index_of(here, own);
    anypi_copy(schedule, anypi_slice(from, own, own + 1), anypi_slice(here->all, to, to + 1));
    here->in = -1;
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
        here->in = call->rank;
        if (call->gaps_in)
            copy_own(here, ANYP_IN, schedule);
    }
}

/* A rank's own block, of those that it has. */
static void take_own(const stage *here, anyp_schedule *schedule)
{
    const int own = here->call->rank;
    if (here->all != ANYP_OUT && anypi_has_result(here->call, own))
        anypi_copy(schedule, anypi_slice(here->all, own, own + 1),
                   anypi_slice(ANYP_OUT, own, own + 1));
}

/* Copies all blocks to OUT, in runs that follow each other in both. */
static void end(const stage *here, anyp_schedule *schedule)
{
    const anyp_call *call = here->call;
    const int n = here->forward->blocks;
    anypi_round(schedule);
    if (anypi_scatters(call)) {
        take_own(here, schedule);
        return;
    }
    if (here->all == ANYP_OUT || (anypi_has_root(call) && call->rank == call->root))
        return;
    for (int block = 0, next; block < n; block = next) {
        const int first = index_of(here, block);
        for (next = block + 1; next < n && index_of(here, next) == first + next - block; next++)
            continue;
        anypi_copy(schedule, anypi_slice(here->all, first, first + next - block),
                   anypi_slice(ANYP_OUT, block, next));
    }
}

anyp_status anypi_run_backwards(const anyp_call *call, const anyp_schedule *forward,
                                anyp_schedule *schedule)
{
    const bool rooted = anypi_has_one_buffer(call);
    anypi_schedule_begin(schedule, call->p, call->rank, forward->blocks);
    anypi_schedule_overlap(schedule, forward->overlap);
    stage here = open_stage(call, forward, schedule);
    begin(&here, schedule);
    for (int round = forward->rounds - 1; round >= 0; round--) {
        const int last = forward->round_start[round + 1];
        anypi_round(schedule);
        for (int i = last - 1; i >= forward->round_start[round]; i--) {
            const anyp_step *step = &forward->steps[i];
            const int receiver = step->kind == ANYP_RECV ? step->peer : call->rank;
            if (is_message(step) && !(rooted && receiver == call->root) &&
                !is_repeated(forward, step, forward->steps + last))
                add_message(&here, step, schedule);
        }
        if (here.in >= 0 && schedule->steps_count > 0)  /* after the first messages */
            copy_own(&here, ANYP_IN, schedule);
    }
    if (here.in >= 0)
        copy_own(&here, ANYP_IN, schedule);
    end(&here, schedule);
    anypi_free(here.position);
    return anypi_schedule_end(schedule);
}
