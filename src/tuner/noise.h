/* SPDX-License-Identifier: BSD-3-Clause
 *
 * noise.h - statistics of times under noise: the median and its interval, and which candidate is
 * faster.
 */
#ifndef ANYPI_NOISE_H_INCLUDED
#define ANYPI_NOISE_H_INCLUDED

#include "tuner/cells.h"

/* ---- intervals of a median, whatever the distribution. Their ends are two of the values: the
 * number of values below the median is binomial, with p = 1/2. (Conover, Practical Nonparametric
 * Statistics, "Confidence interval for a quantile".) ---- */

/* The usual probability that the median lies outside an interval. */
#define ANYPI_DOUBT 0.05

typedef struct anypi_interval {
    double median;              /* without values NAN */
    double low, high;           /* with too few values -INFINITY and INFINITY */
} anypi_interval;

enum { ANYPI_MAX_VALUES = 255 };

/* Returns the interval of the median of `count` values, at most ANYPI_MAX_VALUES. The median of the
 * distribution is below `low` with a probability of at most doubt / 2, and above `high` with the
 * same. With doubt 0.05 this needs 6 values. */
anypi_interval anypi_interval_of(const double *values, int count, double doubt);

/* Returns how many values are needed so that `outside` values at each end do not change the
 * interval. */
int anypi_interval_count(double doubt, int outside);

/* ---- candidates. A disturbance only lengthens a measurement, so the time of a candidate is the
 * lower quartile: it ignores disturbed rounds and does not depend on a single short one. ---- */

/* Returns the time of candidate c in seconds; INFINITY if it was not measured. */
double anypi_time(const anypi_cell *cell, int c);
/* Returns anypi_time() relative to that of the MPI library's choice. */
double anypi_ratio(const anypi_cell *cell, int c);

/* Is a candidate faster than another by more than `margin` (0.03: 3 %), and is this significant
 * (the statistic of Mann and Whitney, two standard deviations above one half)? */
bool anypi_significantly_faster(const anypi_cell *cell, int c, int other, double margin);

/* Do the times of the library's choice vary by more than half from the lower to the upper
 * quartile? Then a candidate that is a little faster is not found. */
bool anypi_noisy(const anypi_cell *cell);

/* Does a candidate save more in all calls of a program than its first call costs (ANYPI_SET_UP)?
 * True if the program's calls are unknown. The work in a record is an upper bound, and so is the
 * measured time of the library's choice in so many calls. */
bool anypi_pays(const anypi_cell *cell, int c);

#endif
