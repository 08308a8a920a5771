/* SPDX-License-Identifier: BSD-3-Clause
 *
 * machine.h - the groups in which ranks exchange, and which of them divide the vector.
 *
 * The machine's groups: ranks are groups of height 0; groups of height 1 are nodes, of height 2
 * switches, and so on, as far as the parameters use them; that of height `heights` is all ranks.
 * Without nodes there is only this one. Ranks are named by their positions in the shape.
 *
 * The children of each machine group join in a tree of the radix of their height (tree.h). A team
 * is a node of such a tree: some neighbouring children of a machine group. A machine group with one
 * child is that child. So parts are one tree for all ranks, from single ranks to all of them; a
 * team and its children are what joins in a level. Levels are counted from the top, so that the
 * ranks of a team join in the same round whatever is below.
 *
 * Lower levels divide the vector, those above replicate. A base is a team that divides and is not
 * in a larger one that does. Bases are numbered from the left.
 */
#ifndef ANYPI_EXCHANGE_MACHINE_H_INCLUDED
#define ANYPI_EXCHANGE_MACHINE_H_INCLUDED

#include "anyp.h"

#include "algorithms/exchange/tree.h"
#include "schedule/shape.h"

/* Indices of the parameters. */
enum { ANYPI_EXCHANGE_THRESHOLD, ANYPI_EXCHANGE_RADIX, ANYPI_EXCHANGE_GROUPS,
       ANYPI_EXCHANGE_NODE_RADIX, ANYPI_EXCHANGE_LANES, ANYPI_EXCHANGE_SEGMENTS };

/* Heights at most: ranks, those of a shape, and all. */
enum { ANYPI_MACHINE_HEIGHTS = ANYPI_SHAPE_HEIGHTS + 2 };

typedef struct anypi_machine {
    const anyp_call *call;
    const anyp_shape *shape;    /* NULL: unknown, or not used */
    int heights;                /* the height of the group of all ranks, >= 1 */
    /* Per height: */
    const anyp_shape *chain[ANYPI_SHAPE_HEIGHTS];       /* all heights of the shape */
    int used[ANYPI_MACHINE_HEIGHTS];    /* which of the chain says where groups begin; -1: ranks */
    int count[ANYPI_MACHINE_HEIGHTS];   /* groups */
    int most[ANYPI_MACHINE_HEIGHTS];    /* the children of the largest group, and of the smallest */
    int least[ANYPI_MACHINE_HEIGHTS];
    int radix[ANYPI_MACHINE_HEIGHTS];
    anypi_tree trees[ANYPI_MACHINE_HEIGHTS];    /* of the largest group */
    anypi_tree other[ANYPI_MACHINE_HEIGHTS];    /* of another size, that was asked for last */
    /* Bases: parts of `base_levels` levels of groups of height `base_height`; 0: whole groups. */
    int base_height, base_levels;
    int bases;                  /* in a group of that height */
    int lanes;                  /* owners in a node, at most; 0: no limit */
    int owners;                 /* in the largest base */
    int segments;               /* of the vector (repeat_segments.h); all else here is of one */
    int blocks;                 /* of a segment */
    int depth;                  /* levels from the top to the lowest rank, at most */
} anypi_machine;

/* The machine of a call. */
void anypi_machine_make(anypi_machine *m, const anyp_call *call, const int *parameters);

/* The position of a rank, and the rank at a position. */
int anypi_machine_position(const anypi_machine *m, int rank);

static inline int anypi_machine_rank(const anypi_machine *m, int position)
{
    return m->shape ? anypi_shape_rank(m->shape, position) : position;
}

/* The first child of a group, a group of the height below; of the group after the last, the end. */
int anypi_machine_first(const anypi_machine *m, int height, int group);

/* The group of height `to` <= `height` with which a group begins. */
int anypi_machine_begin(const anypi_machine *m, int height, int group, int to);

static inline int anypi_machine_children(const anypi_machine *m, int height, int group)
{
    return anypi_machine_first(m, height, group + 1) - anypi_machine_first(m, height, group);
}

/* The tree of the children of a group that has that many, valid until the next call for another
 * number than m->most[height]. */
const anypi_tree *anypi_machine_tree(anypi_machine *m, int height, int children);

/* Are all groups of that height the same inside? */
bool anypi_machine_alike(const anypi_machine *m, int height);

/* The first group that is the same inside as this one. */
int anypi_machine_like(const anypi_machine *m, int height, int group);

/* ---- parts ---- */

typedef struct anypi_team {
    int height, group;          /* the machine group; height 0: a rank */
    int size;                   /* its children */
    int t;                      /* the height of the team in their tree, */
    int number;                 /* which of this height it is, from the left, */
    anypi_group run;            /* and the children that it has, counted from the first */
} anypi_team;

/* A whole machine group. */
anypi_team anypi_team_whole(anypi_machine *m, int height, int group);

static inline anypi_team anypi_team_all(anypi_machine *m)
{
    return anypi_team_whole(m, m->heights, 0);
}

/* How many children a team has; 1: it is a rank. */
int anypi_team_children(anypi_machine *m, const anypi_team *team);

anypi_team anypi_team_child(anypi_machine *m, const anypi_team *team, int c);

/* The child with a position. */
int anypi_team_child_of(anypi_machine *m, const anypi_team *team, int position);

/* Its first position, and that after its last. */
void anypi_team_positions(const anypi_machine *m, const anypi_team *team, int *first, int *end);

/* Does the level that makes it divide the vector? */
bool anypi_team_divides(const anypi_machine *m, const anypi_team *team);

/* ---- bases ---- */

/* The bases in a team that is one or has some: the first and the end. */
void anypi_team_bases(const anypi_machine *m, const anypi_team *team, int *first, int *end);

anypi_team anypi_machine_base(anypi_machine *m, int base);

/* In a replicating level, base b of child c exchanges with this one of another child that has
 * `count` bases; both are counted from the child's first one. Where that child has fewer, those
 * that are left over in different children take different ones. */
static inline int anypi_base_of_sibling(int b, int c, int count)
{
    return b < count ? b : (int) (((int64_t) b - count + c) % count);
}

#endif
