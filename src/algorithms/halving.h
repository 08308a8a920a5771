/* SPDX-License-Identifier: BSD-3-Clause
 *
 * halving.h - pairs of ranks fold to a power of two of them, which halve the vector again and
 * again.
 *
 * In round z = 0, 1, ... the ranks whose numbers (see pairs.h) differ in bit z exchange halves of
 * what they hold, and the one with a 0 there keeps the lower half. So those whose numbers are alike
 * mod 2^z hold the same slice after z rounds. (Rabenseifner 2004, section 3.5)
 */
#ifndef ANYPI_HALVING_H_INCLUDED
#define ANYPI_HALVING_H_INCLUDED

#include "algorithms/accumulate.h"
#include "algorithms/pairs.h"

/* One rank's place in all this. */
typedef struct anypi_halving {
    const anyp_call *call;
    anypi_pairs pairs;
    int rounds;                 /* of the ranks that go on */
    int halvings;               /* the first so many of them halve, the others exchange whole
                                 * slices */
    int doubled;                /* so many of the last slices have two blocks: that of the rank and
                                 * that of its partner */
    int blocks;                 /* of the vector: all last slices together */
    int partner;                /* in the rank's pair, or -1 */
    int number;                 /* the rank's, or its partner's */
    bool drops_out;
    anypi_range mine, others;   /* the halves that the two of a pair reduce: who goes on has the one
                                 * that its number keeps in round 0, which saves scratch */
} anypi_halving;

/* The place of call->rank. A slice has one element at least, or in a reduce-scatter a block. */
anypi_halving anypi_halving_of(const anyp_call *call);

/* How many blocks a number has when z rounds have halved. */
int anypi_halving_blocks(const anypi_halving *here, int number, int z);

/* Which. */
anypi_range anypi_halving_slice(const anypi_halving *here, int number, int z);

/* The round in which a pair exchanges its halves. */
anypi_move anypi_halving_fold(const anypi_halving *here);

/* Round z of a rank that goes on. Where slices are exchanged whole, only the root's half of the
 * ranks in a reduce gets anything. */
anypi_move anypi_halving_exchange(const anypi_halving *here, int z);

/* A reduce-scatter's blocks in the order of the last slices: order[k] is the rank that gets the
 * k-th of them. */
void anypi_halving_order(const anypi_halving *here, int *order);

#endif
