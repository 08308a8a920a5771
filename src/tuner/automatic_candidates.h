/* SPDX-License-Identifier: BSD-3-Clause
 *
 * automatic_candidates.h - candidates whose parameters are "auto", and what closed forms expect
 * where nothing was measured.
 */
#ifndef ANYPI_AUTOMATIC_CANDIDATES_H_INCLUDED
#define ANYPI_AUTOMATIC_CANDIDATES_H_INCLUDED

#include "tuner/cells.h"

/* The constants of the plan that hold for a cell; "" if they are unknown. */
const char *anypi_cell_network(const anypi_plan *plan, const anypi_cell *cell);

/* Sets *settled to what a candidate that is "auto" becomes in a cell; false if its algorithm does
 * not serve it, or the constants are unknown. *time is its closed form, seconds. */
bool anypi_automatic_settle(const anypi_plan *plan, const anypi_cell *cell,
                            const anypi_candidate *candidate, anypi_candidate *settled,
                            double *time);

/* Puts what the candidates that are "auto" become into the cell, by take(), which returns the index
 * of a candidate, perhaps a new one, or -1; they share its times then. */
void anypi_automatic_take(const anypi_plan *plan, anypi_cell *cell,
                          int (*take)(void *context, anypi_cell *cell,
                                      const anypi_candidate *candidate),
                          void *context);

#endif
