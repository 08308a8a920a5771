/* SPDX-License-Identifier: BSD-3-Clause
 *
 * decision_file.h - writes the choices as a decision file, and finds the choice of a decision file
 * in a cell.
 */
#ifndef ANYPI_DECISION_FILE_H_INCLUDED
#define ANYPI_DECISION_FILE_H_INCLUDED

#include "tuner/regions.h"

#include "select/decision.h"

/* Returns the text of the decision file; `origin` (where and when; lines) becomes a comment at its
 * head. Free it with free(); NULL if there is no memory. The file contains no rules where the MPI
 * library's choice is best, nor for reduce_scatters whose blocks differ, since only equal ones are
 * measured. */
char *anypi_write_decision(const anypi_regions *regions, const char *origin);
/* Writes a text of anypi_write_decision() (NULL: there was no memory for it) to the file of
 * --output, after reading it again, as *decision. False and a message (one line) if this fails. */
bool anypi_decision_save(const char *text, const char *name, anypi_decision **decision,
                         char *message, size_t size);

/* Returns the signature of a cell's call, with equal blocks or not. */
anypi_signature anypi_cell_signature(const anypi_cell *cell, bool equal);

/* Sets *choice and, for anypi_candidate_text(), the candidate that a decision file (NULL: none)
 * selects for a cell. False if it selects none of AnyP's algorithms: the choice is then a hole, or
 * an algorithm of the MPI library. */
bool anypi_chosen(const anypi_decision *decision, const anypi_cell *cell, bool equal,
                  anypi_choice *choice, anypi_candidate *candidate);

#endif
