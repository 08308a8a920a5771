/* SPDX-License-Identifier: BSD-3-Clause
 *
 * search.h - two strategies to find the fastest candidate of a cell. On rank 0.
 *
 * Under noise all promising candidates race for several rounds, and slow ones are dropped
 * (search_race.c). With an exact clock, as in a simulator, one call measures a candidate, but is
 * expensive: the search starts from the best closed forms and climbs to better neighbours in the
 * grid (search_climb.c).
 */
#ifndef ANYPI_SEARCH_H_INCLUDED
#define ANYPI_SEARCH_H_INCLUDED

#include "measure/session.h"
#include "tuner/prune_candidates.h"

typedef struct anypi_search {
    /* The criteria for AnyP's candidates of a cell to begin with. */
    anypi_selection (*selection)(const anypi_session *session, const anypi_cell *cell);
    /* The first pass over a cell, after pruning; false: out of time. */
    bool (*first_pass)(anypi_session *session, anypi_cell *cell);
    /* Measures open cells again; false if none is open, or out of time. NULL: none. */
    bool (*next_pass)(anypi_session *session);
} anypi_search;

extern const anypi_search anypi_search_race, anypi_search_climb;

#endif
