/* SPDX-License-Identifier: BSD-3-Clause
 *
 * records.h - what was measured where, and its records in the journal.
 */
#ifndef ANYPI_RECORDS_H_INCLUDED
#define ANYPI_RECORDS_H_INCLUDED

#include "measure/session.h"

/* The date, the machine, the software and what is measured, texts by names, for anypi_times_write()
 * and anypi_journal_open(). On all ranks; NULL on all but rank 0, or without memory. */
struct json_object *anypi_describe_run(const anypi_session *session);

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

#endif
