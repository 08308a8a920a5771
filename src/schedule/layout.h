/* SPDX-License-Identifier: BSD-3-Clause
 *
 * layout.h - the sizes and positions of a schedule's slices, in elements: a partition of the vector
 * for IN and OUT, and another partition for scratch buffers if they keep the blocks in an order of
 * their own.
 */
#ifndef ANYPI_LAYOUT_H_INCLUDED
#define ANYPI_LAYOUT_H_INCLUDED

#include "anyp.h"
#include "schedule/partition.h"

/* Several pieces of a message of up to this many bytes each travel as one: copying them is cheaper
 * than messages of their own (execute/program.h). */
enum { ANYPI_JOINED_BYTES = 8192 };

/* What one element occupies: bytes low .. high-1 from its address (low may be negative), and the
 * distance to the next element's address. */
typedef struct anypi_element {
    int64_t low, high, extent;
} anypi_element;

typedef struct anypi_layout {
    anypi_partition vector;     /* of IN and OUT */
    anypi_partition scratch;    /* of scratch buffers: the same blocks, in the schedule's order */
} anypi_layout;

/* Does the layout need a table of starts? Not if all blocks have the same size. */
static inline bool anypi_layout_needs_starts(const anyp_schedule *schedule,
                                             const anypi_partition *vector)
{
    return schedule->order && (vector->starts || vector->count % vector->blocks != 0);
}

/* The layout of a schedule for a vector. `starts` has room for schedule->blocks + 1 numbers and
 * must outlive the layout; it may be NULL if it is not needed. */
static inline anypi_layout anypi_layout_of(const anyp_schedule *schedule,
                                           const anypi_partition *vector, int64_t *starts)
{
    anypi_layout layout = { *vector, *vector };
    if (!anypi_layout_needs_starts(schedule, vector))
        return layout;
    starts[0] = 0;
    for (int i = 0; i < vector->blocks; i++) {
        const int block = schedule->order[i];
        starts[i + 1] = starts[i] + anypi_blocks_elements(vector, block, block + 1);
    }
    layout.scratch.starts = starts;
    layout.scratch.parts = 1;
    return layout;
}

/* The partition of a call's vector into n blocks. */
static inline anypi_partition anypi_partition_for(const anyp_call *call, int n)
{
    return (anypi_partition) { .blocks = n, .count = call->count, .starts = call->starts,
                               .parts = n / call->p };
}

/* The partition of a buffer. */
static inline const anypi_partition *anypi_partition_of(const anypi_layout *layout, int buffer)
{
    return buffer < ANYP_SCRATCH ? &layout->vector : &layout->scratch;
}

/* Elements that scratch buffer k omits between a window and the next one, at least. */
static inline int64_t anypi_scratch_gap(const anyp_schedule *schedule, const anypi_layout *layout,
                                        int k)
{
    const int first = schedule->scratch[k].window_first, end = schedule->scratch[k].window_end;
    const int period = schedule->scratch[k].period;
    int64_t gap = layout->scratch.count;
    for (int at = 0; at < schedule->blocks; at += period) {
        const int64_t one = anypi_blocks_elements(&layout->scratch, at + end, at + period + first);
        gap = one < gap ? one : gap;
    }
    return gap;
}

/* Where block index i begins, in elements, if `period` blocks are shorter by `gap`; the first ones
 * begin at block `window`. */
static inline int64_t anypi_gapped_start(const anypi_partition *partition, int i, int window,
                                         int period, int64_t gap)
{
    return anypi_block_start(partition, i) - (gap ? (i - window) / period * gap : 0);
}

/* Elements of scratch buffer k. */
static inline int64_t anypi_scratch_elements(const anyp_schedule *schedule,
                                             const anypi_layout *layout, int k)
{
    const int first = schedule->scratch[k].first, last = schedule->scratch[k].end - 1;
    const int window = schedule->scratch[k].window_first, period = schedule->scratch[k].period;
    const int64_t gap = anypi_scratch_gap(schedule, layout, k);
    return last < first ? 0 : anypi_gapped_start(&layout->scratch, last, window, period, gap) +
        anypi_blocks_elements(&layout->scratch, last, last + 1) -
        anypi_gapped_start(&layout->scratch, first, window, period, gap);
}

static inline int64_t anypi_slice_elements(const anypi_layout *layout, anyp_slice slice)
{
    return anypi_blocks_elements(anypi_partition_of(layout, slice.buffer), slice.first, slice.end);
}

#endif
