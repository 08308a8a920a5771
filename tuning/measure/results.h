/* SPDX-License-Identifier: BSD-3-Clause
 *
 * results.h - the files that a run writes, and what it prints in the end.
 */
#ifndef ANYPI_RESULTS_H_INCLUDED
#define ANYPI_RESULTS_H_INCLUDED

#include "measure/session.h"

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
