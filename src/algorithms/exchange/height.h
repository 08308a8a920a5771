/* SPDX-License-Identifier: BSD-3-Clause
 *
 * height.h - the messages and bytes of each level of `exchange`: the maximum of all ranks. If
 * groups are the same inside, each of their intervals is an exchange of its own, whose parts have
 * one of two sizes in a level, so a few numbers are sufficient. Otherwise intervals may be
 * anywhere, and the bounds are loose.
 */
#ifndef ANYPI_EXCHANGE_HEIGHT_H_INCLUDED
#define ANYPI_EXCHANGE_HEIGHT_H_INCLUDED

#include "algorithms/exchange/machine.h"

/* The levels of groups of one height that have so many children. */
typedef struct anypi_height {
    const anyp_call *call;
    const anypi_tree *tree;
    int dividing;               /* levels */
    bool all;                   /* they are all ranks, and all levels divide */
    bool even;                  /* the children are the same; else what follows is of all heights */
    int64_t count;              /* elements of an interval that they exchange, */
    int blocks;                 /* and its blocks */
    double widest, narrowest;   /* the intervals of children, as parts of that one */
    double bases;               /* the largest number of bases in a child for each in another */
} anypi_height;

/* What is known of the groups below a height. */
typedef struct anypi_below {
    bool even;                  /* they are the same inside */
    int64_t owners;             /* in a group, if they are */
    double most, least;         /* the largest and smallest number of ranks of a group, or of parts
                                 * that a rank's interval is of the vector */
    double ranks, fewest;       /* the largest and smallest number of ranks of a group, */
    double mean;                /* and the mean */
} anypi_below;

/* The height h of a machine, of groups that have so many children. */
void anypi_height_set(anypi_height *e, anypi_machine *m, int h, int children,
                      const anypi_below *b);

/* Goes up one height: what is known of the groups of height h. */
void anypi_height_up(anypi_below *b, const anypi_machine *m, int h);

/* The levels in which children join; in a scan only the dividing ones, since bases do not join in a
 * tree. */
int anypi_height_levels(const anypi_height *e);

/* The cost of level t, in both directions. */
anyp_cost anypi_height_level(const anypi_height *e, int t);

/* Sizes of the parts of level t: the smallest, at least 1, and the largest. */
int anypi_height_smallest(const anypi_height *e, int t);
int anypi_height_largest(const anypi_height *e, int t);

/* The number of intervals into which a part of `size` children divides its own. */
int anypi_height_intervals(const anypi_height *e, int t, int size);

/* Does a base have a rank that owns nothing, since others are smaller? */
bool anypi_height_surplus(const anypi_height *e);

/* Blocks of the largest interval of parts with `least` children or more, and of the smallest. */
int anypi_height_widest(const anypi_height *e, int t, int least);
int anypi_height_narrowest(const anypi_height *e, int t);

/* The maximum bytes of that many neighbouring blocks; in a reduce-scatter of any blocks. */
double anypi_height_bytes(const anypi_height *e, int64_t blocks);

/* How often a rank reduces its interval in level t of k children, a dividing one. If the level of a
 * scan makes all, nobody needs the last child's sum, but the last rank of a scan itself. */
int anypi_height_reductions(const anypi_height *e, int t, int k);

/* How often it does so on the way back: in a scan, the sum of all ranks before the group is added
 * to what each child gets, unless there are none. */
int anypi_height_additions(const anypi_height *e, int t, int k);

/* The maximum number of intervals of `width` or more blocks that overlap `blocks` blocks, which
 * begin anywhere. */
int anypi_height_overlaps(int blocks, int width);

#endif
