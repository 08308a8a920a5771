/* SPDX-License-Identifier: BSD-3-Clause
 *
 * concatenate.h - alltoall by a reduce-scatter on a circulant graph, with concatenation as the
 * operator.
 *
 * R[i] of rank r contains the blocks that travel to rank r + i (modulo p): at first only its own
 * block for that rank. A hop (first, end) sends R[first .. end-1] to rank r + first, where they are
 * appended to R[0 .. end-first-1]. The hops of a round start together. If hops lead every index to
 * 0, R[0] ends as the blocks of all ranks for r. All ranks do the same, so in a hop every rank
 * sends blocks of the same distances from source to destination, and each message is one piece:
 *
 *   p = 5, skips 3, 2, 1; the distances in R[0], R[1], ... before the rounds
 *
 *   0   1   2   3   4      3 and 4 go to r+3, where they have 0 and 1 left
 *   03  14  2              2 goes to r+2
 *   032 14                 1 and 4 go to r+1
 *
 * On nodes of equal size, ranks and indices have two digits, node and place in it, each of which is
 * added modulo its own number. Hops inside nodes come first: they lead every index to the place 0.
 *
 * If blocks do not follow each other in memory, they are copied to scratch before their message.
 * Blocks that have arrived are copied to OUT. A message of one block that has arrived is received
 * there. So linear skips only copy the rank's own block. Scratch: the blocks that a rank receives,
 * and the longest round of those that it sends.
 * Source: Träff 2024, section 4.
 */
#ifndef ANYPI_CONCATENATE_H_INCLUDED
#define ANYPI_CONCATENATE_H_INCLUDED

#include "anyp.h"

/* The indices first .. end-1 in a round. On nodes: of nodes, at the rank's own place; or (inside)
 * of places, at all nodes. */
typedef struct anypi_hop {
    int round;
    int first, end;
    bool inside;
} anypi_hop;

/* Writes the schedule for hops in the order of their rounds: hop(state, k) is the k-th, with the
 * end 0 after the last one. `nodes` have equal sizes, or are NULL. */
void anypi_concatenate(const anyp_call *call, const anyp_shape *nodes,
                       anypi_hop (*hop)(const void *state, int k), const void *state,
                       anyp_schedule *schedule);

/* Returns the maximum number of blocks, of p, that a round sends, whose hops are the indices first
 * .. end-1 = s(k)-1 of those left. The lower an index, the more blocks have arrived at it. */
static inline double anypi_concatenated(int p, int first, int end)
{
    return (double) p * (end - first) / end;
}

#endif
