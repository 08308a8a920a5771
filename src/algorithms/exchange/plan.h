/* SPDX-License-Identifier: BSD-3-Clause
 *
 * plan.h - which levels of a tree divide the vector, and which rank owns which blocks before and
 * after a level: the part of an exchange that is the same for all its ranks.
 *
 * An exchange is among ranks 0 .. p-1, with a vector of `blocks` blocks: all ranks of a call; or
 * the ranks of one node; or, for a part of the vector, one rank of each node.
 *
 * The levels 0 .. dividing - 1 are dividing levels, the others replicating ones. A group of height
 * `dividing` is an owner group: the vector is divided into `intervals` intervals, and in every
 * owner group the rank with group rank i owns interval i. An owner group has `intervals` ranks or
 * one more; in a larger one the last group rank is that of a surplus rank. In an allreduce, the
 * surplus rank shares one of the last `shareable` intervals, each of which is within the interval
 * that it owned before; otherwise it owns nothing.
 */
#ifndef ANYPI_EXCHANGE_PLAN_H_INCLUDED
#define ANYPI_EXCHANGE_PLAN_H_INCLUDED

#include "anyp.h"

#include "algorithms/exchange/tree.h"
#include "algorithms/shared/accumulate.h"

#include <limits.h>

/* Scratch has at most 64 copies of the vector, one for each operand of the largest radix, and an
 * int must number their blocks. */
enum { ANYPI_EXCHANGE_MAX_BLOCKS = INT_MAX / 64 };

typedef struct anypi_exchange {
    anyp_call call;             /* its p, rank, root and count are those of the exchange */
    anypi_tree tree;
    int dividing;               /* levels */
    int intervals;              /* in an owner group; 1 if no level divides */
    int shareable;              /* intervals that a surplus rank may share */
    int blocks;                 /* of the vector */
    int alignment;              /* intervals in owner groups begin at multiples of it, in blocks */
    int widths[ANYPI_TREE_LEVELS + 1][2];       /* blocks of an interval in smaller and larger
                                                 * groups of a height; 0: they differ */
} anypi_exchange;

/* An exchange that divides while slices are larger than `threshold` bytes; its vector is one of
 * `lanes` parts whose blocks are numbered together. */
void anypi_exchange_make(anypi_exchange *e, const anyp_call *call, int lanes, int radix,
                         int threshold);

/* An exchange inside a node, of `lanes` times `width` blocks. If it `divides`, at most `lanes`
 * ranks own whole lanes in the end; else all levels replicate. */
void anypi_exchange_make_inside(anypi_exchange *e, const anyp_call *call, int radix, int lanes,
                                int width, bool divides);

/* Intervals that divide the vector: `owners` of them, of `width` blocks each; 0 if they differ. */
typedef struct anypi_division {
    int owners, width, alignment;
} anypi_division;

/* The division by a group of that height. */
static inline anypi_division anypi_exchange_division(const anypi_exchange *e, int height, int size)
{
    const int owners = height == 0 || size == 1 ? 1 : height == e->dividing ? e->intervals
        : anypi_tree_owners(&e->tree, size);
    return (anypi_division) { owners, e->widths[height][size > e->tree.smallest[height]],
                              height == e->dividing ? e->alignment : 1 };
}

/* The first block of interval i: the nearest one to i/owners of the vector. */
static inline int anypi_exchange_border(const anypi_exchange *e, anypi_division division, int i)
{
    if (division.width > 0)
        return i * division.width;
    const int64_t twice = 2 * (int64_t) i * (e->blocks / division.alignment) + division.owners;
    return (int) (twice / (2 * (int64_t) division.owners)) * division.alignment;
}

/* The index of the interval that contains a block: the last one that does not begin after it. */
static inline int anypi_exchange_index(const anypi_exchange *e, anypi_division division, int block)
{
    if (division.width > 0)
        return block / division.width;
    const int64_t blocks = e->blocks / division.alignment;
    const int64_t middle = 2 * (int64_t) (block / division.alignment) + 1;
    return (int) ((middle * division.owners - 1) / (2 * blocks));
}

static inline anypi_range anypi_exchange_interval(const anypi_exchange *e, anypi_division division,
                                                  int i)
{
    return (anypi_range) { anypi_exchange_border(e, division, i),
                           anypi_exchange_border(e, division, i + 1) };
}

#endif
