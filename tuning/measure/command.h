/* SPDX-License-Identifier: BSD-3-Clause
 *
 * command.h - the commands that rank 0 sends to all ranks of the world. Ranks beyond a cell's p
 * take part by waiting.
 */
#ifndef ANYPI_COMMAND_H_INCLUDED
#define ANYPI_COMMAND_H_INCLUDED

#include "measure/session.h"

/* On all ranks: rank 0 calls lead(), which may call the functions below, and prints how long that
 * took; the others carry out its commands. Returns what lead() does, true on the others.
 * Communicators are open no longer than that. */
bool anypi_command_all(anypi_session *session, bool (*lead)(anypi_session *session, void *context),
                       void *context);

/* ---- on rank 0 ---- */

/* Adds a candidate, if it is new, to those of a cell. Returns its index; -1: there is no room. */
int anypi_command_add(anypi_session *session, anypi_cell *cell, const anypi_candidate *candidate);
/* Makes the communicator of plan->procs[index] and measures its network. */
void anypi_command_open(anypi_session *session, int index);
/* Checks the result of one call of each candidate of a cell that is in the race. Wrong ones have
 * failed. */
void anypi_command_check(anypi_session *session, anypi_cell *cell);
/* A round: times `calls` calls of each candidate of a cell that is in the race, after a barrier;
 * the slowest rank counts. Each round begins with another candidate, and with a call that is not
 * timed. times[] gets the seconds of a call. */
void anypi_command_round(anypi_session *session, anypi_cell *cell, int calls, double *times);
/* If times are exact: checks and times one call of each chosen candidate in the race of a cell.
 * Wrong ones have failed. Nothing after a signal. */
void anypi_command_try(anypi_session *session, anypi_cell *cell, const bool *chosen);

#endif
