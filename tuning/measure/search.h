/* SPDX-License-Identifier: BSD-3-Clause
 *
 * search.h - two strategies to find the fastest candidate of a cell. On rank 0.
 *
 * Under noise all candidates that may win race for several rounds, and those that fall behind are
 * dropped (search_race.c). With an exact clock, as in a simulator, one call tells a candidate's
 * time, but is dear: the search begins with what closed forms promise, and climbs from there to
 * better neighbours in the grid (search_climb.c).
 */
#ifndef ANYPI_SEARCH_H_INCLUDED
#define ANYPI_SEARCH_H_INCLUDED

#include "measure/session.h"
#include "plan/prune.h"

typedef struct anypi_search {
    /* Which of AnyP's candidates a cell begins with. */
    anypi_selection (*selection)(const anypi_session *session, const anypi_cell *cell);
    /* The first look at a cell whose candidates were pruned; false: out of time. */
    bool (*first_pass)(anypi_session *session, anypi_cell *cell);
    /* Measures open cells once more; false if none is open or time is out. */
    bool (*next_pass)(anypi_session *session);
} anypi_search;

extern const anypi_search anypi_search_race, anypi_search_climb;

#endif
