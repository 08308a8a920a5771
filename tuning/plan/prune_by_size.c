/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prune_by_size.c - what the next smaller size says about which candidates are worth a measurement. Of the
 * library's algorithms with parameters no closed form knows anything. So at the first size of a chain
 * all of their grid is tried, if there is time, and at each further one the settings that were the
 * best of their algorithm, and the first one of the grid.
 */
#include "plan/plan.h"

#include <math.h>

enum {
    BEST = 4,                           /* candidates of an algorithm, at all sizes but the least */
    FIRST = 3                           /* at the least size so many times as many */
};

/* The cell before this one in a chain of sizes, or NULL. */
static const anypi_cell *smaller(const anypi_plan *plan, int place)
{
    const anypi_cell *cell = &plan->cells[place], *other = place ? cell - 1 : NULL;
    return other && other->p == cell->p && other->collective == cell->collective &&
        other->commutative == cell->commutative ? other : NULL;
}

void anypi_cell_leave_out(anypi_plan *plan, int place, double slow)
{
    anypi_cell *cell = &plan->cells[place];
    const anypi_cell *before = smaller(plan, place);
    const anypi_cell *second = before ? smaller(plan, place - 1) : NULL;
    for (int c = 1; second && c < cell->candidates; c++) {
        if (before->skipped[c])         /* the closed form decides anew */
            continue;
        const double lag = anypi_lag(before, c);
        if (anypi_time(before, c) > slow && !(lag <= 3) && !(lag < anypi_lag(second, c)))
            cell->alive[c] = false;
    }
}

/* Does setting `other` come before `c`, both of one algorithm? */
static bool comes_before(const anypi_cell *before, int other, int c)
{
    const double one = before ? anypi_time(before, other) : INFINITY;
    const double two = before ? anypi_time(before, c) : INFINITY;
    return one < two || (!(two < one) && other < c);
}

/* How many settings of its algorithm come before c. */
static int rank_of(const anypi_cell *cell, const anypi_cell *before, const anypi_candidate *list,
                   int c)
{
    int rank = 0;
    for (int other = 1; other < cell->candidates; other++)
        rank += cell->alive[other] && list[other].own == list[c].own &&
            comes_before(before, other, c);
    return rank;
}

void anypi_cell_thin(anypi_plan *plan, int place, double most)
{
    anypi_cell *cell = &plan->cells[place];
    const anypi_cell *before = smaller(plan, place);
    const anypi_candidate *list = plan->candidates[cell->collective].list;
    int ranks[ANYPI_MAX_CANDIDATES] = { 0 };
    int with[ANYPI_MAX_CANDIDATES] = { 0 };     /* how many have a rank */
    for (int c = 1; c < cell->candidates; c++)
        if (cell->alive[c] && list[c].own && *list[c].own->parameters)
            with[ranks[c] = rank_of(cell, before, list, c)]++;
    int limit = 0;                      /* the first rank that is left out */
    double left = before ? most : FIRST * most;
    for (; limit < ANYPI_MAX_CANDIDATES && with[limit] && (!limit || left > 0) &&
         !(before && limit == BEST); limit++)
        left -= with[limit];
    for (int c = 1; c < cell->candidates; c++)
        if (cell->alive[c] && list[c].own && *list[c].own->parameters && list[c].fine)
            cell->alive[c] = ranks[c] < limit;
}
