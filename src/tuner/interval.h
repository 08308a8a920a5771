/* SPDX-License-Identifier: BSD-3-Clause
 *
 * interval.h - the median of times under noise, and how sure it is, whatever their distribution;
 * and the lower quartile.
 *
 * The interval ends at two of the values: the number of values below the median is binomial, with
 * p = 1/2. (Conover, Practical Nonparametric Statistics, "Confidence interval for a quantile".)
 */
#ifndef ANYPI_INTERVAL_H_INCLUDED
#define ANYPI_INTERVAL_H_INCLUDED

/* The usual probability that the median is outside of an interval. */
#define ANYPI_DOUBT 0.05

typedef struct anypi_interval {
    double median;              /* of no values NAN */
    double low, high;           /* if there are too few values -INFINITY and INFINITY */
} anypi_interval;

/* Sorts `count` values. The median of their distribution is below `low` with a probability of at
 * most doubt / 2, and so it is above `high`; with 0.05, from 6 values on. */
anypi_interval anypi_interval_of(double *values, int count, double doubt);

/* Sorts `count` values; returns the lower quartile, INFINITY of none. */
double anypi_quartile(double *values, int count);

/* The number of values from which on `outside` values at each end do not change the interval. */
int anypi_interval_count(double doubt, int outside);

#endif
