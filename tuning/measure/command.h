/* SPDX-License-Identifier: BSD-3-Clause
 *
 * command.h - what rank 0 has the ranks of the world do together. All ranks of the world serve,
 * those beyond a cell's p by waiting.
 */
#ifndef ANYPI_COMMAND_H_INCLUDED
#define ANYPI_COMMAND_H_INCLUDED

#include "measure/session.h"

/* Does what rank 0 tells, until it has told the end. On the other ranks. */
void anypi_command_serve(anypi_session *session);

/* ---- on rank 0 ---- */

/* Makes the communicator of plan->procs[index], and measures its network. */
void anypi_command_open(anypi_session *session, int index);
/* Checks the results of the candidates of a cell that are in the race, with a call of each. Those
 * that are wrong have failed. */
void anypi_command_check(anypi_session *session, anypi_cell *cell);
/* A round: times the candidates of a cell that are in the race, each `calls` times between a
 * barrier and a look at the clock; the slowest rank counts. Each round begins with another
 * candidate, and with a call that does not count. times[] gets the seconds of a call. */
void anypi_command_round(anypi_session *session, anypi_cell *cell, int calls, double *times);
/* Where times are exact: one call of each of the chosen candidates of a cell, which are in the race
 * then, is checked and timed. Those that are wrong have failed. */
void anypi_command_try(anypi_session *session, anypi_cell *cell, const bool *chosen);
/* Has the others leave anypi_command_serve(). */
void anypi_command_end(anypi_session *session);

#endif
