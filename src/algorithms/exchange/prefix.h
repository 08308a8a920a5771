/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prefix.h - scan and exscan by exchange: prefixes for about the price of an allreduce.
 *
 * T of a team is the sum of its ranks, X the sum of all ranks before it. For an interval of the
 * vector, a prefix of a rank is the X of a team (+) the T of its children before the rank's own,
 * (+) the same in this child, and so on.
 *
 * Up: in a dividing level, a rank receives for its interval the T of each child, in their order. It
 * keeps the running sums I(c) = T(0) (+) ... (+) T(c); the last one is the T of the team. Nobody
 * needs the T of a team that has the last rank, nor of its last child.
 *
 * Across bases: k-port doubling. In the round with distance D, base b has the sum W of the D bases
 * that end with b. It receives those of b - D, b - 2D, ... b - (k-1)D, so that W becomes the sum of
 * kD bases, and X what W has before b. A base receives no more messages than there are bases before
 * it.
 *
 * Down: the messages of the dividing levels turned round. The rank with X of the team sends the
 * owners in child c X (+) I(c-1), which is the child's X. Teams that begin at rank 0 have no X, and
 * their first child needs nothing. A child of a scan that is a single rank gets X (+) I(c) instead:
 * its result.
 *
 *   p = 4, k = 2, both levels divide, exscan. What is sent of each half or quarter of the vector:
 *   up      0 <-> 1: x0, x1   2 <-> 3: x2, x3       0 -> 2, 1 -> 3: x0+x1
 *   down    0 -> 1: x0        2 -> 3: x0+x1 (+) x2  (2 and 3 have their X = x0+x1 already)
 *
 * If all levels divide, a rank copies up to 1.5 m, the parts that it would send to itself (and rank
 * 0 of a scan its input), and has up to 1.9 m of scratch: the operands of the lowest level, and
 * those of the others in a window of the widest. If none does, it copies m, unless the result is
 * there in place, and has k m of scratch (test_scan.c).
 *
 * Sources: the two sweeps over a tree are those of Blelloch 1990 (CMU-CS-90-190); Hillis & Steele
 * 1986 have the doubling for k = 2. Intervals of different ranks, any p and k are not there.
 */
#ifndef ANYPI_EXCHANGE_PREFIX_H_INCLUDED
#define ANYPI_EXCHANGE_PREFIX_H_INCLUDED

#include "algorithms/exchange/levels.h"
#include "algorithms/exchange/repeat_segments.h"

/* The radices of the rounds across all bases: `radix` in the first one, if there are as many bases,
 * and then the least that suffice. */
anypi_tree anypi_prefix_rounds(const anypi_machine *m);

/* Adds the rounds of one segment. */
void anypi_exchange_prefix(anypi_levels *s, anypi_segment_rounds *rounds);

#endif
