/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan/choose.h"

#include "plan/shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- candidates under noise ---- */

static int ascending(const void *one, const void *other)
{
    const double a = *(const double *) one, b = *(const double *) other;
    return (a > b) - (a < b);
}

double anypi_quartile(double *times, int count)
{
    qsort(times, (size_t) count, sizeof *times, ascending);
    return count ? times[count / 4] : INFINITY;
}

/* The trial that is measured for candidate c. */
static const anypi_trial *measured(const anypi_cell *cell, int c)
{
    const anypi_trial *trial = &cell->trials[c];
    return trial->state == ANYPI_SAME ? &cell->trials[trial->same] : trial;
}

double anypi_time(const anypi_cell *cell, int c)
{
    double times[ANYPI_MAX_ROUNDS];
    const anypi_trial *trial = measured(cell, c);
    memcpy(times, trial->times, sizeof times);
    return anypi_quartile(times, trial->count);
}

double anypi_ratio(const anypi_cell *cell, int c)
{
    const double automatic = anypi_time(cell, 0);
    return automatic > 0 && automatic < INFINITY ? anypi_time(cell, c) / automatic : INFINITY;
}

double anypi_shortest(const anypi_cell *cell, int c)
{
    const anypi_trial *trial = measured(cell, c);
    double time = INFINITY;
    for (int i = 0; i < trial->count; i++)
        time = fmin(time, trial->times[i]);
    return time;
}

double anypi_shortest_of_all(const anypi_cell *cell)
{
    double time = INFINITY;
    for (int c = 0; c < cell->candidates; c++)
        time = fmin(time, anypi_shortest(cell, c));
    return time;
}

/* Is candidate c faster than the library's choice by more than `margin` (0.03: 3 %), and is this
 * significant (the statistic of Mann and Whitney, two standard deviations above one half)? */
static bool significantly_faster(const anypi_cell *cell, int c, double margin)
{
    const anypi_trial *own = measured(cell, c), *library = &cell->trials[0];
    const int n = own->count, m = library->count;
    if (n < ANYPI_MIN_ROUNDS || m < ANYPI_MIN_ROUNDS || !(anypi_ratio(cell, c) < 1 - margin))
        return false;
    int faster = 0;             /* pairs of times */
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            faster += own->times[i] < library->times[j];
    const double deviation = sqrt((n + m + 1) / (12.0 * n * m));
    return faster >= n * m * fmin(1, 0.5 + 2 * deviation);
}

/* ---- the race ---- */

/* How many times as slow as the best a candidate may be after so many rounds. One disturbed round
 * of three may take twice as long; with more rounds each shortest time is closer to the time
 * without noise. */
static double tolerance(int rounds)
{
    return rounds < ANYPI_MIN_ROUNDS ? INFINITY
        : rounds < 5 ? 2.5 : rounds < 9 ? 1.6 : rounds < 17 ? 1.3 : 1.15;
}

int anypi_race(anypi_cell *cell)
{
    const double limit = anypi_shortest_of_all(cell) * tolerance(cell->rounds);
    int left = 0;
    for (int c = 1; c < cell->candidates; c++) {
        anypi_trial *trial = &cell->trials[c];
        if (trial->state == ANYPI_RUNNING && anypi_shortest(cell, c) > limit)
            trial->state = ANYPI_DROPPED;
        left += trial->state == ANYPI_RUNNING;
    }
    return left;
}

/* ---- choices ---- */

/* May it be chosen? */
static bool eligible(const anypi_plan *plan, const anypi_cell *cell, int c, double margin)
{
    if (plan->only_anyp)
        return anypi_time(cell, c) < INFINITY;
    return plan->exact ? anypi_ratio(cell, c) < 1 : significantly_faster(cell, c, margin);
}

static int choose(const anypi_plan *plan, const anypi_cell *cell, int smaller_size, int smaller_p,
                  double margin)
{
    int best = 0;
    double min = INFINITY;
    for (int c = 1; c < cell->candidates; c++)
        if (eligible(plan, cell, c, margin) && anypi_time(cell, c) < min) {
            best = c;
            min = anypi_time(cell, c);
        }
    const int neighbours[] = { smaller_size, smaller_p };
    for (int i = 0; i < 2 && best; i++) {
        const int c = neighbours[i];
        if (c && c < cell->candidates && eligible(plan, cell, c, margin) &&
            anypi_time(cell, c) <= min * (1 + margin))
            return c;
    }
    return best;
}

/* The choice of the same cell at the next smaller complete p; 0 if there is none. */
static int choice_below(const anypi_plan *plan, const anypi_cell *cell)
{
    for (int i = (int) (cell - plan->cells) - 1; i >= 0; i--) {
        const anypi_cell *other = &plan->cells[i];
        if (other->p < cell->p && !anypi_nodes_order(other->nodes, cell->nodes) &&
            anypi_plan_complete(plan, other) && other->bytes == cell->bytes &&
            other->collective == cell->collective && other->commutative == cell->commutative)
            return other->choice;
    }
    return 0;
}

void anypi_choose_all(anypi_plan *plan, double margin)
{
    for (int i = 0; i < plan->cells_count; i++) {
        anypi_cell *cell = &plan->cells[i];
        const anypi_cell *smaller = anypi_cell_smaller(plan, cell);
        cell->choice = anypi_plan_complete(plan, cell)
            ? choose(plan, cell, smaller ? smaller->choice : 0, choice_below(plan, cell), margin)
            : 0;
    }
}
