/* SPDX-License-Identifier: BSD-3-Clause
 *
 * session.h - what the files of a run share. All ranks of the world have a session.
 */
#ifndef ANYPI_SESSION_H_INCLUDED
#define ANYPI_SESSION_H_INCLUDED

#include "measure/workload.h"

typedef struct anypi_session {
    anypi_plan *plan;
    MPI_Comm world;             /* its own */
    int rank;
    MPI_Comm comms[ANYPI_MAX_LIST];     /* of plan->procs; NULL: not open, or not of this rank */
    anypi_work work;
    double start;               /* anypi_seconds() */
    double budget;              /* seconds */
    int node_ranks;             /* ranks of the world on rank 0's node */
    int warm;                   /* the p whose communicator has had a call that is not timed */
    int wrong;                  /* candidates with wrong results, on rank 0 */
    bool all;                   /* no candidate is hopeless */
    bool verbose;
    anyp_model models[2];       /* of the p that is measured: for operators that commute [0], that
                                   do not [1]; on rank 0 */
    double share_end;           /* when the first looks at its cells shall be done */
    double looked;              /* seconds that first looks took so far, and ... */
    int looks;                  /* how many candidates they looked at */
} anypi_session;

#endif
