/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The MPI library's algorithms with parameters have no closed form. So at the first size of a chain
 * their whole grid is measured, if there is time. At each later size two kinds of settings are
 * measured: those that were the best of their algorithm, and the first of the grid.
 */
#include "tuner/prune_candidates.h"

#include "tuner/noise.h"

#include <math.h>

/* The best setting changes little from one size to the next, so a few settings of an algorithm are
 * enough there. The smallest size must find them, and receives more of the time. */
enum { BEST = 4, FIRST = 3 };
/* A candidate within this ratio to the best time may be the best at the next size. */
static const double catches_up = 3;

/* Returns the shortest time of candidate c relative to the shortest of all. */
static double lag(const anypi_cell *cell, int c)
{
    return anypi_shortest(cell, c) / anypi_shortest_of_all(cell);
}

void anypi_prune_hopeless(anypi_plan *plan, anypi_cell *cell, double slow)
{
    const anypi_cell *before = anypi_cell_smaller(plan, cell);
    const anypi_cell *second = before ? anypi_cell_smaller(plan, before) : NULL;
    for (int c = 1; second && c < cell->candidates; c++) {
        const anypi_trial_state state = before->trials[c].state;
        if (state == ANYPI_LEFT_OUT || state == ANYPI_NOT_APPLICABLE ||
            (state == ANYPI_RUNNING && !before->trials[c].count) ||
            cell->trials[c].state != ANYPI_RUNNING)
            continue;           /* not measured there: the closed form decides */
        const double behind = lag(before, c);
        if (anypi_time(before, c) > slow && !(behind <= catches_up) && !(behind < lag(second, c)))
            cell->trials[c].state = ANYPI_OVERTAKEN;
    }
}

/* Must setting `other` be measured before `c`, both of one algorithm? */
static bool comes_before(const anypi_cell *before, int other, int c)
{
    const double one = before ? anypi_time(before, other) : INFINITY;
    const double two = before ? anypi_time(before, c) : INFINITY;
    return one < two || (!(two < one) && other < c);
}

/* Is it in the race, and an algorithm of the MPI library with parameters? */
static bool is_setting(const anypi_cell *cell, const anypi_candidate *list, int c)
{
    return cell->trials[c].state == ANYPI_RUNNING && list[c].own && *list[c].own->parameters;
}

void anypi_prune_library(anypi_plan *plan, anypi_cell *cell, double max)
{
    const anypi_cell *smaller = anypi_cell_smaller(plan, cell);
    const anypi_cell *before = smaller && anypi_shortest_of_all(smaller) < INFINITY ? smaller
        : NULL;
    const anypi_candidate *list = plan->candidates[cell->collective].list;
    int ranks[ANYPI_MAX_CANDIDATES] = { 0 };    /* number of settings of its algorithm before it */
    int with[ANYPI_MAX_CANDIDATES] = { 0 };     /* number of settings with each rank */
    for (int c = 1; c < cell->candidates; c++) {
        if (!is_setting(cell, list, c))
            continue;
        for (int other = 1; other < cell->candidates; other++)
            ranks[c] += list[other].own == list[c].own && is_setting(cell, list, other) &&
                comes_before(before, other, c);
        with[ranks[c]]++;
    }
    int limit = 0;                      /* the first rank that is left out */
    double left = before ? max : FIRST * max;
    for (; limit < ANYPI_MAX_CANDIDATES && with[limit] && (!limit || left > 0) &&
         !(before && limit == BEST); limit++)
        left -= with[limit];
    for (int c = 1; c < cell->candidates; c++)
        if (is_setting(cell, list, c) && list[c].fine && ranks[c] >= limit)
            cell->trials[c].state = ANYPI_OVERTAKEN;
}
