/* SPDX-License-Identifier: BSD-3-Clause */
#include "tuner/interval.h"

#include <math.h>
#include <stdlib.h>

static int ascending(const void *one, const void *other)
{
    const double a = *(const double *) one, b = *(const double *) other;
    return (a > b) - (a < b);
}

/* The largest number of values at each end that may be outside of the interval, -1: not even none.
 * It is the largest k for which at most k of `count` fair coins show heads with a probability of at
 * most doubt / 2. */
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

anypi_interval anypi_interval_of(double *values, int count, double doubt)
{
    if (count < 1)
        return (anypi_interval) { NAN, -INFINITY, INFINITY };
    qsort(values, (size_t) count, sizeof *values, ascending);
    const int middle = count / 2, k = outside(count, doubt);
    const double median = count % 2 ? values[middle]
        : (values[middle - 1] + values[middle]) / 2;
    if (k < 0)
        return (anypi_interval) { median, -INFINITY, INFINITY };
    return (anypi_interval) { median, values[k], values[count - 1 - k] };
}

double anypi_quartile(double *values, int count)
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
