/* SPDX-License-Identifier: BSD-3-Clause
 *
 * decision_at_cell.h - what a decision file chooses in a cell.
 */
#ifndef ANYPI_DECISION_AT_CELL_H_INCLUDED
#define ANYPI_DECISION_AT_CELL_H_INCLUDED

#include "tuner/cells.h"

#include "select/decision.h"

/* The signature of a cell's call, with equal blocks or not. */
anypi_signature anypi_cell_signature(const anypi_cell *cell, bool equal);

/* Sets *choice, and, for anypi_candidate_text(), the candidate that a decision file (NULL: none)
 * selects for a cell. False, and a hole, if it leaves the cell to the library. `names_own`: rules
 * can name the library's own algorithms. */
bool anypi_chosen(const anypi_decision *decision, const anypi_cell *cell, bool equal,
                  bool names_own, anypi_choice *choice, anypi_candidate *candidate);

#endif
