/* SPDX-License-Identifier: BSD-3-Clause
 *
 * measure.h - the measurements in which all ranks take part.
 */
#ifndef ANYPI_MEASURE_H_INCLUDED
#define ANYPI_MEASURE_H_INCLUDED

#include "measure/session.h"
#include "tuner/validation.h"

/* Measures until all is decided, the budget is spent or a signal has arrived at a rank. Rank 0
 * learns of signals at other ranks in their next measurement. On all ranks; the times, and
 * session->interrupt, are on rank 0.
 * Cells have a first pass, one p after the other, as long as time remains to confirm those in which
 * the library's choice seems to lose. The plan loses cells for which there was no time. */
void anypi_measure(anypi_session *session);

/* ---- describe_run.c ---- */

/* Returns the date, the machine, the software and the measured calls, as texts by names, for
 * anypi_times_write() and anypi_times_resume(). On all ranks; NULL on all except rank 0, and
 * without memory. */
struct json_object *anypi_describe_run(const anypi_session *session);

/* ---- resume.c: the cells of an earlier run are not measured again ---- */

/* Puts the times and the constants of the machine of session->earlier into the plan. On rank 0,
 * during anypi_command_all(). */
void anypi_resume_take(anypi_session *session);

/* ---- validate.c ---- */

/* Measures the points of a validation, which rank 0 has made. On all ranks. False on rank 0: no
 * memory. */
bool anypi_validate(anypi_session *session, anypi_validation *validation);
/* Prints the verdicts, and mends the decision if the options say so. Returns the exit status. On
 * rank 0. */
int anypi_validated(const anypi_session *session, const anypi_validation *validation,
                    anypi_decision *decision);

/* ---- shuffle.c: the order of measurements. It must not be regular, so that no neighbour and no
 * drift of the machine favours one of them. ---- */

/* Returns a random number; another sequence in each run. */
uint64_t anypi_drawn(void);
/* Shuffles a list. */
void anypi_shuffle(int *list, int count);

#endif
