/* SPDX-License-Identifier: BSD-3-Clause
 *
 * measure.h - runs a plan's cells. Rank 0 decides what is run next and tells the others; all ranks
 * of the world serve, those beyond a cell's p by waiting.
 */
#ifndef ANYPI_MEASURE_H_INCLUDED
#define ANYPI_MEASURE_H_INCLUDED

#include "plan/plan.h"
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

/* Finds out which of MPICH's own algorithms serve every call with commuting or other operators, and
 * marks the others refused: a rule in a decision file is not checked by MPICH, so it must not name
 * them. They remain represented by MPICH's automatic choice, which knows when they fit. On all
 * ranks, before anypi_plan_cells(). False: the library does not let itself be switched. */
bool anypi_probe(anypi_session *session);

/* Measures until all is decided or the budget is spent. On all ranks; the times are on rank 0.
 * First every cell gets ANYPI_LEAST_ROUNDS rounds, one p after the other; p for which there is no
 * time remain incomplete. The time that is left goes into more rounds where a race is open. */
void anypi_measure(anypi_session *session);

/* Has the ranks of the communicator begin together: behind a barrier, or, where times are exact and
 * clocks the same on all ranks, at the same moment. Returns MPI_Wtime(). */
double anypi_begin(MPI_Comm comm, bool exact);

/* Calls the chosen candidates of a cell once, checks their results, and puts their times into the
 * cell's only round. On rank 0, while the others serve. */
void anypi_try(anypi_session *session, anypi_cell *cell, const bool *chosen);

/* ---- search_climb.c ---- */

/* Where times are exact, takes out what has so many messages under way at once, of all ranks, that
 * the simulator would need minutes for a call. */
void anypi_exact_leave_out(anypi_cell *cell, const anypi_candidates *candidates);

/* All that there is to do for a cell where times are exact, from the candidates in the race on. On
 * rank 0. */
void anypi_exact_look(anypi_session *session, anypi_cell *cell);

/* ---- network.c ---- */

/* Measures session->models. On all ranks of the communicator. */
void anypi_fit(anypi_session *session, MPI_Comm comm);

/* ---- progress.c ---- */

/* A clock for the budget: true seconds, where MPI_Wtime() may tell simulated ones. */
double anypi_seconds(void);
/* Tells on standard error where rank 0 is: now and then, so that a log stays short. */
void anypi_progress(const anypi_session *session, const anypi_cell *cell);
/* Says so, once, if more ranks than processors are on rank 0's node, and times are not exact. */
void anypi_progress_shared(anypi_session *session);
/* The last line. */
void anypi_progress_end(const anypi_session *session);

#endif
