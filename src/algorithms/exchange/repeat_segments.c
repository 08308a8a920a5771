/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/exchange/repeat_segments.h"

#include "schedule/memory.h"
#include "schedule/ranks.h"
#include "schedule/schedule.h"

#include <string.h>

typedef struct segments {
    const anypi_segment_rounds *of_one;
    int blocks;                 /* of one segment */
    int rank;
    const int *order;           /* of one segment, or NULL */
    int count, now;             /* segments; the one whose steps are added */
} segments;

/* The index in the whole of a block of a segment, perhaps in a copy of the vector; `end`: of the
 * end of a slice. */
static int index_of(const segments *p, int segment, int index, bool end)
{
    const int copy = (index - end) / p->blocks;
    return (copy * p->count + segment) * p->blocks + index - copy * p->blocks;
}

/* A slice of the segment, in one copy of the vector. */
static anyp_slice part(const void *state, anyp_slice slice)
{
    const segments *p = state;
    if (p->order && slice.buffer == ANYP_OUT)   /* only the rank's own block */
        return anypi_block(ANYP_OUT, p->rank * p->count + p->now);
    return anypi_slice(slice.buffer, index_of(p, p->now, slice.first, false),
                       index_of(p, p->now, slice.end, true));
}

/* Adds the messages, or the local steps, of all segments in a round. */
static void add_round(segments *p, const anyp_step *steps, int round, bool messages,
                      anyp_schedule *schedule)
{
    for (p->now = 0; p->now < p->count; p->now++) {
        const int own = round - p->now;
        if (own < 0 || own >= p->of_one->count)
            continue;
        for (int i = p->of_one->first[own]; i < p->of_one->first[own + 1]; i++)
            if (messages == anypi_is_message(&steps[i]))
                anypi_add_moved(schedule, steps[i], part, p);
    }
}

/* Sets the order of all segments, and copies the input into it. */
static void pack(const segments *p, anyp_schedule *schedule)
{
    int *order = anypi_schedule_order(schedule);
    if (!order)
        return;
    anypi_round(schedule);
    for (int i = 0; i < p->blocks * p->count; i++) {
        order[i] = p->order[i % p->blocks] * p->count + i / p->blocks;
        anypi_copy(schedule, anypi_block(ANYP_IN, order[i]), anypi_block(p->of_one->packed, i));
    }
}

void anypi_exchange_round(anypi_segment_rounds *rounds, anyp_schedule *schedule)
{
    anypi_round(schedule);
    rounds->first[rounds->count++] = schedule->steps_count;
}

void anypi_exchange_repeat(anyp_schedule *schedule, const anypi_segment_rounds *rounds,
                           int count)
{
    if (anypi_schedule_end(schedule) != ANYP_SUCCESS)
        return;                 /* and the error remains */
    const int scratch = schedule->scratch_count, blocks = schedule->blocks;
    const size_t bytes = (size_t) schedule->steps_count * sizeof(anyp_step);
    const size_t ordered = schedule->order ? (size_t) blocks * sizeof(int) : 0;
    int windows[ANYP_MAX_SCRATCH][2];
    anyp_step *steps = anypi_realloc(NULL, bytes + ordered + 1);
    if (!steps) {
        anypi_schedule_fail(schedule, ANYP_ERR_MEMORY);
        return;
    }
    int *order = ordered ? (int *) (steps + schedule->steps_count) : NULL;
    segments p = { .of_one = rounds, .blocks = blocks, .rank = schedule->rank, .order = order,
                   .count = count };
    for (int k = 0; k < scratch; k++) {
        windows[k][0] = schedule->scratch[k].window_first;
        windows[k][1] = schedule->scratch[k].window_end;
    }
    if (bytes)
        memcpy(steps, schedule->steps, bytes);
    if (order)
        memcpy(order, schedule->order, ordered);
    anypi_schedule_begin(schedule, schedule->p, schedule->rank, blocks * count);
    for (int k = 0; k < scratch; k++)
        anypi_scratch_windows(schedule, ANYP_SCRATCH + k, windows[k][0], windows[k][1], blocks);
    if (order)
        pack(&p, schedule);
    for (int round = 0; round < rounds->count + count - 1; round++) {
        anypi_round(schedule);
        add_round(&p, steps, round, true, schedule);
        add_round(&p, steps, round, false, schedule);
    }
    anypi_free(steps);
}
