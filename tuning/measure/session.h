/* SPDX-License-Identifier: BSD-3-Clause
 *
 * session.h - what the files of a run share. All ranks of the world have a session.
 */
#ifndef ANYPI_SESSION_H_INCLUDED
#define ANYPI_SESSION_H_INCLUDED

#include "measure/workload.h"
#include "plan/options.h"

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
    double pass_seconds;              /* seconds that first looks took so far, and ... */
    int pass_candidates;                  /* how many candidates they looked at */
} anypi_session;

/* ---- budget.c ---- */

/* Seconds: a shorter time is noise, since a clock and a barrier take microseconds. */
#define ANYPI_MIN_SECONDS 0.003

/* Calls of a candidate in its first look, at least: a check, one to estimate, the rounds. */
enum { ANYPI_FIRST_PASS_CALLS = 2 + ANYPI_MIN_ROUNDS };

/* Seconds since the start. */
double anypi_elapsed(const anypi_session *session);
/* Seconds that a candidate of a cell takes at least in its first look: as long as those before it,
 * or as the calls of the most promising. */
double anypi_first_pass_seconds(const anypi_session *session, const anypi_cell *cell);
/* How many candidates a cell may have, so that all cells of this p from it on get their first look
 * at as many in the share of the budget. */
double anypi_affordable(const anypi_session *session, const anypi_cell *cell);

/* Tells on standard error where rank 0 is: now and then, so that a log stays short. */
void anypi_progress(const anypi_session *session, const anypi_cell *cell);
/* Says so, once, if more ranks than processors are on rank 0's node, and times are not exact. */
void anypi_progress_shared(anypi_session *session);
/* The last line. */
void anypi_progress_end(const anypi_session *session);

/* ---- measure.c ---- */

/* Measures until all is decided or the budget is spent. On all ranks; the times are on rank 0.
 * Every cell gets a first look, one p after the other; p for which there is no time remain
 * incomplete. The time that is left goes on as the strategy does (search.h). */
void anypi_measure(anypi_session *session);

/* ---- network.c ---- */

/* Measures session->models, and whether times are exact. On all ranks of the communicator. */
void anypi_fit(anypi_session *session, MPI_Comm comm);

/* ---- library_probe.c ---- */

/* Finds out which of MPICH's own algorithms serve every call with commuting or other operators; the
 * others have failed in all cells. They remain represented by MPICH's automatic choice, which knows
 * when they fit. On all ranks, behind anypi_plan_cells(). False: the library does not let itself be
 * switched. */
bool anypi_probe(anypi_session *session);

/* ---- results.c ---- */

/* Chooses, writes the decision file and, if asked for, the times, and prints what was won. `wrong`
 * is how many candidates had wrong results; `origin` says where and when, and is freed. Returns the
 * exit status. */
int anypi_finish(anypi_plan *plan, const anypi_options *options, int wrong, char *origin);

#endif
