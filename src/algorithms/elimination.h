/* SPDX-License-Identifier: BSD-3-Clause
 *
 * elimination.h - who joins whom in a butterfly with 3-2 eliminations, for any p: what one rank
 * does in the reduction phase, computed for that rank alone in O(log p).
 *
 * Before round z there are p >> z groups of 2^z active ranks. Round z joins them in pairs; if their
 * number is odd, the three leftmost make one of two, and the ranks of the third drop out. The first
 * h rounds halve what the ranks hold. (Rabenseifner & Träff 2004, sections 3.1 and 3.2)
 */
#ifndef ANYPI_ELIMINATION_H_INCLUDED
#define ANYPI_ELIMINATION_H_INCLUDED

#include "algorithms/accumulate.h"

/* A rank's way through the reduction phase. */
typedef struct anypi_path {
    anypi_move moves[32];       /* one in each of at most 30 rounds, two in a 3-2 elimination */
    int count;
    int halving;                /* the first so many are in rounds that halve */
    anypi_range slice;          /* what the rank holds at the end */
    bool drops_out;             /* it ends early, with nothing, in a 3-2 elimination */
    int feeds, fed_by;          /* who dropped out where nothing halved and gave its slice to this
                                 * rank, or whom this rank gave it to; -1: nobody */
} anypi_path;

/* The path of a rank of p when the first h of floor(log2 p) rounds halve. There no other rank
 * computes what this one computes: operands may be exchanged if the operator commutes. */
void anypi_elimination_path(int p, int rank, int h, bool commutative, anypi_path *path);

#endif
