/* SPDX-License-Identifier: BSD-3-Clause
 *
 * candidates.h - which settings of AnyP's and the library's algorithms are candidates.
 *
 * The grid over an algorithm's parameters is the same for all cells, so that a setting can win in
 * neighbouring cells and make one rule of them. It is fine, because closed forms tell which of its
 * points are worth a measurement in a cell (prune.h).
 */
#ifndef ANYPI_CANDIDATES_H_INCLUDED
#define ANYPI_CANDIDATES_H_INCLUDED

#include "plan/candidate.h"
#include "plan/cvars.h"

/* The index of the collective's candidate that anypi_candidate_text() calls so, appended if it is
 * not there; -1: there is no such algorithm or parameter, or no room. */
int anypi_candidates_find(anypi_candidates *candidates, anyp_collective collective,
                          const char *text);
/* The candidates of a collective: the library's choice, its own algorithms (none if `only_anyp`, or
 * if `cvars` is NULL: they cannot be forced), and AnyP's, those that are kept as reference only if
 * asked. *anyp becomes the number of AnyP's. */
anyp_status anypi_candidates_make(anypi_candidates *candidates, anyp_collective collective,
                                  const anypi_cvars *cvars, bool only_anyp, bool reference,
                                  int *anyp);

#endif
