/* SPDX-License-Identifier: BSD-3-Clause
 *
 * levels.h - what one rank does in a level of an exchange: its messages, and the sum of the
 * operands that it receives. The exchange is that of the ranks of a node, or that of
 * the nodes, in each of the rank's lanes.
 */
#ifndef ANYPI_EXCHANGE_LEVELS_H_INCLUDED
#define ANYPI_EXCHANGE_LEVELS_H_INCLUDED

#include "algorithms/exchange/lanes.h"
#include "algorithms/exchange/repeat_segments.h"
#include "schedule/schedule.h"

typedef enum anypi_levels_scope {
    INSIDE, ACROSS              /* nodes */
} anypi_levels_scope;

/* The state of one rank. */
typedef struct anypi_levels {
    anypi_lanes l;
    anypi_member inside, across;
    anypi_levels_scope scope;          /* of the exchange that is generated now, */
    const anypi_member *m;      /* and the rank's member of it */
    int base;                   /* the first block of the lane, across nodes */
    int *starts;                /* see anypi_lanes_order() */
    anypi_accumulator sum;
    int receive_buffer;         /* for all operands but the rank's own and one more */
    anypi_segment_rounds rounds;
    anyp_schedule *schedule;
} anypi_levels;

void anypi_levels_select(anypi_levels *s, anypi_levels_scope scope);

/* Selects the rank's i-th lane; false if it does not own that many. Inside there is one. */
static inline bool anypi_levels_lane(anypi_levels *s, int i)
{
    const int lane = s->scope == ACROSS ? s->l.first + i : i;
    const bool has = lane < (s->scope == ACROSS ? s->l.end : 1);
    if (has)
        s->base = lane * s->l.width;
    return has;
}

/* The blocks of the schedule for those of an exchange. */
static inline anypi_range anypi_levels_range(const anypi_levels *s, anypi_range range)
{
    range.first += s->base;
    range.end += s->base;
    return !s->starts ? range : (anypi_range) { s->starts[range.first], s->starts[range.end] };
}

/* Blocks of a buffer; the OUT of a reduce-scatter has only one. */
static inline anyp_slice anypi_levels_part(const anypi_levels *s, int buffer, anypi_range range)
{
    range = anypi_levels_range(s, range);
    if (buffer == ANYP_OUT && s->m->scatters && !anypi_range_empty(range))
        return anypi_slice(ANYP_OUT, s->schedule->rank, s->schedule->rank + 1);
    return anypi_slice(buffer, range.first, range.end);
}

/* Does the rank reduce in level t? */
bool anypi_levels_sums(const anypi_member *m, int t);
/* The levels of an exchange after which the rank's sum must be in another buffer. */
int anypi_levels_changes(const anypi_member *m);

/* The steps of level t, which the rank joins: of its only round, or its first one if it divides. */
void anypi_levels_reduce(anypi_levels *s, int t);
/* A dividing level, reversed: ranks that owned some of a rank's blocks before get their result;
 * in a reduce only ranks of the root's child, and finally the root. */
void anypi_levels_gather(anypi_levels *s, int t);

#endif
