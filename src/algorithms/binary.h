/* SPDX-License-Identifier: BSD-3-Clause
 *
 * binary.h - p as a sum of powers of two: who lies where in the blocks of ranks that this makes,
 * what slices they hold, and how they reduce. The algorithm is explained in binary_blocks.c.
 *
 * A block of ranks is known by its exponent, a rank in it by its position. Ranks of one block whose
 * positions are alike mod 2^z hold the same slice after z halvings.
 */
#ifndef ANYPI_BINARY_H_INCLUDED
#define ANYPI_BINARY_H_INCLUDED

#include "algorithms/accumulate.h"

/* Where a rank is. */
typedef struct anypi_binary_place {
    const anyp_call *call;
    int largest;                /* the exponent of the first block */
    int own, position;          /* of the rank's block, and where it is in there */
    int larger, smaller;        /* the blocks before and behind; -1: there is none */
} anypi_binary_place;

anypi_binary_place anypi_binary_place_of(const anyp_call *call);

/* The rank at a position of a block. */
int anypi_binary_rank(const anypi_binary_place *here, int exponent, int position);

/* The rank of the smaller block that holds what contains this rank's slice. */
int anypi_binary_behind(const anypi_binary_place *here);

/* Who does the last reduction of a part of the slice of rank x of the largest block in its stead:
 * its deputy, or -1. In a reduce-scatter all ranks outside of that block are deputies, in a reduce
 * only a root is. */
int anypi_binary_deputy(const anypi_binary_place *here, int x);

/* The slice of a position after z halvings. The vector has 2^largest blocks; but in a reduce-
 * scatter it has p, and each last slice is the rank's own and then its deputy's, if it has one. */
anypi_range anypi_binary_slice(const anypi_binary_place *here, int position, int z);

/* What rank x of the largest block reduces last, and behind that what its deputy does. */
anypi_range anypi_binary_kept(const anypi_binary_place *here, int x);
anypi_range anypi_binary_given(const anypi_binary_place *here, int x);

/* What `sum` begins with is reduced, until ranks of the largest block and deputies have what they
 * keep and are given of the result. */
void anypi_binary_reduce(const anypi_binary_place *here, anypi_accumulator *sum,
                         anyp_schedule *schedule);

#endif
