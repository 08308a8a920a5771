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

anypi_interval anypi_trial_interval(const anypi_trial *trial)
{
    anypi_interval interval = anypi_interval_of(trial->times, trial->count, ANYPI_DOUBT);
    double longest = 0;
    for (int i = 0; i < trial->count; i++)
        longest = fmax(longest, trial->times[i]);
    interval.low = fmax(interval.low, anypi_shortest(trial));
    interval.high = fmin(interval.high, longest);
    return interval;
}
