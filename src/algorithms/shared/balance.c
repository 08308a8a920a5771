/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/shared/balance.h"

#include "schedule/layout.h"
#include "schedule/memory.h"
#include "schedule/ranks.h"
#include "schedule/schedule.h"

/* Intervals differ by a quarter of the average, unless there would be too many blocks. */
enum { PARTS_OF_INTERVAL = 4, MOST_BLOCKS = 1 << 16 };

int anypi_balance_parts(const anyp_call *call)
{
    const int most = anypi_max(MOST_BLOCKS / call->p, 1);
    const double intervals = call->count > 0
        ? (double) call->largest / (double) call->count * call->p : 0;
    return intervals * PARTS_OF_INTERVAL < most ? (int) (intervals * PARTS_OF_INTERVAL) + 1 : most;
}

anyp_call anypi_balance_call(const anyp_call *call)
{
    anyp_call even = *call;
    even.starts = NULL;
    even.largest = 0;
    even.in_place = false;
    return even;
}

/* How the blocks of the schedule of the intervals, one for each, become blocks of the other. */
typedef struct balance {
    const anyp_schedule *intervals;
    int p, blocks;              /* blocks of the other schedule */
    int *cut;                   /* p + 1: the first block of an interval */
    int *start;                 /* p + 1: its index in scratch, if that has an order */
    int out;                    /* the scratch buffer of the rank's interval */
} balance;

/* The block at whose beginning the vector is cut best after `element` elements, `from` or later. */
static int nearest(const anypi_partition *partition, int64_t element, int from)
{
    int low = from, high = partition->blocks;
    while (low < high) {        /* the first block that begins there or later */
        const int middle = low + (high - low) / 2;
        if (anypi_block_start(partition, middle) < element)
            low = middle + 1;
        else
            high = middle;
    }
    if (low > from && element - anypi_block_start(partition, low - 1) <
        anypi_block_start(partition, low) - element)
        low--;
    return low;
}

static bool cut(balance *b, const anyp_call *call)
{
    const anypi_partition partition = anypi_partition_for(call, b->blocks);
    b->cut = anypi_realloc(NULL, 2 * ((size_t) b->p + 1) * sizeof *b->cut);
    if (!b->cut)
        return false;
    b->start = b->cut + b->p + 1;
    b->cut[0] = 0;
    for (int i = 1; i < b->p; i++)
        b->cut[i] = nearest(&partition, anypi_balanced_start(call->count, i, b->p), b->cut[i - 1]);
    b->cut[b->p] = b->blocks;
    return true;
}

/* Gives scratch the order that the intervals have in it. */
static bool set_order(balance *b, anyp_schedule *schedule)
{
    const int *intervals = b->intervals->order;
    int *order = intervals ? anypi_schedule_order(schedule) : NULL;
    if (!intervals)
        return true;
    if (!order)
        return false;
    for (int i = 0, next = 0; i < b->p; i++) {
        const int interval = intervals[i];
        b->start[i] = next;
        for (int block = b->cut[interval]; block < b->cut[interval + 1]; block++)
            order[next++] = block;
    }
    b->start[b->p] = b->blocks;
    return true;
}

/* The index in a buffer, or in scratch, at which interval index i begins. */
static int index_of(const balance *b, bool scratch, int i)
{
    const int *starts = scratch && b->intervals->order ? b->start : b->cut;
    return i / b->p * b->blocks + starts[i % b->p];
}

/* A slice of the other schedule; the rank's interval of OUT is in scratch. */
static anyp_slice slice_of(const void *state, anyp_slice slice)
{
    const balance *b = state;
    if (slice.buffer == ANYP_OUT) {
        int place = slice.first;
        for (int i = 0; b->intervals->order && i < b->p; i++)
            if (b->intervals->order[i] == slice.first)
                place = i;
        const int first = index_of(b, true, place);
        return anypi_slice(b->out, first, first + b->cut[slice.end] - b->cut[slice.first]);
    }
    const bool scratch = slice.buffer >= ANYP_SCRATCH;
    const int first = index_of(b, scratch, slice.first);
    return anypi_slice(slice.buffer, first, index_of(b, scratch, slice.end));
}

/* The blocks that are in a rank's interval and in an owner's block. */
static anyp_slice shared(const balance *b, int interval, int owner)
{
    const int parts = b->blocks / b->p;
    const int first = anypi_max(b->cut[interval], owner * parts);
    return anypi_slice(ANYP_OUT, first, anypi_max(first, anypi_min(b->cut[interval + 1],
                                                                   (owner + 1) * parts)));
}

static void hand_over(const balance *b, int rank, anyp_schedule *schedule)
{
    const anyp_slice all = slice_of(b, anypi_block(ANYP_OUT, rank));
    anypi_round(schedule);
    for (int way = 0; way < 2; way++)
        for (int i = 1; i <= b->p; i++) {
            const int other = (rank + i) % b->p;
            const anyp_slice to = way ? shared(b, other, rank) : shared(b, rank, other);
            const int from = all.first + to.first - b->cut[rank];
            const anyp_slice source = anypi_slice(all.buffer, from, from + to.end - to.first);
            if (other != rank && !way)
                anypi_send(schedule, other, source);
            else if (other != rank)
                anypi_recv(schedule, other, to);
            else if (way)
                anypi_copy(schedule, source, to);
        }
}

void anypi_balance(const anyp_call *call, const anyp_schedule *intervals, anyp_schedule *schedule)
{
    balance b = { .intervals = intervals, .p = call->p, .blocks = schedule->blocks,
                  .out = ANYP_SCRATCH + intervals->scratch_count };
    if (cut(&b, call) && set_order(&b, schedule)) {
        anypi_schedule_overlap(schedule, intervals->overlap);
        for (int k = 0; k < intervals->scratch_count; k++) {
            const int first = index_of(&b, true, intervals->scratch[k].window_first);
            const int end = index_of(&b, true, intervals->scratch[k].window_end);
            if (end > first && end - first < b.blocks)
                anypi_scratch_window(schedule, ANYP_SCRATCH + k, first, end);
        }
        for (int round = 0; round < intervals->rounds; round++) {
            anypi_round(schedule);
            for (int i = intervals->round_start[round]; i < intervals->round_start[round + 1]; i++)
                anypi_add_moved(schedule, intervals->steps[i], slice_of, &b);
        }
        hand_over(&b, call->rank, schedule);
    } else {
        anypi_schedule_fail(schedule, ANYP_ERR_MEMORY);
    }
    anypi_free(b.cut);
}
