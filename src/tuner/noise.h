/* SPDX-License-Identifier: BSD-3-Clause
 *
 * noise.h - times under noise: their median, and how sure it is; which candidates are out of the
 * race, and which is faster; was the machine busy with something else?
 */
#ifndef ANYPI_NOISE_H_INCLUDED
#define ANYPI_NOISE_H_INCLUDED

#include "tuner/cells.h"

/* ---- intervals of a median, whatever the distribution. They end at two of the values: the number
 * of values below the median is binomial, with p = 1/2. (Conover, Practical Nonparametric
 * Statistics, "Confidence interval for a quantile".) ---- */

/* The usual probability that the median is outside of an interval. */
#define ANYPI_DOUBT 0.05

typedef struct anypi_interval {
    double median;              /* of no values NAN */
    double low, high;           /* if there are too few values -INFINITY and INFINITY */
} anypi_interval;

/* Sorts `count` values. The median of their distribution is below `low` with a probability of at
 * most doubt / 2, and so it is above `high`; with 0.05, from 6 values on. */
anypi_interval anypi_interval_of(double *values, int count, double doubt);

/* The number of values from which on `outside` values at each end do not change the interval. */
int anypi_interval_count(double doubt, int outside);

/* ---- candidates. A disturbance only lengthens a measurement, so the time of a candidate is the
 * lower quartile: it ignores disturbed rounds and does not depend on a single short one. ---- */

/* The time of candidate c in seconds; INFINITY if it was not measured. */
double anypi_time(const anypi_cell *cell, int c);
/* The median of candidate c's times and its interval; of few rounds the range. It was measured. */
anypi_interval anypi_trial_interval(const anypi_cell *cell, int c);
/* That time relative to that of the library's choice. */
double anypi_ratio(const anypi_cell *cell, int c);
/* The shortest time of candidate c: after few rounds the best hint whether it can still win.
 * INFINITY if it was not measured. */
double anypi_shortest(const anypi_cell *cell, int c);
/* The shortest time of all candidates. */
double anypi_shortest_of_all(const anypi_cell *cell);

/* Is candidate c one of AnyP's? */
bool anypi_is_anyp(const anypi_plan *plan, const anypi_cell *cell, int c);
/* The fastest of an algorithm's candidates, NULL: of all of AnyP's; 0: none was measured. */
int anypi_fastest_of(const anypi_plan *plan, const anypi_cell *cell,
                     const anyp_algorithm *algorithm);

/* Drops clearly slower candidates from the race, so that the time is spent on those that can win.
 * Returns the number of the others, without candidate 0. */
int anypi_race(anypi_cell *cell);

/* Is candidate c faster than the library's choice by more than `margin` (0.03: 3 %), and is this
 * significant (the statistic of Mann and Whitney, two standard deviations above one half)? */
bool anypi_significantly_faster(const anypi_cell *cell, int c, double margin);
/* And is the library's choice so much faster than candidate c? */
bool anypi_significantly_slower(const anypi_cell *cell, int c, double margin);

/* ---- the machine. Noise is independent from candidate to candidate. What makes rounds slow or
 * fast for all candidates of a cell together is the machine: another job, the frequency of the
 * processors. A cell is disturbed if both hold:
 *
 * - Candidates agree which rounds are the slow ones: the mean correlation of their ranks of the
 *   rounds (Spearman's; Friedman's test) is three standard deviations above 0. Whatever the
 *   distribution of the times, this happens by chance in about 1 % of the calm cells.
 * - It matters: of the rounds' mean times (geometric), the upper quartile is 1.2 times the lower
 *   one. Single slow rounds change neither, nor do they change the time of a candidate.
 *
 * So a drift, a step, and rounds of two kinds are all found, in whatever order. ---- */

/* Is a cell disturbed? It needs six rounds, and two candidates that are still in the race. */
bool anypi_disturbed(const anypi_cell *cell);

/* Forgets the first half of a cell's rounds. Candidates that have no later ones keep theirs. */
void anypi_forget(anypi_cell *cell);

#endif
