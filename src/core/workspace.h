/* SPDX-License-Identifier: BSD-3-Clause
 *
 * workspace.h - memory that a communicator keeps from one call to the next, so that small calls
 * allocate nothing. No two collectives run on a communicator at once, so it needs no lock.
 */
#ifndef ANYPI_WORKSPACE_H_INCLUDED
#define ANYPI_WORKSPACE_H_INCLUDED

#include "anyp.h"

typedef struct anypi_workspace {
    anyp_schedule schedule;     /* of this call */
    int64_t *starts;            /* where the blocks of a reduce_scatter begin, and the end */
    int64_t *scratch_starts;    /* the same in scratch buffers, if the schedule has an order */
    int starts_room, scratch_starts_room;
} anypi_workspace;

void anypi_workspace_init(anypi_workspace *workspace);
void anypi_workspace_free(anypi_workspace *workspace);

/* Room for n numbers in *starts (one of the two above, with its room); NULL if there is none. */
int64_t *anypi_workspace_room(int64_t **starts, int *room, int n);

#endif
