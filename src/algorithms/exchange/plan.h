/* SPDX-License-Identifier: BSD-3-Clause
 *
 * plan.h - which levels of the tree divide the vector, and who owns which blocks before and after
 * a level: the part of `exchange` that is the same for all ranks of a call.
 *
 * The levels 0 .. dividing - 1 divide, the others keep. A unit is a group of height `dividing`; the
 * vector is divided among its first `positions` places, so that the positions of all units own the
 * same. Units have `positions` ranks or one more, whose last place is an extra one: in an allreduce
 * it owns what another position of its unit owns, elsewhere nothing. It may share one whose interval
 * lies in what it owned before.
 */
#ifndef ANYPI_EXCHANGE_PLAN_H_INCLUDED
#define ANYPI_EXCHANGE_PLAN_H_INCLUDED

#include "anyp.h"

#include "algorithms/accumulate.h"
#include "algorithms/exchange/tree.h"

/* Places of the parameters. */
enum { ANYPI_EXCHANGE_THRESHOLD, ANYPI_EXCHANGE_RADIX };

typedef struct anypi_exchange {
    const anyp_call *call;
    anypi_tree tree;
    int dividing;               /* levels */
    int positions;              /* of a unit; 1 if no level divides */
    int shareable;              /* so many, the last ones, an extra rank may share */
    int blocks;                 /* of the vector */
    int widths[ANYPI_TREE_LEVELS + 1][2];       /* blocks of an interval in the smaller and the larger
                                                 * groups of a height; 0: they differ */
} anypi_exchange;

void anypi_exchange_make(anypi_exchange *e, const anyp_call *call, const int *parameters);

/* Intervals that divide the vector: `owners` of them, all of `width` blocks, or 0 if they differ. */
typedef struct anypi_division {
    int owners, width;
} anypi_division;

/* Those of a group of that height. */
static inline anypi_division anypi_exchange_division(const anypi_exchange *e, int height, int size)
{
    const int owners = height == 0 || size == 1 ? 1 : height == e->dividing ? e->positions : size;
    return (anypi_division) { owners, e->widths[height][size > e->tree.least[height]] };
}

/* Where interval i begins: the nearest block to i/owners of the vector. */
static inline int anypi_exchange_border(const anypi_exchange *e, anypi_division division, int i)
{
    if (division.width > 0)
        return i * division.width;
    return (int) ((2 * (int64_t) i * e->blocks + division.owners) / (2 * (int64_t) division.owners));
}

/* Which interval has a block. Interval `near` should not be far from it. */
int anypi_exchange_owner(const anypi_exchange *e, anypi_division division, int block, int near);

static inline anypi_range anypi_exchange_interval(const anypi_exchange *e, anypi_division division,
                                                  int i)
{
    return (anypi_range) { anypi_exchange_border(e, division, i),
                           anypi_exchange_border(e, division, i + 1) };
}

anyp_cost anypi_exchange_cost(const anyp_call *call, const int *parameters);

#endif
