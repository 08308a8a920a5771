/* SPDX-License-Identifier: BSD-3-Clause
 *
 * owners.h - which rank of a team owns which interval of the vector.
 *
 * A single rank owns everything. In a team that divides, the owners in its children are the
 * candidates. Each interval shrinks by its child's share. The new intervals follow each other in
 * the order of the middles of the old ones (if equal, of the children). So a new interval is nearly
 * within the old one, a team sends little more than its share requires, and every rank has at most
 * one interval. The share of a child is the number of machine children in it, whatever their sizes,
 * so all nodes send and receive the same amount. In a reduce-scatter, whose ranks must have their
 * own blocks at the end, it is the number of ranks in it.
 *
 * If all children of a machine group have the same structure, this is a product: each interval of a
 * child is divided equally among the children of the team, in the order of their group ranks
 * (tree.h). Then nothing is sorted, and only the owners of one child are in memory.
 *
 * Positions in the vector are fractions of ANYPI_WHOLE.
 */
#ifndef ANYPI_EXCHANGE_OWNERS_H_INCLUDED
#define ANYPI_EXCHANGE_OWNERS_H_INCLUDED

#include "algorithms/exchange/machine.h"
#include "algorithms/shared/accumulate.h"

/* The vector: more than 2^31 ranks need, and less than overflows in anypi_share(). */
enum { ANYPI_WHOLE_BITS = 36 };
#define ANYPI_WHOLE (INT64_C(1) << ANYPI_WHOLE_BITS)

/* Returns `part` of `of` of a length, rounded down: 0 <= length <= ANYPI_WHOLE, 0 <= part <= of <
 * 2^31. */
static inline int64_t anypi_share(int64_t length, int64_t part, int64_t of)
{
    enum { LOW = ANYPI_WHOLE_BITS / 2 };
    const int64_t high = (length >> LOW) * part, low = (length & ((1 << LOW) - 1)) * part;
    return (high / of << LOW) + ((high % of << LOW) + low) / of;
}

/* Owners in the order of their intervals. */
typedef struct anypi_owner_list {
    struct anypi_owner_list *next;      /* in the memory of all lists */
    anypi_team team;            /* the team whose owners they are */
    bool equal;                 /* all intervals are */
    int count;
    int *at;                    /* positions, counted from the first one of the team */
    int64_t *border;            /* count + 1: where intervals begin, and ANYPI_WHOLE */
} anypi_owner_list;

/* The lists of a call; at first only `m` is set. */
typedef struct anypi_owner_lists {
    anypi_machine *m;
    anypi_owner_list *all;
    anypi_owner_list **groups[ANYPI_MACHINE_HEIGHTS];   /* per height, of the groups that were
                                                         * requested */
    bool failed;                /* no memory: lists requested since then have no owners */
} anypi_owner_lists;

void anypi_owner_lists_free(anypi_owner_lists *lists);

/* The owners in a team. */
typedef struct anypi_owners {
    const anypi_owner_list *list;       /* all owners; or those of one child, */
    const anypi_tree *tree;     /* and the children are a run of this tree; NULL: all */
    int t;
    anypi_group run;
    int times;                  /* owners among the children for each one in the list */
    int stride;                 /* ranks of a child */
    int first;                  /* position */
    int count;
    int blocks;                 /* of the vector, */
    int width;                  /* and of each interval; 0: not all have the same number */
    bool equal;                 /* intervals, except for rounding to blocks */
} anypi_owners;

/* Returns the owners of a team that divides, or of a rank. */
anypi_owners anypi_owners_of(anypi_owner_lists *lists, const anypi_team *team);

/* Returns the position of owner i. */
static inline int anypi_owner_at(const anypi_owners *o, int i)
{
    const int at = o->first + o->list->at[i / o->times];
    return !o->tree ? at
        : at + anypi_tree_rank(o->tree, o->t, o->run, i % o->times) * o->stride;
}

/* Returns the index of the owner at this position; ANYPI_NOBODY if it owns nothing. */
int anypi_owner_with(const anypi_owners *o, int position);

/* Returns where the interval of owner i begins; i <= o->count. */
static inline int64_t anypi_owner_border(const anypi_owners *o, int i)
{
    const int64_t *border = &o->list->border[i / o->times];
    return i % o->times ? *border + anypi_share(border[1] - *border, i % o->times, o->times)
        : *border;
}

/* Returns its first block: the nearest to the border. Borders that are the same fraction become the
 * same block, however they were computed. */
static inline int anypi_owner_begin(const anypi_owners *o, int i)
{
    enum { ROUNDING = 8, LOW = ANYPI_WHOLE_BITS / 2 };
    if (o->width > 0)
        return i * o->width;
    if (o->equal)
        return (int) ((2 * (int64_t) i * o->blocks + o->count) / (2 * (int64_t) o->count));
    const int64_t at = anypi_owner_border(o, i) + ROUNDING;
    const int64_t high = (at >> LOW) * o->blocks, low = (at & ((1 << LOW) - 1)) * o->blocks;
    return (int) ((high + (low >> LOW) + (1 << (LOW - 1))) >> LOW);
}

static inline bool anypi_range_empty(anypi_range range)
{
    return range.first >= range.end;
}

/* ---- owners of a range ---- */

/* Iterates over the owners of a part of some blocks. */
typedef struct anypi_overlaps {
    const anypi_owners *owners;
    anypi_range range;
    int first, end;             /* owners */
    int next, left;
} anypi_overlaps;

/* Starts the iteration, after the given owner if it is among them, so that ranks begin with
 * different ones. */
anypi_overlaps anypi_overlaps_of(const anypi_owners *owners, anypi_range range, int after);

/* Sets the next owner's position and its blocks of the range; false after the last. */
bool anypi_overlaps_next(anypi_overlaps *o, int *position, anypi_range *range);

#endif
