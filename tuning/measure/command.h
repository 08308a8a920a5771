/* SPDX-License-Identifier: BSD-3-Clause
 *
 * command.h - the commands that rank 0 sends to all ranks of the world. Ranks that do not belong to
 * a cell's processes wait.
 */
#ifndef ANYPI_COMMAND_H_INCLUDED
#define ANYPI_COMMAND_H_INCLUDED

#include "measure/session.h"

/* Call this on all ranks. Rank 0 calls lead(), which may call the functions below, and prints how
 * long it took. The others execute its commands. Returns the result of lead(), true on the other
 * ranks. Communicators are open only during this call. */
bool anypi_command_all(anypi_session *session, bool (*lead)(anypi_session *session, void *context),
                       void *context);

/* ---- on rank 0 ---- */

/* Adds a candidate, if it is new, to a cell's. Returns its index; -1: there is no room. */
int anypi_command_add(anypi_session *session, anypi_cell *cell, const anypi_candidate *candidate);
/* Makes the communicator of plan->procs[index] and measures its network. */
void anypi_command_open(anypi_session *session, int index);
/* Is the communicator of a cell open? */
bool anypi_command_is_open(const anypi_session *session, const anypi_cell *cell);
/* Checks the result of one call of each candidate of a cell that is in the race. Candidates with
 * wrong results fail. */
void anypi_command_check(anypi_session *session, anypi_cell *cell);
/* A round: times `calls` calls of each candidate of a cell that is in the race, after a barrier.
 * The slowest rank counts. Each round begins with another candidate, and with a call that is not
 * timed. times[] receives the seconds of a call. */
void anypi_command_round(anypi_session *session, anypi_cell *cell, int calls, double *times);
/* If times are exact: checks and times one call of each candidate of a cell that is in the race.
 * Candidates with wrong results fail. After a signal does nothing. */
void anypi_command_try(anypi_session *session, anypi_cell *cell);

/* ---- measure_network.c ---- */

/* Measures session->models and whether times are exact, for a communicator whose nodes may matter
 * (anypi_plan). On all its ranks. */
void anypi_fit(anypi_session *session, MPI_Comm comm, const anyp_shape *nodes);

#endif
