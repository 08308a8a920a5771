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
} anypi_exchange;

anypi_exchange anypi_exchange_of(const anyp_call *call, const int *parameters);

/* How many intervals the owners in a group of that height divide the vector into. */
static inline int anypi_exchange_owners(const anypi_exchange *e, int height, anypi_group group)
{
    return height == 0 || group.size == 1 ? 1 : height == e->dividing ? e->positions : group.size;
}

/* Where interval i of so many begins: the nearest block to i/owners of the vector. */
static inline int anypi_exchange_border(const anypi_exchange *e, int i, int owners)
{
    return (int) ((2 * (int64_t) i * e->blocks + owners) / (2 * (int64_t) owners));
}

/* The first of so many intervals that ends behind a block. */
int anypi_exchange_owner(const anypi_exchange *e, int block, int owners);

/* Interval i of so many. */
static inline anypi_range anypi_exchange_interval(const anypi_exchange *e, int i, int owners)
{
    return (anypi_range) { anypi_exchange_border(e, i, owners),
                           anypi_exchange_border(e, i + 1, owners) };
}

anyp_cost anypi_exchange_cost(const anyp_call *call, const int *parameters);

#endif
