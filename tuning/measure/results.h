/* SPDX-License-Identifier: BSD-3-Clause
 *
 * results.h - writes the files of a run, and prints its progress and its summary.
 */
#ifndef ANYPI_RESULTS_H_INCLUDED
#define ANYPI_RESULTS_H_INCLUDED

#include "measure/session.h"

/* Prints the progress of rank 0 on standard error, rarely, so that a log stays short. */
void anypi_progress(const anypi_session *session, const anypi_cell *cell);
/* Warns once if rank 0's node has more ranks than processors, unless times are exact. */
void anypi_progress_shared(anypi_session *session);
/* Prints how long the run took, and whether less than the budget sufficed. */
void anypi_progress_end(const anypi_session *session);

/* Returns the date of today: "2026-01-31T23:59:59Z". */
const char *anypi_date(void);
/* Returns where and when it was measured, for the heads of files; to be freed with free(). On
 * rank 0. */
char *anypi_origin(const anypi_session *session);
/* Writes the decision file and, if asked for, the timing file of the numbers of processes that are
 * complete so far, so that a killed run is not lost; without rules of closed forms. On rank 0. */
void anypi_keep(anypi_session *session);
/* Chooses, writes the decision file and, if asked for, the timing file, and prints a summary.
 * `wrong`: the number of candidates with wrong results; `run`: for the timing file; `origin`: where
 * and when; it is freed. Returns the exit status, 0 if the files are written. */
int anypi_finish(anypi_plan *plan, const anypi_options *options, int wrong,
                 struct json_object *run, char *origin);
/* After a signal: writes the decision file of the numbers of processes that are complete, and, if
 * asked for, the timing file. Returns the exit status. */
int anypi_finish_interrupted(anypi_session *session);

#endif
