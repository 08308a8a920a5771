/* SPDX-License-Identifier: BSD-3-Clause
 *
 * rows.h - which block travels in which round of a round-optimal pipeline on the circulant graph.
 *
 * There are p ranks, relative to the root, and q = ceil(log2 p). The skips are those of the family
 * `halving`, here in ascending order: the skip of index k is anypi_skip(p, ANYPI_SKIPS_HALVING,
 * q - k), that of index q is p. In a round with index k every rank receives from its rank minus
 * this skip, and sends to its rank plus this skip, modulo p. Indices repeat from 0 to q - 1.
 *
 * A rank's row contains an entry for each index. If it is not negative, it is the block that the
 * rank receives in the first q rounds at this index. A negative entry e means block e + j q in the
 * j-th repetition after them. So in any q rounds a rank receives q different blocks, and it has
 * received each block before it sends it. The block that it sends with index k is entry k in the
 * row of the receiver.
 *
 *   p = 5, q = 3, skips 1, 2, 3:
 *
 *   rank     0           1          2           3           4
 *   row     -3 -1 -2     0 -1 -2   -3  1 -1    -2 -3  2    -1 -2  0
 *
 * Source: Träff, arXiv 2407.18004 (2024), sections 2 and 3; the search here has no recursion.
 */
#ifndef ANYPI_ROWS_H_INCLUDED
#define ANYPI_ROWS_H_INCLUDED

enum { ANYPI_MAXIMUM_ROW = 31 };

/* Returns q, the entries of a row: 0 for p = 1. */
int anypi_row_length(int p);

/* Writes the row of a rank of p, 0 <= rank < p. Takes O(q) steps. */
void anypi_row_make(int p, int rank, int row[ANYPI_MAXIMUM_ROW]);

#endif
