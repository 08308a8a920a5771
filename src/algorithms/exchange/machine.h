/* SPDX-License-Identifier: BSD-3-Clause
 *
 * machine.h - the groups in which ranks exchange, and which of them divide the vector.
 *
 * Machine groups: groups of height 0 are ranks, of height 1 nodes, of height 2 switches, and so on,
 * as far as the parameters use them. The group of height `heights` is all ranks. Without nodes
 * there is only this one. Ranks are named by their positions in the shape.
 *
 * Teams: the children of each machine group join in a tree of the radix of their height (tree.h). A
 * team is a node of such a tree: some neighbouring children of a machine group. A machine group
 * with one child is the same as this child. So teams form one tree for all ranks, from single ranks
 * to all of them. In a level, the children of a team join. Levels are counted from the top, so that
 * the ranks of a team join in the same round whatever is below.
 *
 * Bases: lower levels divide the vector, those above replicate. A base is a team that divides and
 * is not part of a larger one that divides. Bases are numbered from the left.
 */
#ifndef ANYPI_EXCHANGE_MACHINE_H_INCLUDED
#define ANYPI_EXCHANGE_MACHINE_H_INCLUDED

#include "anyp.h"

#include "algorithms/exchange/tree.h"
#include "schedule/shape.h"

/* Indices of the parameters. */
enum { ANYPI_EXCHANGE_THRESHOLD, ANYPI_EXCHANGE_RADIX, ANYPI_EXCHANGE_GROUPS,
       ANYPI_EXCHANGE_NODE_RADIX, ANYPI_EXCHANGE_LANES, ANYPI_EXCHANGE_SEGMENTS };

/* Maximum number of heights: ranks, those of a shape, and all ranks. */
enum { ANYPI_MACHINE_HEIGHTS = ANYPI_SHAPE_HEIGHTS + 2 };

typedef struct anypi_machine {
    const anyp_call *call;
    const anyp_shape *shape;    /* NULL: unknown, or not used */
    int heights;                /* the height of the group of all ranks, >= 1 */
    /* Per height: */
    const anyp_shape *chain[ANYPI_SHAPE_HEIGHTS];       /* all heights of the shape */
    int used[ANYPI_MACHINE_HEIGHTS];    /* which of the chain says where groups begin; -1: ranks */
    int count[ANYPI_MACHINE_HEIGHTS];   /* number of groups */
    int most[ANYPI_MACHINE_HEIGHTS];    /* the children of the largest group, and of the smallest */
    int least[ANYPI_MACHINE_HEIGHTS];
    int radix[ANYPI_MACHINE_HEIGHTS];
    anypi_tree trees[ANYPI_MACHINE_HEIGHTS];    /* of the largest group */
    anypi_tree other[ANYPI_MACHINE_HEIGHTS];    /* of another size, the last one requested */
    /* Bases: parts of `base_levels` levels of groups of height `base_height`; 0: whole groups. */
    int base_height, base_levels;
    int bases;                  /* in a group of this height */
    int lanes;                  /* maximum owners in a node; 0: no limit */
    int owners;                 /* in the largest base */
    int segments;               /* of the vector (repeat_segments.h); all else here is of one */
    int blocks;                 /* of a segment */
    int depth;                  /* maximum levels from the top to a rank */
} anypi_machine;

/* Makes the machine of a call. */
void anypi_machine_make(anypi_machine *m, const anyp_call *call, const int *parameters);

/* Return the position of a rank, and the rank at a position. */
int anypi_machine_position(const anypi_machine *m, int rank);

static inline int anypi_machine_rank(const anypi_machine *m, int position)
{
    return m->shape ? anypi_shape_rank(m->shape, position) : position;
}

/* Returns the first child of a group, a group of the height below; after the last group, the
 * end. */
int anypi_machine_first(const anypi_machine *m, int height, int group);

/* Returns the group of height `to` <= `height` with which a group begins. */
int anypi_machine_begin(const anypi_machine *m, int height, int group, int to);

static inline int anypi_machine_children(const anypi_machine *m, int height, int group)
{
    return anypi_machine_first(m, height, group + 1) - anypi_machine_first(m, height, group);
}

/* Returns the tree of a group's children, of which there are `children`. It is valid until the next
 * call for a number other than m->most[height]. */
const anypi_tree *anypi_machine_tree(anypi_machine *m, int height, int children);

/* Do all groups of this height have the same structure? */
bool anypi_machine_alike(const anypi_machine *m, int height);

/* Returns the first group that has the same structure as this one. */
int anypi_machine_like(const anypi_machine *m, int height, int group);

/* ---- teams ---- */

typedef struct anypi_team {
    int height, group;          /* the machine group; height 0: a rank */
    int size;                   /* its number of children */
    int t;                      /* the height of the team in their tree, */
    int number;                 /* its number among those of this height, from the left, */
    anypi_group run;            /* and its children, counted from the first one */
} anypi_team;

/* Returns a whole machine group as a team. */
anypi_team anypi_team_whole(anypi_machine *m, int height, int group);

static inline anypi_team anypi_team_all(anypi_machine *m)
{
    return anypi_team_whole(m, m->heights, 0);
}

/* Returns the number of children of a team; 1: it is a rank. */
int anypi_team_children(anypi_machine *m, const anypi_team *team);

anypi_team anypi_team_child(anypi_machine *m, const anypi_team *team, int c);

/* Returns the child that contains a position. */
int anypi_team_child_of(anypi_machine *m, const anypi_team *team, int position);

/* Sets its first position, and the one after its last. */
void anypi_team_positions(const anypi_machine *m, const anypi_team *team, int *first, int *end);

/* Does the level that makes the team divide the vector? */
bool anypi_team_divides(const anypi_machine *m, const anypi_team *team);

/* ---- bases ---- */

/* Sets the bases in a team that is a base or contains some: the first and the end. */
void anypi_team_bases(const anypi_machine *m, const anypi_team *team, int *first, int *end);

anypi_team anypi_machine_base(anypi_machine *m, int base);

/* ---- links of a machine with known nodes ---- */

/* The links that a message of a height uses. */
typedef struct anypi_links {
    double alpha;
    double beta;                /* of a rank's message alone; if it shares, of its port */
    bool shares;                /* the messages of a rank follow each other */
    double of_group;            /* time per byte of the link of each child, which all its ranks
                                 * share; 0: there are enough links */
} anypi_links;

/* Returns the links between children of groups of height h. */
anypi_links anypi_links_of(const anypi_machine *m, int h, const anyp_model *model);

#endif
