/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prefix.h - scan and exscan by exchange: prefixes for about the price of an allreduce.
 *
 * T of a team is the sum of its ranks, X the sum of all ranks before it. For an interval of the
 * vector, a prefix of a rank is the X of a team (+) the T of its children before the rank's own,
 * (+) the same in this child, and so on.
 *
 * Up: in a dividing level, a rank receives for its interval the T of each child, in their order. It
 * keeps the running sums I(c) = T(0) (+) ... (+) T(c); the last one is the T of the team. The T of
 * a team that contains the last rank, and of such a team's last child, is not needed.
 *
 * Across bases: k-port doubling. In the round with distance D, base b has the sum W of the D bases
 * that end with b. It receives the sums of b - D, b - 2D, ... b - (k-1)D. So W becomes the sum of
 * kD bases, and X the part of W before b. A base receives no more messages than there are bases
 * before it.
 *
 * Down: the messages of the dividing levels, reversed. The rank with X of the team sends the owners
 * in child c the sum X (+) I(c-1), which is the child's X. Teams that begin at rank 0 have no X,
 * and their first child needs nothing. If a child of a scan is a single rank, it receives X (+)
 * I(c) instead, its result.
 *
 *   p = 4, k = 2, both levels divide, exscan. Messages for each half or quarter of the vector:
 *   up      0 <-> 1: x0, x1   2 <-> 3: x2, x3       0 -> 2, 1 -> 3: x0+x1
 *   down    0 -> 1: x0        2 -> 3: x0+x1 (+) x2  (2 and 3 have their X = x0+x1 already)
 *
 * Memory (test_scan.c): If all levels divide, a rank copies up to 1.5 m, the parts that it would
 * send to itself (and rank 0 of a scan its input). It has up to 1.9 m of scratch: the operands of
 * the lowest level, and those of the others in a window of the widest. If no level divides, it
 * copies m, unless the result is there in place, and has k m of scratch.
 *
 * Sources: the two sweeps over a tree are those of Blelloch 1990 (CMU-CS-90-190); Hillis & Steele
 * 1986 have the doubling for k = 2. Neither has intervals of different ranks, or any p and k.
 */
#ifndef ANYPI_EXCHANGE_PREFIX_H_INCLUDED
#define ANYPI_EXCHANGE_PREFIX_H_INCLUDED

#include "algorithms/exchange/levels.h"
#include "algorithms/exchange/repeat_segments.h"

/* Returns the radices of the rounds across all bases: `radix` in the first round, if there are as
 * many bases, and then the smallest that suffice. */
anypi_tree anypi_prefix_rounds(const anypi_machine *m);

/* Adds the rounds of one segment. */
void anypi_exchange_prefix(anypi_levels *s, anypi_segment_rounds *rounds);

/* ---- the cost of the rounds across bases (prefix_cost.c) ---- */

/* The maximum that a rank exchanges with a base: bytes and pieces. */
typedef struct anypi_across {
    double bytes, pieces;
    int widest, narrowest;      /* intervals of bases, in blocks */
} anypi_across;

/* Returns the closed form of all rounds. With a model, groups of neighbouring ranks share links. */
anyp_cost anypi_across_cost(const anypi_machine *m, const anypi_across *of_base,
                            const anyp_model *model);

/* Returns how much longer the rounds take than anypi_expected_time(), without nodes: fitted.h has
 * the three reasons (ANYPI_SCAN_...). */
double anypi_across_waits(const anypi_machine *m, const anypi_across *of_base,
                          const anyp_model *model);

/* Returns the time of all rounds of a segment of `bytes`, over nodes; adds the rank's overheads. */
double anypi_across_time(const anypi_machine *m, double bytes, const anyp_model *model,
                         double *busy);

#endif
