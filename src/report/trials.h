/* SPDX-License-Identifier: BSD-3-Clause
 *
 * trials.h - what the report shows of the times of a candidate.
 */
#ifndef ANYPI_TRIALS_H_INCLUDED
#define ANYPI_TRIALS_H_INCLUDED

#include "tuner/noise.h"

/* Returns the shortest time of a candidate. INFINITY if it was not measured. */
double anypi_shortest(const anypi_trial *trial);
/* Returns the median of a candidate's times and its interval; with few rounds, the range. The
 * candidate must have been measured. */
anypi_interval anypi_trial_interval(const anypi_trial *trial);

#endif
