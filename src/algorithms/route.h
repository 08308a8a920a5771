/* SPDX-License-Identifier: BSD-3-Clause
 *
 * route.h - sends blocks of any sizes along the route of a schedule for equal ones. In alltoallv,
 * alltoallw, gatherv and scatterv, only sender and receiver know a block's size (local sizes). Such
 * a call takes the route of an alltoall, a gather or a scatter: the same rounds and peers, and the
 * same blocks in each message. Once a rank knows the size of each block that it receives, it knows
 * all its messages.
 *
 * A schedule along a route has no partition. An index of scratch is a unit of some bytes, so that
 * each slice of scratch has the length of its data. A COPY from block i of IN packs this block, and
 * one to block i of OUT unpacks it. The blocks of a message follow each other in scratch; otherwise
 * local steps of the round before copy them there. A block is copied to no other place before its
 * message. The rank's own block, which stays, is left out. So are messages without bytes, at both
 * ends. The memory of blocks that have left is reused.
 *
 *   alltoallv, p = 3, rank 0; route of radix 2; bytes of a block from i to j: 10 i + j + 1
 *
 *   copy block 1 (2 bytes) to 0..2;  send 0..2 to rank 1, receive 2..23 from rank 2 (21 bytes)
 *   copy 2..23 to block 2 of OUT, block 2 (3 bytes) to 23..26;  send 23..26 ...
 */
#ifndef ANYPI_ROUTE_H_INCLUDED
#define ANYPI_ROUTE_H_INCLUDED

#include "anyp.h"

/* The bytes of each block on the route of a call with local sizes, for algorithms that must choose
 * parameters before sizes are known. */
enum { ANYPI_NOMINAL_BYTES = 128 };

/* Returns the call whose schedules are the route of a call with local sizes: with blocks of
 * ANYPI_NOMINAL_BYTES, not in place, and without gaps, since the route names IN and OUT only as
 * blocks. For another call returns the call itself. */
anyp_call anypi_route_call(const anyp_call *call);

/* Bytes of blocks. */
typedef struct anypi_route_sizes {
    int64_t all;                /* of every block; negative: each has another size, */
    const int64_t *given;       /* p: of each block of this rank's input, 0: not on the route */
    const int64_t *received;    /* of each block that it receives, in the order of the steps */
    int unit;                   /* bytes of an index of scratch, >= 1: sizes are rounded up */
    bool in_place;              /* the input is in the output buffer: it is packed first */
    bool keeps;                 /* received blocks stay where they are until the end */
} anypi_route_sizes;

/* Returns the number of blocks that a rank receives on a route; a block counts each time. */
int anypi_route_received(const anyp_schedule *route);

/* Writes the schedule along a route. `places` (NULL: not wanted) receives the first index of
 * scratch of each received block: anypi_route_received() numbers. ANYP_ERR_MEMORY, also if scratch
 * has more units than an int can number. */
anyp_status anypi_route_make(const anyp_schedule *route, const anypi_route_sizes *sizes,
                             anyp_schedule *schedule, int *places);

#endif
