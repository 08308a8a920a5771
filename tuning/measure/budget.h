/* SPDX-License-Identifier: BSD-3-Clause
 *
 * budget.h - manages the time of a run: the signals that end it, and how its time is divided among
 * numbers of processes, their cells, and the candidates of a cell.
 */
#ifndef ANYPI_BUDGET_H_INCLUDED
#define ANYPI_BUDGET_H_INCLUDED

#include "measure/session.h"

/* ---- signals ---- */

/* From now on these signals are only noted. A signal that has another handler already is left
 * alone, as in simulators, whose ranks are one process. */
void anypi_interrupt_watch(void);
/* Returns the signal that has arrived at this rank; 0: none. */
int anypi_interrupt(void);

/* ---- the budget ---- */

/* Returns the seconds since the start. */
double anypi_elapsed(const anypi_session *session);
/* Must rank 0 end the measurement, because the budget is spent or a signal has arrived? */
bool anypi_out_of_time(const anypi_session *session);
/* Is there time for an action of so many seconds? On rank 0. */
bool anypi_time_for(const anypi_session *session, double seconds);
/* Has a signal arrived? On rank 0. */
bool anypi_interrupted(const anypi_session *session);
/* Sets the order in which to measure plan->procs, as indices: the largest first, since it is the
 * likeliest job; with --calls the largest stake first. */
void anypi_budget_procs(const anypi_plan *plan, int order[ANYPI_MAX_LIST]);
/* Returns the next cell of plan->procs[index] for a first pass, the largest stake first. NULL: all
 * have passed. */
anypi_cell *anypi_budget_next(const anypi_plan *plan, int index);
/* Begins the first pass of plan->procs[order[i]]. The first p receives half of the time, since most
 * jobs have as many processes; the others receive equal shares of the rest. With --calls, shares
 * are proportional to stakes. */
void anypi_budget_share(anypi_session *session, const int *order, int i);
/* Returns how many calls make a time of a cell long enough to measure, if one takes `seconds`. */
int anypi_budget_calls(const anypi_session *session, const anypi_cell *cell, double seconds);
/* Returns how many candidates this cell, and each other cell of its p that has not passed, can have
 * so that their first pass ends within the share of the budget. */
double anypi_affordable(const anypi_session *session, const anypi_cell *cell);

#endif
