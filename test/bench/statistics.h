/* SPDX-License-Identifier: BSD-3-Clause
 *
 * statistics.h - medians of repeated times, and their 95 % confidence intervals, for any
 * distribution. Without MPI.
 */
#ifndef ANYPI_BENCH_STATISTICS_H_INCLUDED
#define ANYPI_BENCH_STATISTICS_H_INCLUDED

typedef struct bench_estimate {
    double value, low, high;
} bench_estimate;

/* The upper median of count > 0 values, in any order. */
double bench_median(const double *values, int count);
/* The median, between the order statistics that enclose the true one; with fewer than six values
 * these are the minimum and the maximum, a wider interval does not exist. */
bench_estimate bench_median_estimate(const double *values, int count);
/* The ratio of the medians of two rows that were measured in turns: above[i] and below[i] in the
 * same round. Its interval is a bootstrap over rounds, always with the same random numbers. */
bench_estimate bench_ratio_estimate(const double *above, const double *below, int count);

#endif
