/* SPDX-License-Identifier: BSD-3-Clause */
#include "tuner/race.h"

#include "tuner/interval.h"

#include <math.h>
#include <string.h>

/* ---- candidates under noise ---- */

/* The trial that is measured for candidate c: what is "auto" may be the same as a setting that is
 * the same as another. */
static const anypi_trial *measured(const anypi_cell *cell, int c)
{
    return &cell->trials[anypi_measured_for(cell, c)];
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

/* Are the times of one trial significantly shorter, whose ratio to those of the other is `ratio`?
 */
static bool is_faster(const anypi_trial *one, const anypi_trial *other, double ratio, double margin)
{
    const int n = one->count, m = other->count;
    if (n < ANYPI_MIN_ROUNDS || m < ANYPI_MIN_ROUNDS || !(ratio < 1 - margin))
        return false;
    int faster = 0;             /* pairs of times */
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            faster += one->times[i] < other->times[j];
    const double deviation = sqrt((n + m + 1) / (12.0 * n * m));
    return faster >= n * m * fmin(1, 0.5 + 2 * deviation);
}

bool anypi_significantly_faster(const anypi_cell *cell, int c, double margin)
{
    return is_faster(measured(cell, c), &cell->trials[0], anypi_ratio(cell, c), margin);
}

bool anypi_significantly_slower(const anypi_cell *cell, int c, double margin)
{
    return is_faster(&cell->trials[0], measured(cell, c), 1 / anypi_ratio(cell, c), margin);
}

/* ---- the race ---- */

/* How many times as slow as the best a candidate may be after that many rounds. One disturbed round
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
