/* SPDX-License-Identifier: BSD-3-Clause
 *
 * local_check.h - proves schedules along a route (algorithms/route.h), whose slices of scratch are
 * units of data.
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
    int (*units)(const void *state, int from, int to);  /* of each block; 0: it is not on the way */
    const void *state;          /* for this function */
    char *reason;               /* gets what is wrong */
    size_t size;
    anypi_unit **scratch;       /* is set to each rank's scratch at the end */
} anypi_local_check;

/* Checks set[0 .. p-1]: messages match and are as long at both ends; no rank waits forever; slices
 * lie inside the scratch that a schedule has; no RECV of a round writes what another message of it
 * reads or writes; nothing is read before it was written; and each block that is on the way, except
 * a rank's own, is delivered whole, once, to the rank that it is for. So no unit of a block is
 * overwritten before it was used.
 *
 * ANYP_SUCCESS; ANYP_ERR_SCHEDULE with a reason; ANYP_ERR_MEMORY. Takes 12 bytes for each unit of
 * scratch, and time for each unit that moves. Always ends with anypi_local_check_free(). */
anyp_status anypi_local_check_set(anypi_local_check *check, const anyp_schedule *set);
void anypi_local_check_free(anypi_local_check *check);

#endif
