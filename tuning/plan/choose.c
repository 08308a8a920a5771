/* SPDX-License-Identifier: BSD-3-Clause
 *
 * choose.c - from measured times to one choice per cell.
 *
 * What disturbs a measurement only lengthens it, so the lower quartile stands for a candidate: it
 * forgets disturbed rounds without hanging on one lucky one. The burden of proof is on the
 * candidate: its times must also be smaller than those of the library's choice more often than
 * luck would have it (the statistic of Mann and Whitney, two standard deviations above one half).
 * Where nothing is clearly faster, the library keeps its choice.
 */
#include "plan/plan.h"

#include <math.h>
#include <stdlib.h>

static int ascending(const void *one, const void *other)
{
    const double a = *(const double *) one, b = *(const double *) other;
    return (a > b) - (a < b);
}

/* The times of candidate c, ascending; returns how many. */
static int times_of(const anypi_cell *cell, int c, double list[ANYPI_MAX_ROUNDS])
{
    int count = 0;
    const int measured = cell->same[c];
    for (int round = 0; measured >= 0 && round < cell->rounds; round++) {
        const double time = cell->times[round * cell->candidates + measured];
        if (!isnan(time))
            list[count++] = time;
    }
    qsort(list, (size_t) count, sizeof *list, ascending);
    return count;
}

double anypi_time(const anypi_cell *cell, int c)
{
    double list[ANYPI_MAX_ROUNDS];
    const int count = times_of(cell, c, list);
    return count ? list[count / 4] : INFINITY;
}

double anypi_ratio(const anypi_cell *cell, int c)
{
    const double automatic = anypi_time(cell, 0);
    return automatic > 0 && automatic < INFINITY ? anypi_time(cell, c) / automatic : INFINITY;
}

/* After few rounds the shortest time tells most of who may still win. */
static double shortest(const anypi_cell *cell, int c)
{
    double list[ANYPI_MAX_ROUNDS];
    return times_of(cell, c, list) ? list[0] : INFINITY;
}

static double fastest(const anypi_cell *cell)
{
    double time = INFINITY;
    for (int c = 0; c < cell->candidates; c++)
        time = fmin(time, shortest(cell, c));
    return time;
}

double anypi_lag(const anypi_cell *cell, int c)
{
    return shortest(cell, c) / fastest(cell);
}

/* How far behind a candidate may be after so many rounds: noise shrinks with rounds. */
static double tolerance(int rounds)
{
    return rounds < ANYPI_LEAST_ROUNDS ? INFINITY
        : rounds < 5 ? 2.5 : rounds < 9 ? 1.6 : rounds < 17 ? 1.3 : 1.15;
}

int anypi_race(anypi_cell *cell)
{
    const double limit = fastest(cell) * tolerance(cell->rounds);
    int left = 0;
    for (int c = 1; c < cell->candidates; c++) {
        if (cell->alive[c] && shortest(cell, c) > limit)
            cell->alive[c] = false;
        left += cell->alive[c];
    }
    return left;
}

/* Clearly faster than the library's choice. */
static bool proven(const anypi_cell *cell, int c, double margin)
{
    double own[ANYPI_MAX_ROUNDS], automatic[ANYPI_MAX_ROUNDS];
    const int n = times_of(cell, c, own), m = times_of(cell, 0, automatic);
    if (n < ANYPI_LEAST_ROUNDS || m < ANYPI_LEAST_ROUNDS || !(anypi_ratio(cell, c) < 1 - margin))
        return false;
    int faster = 0;             /* pairs of times */
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            faster += own[i] < automatic[j];
    const double deviation = sqrt((n + m + 1) / (12.0 * n * m));
    return faster >= n * m * fmin(1, 0.5 + 2 * deviation);
}

/* May it be chosen? */
static bool eligible(const anypi_plan *plan, const anypi_cell *cell, int c, double margin)
{
    if (plan->only_anyp)
        return anypi_time(cell, c) < INFINITY;
    return plan->exact ? anypi_ratio(cell, c) < 1 : proven(cell, c, margin);
}

static int choose(const anypi_plan *plan, const anypi_cell *cell, int smaller_size, int smaller_p,
                  double margin)
{
    int best = 0;
    double least = INFINITY;
    for (int c = 1; c < cell->candidates; c++)
        if (eligible(plan, cell, c, margin) && anypi_time(cell, c) < least) {
            best = c;
            least = anypi_time(cell, c);
        }
    const int neighbours[] = { smaller_size, smaller_p };
    for (int i = 0; i < 2 && best; i++) {
        const int c = neighbours[i];
        if (c && eligible(plan, cell, c, margin) && anypi_time(cell, c) <= least * (1 + margin))
            return c;
    }
    return best;
}

static bool is_complete(const anypi_plan *plan, int p)
{
    for (int i = 0; i < plan->procs_count; i++)
        if (plan->procs[i] == p)
            return plan->complete[i];
    return false;
}

/* The choice of the same cell at the next smaller complete p; 0 if there is none. */
static int choice_below(const anypi_plan *plan, int place)
{
    const anypi_cell *cell = &plan->cells[place];
    for (int i = place - 1; i >= 0; i--) {
        const anypi_cell *other = &plan->cells[i];
        if (other->p < cell->p && is_complete(plan, other->p) && other->bytes == cell->bytes &&
            other->collective == cell->collective && other->commutative == cell->commutative)
            return other->choice;
    }
    return 0;
}

void anypi_choose_all(anypi_plan *plan, double margin)
{
    for (int i = 0; i < plan->cells_count; i++) {
        anypi_cell *cell = &plan->cells[i];
        const anypi_cell *before = i ? cell - 1 : NULL;
        const bool neighbours = before && before->p == cell->p &&
            before->collective == cell->collective && before->commutative == cell->commutative;
        cell->choice = is_complete(plan, cell->p)
            ? choose(plan, cell, neighbours ? before->choice : 0, choice_below(plan, i), margin) : 0;
    }
}
