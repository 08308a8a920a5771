/* SPDX-License-Identifier: BSD-3-Clause
 *
 * session.h - the state of a run; every rank of the world has one.
 */
#ifndef ANYPI_SESSION_H_INCLUDED
#define ANYPI_SESSION_H_INCLUDED

#include "measure/workload.h"
#include "tuner/tuner_options.h"

typedef struct anypi_session {
    anypi_plan *plan;
    MPI_Comm world;             /* a duplicate of MPI_COMM_WORLD */
    int rank;
    anyp_shape *nodes;          /* of the world; NULL: one node, or unknown */
    bool nodes_given;           /* by a variable, which does not describe other communicators */
    int position;               /* in the order of nodes; without nodes the rank */
    MPI_Comm comms[ANYPI_MAX_LIST];     /* of plan->procs; null: not open, or not a member */
    anypi_work work;
    double start;               /* anypi_seconds() */
    anypi_plan earlier;         /* with --resume, that of the timing file; on rank 0 */
    const anypi_options *options;
    const char *calls;          /* the records whose calls are measured, a line each; NULL: none */
    const char *library;        /* its version */
    const char *alone;          /* anypi_steer_alone() */
    int max;                    /* number of ranks of the world */
    struct json_object *run;    /* anypi_describe_run(), for the timing file; on rank 0 */
    int node_ranks;             /* number of ranks of the world on rank 0's node */
    bool warm[ANYPI_MAX_LIST];  /* of comms[]: has it had a call that is not timed? */
    int wrong;                  /* number of candidates with wrong results, on rank 0 */
    int interrupt;              /* a signal that has arrived at some rank, as far as rank 0 knows */
    double model_error;         /* of the current p: mean relative error of the model's rounds */
    anyp_model models[2];       /* of the current p: for operators that commute [0], that do not
                                   [1]; on rank 0 */
    bool full;                  /* there was no room for a candidate */
    bool decided;               /* no race is open */
    int left_out;               /* number of cells for which there was no time */
    double share_end;           /* the end of the time for the first pass over its cells */
    double pass_seconds;        /* of first passes so far, and ... */
    int pass_candidates;        /* ... the candidates in them */
} anypi_session;

#endif
