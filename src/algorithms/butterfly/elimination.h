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

#include "algorithms/shared/accumulate.h"

/* ---- paths (joins.c) ---- */

/* The location of a rank in one join. */
typedef struct anypi_join {
    int group;                  /* index, from the left, of the group that the join makes */
    int role;                   /* index, from the left, of the rank's group among these */
    int position;               /* of the rank in its group */
} anypi_join;

/* The join of a move, and for which of the joined groups (sets of roles) it gives and keeps. If the
 * round halves, routing sends the result back, and these groups need it then. Otherwise these
 * groups need the sum to which the move contributes. */
typedef struct anypi_use {
    int join;
    unsigned gives_for, keeps_for;
} anypi_use;

/* A rank's path through the reduction phase. Every active rank has a record of every join, even if
 * its group joined no other. A rank that drops out has records up to the join that absorbs it. */
typedef struct anypi_path {
    anypi_move moves[33];       /* two in a 3-2 elimination, otherwise one in a round */
    anypi_use uses[33];         /* of the moves */
    int count;
    int halving;                /* the number of first moves in rounds that halve: routing
                                 * mirrors them */
    anypi_join joins[32];
    int joined;
    int halving_joins;          /* the number of first joins in rounds that halve */
    anypi_range slice;          /* what the rank holds at the end */
    bool drops_out;             /* it ends early, without data */
    int heir;                   /* if it dropped out in a round that halves: a rank of the group
                                 * that absorbed it, which continues; otherwise -1 */
    int feeds, fed_by;          /* feeds: the rank that dropped out in another round and receives
                                 * this rank's slice at the end; fed_by: the rank whose slice this
                                 * rank receives; -1: none. Ranks that were one group before the
                                 * first round that does not halve are fed by the ranks at the same
                                 * positions of one group. */
} anypi_path;

/* Begins the path of a rank, with no join yet, and with this number of blocks. */
static inline void anypi_path_begin(anypi_path *path, int blocks)
{
    *path = (anypi_path) { .slice = { 0, blocks }, .heir = -1, .feeds = -1, .fed_by = -1 };
}

/* The next functions add a join to the path, with the moves of the rank. If the round halves, the
 * left group keeps the first `half` blocks of the slice (0: half of them), the others the rest. */

/* Two groups exchange halves; if nothing halves, whole slices. */
void anypi_join_pair(anypi_path *path, anypi_join join, int peer, int half, bool halves);

/* A 3-2 elimination; p0, p1 and p2 are at the rank's position of the three groups. */
void anypi_join_three(anypi_path *path, anypi_join join, int p0, int p1, int p2, int half,
                      bool halves);

/* A 2-1 elimination: the right group gives its data to the left one and drops out. The elimination
 * is mirrored if a round that halves follows; otherwise the left group feeds the right one. If
 * `peer` is negative, the rank's group joins no other. */
void anypi_join_absorb(anypi_path *path, anypi_join join, int peer, bool mirrored);

/* ---- protocols ---- */

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
