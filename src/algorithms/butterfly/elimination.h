/* SPDX-License-Identifier: BSD-3-Clause
 *
 * elimination.h - which ranks join in a butterfly among any number of ranks: what one rank does in
 * the reduction phase, computed for that rank alone in O(log p).
 *
 * Before round z there are groups of 2^z active ranks, neighbours in rank order. Ranks at the same
 * position of their groups hold the same slice, of which each join of two groups leaves a half to
 * each position if the round halves. If the number of groups is odd, some are eliminated: a 3-2
 * elimination makes one group of three, a 2-1 elimination one of the same size of two, and the
 * ranks of the last group drop out. (Rabenseifner & Träff 2004, section 3)
 */
#ifndef ANYPI_ELIMINATION_H_INCLUDED
#define ANYPI_ELIMINATION_H_INCLUDED

#include "algorithms/butterfly/joins.h"

/* A way to join any number of groups. */
typedef struct anypi_protocol {
    /* The path of a rank of p. The first h of floor(log2 p) rounds halve a vector of 2^h blocks;
     * or, if it scatters, all do, and the vector has p blocks in the order of
     * anypi_protocol_order(): a rank's last slice is its own block, followed by the block of the
     * rank that it feeds, if there is one. No move may_exchange. */
    void (*path)(int p, int rank, int h, bool scatters, anypi_path *path);
    /* The rank that has the last slice of a position. */
    int (*rank_at)(int p, int position);
    /* The rank whose block that slice has, too; -1: none. */
    int (*foreign_rank)(int p, int position);
} anypi_protocol;

/* Sets order[k] to the rank whose block has index k: the order of the last slices. They are spread
 * evenly: the halves of a slice differ by one block at most. */
void anypi_protocol_order(const anypi_protocol *protocol, int p, int *order);

/* 3-2 eliminations of the three leftmost groups whenever their number is odd. (Section 3.2) */
extern const anypi_protocol anypi_overlap;

/* One 3-2 elimination at first, and then as many 2-1 eliminations as leave a power of two. Odd p
 * only (or 1). (Section 3.3) */
extern const anypi_protocol anypi_fold;

#endif
