/* SPDX-License-Identifier: BSD-3-Clause
 *
 * records.h - describes a run, and writes and reads its records in the journal.
 */
#ifndef ANYPI_RECORDS_H_INCLUDED
#define ANYPI_RECORDS_H_INCLUDED

#include "measure/session.h"

/* Returns the date, the machine, the software and the measured calls, as texts by names, for
 * anypi_times_write() and anypi_journal_open(). On all ranks; NULL on all except rank 0, and
 * without memory. */
struct json_object *anypi_describe_run(const anypi_session *session);

/* Does the journal contain the results of `what` for all chosen candidates of a cell? If so,
 * outcomes[] and times[] receive them. On rank 0. */
bool anypi_recorded_cell(anypi_session *session, const char *what, const anypi_cell *cell,
                         const unsigned char *chosen, int *outcomes, double *times);
/* Appends such results to the journal. */
void anypi_record_cell(anypi_session *session, const char *what, const anypi_cell *cell,
                       const unsigned char *chosen, const int *outcomes, const double *times);
/* Replaces the models of plan->procs[index], which have just been measured, by those of the
 * journal; if it has none, appends them to it. On rank 0. */
void anypi_record_models(anypi_session *session, int index);

#endif
