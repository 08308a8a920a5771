/* SPDX-License-Identifier: BSD-3-Clause
 *
 * budget.h - how far the budget goes, and where a run is. On rank 0.
 */
#ifndef ANYPI_BUDGET_H_INCLUDED
#define ANYPI_BUDGET_H_INCLUDED

#include "measure/session.h"

/* Seconds: a shorter time is noise, since a clock and a barrier take microseconds. */
#define ANYPI_WORTHWHILE 0.003

/* Calls of a candidate in its first look, at least: a check, one to estimate, the rounds. */
enum { ANYPI_LOOK_CALLS = 2 + ANYPI_LEAST_ROUNDS };

/* Seconds since the start. */
double anypi_elapsed(const anypi_session *session);
/* Seconds that a candidate of a cell takes at least in its first look: as long as those before it,
 * or as the calls of the most promising. */
double anypi_look_seconds(const anypi_session *session, const anypi_cell *cell);
/* How many candidates a cell may have, so that all cells of this p from it on get their first look
 * at as many in the share of the budget. */
double anypi_affordable(const anypi_session *session, const anypi_cell *cell);

/* Tells on standard error where rank 0 is: now and then, so that a log stays short. */
void anypi_progress(const anypi_session *session, const anypi_cell *cell);
/* Says so, once, if more ranks than processors are on rank 0's node, and times are not exact. */
void anypi_progress_shared(anypi_session *session);
/* The last line. */
void anypi_progress_end(const anypi_session *session);

#endif
