/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/trials.h"

#include <math.h>

double anypi_shortest(const anypi_trial *trial)
{
    double time = INFINITY;
    for (int i = 0; i < trial->count; i++)
        time = fmin(time, trial->times[i]);
    return time;
}

anypi_interval anypi_values_interval(const double *values, int count)
{
    anypi_interval interval = anypi_interval_of(values, count, ANYPI_DOUBT);
    double least = INFINITY, largest = -INFINITY;
    for (int i = 0; i < count; i++) {
        least = fmin(least, values[i]);
        largest = fmax(largest, values[i]);
    }
    interval.low = fmax(interval.low, least);
    interval.high = fmin(interval.high, largest);
    return interval;
}

anypi_interval anypi_trial_interval(const anypi_trial *trial)
{
    return anypi_values_interval(trial->times, trial->count);
}
