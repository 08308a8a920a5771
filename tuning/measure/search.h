/* SPDX-License-Identifier: BSD-3-Clause
 *
 * search.h - two strategies to find the fastest candidate of a cell. On rank 0.
 *
 * - Under noise (search_race.c) all promising candidates race for several rounds, and slow ones are
 *   dropped.
 * - With an exact clock, as in a simulator (search_climb.c), one call measures a candidate, but is
 *   expensive. The search starts from the best closed forms and climbs to better neighbours in the
 *   grid.
 */
#ifndef ANYPI_SEARCH_H_INCLUDED
#define ANYPI_SEARCH_H_INCLUDED

#include "measure/session.h"
#include "tuner/prune_candidates.h"

typedef struct anypi_search {
    /* Returns the criteria to select AnyP's first candidates of a cell. */
    anypi_selection (*selection)(const anypi_session *session, const anypi_cell *cell);
    /* The first pass over a cell, after pruning; false: out of time. */
    bool (*first_pass)(anypi_session *session, anypi_cell *cell);
    /* Measures open cells again; false if none is open, or out of time. NULL: none. */
    bool (*next_pass)(anypi_session *session);
} anypi_search;

extern const anypi_search anypi_search_race, anypi_search_climb;

#endif
