/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/exchange/repeat_segments.h"

#include "schedule/memory.h"
#include "schedule/ranks.h"
#include "schedule/schedule.h"

#include <string.h>

typedef struct segments {
    const anypi_segment_rounds *of_one;
    int count, now;             /* the segment whose steps are added */
} segments;

/* The block of the whole that is block `index` of the segment, perhaps in a copy of the vector. */
static int block_of(const segments *p, int segment, int index)
{
    const int width = p->of_one->width;
    return (index / width * p->count + segment) * width + index % width;
}

/* `length` blocks of a slice, from its block `from` on; they are in one lane. */
static anyp_slice part(const segments *p, anyp_slice slice, int from, int length)
{
    const int first = block_of(p, p->now, slice.first + from);
    return anypi_slice(slice.buffer, first, first + length);
}

/* Adds a step of the segment: one step for each lane of its slices. */
static void add(const segments *p, const anyp_step *step, anyp_schedule *schedule)
{
    const anyp_slice slice = step->kind == ANYP_RECV ? step->to : step->from;
    const int length = slice.end - slice.first;
    for (int from = 0, some; from < length; from += some) {
        some = p->of_one->width - (slice.first + from) % p->of_one->width;
        some = anypi_min(some, length - from);
        anyp_step one = *step;
        if (step->kind != ANYP_RECV)
            one.from = part(p, step->from, from, some);
        if (step->kind != ANYP_SEND)
            one.to = part(p, step->to, from, some);
        anypi_add_step(schedule, &one);
    }
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
            if (messages == (steps[i].kind == ANYP_SEND || steps[i].kind == ANYP_RECV))
                add(p, &steps[i], schedule);
    }
}

void anypi_exchange_repeat(anyp_schedule *schedule, const anypi_segment_rounds *rounds,
                           int count)
{
    if (anypi_schedule_end(schedule) != ANYP_SUCCESS)
        return;                 /* and the error remains */
    segments p = { rounds, count, 0 };
    const size_t bytes = (size_t) schedule->steps_count * sizeof(anyp_step);
    const int scratch = schedule->scratch_count, blocks = schedule->blocks;
    int windows[ANYP_MAX_SCRATCH][2];
    anyp_step *steps = anypi_realloc(NULL, bytes + 1);
    for (int k = 0; k < scratch; k++) {
        windows[k][0] = schedule->scratch[k].window_first;
        windows[k][1] = schedule->scratch[k].window_end;
    }
    if (!steps) {
        anypi_schedule_fail(schedule, ANYP_ERR_MEMORY);
        return;
    }
    if (bytes)
        memcpy(steps, schedule->steps, bytes);
    anypi_schedule_begin(schedule, schedule->p, schedule->rank, blocks * count);
    for (int k = 0; k < scratch; k++)
        if (windows[k][0] > 0 || windows[k][1] < blocks)
            anypi_scratch_window(schedule, ANYP_SCRATCH + k, block_of(&p, 0, windows[k][0]),
                                 block_of(&p, count - 1, windows[k][1] - 1) + 1);
    for (int round = 0; round < rounds->count + count - 1; round++) {
        anypi_round(schedule);
        add_round(&p, steps, round, true, schedule);
        add_round(&p, steps, round, false, schedule);
    }
    anypi_free(steps);
}
