/* SPDX-License-Identifier: BSD-3-Clause
 *
 * local_check.h - proves schedules along a route (algorithms/route.h), whose slices of scratch
 * consist of units of data.
 */
#ifndef ANYPI_LOCAL_CHECK_H_INCLUDED
#define ANYPI_LOCAL_CHECK_H_INCLUDED

#include "anyp.h"

/* A unit of the block that one rank has for another. */
typedef struct anypi_unit {
    int from, to;               /* ranks; from is negative: nothing was written */
    int at;                     /* its number in the block */
} anypi_unit;

typedef struct anypi_local_check {
    const anyp_call *call;      /* of the route; its rank means nothing */
    int (*units)(const void *state, int from, int to);  /* of each block; 0: not on the route */
    const void *state;          /* for this function */
    char *reason;               /* receives the error */
    size_t size;
    anypi_unit **scratch;       /* at the end, is set to each rank's scratch */
} anypi_local_check;

/* Checks set[0 .. p-1]:
 * - messages match and have the same length at both ends; no rank waits forever;
 * - slices lie inside the scratch that a schedule declares;
 * - no RECV of a round writes what another message of the round reads or writes;
 * - nothing is read before it was written;
 * - each block on the route, except a rank's block for itself, is delivered to the right rank,
 *   completely and once. So no unit of a block is overwritten before it was used.
 *
 * ANYP_SUCCESS; ANYP_ERR_SCHEDULE with a reason; ANYP_ERR_MEMORY. Needs 12 bytes for each unit of
 * scratch, and time for each unit that moves. Call anypi_local_check_free() in every case. */
anyp_status anypi_local_check_set(anypi_local_check *check, const anyp_schedule *set);
void anypi_local_check_free(anypi_local_check *check);

#endif
