/* SPDX-License-Identifier: BSD-3-Clause
 *
 * joins.h - a rank's path through a butterfly among any number of ranks, and its moves when groups
 * join. For the files that define which groups join. Moves belong to the last join of the path.
 * (Rabenseifner & Träff 2004, sections 3.1 and 3.3)
 */
#ifndef ANYPI_JOINS_H_INCLUDED
#define ANYPI_JOINS_H_INCLUDED

#include "algorithms/shared/accumulate.h"

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

/* Two groups exchange halves; if nothing halves (lower and upper are the same), whole slices. */
void anypi_join_pair(anypi_path *path, int role, int peer, anypi_range lower, anypi_range upper,
                     bool halves);

/* A 3-2 elimination; p0, p1 and p2 are at the rank's position of the three groups. */
void anypi_join_three(anypi_path *path, int role, int p0, int p1, int p2, anypi_range lower,
                      anypi_range upper, bool halves);

/* A 2-1 elimination: the right group gives its data to the left one and drops out. The elimination
 * is mirrored if a round that halves follows; otherwise the left group feeds the right one. */
void anypi_join_absorb(anypi_path *path, int role, int peer, bool mirrored);

#endif
