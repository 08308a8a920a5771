/* SPDX-License-Identifier: BSD-3-Clause
 *
 * elimination.h - who joins whom in a butterfly among any number of ranks: what one rank does in
 * the reduction phase, computed for that rank alone in O(log p).
 *
 * Before round z there are groups of 2^z active ranks, neighbours in rank order. Ranks at the same
 * position of their groups hold the same slice, of which each join of two groups leaves a half to
 * each position if the round halves. Where the number of groups is odd, some are eliminated: a 3-2
 * elimination makes one group of three, a 2-1 elimination one of the same size of two, and the
 * ranks of the last group drop out. (Rabenseifner & Träff 2004, section 3)
 */
#ifndef ANYPI_ELIMINATION_H_INCLUDED
#define ANYPI_ELIMINATION_H_INCLUDED

#include "algorithms/accumulate.h"

/* Where a rank was in one join. */
typedef struct anypi_join {
    int group;                  /* index, from the left, of the group that the join makes */
    int role;                   /* place, from the left, of the rank's own among those it joins */
    int position;               /* the rank's in its own group */
} anypi_join;

/* Of which join a move is, and for which of the joined groups, sets of roles, what it gives and
 * what it keeps. If the round halves, routing sends that back, and this says who needs it then;
 * else who needs the sum to which it adds. */
typedef struct anypi_use {
    int join;
    unsigned gives_for, keeps_for;
} anypi_use;

/* A rank's way through the reduction phase. Every active rank has a record of every join, even if
 * its group joined no other then; one that drops out has them up to the join that takes it in. */
typedef struct anypi_path {
    anypi_move moves[33];       /* two in a 3-2 elimination, else one in a round */
    anypi_use uses[33];         /* of the moves */
    int count;
    int halving;                /* the first so many are in rounds that halve: routing mirrors
                                 * them */
    anypi_join joins[32];
    int joined;
    int halving_joins;          /* the first so many are in rounds that halve */
    anypi_range slice;          /* what the rank holds at the end */
    bool drops_out;             /* it ends early, with nothing */
    int heir;                   /* dropped out in a round that halves: a rank of the group that
                                 * took it in, and that goes on; else -1 */
    int feeds, fed_by;          /* who dropped out in another round and gets this rank's slice at
                                 * the end, or whose slice this rank gets; -1: nobody. Ranks that
                                 * were one group before the first round that does not halve are
                                 * fed by the ranks at the same positions of one group. */
} anypi_path;

/* A way to make groups of any number. */
typedef struct anypi_protocol {
    /* The path of a rank of p. The first h of floor(log2 p) rounds halve a vector of 2^h blocks;
     * or, if it scatters, all do, and the vector has p blocks as order() has them: a rank's last
     * slice is its own block and then perhaps another's, whom it feeds. No move may_exchange. */
    void (*path)(int p, int rank, int h, bool scatters, anypi_path *path);
    /* order[k] is the rank whose block is at place k: by last slices. They are spread evenly: the
     * halves of no slice differ by more than a block. */
    void (*order)(int p, int *order);
} anypi_protocol;

/* 3-2 eliminations of the three leftmost groups whenever their number is odd. (Section 3.2) */
extern const anypi_protocol anypi_overlap;

/* One 3-2 elimination at first, and then as many 2-1 eliminations as leave a power of two. Odd p
 * only (or 1). (Section 3.3) */
extern const anypi_protocol anypi_fold;

/* The path of a rank of p by anypi_overlap when the first h of floor(log2 p) rounds halve. There no
 * other rank computes what this one computes: operands may be exchanged if the operator
 * commutes. */
void anypi_elimination_path(int p, int rank, int h, bool commutative, anypi_path *path);

#endif
