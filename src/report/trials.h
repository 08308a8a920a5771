/* SPDX-License-Identifier: BSD-3-Clause
 *
 * trials.h - what the report shows of the times of a candidate.
 */
#ifndef ANYPI_TRIALS_H_INCLUDED
#define ANYPI_TRIALS_H_INCLUDED

#include "tuner/noise.h"

/* Returns the shortest time of a candidate. INFINITY if it was not measured. */
double anypi_shortest(const anypi_trial *trial);
/* Returns the median of values and its interval; with less than 6 values, the range. There must be
 * one at least, and at most ANYPI_MAX_VALUES. */
anypi_interval anypi_values_interval(const double *values, int count);
/* Does this with a candidate's times. The candidate must have been measured. */
anypi_interval anypi_trial_interval(const anypi_trial *trial);

#endif
