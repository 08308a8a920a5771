/* SPDX-License-Identifier: BSD-3-Clause
 *
 * elimination.h - which ranks join in a butterfly among any number of ranks. Computes the reduction
 * phase of one rank, for this rank alone, in O(log p).
 *
 * Before round z there are groups of 2^z active ranks, neighbours in rank order. Ranks at the same
 * position of their groups hold the same slice. If the round halves, each join of two groups leaves
 * half of the slice to each position. If the number of groups is odd, some are eliminated: a 3-2
 * elimination joins three groups into one of double size, a 2-1 elimination two groups into one of
 * their size. In both the ranks of the last group drop out. (Rabenseifner & Träff 2004, section 3)
 */
#ifndef ANYPI_ELIMINATION_H_INCLUDED
#define ANYPI_ELIMINATION_H_INCLUDED

#include "algorithms/butterfly/joins.h"

/* A way to join any number of groups. */
typedef struct anypi_protocol {
    /* Sets the path of a rank of p. The first h of floor(log2 p) rounds halve a vector of 2^h
     * blocks. If it scatters, all rounds halve, and the vector has p blocks in the order of
     * anypi_protocol_order(): a rank's last slice is its own block, followed by the block of the
     * rank that it feeds, if there is one. No move may_exchange. */
    void (*path)(int p, int rank, int h, bool scatters, anypi_path *path);
    /* Returns the rank that has the last slice of a position. */
    int (*rank_at)(int p, int position);
    /* Returns the other rank whose block this slice also contains; -1: none. */
    int (*foreign_rank)(int p, int position);
} anypi_protocol;

/* Sets order[k] to the rank whose block has index k: the order of the last slices. Blocks are
 * spread evenly: the halves of a slice differ by at most one block. */
void anypi_protocol_order(const anypi_protocol *protocol, int p, int *order);

/* Makes a 3-2 elimination of the three leftmost groups whenever the number of groups is odd.
 * (Section 3.2) */
extern const anypi_protocol anypi_overlap;

/* Makes first one 3-2 elimination, then as many 2-1 eliminations as leave a power of two. Only for
 * odd p (or 1). (Section 3.3) */
extern const anypi_protocol anypi_fold;

#endif
