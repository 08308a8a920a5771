/* SPDX-License-Identifier: BSD-3-Clause
 *
 * decision_file.h - the choices as a decision file, and what a decision file chooses in a cell.
 */
#ifndef ANYPI_DECISION_FILE_H_INCLUDED
#define ANYPI_DECISION_FILE_H_INCLUDED

#include "tuner/regions.h"

#include "select/decision.h"

/* The text of the decision file; `origin` (where and when; lines) becomes a comment at its head.
 * Free it with free(); NULL if there is no memory. The file has no rules where the library's choice
 * is best, and for reduce_scatters whose blocks differ, since only equal ones are measured. */
char *anypi_write_decision(const anypi_regions *regions, const char *origin);
/* Writes such a text (NULL: there was no memory for it) to the file of --output, if it can be read
 * again, as *decision. False and a message (one line) if not. */
bool anypi_decision_save(const char *text, const char *name, anypi_decision **decision,
                         char *message, size_t size);

/* The signature of a cell's call, with equal blocks or not. */
anypi_signature anypi_cell_signature(const anypi_cell *cell, bool equal);

/* Sets *choice, and, for anypi_candidate_text(), the candidate that a decision file (NULL: none)
 * selects for a cell. False, and a hole, if it leaves the cell to the library. `names_own`: rules
 * can name the library's own algorithms. */
bool anypi_chosen(const anypi_decision *decision, const anypi_cell *cell, bool equal,
                  bool names_own, anypi_choice *choice, anypi_candidate *candidate);

#endif
