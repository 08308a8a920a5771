/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collect.h - alltoall on nodes of different sizes, in two rounds of direct messages.
 *
 * Ranks have positions in the order of nodes. A node of size s with first position f serves
 * position q by its place (q - f) mod s. First each rank sends to each other rank of its node that
 * rank's own block, and the blocks for the positions that it serves. Then each rank sends to every
 * position that it serves one message, with the blocks of all ranks of its node. So each rank
 * receives one message from each other node.
 */
#ifndef ANYPI_COLLECT_H_INCLUDED
#define ANYPI_COLLECT_H_INCLUDED

#include "anyp.h"

/* Writes the schedule. */
void anypi_collect(const anyp_call *call, const anyp_shape *nodes, anyp_schedule *schedule);

/* Returns the closed form of the round inside nodes, or of the round between nodes. */
anyp_cost anypi_collect_cost(const anyp_call *call, const anyp_shape *nodes, bool inside);

#endif
