/* SPDX-License-Identifier: BSD-3-Clause */
#include "statistics.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 1000, MAX_VALUES = 1024 };

static int ascending(const void *one, const void *other)
{
    const double a = *(const double *) one, b = *(const double *) other;
    return (a > b) - (a < b);
}

/* Makes a sorted copy of at most MAX_VALUES values; returns their number. */
static int sort(const double *values, int count, double sorted[MAX_VALUES])
{
    count = count < MAX_VALUES ? count : MAX_VALUES;
    memcpy(sorted, values, (size_t) count * sizeof *sorted);
    qsort(sorted, (size_t) count, sizeof *sorted, ascending);
    return count;
}

double bench_median(const double *values, int count)
{
    double sorted[MAX_VALUES];
    return sorted[sort(values, count, sorted) / 2];
}

/* The greatest index such that the true median is below the value there with a probability of at
 * most 2.5 %: that of `index` heads or fewer in `count` throws of a coin. */
static int lower_index(int count)
{
    double sum = 0;
    int index = 0;
    for (int heads = 0; heads < count / 2; heads++) {
        sum += exp(lgamma(count + 1.0) - lgamma(heads + 1.0) - lgamma(count - heads + 1.0) -
                   count * log(2));
        if (sum > 0.025)
            break;
        index = heads;
    }
    return index;
}

bench_estimate bench_median_estimate(const double *values, int count)
{
    double sorted[MAX_VALUES];
    count = sort(values, count, sorted);
    const int index = lower_index(count);
    return (bench_estimate) { sorted[count / 2], sorted[index], sorted[count - 1 - index] };
}

bench_estimate bench_ratio_estimate(const double *above, const double *below, int count)
{
    double ratios[SAMPLES], a[MAX_VALUES], b[MAX_VALUES];
    uint64_t state = UINT64_C(0x2545f4914f6cdd1d);
    count = count < MAX_VALUES ? count : MAX_VALUES;
    for (int sample = 0; sample < SAMPLES; sample++) {
        for (int i = 0; i < count; i++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            const int round = (int) ((state >> 33) % (uint64_t) count);
            a[i] = above[round];
            b[i] = below[round];
        }
        ratios[sample] = bench_median(a, count) / bench_median(b, count);
    }
    qsort(ratios, SAMPLES, sizeof *ratios, ascending);
    return (bench_estimate) { bench_median(above, count) / bench_median(below, count),
                              ratios[SAMPLES / 40], ratios[SAMPLES - 1 - SAMPLES / 40] };
}
