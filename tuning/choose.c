/* SPDX-License-Identifier: BSD-3-Clause
 *
 * choose.c - from measured times to one choice per cell.
 *
 * All candidates of a cell are timed in the same rounds, one after the other, and each time is
 * divided by that of MPICH's automatic choice in the same round: a neighbour that takes the machine
 * for a second slows both. Medians of these ratios are compared. The burden of proof is on the
 * candidate: where nothing is clearly faster, MPICH keeps its choice.
 */
#include "tune.h"

#include <math.h>
#include <stdlib.h>

static int ascending(const void *one, const void *other)
{
    const double a = *(const double *) one, b = *(const double *) other;
    return (a > b) - (a < b);
}

static double median(double *numbers, int count)
{
    qsort(numbers, (size_t) count, sizeof *numbers, ascending);
    return count % 2 ? numbers[count / 2] : (numbers[count / 2 - 1] + numbers[count / 2]) / 2;
}

/* The ratios of all rounds in which c ran; returns how many. */
static int ratios(const anypi_cell *cell, int c, double *list)
{
    int count = 0;
    const int measured = cell->same[c];
    for (int round = 0; measured >= 0 && round < cell->rounds; round++) {
        const double *times = &cell->times[round * cell->candidates];
        if (!isnan(times[measured]) && times[0] > 0)
            list[count++] = times[measured] / times[0];
    }
    return count;
}

double anypi_ratio(const anypi_cell *cell, int c)
{
    double list[ANYPI_MAX_ROUNDS];
    const int count = ratios(cell, c, list);
    return count ? median(list, count) : INFINITY;
}

double anypi_median_time(const anypi_cell *cell, int c)
{
    double list[ANYPI_MAX_ROUNDS];
    int count = 0;
    const int measured = cell->same[c];
    for (int round = 0; measured >= 0 && round < cell->rounds; round++) {
        const double time = cell->times[round * cell->candidates + measured];
        if (!isnan(time))
            list[count++] = time;
    }
    return count ? median(list, count) : NAN;
}

/* The shortest time of candidate c; INFINITY if it was not measured. What disturbs only lengthens,
 * so after few rounds this tells more of who may still win than any mean. */
static double shortest(const anypi_cell *cell, int c)
{
    double time = INFINITY;
    const int measured = cell->same[c];
    for (int round = 0; measured >= 0 && round < cell->rounds; round++)
        time = fmin(time, cell->times[round * cell->candidates + measured]);    /* ignores NAN */
    return time;
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
    return rounds < 3 ? 4 : rounds < 5 ? 1.6 : rounds < 9 ? 1.25 : 1.12;
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

/* Clearly faster than MPICH's automatic choice. */
static bool proven(const anypi_cell *cell, int c, double margin)
{
    double list[ANYPI_MAX_ROUNDS];
    const int count = ratios(cell, c, list);
    int faster = 0;
    for (int i = 0; i < count; i++)
        faster += list[i] < 1;
    return count >= ANYPI_LEAST_ROUNDS && 4 * faster >= 3 * count &&
        median(list, count) < 1 - margin;
}

static int choose(const anypi_cell *cell, int smaller_size, int smaller_p, double margin)
{
    int best = 0;
    double least = INFINITY;
    for (int c = 1; c < cell->candidates; c++)
        if (proven(cell, c, margin) && anypi_ratio(cell, c) < least) {
            best = c;
            least = anypi_ratio(cell, c);
        }
    const int neighbours[] = { smaller_size, smaller_p };
    for (int i = 0; i < 2 && best; i++) {
        const int c = neighbours[i];
        if (c && proven(cell, c, margin) && anypi_ratio(cell, c) <= least * (1 + margin))
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

void anypi_choose(anypi_plan *plan, double margin)
{
    for (int i = 0; i < plan->cells_count; i++) {
        anypi_cell *cell = &plan->cells[i];
        const anypi_cell *before = i ? cell - 1 : NULL;
        const bool neighbours = before && before->p == cell->p &&
            before->collective == cell->collective && before->commutative == cell->commutative;
        cell->choice = is_complete(plan, cell->p)
            ? choose(cell, neighbours ? before->choice : 0, choice_below(plan, i), margin) : 0;
    }
}
