/* SPDX-License-Identifier: BSD-3-Clause
 *
 * levels.h - one rank's part in a level of an exchange: its messages, and the sum of the operands
 * that it receives.
 */
#ifndef ANYPI_EXCHANGE_LEVELS_H_INCLUDED
#define ANYPI_EXCHANGE_LEVELS_H_INCLUDED

#include "algorithms/exchange/owners.h"
#include "schedule/ranks.h"
#include "schedule/schedule.h"

/* Maximum number of levels. In a group, each level has at least twice the children of the one
 * below. But a child beside many others may be small, so the next height can have as many again. */
enum { ANYPI_EXCHANGE_LEVELS = ANYPI_MACHINE_HEIGHTS * ANYPI_TREE_LEVELS };

/* A level, as seen by the rank. */
typedef struct anypi_level {
    anypi_team team;            /* the team that it makes */
    int children, child;        /* their number; the rank's own child */
    bool divides, sums;         /* sums: the rank reduces */
    anypi_range before, after;  /* the blocks that it owns; after: those that it reduces */
    int target;                 /* of a reduce: the base of the team that sends the sum on, or needs
                                 * it; counted among all bases */
} anypi_level;

/* The state of one rank. */
typedef struct anypi_levels {
    const anyp_call *call;
    anypi_machine *m;
    anypi_owner_lists lists;
    int position;               /* the rank's */
    bool reduces, scatters;     /* the collective */
    int count;
    anypi_level level[ANYPI_EXCHANGE_LEVELS];   /* from the top */
    int base;                   /* the rank's base, counted among all */
    int root;                   /* the root's position */
    anypi_range own;            /* the blocks of the result that it has reduced */
    anypi_accumulator sum;
    int receive_buffer;         /* for all operands except the rank's own and one more */
    anyp_schedule *schedule;
} anypi_levels;

/* Sets everything except the schedule. False: no memory. Call anypi_owner_lists_free(&s->lists) in
 * both cases. */
bool anypi_levels_begin(anypi_levels *s, const anyp_call *call, anypi_machine *m);

/* Where a copy of the vector is: the buffer, and which of its copies. */
typedef struct anypi_vector {
    int buffer, copy;
} anypi_vector;

/* Returns blocks of a copy; the OUT of a reduce-scatter has only one copy. */
static inline anyp_slice anypi_levels_part(const anypi_levels *s, anypi_vector place,
                                           anypi_range range)
{
    if (place.buffer == ANYP_OUT && s->scatters && !anypi_range_empty(range))
        return anypi_block(ANYP_OUT, s->schedule->rank);
    const int before = place.copy * s->schedule->blocks;
    return anypi_slice(place.buffer, range.first + before, range.end + before);
}

/* Sends the rank's blocks of a range to each of some owners, first to those after `after`; or
 * receives them. The rank itself is left out. */
void anypi_levels_send(anypi_levels *s, const anypi_owners *owners, anypi_range range, int after,
                       anypi_vector from);
void anypi_levels_receive(anypi_levels *s, const anypi_owners *owners, anypi_range range, int after,
                          anypi_vector to);

/* Return the owners of child c of a level, and of a base. */
anypi_owners anypi_levels_child(anypi_levels *s, const anypi_level *l, int c);
anypi_owners anypi_levels_base(anypi_levels *s, int base);

/* Returns the child that is `i` children after the rank's own. */
static inline int anypi_level_after(const anypi_level *l, int i)
{
    const int c = l->child + i;
    return c < l->children ? c : c - l->children;
}

static inline anypi_range anypi_range_common(anypi_range a, anypi_range b)
{
    const anypi_range range = { anypi_max(a.first, b.first), anypi_min(a.end, b.end) };
    return range.first < range.end ? range : (anypi_range) { 0, 0 };
}

/* Limits a scratch buffer to the blocks that the rank reduces in levels first .. end-1. */
void anypi_levels_window(anypi_levels *s, int first, int end, int buffer);

/* Adds the steps of the i-th level from the top. */
void anypi_levels_reduce(anypi_levels *s, int i);
/* Adds a dividing level, reversed: ranks that owned some of a rank's blocks before receive their
 * result. In a reduce these are only ranks of the root's child, and finally the root. */
void anypi_levels_gather(anypi_levels *s, int i);

#endif
