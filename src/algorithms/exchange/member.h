/* SPDX-License-Identifier: BSD-3-Clause
 *
 * member.h - one rank in the tree of groups: what it owns after each level, and which ranks it
 * exchanges with. For exchange.c alone.
 */
#ifndef ANYPI_EXCHANGE_MEMBER_H_INCLUDED
#define ANYPI_EXCHANGE_MEMBER_H_INCLUDED

#include "algorithms/exchange/plan.h"

typedef struct anypi_member {
    anypi_exchange e;
    int rank;
    bool reduces, scatters;     /* the collective */
    anypi_group groups[ANYPI_TREE_LEVELS + 1];  /* the rank's, per height, ... */
    int group_ranks[ANYPI_TREE_LEVELS + 1];     /* its rank in each, or ANYPI_NOBODY, */
    int child[ANYPI_TREE_LEVELS];               /* and which child of the next one each is */
    anypi_range own[ANYPI_TREE_LEVELS + 1];     /* what it owns, per height */
    int needing[ANYPI_TREE_LEVELS + 1];         /* a reduce: the rank of its group that needs what
                                                 * the rank owns, per height from `dividing` on;
                                                 * ANYPI_NOBODY if it owns nothing */
} anypi_member;

/* Of the rank of m->e.call, once m->e is made. */
void anypi_member_make(anypi_member *m);

static inline bool anypi_member_divides(const anypi_member *m, int t)
{
    return t < m->e.dividing;
}

/* Does level t join the rank's group with others? */
static inline bool anypi_member_joins(const anypi_member *m, int t)
{
    return m->groups[t].size < m->groups[t + 1].size;
}

static inline bool anypi_range_empty(anypi_range range)
{
    return range.first >= range.end;
}

static inline bool anypi_range_within(anypi_range part, anypi_range whole)
{
    return whole.first <= part.first && part.end <= whole.end;
}

/* ---- replicating levels ---- */

/* Where a rank is in a group that a replicating level makes. In such a level, a rank receives from
 * the ranks with the same owner group and index in the other children. */
typedef struct anypi_coordinates {
    int child;
    int group;                  /* the owner group, counted in the child */
    int index;                  /* of the rank's interval; if no level divides, of the rank itself,
                                 * counted in the child */
    bool surplus;               /* another rank of the owner group has the same index, and sends */
} anypi_coordinates;

/* The rank's own at level t. */
anypi_coordinates anypi_member_coordinates(const anypi_member *m, int t);
/* The rank of child c that sends it what it owns. */
int anypi_member_source(const anypi_member *m, int t, int c, anypi_coordinates own);
/* The ranks of child c to which it sends what it owns; returns their number, 0 to 2. */
int anypi_member_destinations(const anypi_member *m, int t, int c, anypi_coordinates own,
                              int ranks[2]);

/* ---- dividing levels ---- */

/* The surplus rank of the group that level t makes; ANYPI_NOBODY if it has none. */
int anypi_member_surplus(const anypi_member *m, int t);
/* Does the member own the same blocks after level t as that surplus rank, or is it this rank? */
bool anypi_member_shares(const anypi_member *m, int t);

/* An iterator over the owners of some blocks in the rank's group, or in one of its children, except
 * the rank itself. */
typedef struct anypi_owners {
    const anypi_member *m;
    int t;
    anypi_group group;
    bool joined;                /* the group that level t makes */
    anypi_range range;
    anypi_division division;
    int first, count, next, left;
    bool with_surplus;          /* the surplus rank follows the others */
} anypi_owners;

/* The ranks that own, after level t, a part of what the rank owns before it. */
anypi_owners anypi_owners_after(const anypi_member *m, int t, bool with_surplus);
/* The ranks of child c that own, before level t, a part of what the rank owns after it. */
anypi_owners anypi_owners_before(const anypi_member *m, int t, int c);
/* The next owner and its blocks; false after the last. The first is the one after the rank
 * itself, so that all ranks begin with different ones. */
bool anypi_owners_next(anypi_owners *owners, int *peer, anypi_range *range);

#endif
