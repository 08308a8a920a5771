/* SPDX-License-Identifier: BSD-3-Clause
 *
 * session.h - the state of a run; every rank of the world has one.
 */
#ifndef ANYPI_SESSION_H_INCLUDED
#define ANYPI_SESSION_H_INCLUDED

#include "measure/workload.h"
#include "tuner/journal.h"
#include "tuner/options.h"
#include "tuner/validation.h"

typedef struct anypi_session {
    anypi_plan *plan;
    MPI_Comm world;             /* a duplicate of MPI_COMM_WORLD */
    int rank;
    anyp_nodes *nodes;          /* of the world; NULL: one, or unknown */
    bool nodes_given;           /* by a variable, which does not describe other communicators */
    int position;               /* in the order of nodes; without nodes the rank */
    MPI_Comm comms[ANYPI_MAX_LIST];     /* of plan->procs; null: not open, or not a member */
    anypi_work work;
    double start;               /* anypi_seconds(); earlier in a run that goes on with another */
    double clock;               /* if times are exact, of the record that was taken last; else 0 */
    anypi_journal *journal;     /* on rank 0; NULL: none */
    const anypi_options *options;
    const char *library;        /* its version */
    const char *alone;          /* anypi_steer_alone() */
    int max;                    /* ranks of the world */
    double kept;                /* anypi_seconds() of the last anypi_keep(); 0: none */
    bool keep_failed;           /* that was said */
    struct json_object *run;    /* anypi_describe_run(), for the file of times; on rank 0 */
    double budget;              /* seconds */
    int node_ranks;             /* ranks of the world on rank 0's node */
    bool warm[ANYPI_MAX_LIST];  /* of comms[]: has it had a call that is not timed? */
    int wrong;                  /* candidates with wrong results, on rank 0 */
    int interrupt;              /* the signal of which rank 0 knows that it has come to a rank */
    bool all;                   /* measure hopeless candidates, too */
    bool verbose;
    anyp_model models[2];       /* of the current p: for operators that commute [0], that do not
                                   [1]; on rank 0 */
    bool full;                  /* there was no room for a candidate */
    bool decided;               /* no race is open */
    double search_end;          /* the end of simulations for a cell with nodes, and ... */
    double search_seconds;      /* ... how long all took so far */
    double share_end;           /* the end of the time for the first pass over its cells */
    double pass_seconds;        /* of first passes so far, and ... */
    int pass_candidates;        /* ... the candidates in them */
} anypi_session;

/* ---- budget.c ---- */

/* Shorter times are noise, since a clock and a barrier take microseconds. */
#define ANYPI_MIN_SECONDS 0.003

/* The minimum calls of a candidate in the first pass: a check, an estimate, the rounds. */
enum { ANYPI_FIRST_PASS_CALLS = 2 + ANYPI_MIN_ROUNDS };

/* Seconds since the start. */
double anypi_elapsed(const anypi_session *session);
/* Must rank 0 end the measurement, because the budget is spent or a signal has come? */
bool anypi_out_of_time(const anypi_session *session);
/* Is there time for something that takes so many seconds? On rank 0. */
bool anypi_time_for(const anypi_session *session, double seconds);
/* Has a signal come? On rank 0. */
bool anypi_interrupted(const anypi_session *session);
/* The minimum seconds of a candidate of a cell in the first pass: the mean of those before it, or
 * the calls of the most promising. */
double anypi_first_pass_seconds(const anypi_session *session, const anypi_cell *cell);
/* The number of candidates that this and all remaining cells of its p can have each, so that their
 * first pass ends within the share of the budget. */
double anypi_affordable(const anypi_session *session, const anypi_cell *cell);

/* Prints the progress of rank 0 on standard error, rarely, so that a log stays short. */
void anypi_progress(const anypi_session *session, const anypi_cell *cell);
/* Warns once if rank 0's node has more ranks than processors, and times are not exact. */
void anypi_progress_shared(anypi_session *session);
/* Prints how long it took, whether less than the budget sufficed, and which cells are disturbed
 * (tuner/disturbed.h). */
void anypi_progress_end(const anypi_session *session);

/* ---- records.c ---- */

/* The date, the machine, the software and what is measured, texts by names, for anypi_times_write()
 * and anypi_journal_open(). On all ranks; NULL on all but rank 0, or without memory. */
struct json_object *anypi_describe_run(const anypi_session *session, const char *library,
                                       bool all);

/* The results of a cell's candidates, on rank 0: does the journal have those of `what` for all the
 * chosen candidates? outcomes[] and times[] get them. */
bool anypi_recorded_cell(anypi_session *session, const char *what, const anypi_cell *cell,
                         const unsigned char *chosen, int *outcomes, double *times);
/* Appends them to the journal. */
void anypi_record_cell(anypi_session *session, const char *what, const anypi_cell *cell,
                       const unsigned char *chosen, const int *outcomes, const double *times);
/* The models of plan->procs[index], which have just been measured, become those of the journal, or
 * are appended to it. On rank 0. */
void anypi_record_models(anypi_session *session, int index);

/* ---- measure.c ---- */

/* Measures until all is decided, the budget is spent or a signal has come to a rank (interrupt.h):
 * rank 0 learns of those of other ranks by their next measurement. On all ranks; the times, and
 * session->interrupt, are on rank 0.
 * Every cell gets a first pass, one p after the other; p for which there is no time remain
 * incomplete. The rest of the time is for more passes of the strategy (search.h). */
void anypi_measure(anypi_session *session);

/* ---- validate.c ---- */

/* Measures the points of a validation, which rank 0 has made. On all ranks; false on rank 0: no
 * memory. */
bool anypi_validate(anypi_session *session, anypi_validation *validation);
/* Prints the verdicts, and mends the decision if the options say so. Returns the exit status. On
 * rank 0. */
int anypi_validated(const anypi_session *session, const anypi_validation *validation,
                    const anypi_options *options, anypi_decision *decision);

/* ---- network.c ---- */

/* Measures session->models and whether times are exact, for a communicator whose nodes may matter
 * (anypi_plan). On all its ranks. */
void anypi_fit(anypi_session *session, MPI_Comm comm, const anyp_nodes *nodes);

/* ---- library_probe.c ---- */

/* Finds which of MPICH's own algorithms serve every call with commuting or other operators; the
 * others fail in all cells. MPICH's automatic choice still uses them where they fit. On all ranks,
 * after anypi_plan_cells(). False: the library cannot be switched. */
bool anypi_probe(anypi_session *session, const anypi_cvars *cvars);

/* ---- results.c ---- */

/* Where and when was it measured? For the heads of files; to be freed with free(). On rank 0. */
char *anypi_origin(const anypi_session *session);
/* Writes the decision file and, if asked for, the times of the numbers of processes that are
 * complete so far, so that a run that is killed has not been in vain: at once if `now`, else if
 * some time has passed. On rank 0. */
void anypi_keep(anypi_session *session, bool now);
/* Chooses, writes the decision file and, if asked for, the times, and prints a summary. `wrong`:
 * the number of candidates with wrong results; `run`: for the times; `origin`: where and when; is
 * freed. Returns the exit status, 0 if the files are written. */
int anypi_finish(anypi_plan *plan, const anypi_options *options, int wrong,
                 struct json_object *run, char *origin);
/* After a signal: writes the decision file of the numbers of processes that are complete, and, if
 * asked for, the times. Returns the exit status. */
int anypi_finish_interrupted(anypi_session *session);

#endif
