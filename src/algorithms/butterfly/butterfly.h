/* SPDX-License-Identifier: BSD-3-Clause
 *
 * butterfly.h - shared by the files of the butterfly: its rounds, the same on all ranks, and one
 * rank's part in them.
 *
 * First come stages in which all ranks take part. Before each stage the groups are `unit`
 * neighbouring ranks; the stage joins `radix` neighbouring groups. The remaining groups, an odd
 * number, join by eliminations, in which a group counts as one rank.
 */
#ifndef ANYPI_BUTTERFLY_H_INCLUDED
#define ANYPI_BUTTERFLY_H_INCLUDED

#include "algorithms/butterfly/elimination.h"
#include "algorithms/butterfly/ring_step.h"

/* In the order of the rows in algorithms.def. */
enum { ANYPI_BUTTERFLY_THRESHOLD, ANYPI_BUTTERFLY_ODD, ANYPI_BUTTERFLY_RING_MAX };
enum { ANYPI_ODD_OVERLAP, ANYPI_ODD_FOLD, ANYPI_ODD_RING };

enum { ANYPI_MAXIMUM_STAGES = 31 };

typedef struct anypi_stages {
    int count;
    int radix[ANYPI_MAXIMUM_STAGES];
    int product;                /* of the radices: ranks in each of the remaining groups */
    int groups;                 /* number of remaining groups */
    int halving;                /* rounds that halve: stages, then rounds of the eliminations */
    int halving_groups;         /* of these, rounds of the eliminations */
    int unit;                   /* ranks of a group when the halving ends, without eliminations */
    int blocks;
    bool scatters;              /* a reduce-scatter */
    const anypi_protocol *protocol;
} anypi_stages;

anypi_stages anypi_stages_of(const anyp_call *call, const int *parameters);

/* The order of a reduce-scatter's blocks: by the slices that the ranks have at the end. */
void anypi_stages_order(const anypi_stages *stages, int *order);

/* One rank's part. */
typedef struct anypi_butterfly {
    const anyp_call *call;
    anypi_stages stages;
    anypi_turn turns[ANYPI_MAXIMUM_STAGES];
    anypi_path path;            /* after the stages; with ranks and blocks of the call */
} anypi_butterfly;

/* Sets a rank's part in computing the result of all ranks; for reduce, only the root's result. */
void anypi_butterfly_of(const anyp_call *call, const int *parameters, anypi_butterfly *butterfly);

#endif
