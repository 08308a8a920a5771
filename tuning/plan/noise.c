/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan/choose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* What is measured for candidate c. */
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

bool anypi_proven(const anypi_cell *cell, int c, double margin)
{
    const anypi_trial *own = measured(cell, c), *library = &cell->trials[0];
    const int n = own->count, m = library->count;
    if (n < ANYPI_LEAST_ROUNDS || m < ANYPI_LEAST_ROUNDS || !(anypi_ratio(cell, c) < 1 - margin))
        return false;
    int faster = 0;             /* pairs of times */
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            faster += own->times[i] < library->times[j];
    const double deviation = sqrt((n + m + 1) / (12.0 * n * m));
    return faster >= n * m * fmin(1, 0.5 + 2 * deviation);
}
