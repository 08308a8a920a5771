/* SPDX-License-Identifier: BSD-3-Clause */
#include "tuner/noise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int ascending(const void *one, const void *other)
{
    const double a = *(const double *) one, b = *(const double *) other;
    return (a > b) - (a < b);
}

/* Returns how many values at each end may lie outside the interval; -1: not even none. It is the
 * largest k for which at most k of `count` fair coins show heads with a probability of at most
 * doubt / 2. */
static int outside(int count, double doubt)
{
    double sum = 0;
    int k = 0;
    for (; k < count; k++) {
        sum += exp(lgamma(count + 1) - lgamma(k + 1) - lgamma(count - k + 1) - count * log(2));
        if (sum > doubt / 2)
            break;
    }
    return k - 1;
}

anypi_interval anypi_interval_of(const double *values, int count, double doubt)
{
    double sorted[ANYPI_MAX_VALUES];
    if (count < 1)
        return (anypi_interval) { NAN, -INFINITY, INFINITY };
    memcpy(sorted, values, (size_t) count * sizeof *values);
    qsort(sorted, (size_t) count, sizeof *sorted, ascending);
    const int middle = count / 2, k = outside(count, doubt);
    const double median = count % 2 ? sorted[middle]
        : (sorted[middle - 1] + sorted[middle]) / 2;
    if (k < 0)
        return (anypi_interval) { median, -INFINITY, INFINITY };
    return (anypi_interval) { median, sorted[k], sorted[count - 1 - k] };
}

/* Sorts `count` values; returns the lower quartile, INFINITY if there are none. */
static double quartile(double *values, int count)
{
    qsort(values, (size_t) count, sizeof *values, ascending);
    return count ? values[count / 4] : INFINITY;
}

int anypi_interval_count(double doubt, int few)
{
    int count = 1;
    while (outside(count, doubt) < few)
        count++;
    return count;
}

/* ---- candidates under noise ---- */

/* The upper quartile of times divided by the lower one, above which a machine is not idle. */
static const double much_noise = 1.5;

double anypi_time(const anypi_cell *cell, int c)
{
    double times[ANYPI_MAX_ROUNDS];
    const anypi_trial *trial = &cell->trials[c];
    memcpy(times, trial->times, sizeof times);
    return quartile(times, trial->count);
}

double anypi_ratio(const anypi_cell *cell, int c)
{
    const double automatic = anypi_time(cell, 0);
    return automatic > 0 && automatic < INFINITY ? anypi_time(cell, c) / automatic : INFINITY;
}

bool anypi_significantly_faster(const anypi_cell *cell, int c, int other, double margin)
{
    const anypi_trial *its = &cell->trials[c], *others = &cell->trials[other];
    const int n = its->count, m = others->count;
    if (n < ANYPI_SURE_ROUNDS || m < ANYPI_SURE_ROUNDS ||
        !(anypi_time(cell, c) < (1 - margin) * anypi_time(cell, other)))
        return false;
    int faster = 0;             /* number of pairs of times */
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            faster += its->times[i] < others->times[j];
    const double deviation = sqrt((n + m + 1) / (12.0 * n * m));
    return faster >= n * m * fmin(1, 0.5 + 2 * deviation);
}

bool anypi_noisy(const anypi_cell *cell)
{
    double times[ANYPI_MAX_ROUNDS];
    const int count = cell->trials[0].count;
    memcpy(times, cell->trials[0].times, sizeof times);
    return count >= 4 && quartile(times, count) * much_noise < times[3 * count / 4];
}

bool anypi_pays(const anypi_cell *cell, int c)
{
    const double library = cell->program_calls * anypi_time(cell, 0);
    const double work = library > 0 ? fmin(cell->stake, library) : cell->stake;
    return cell->stake <= 0 || work * (1 - anypi_ratio(cell, c)) > ANYPI_SET_UP;
}
