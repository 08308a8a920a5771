/* SPDX-License-Identifier: BSD-3-Clause
 *
 * race.h - the times of candidates under noise: which are out of the race, which is faster.
 *
 * A disturbance only lengthens a measurement, so the time of a candidate is the lower quartile: it
 * ignores disturbed rounds and does not depend on a single short one.
 */
#ifndef ANYPI_RACE_H_INCLUDED
#define ANYPI_RACE_H_INCLUDED

#include "tuner/cells.h"

/* The time of candidate c in seconds; INFINITY if it was not measured. */
double anypi_time(const anypi_cell *cell, int c);
/* That time relative to that of the library's choice. */
double anypi_ratio(const anypi_cell *cell, int c);
/* The shortest time of candidate c: after few rounds the best hint whether it can still win.
 * INFINITY if it was not measured. */
double anypi_shortest(const anypi_cell *cell, int c);
/* The shortest time of all candidates. */
double anypi_shortest_of_all(const anypi_cell *cell);

/* Drops clearly slower candidates from the race, so that the time is spent on those that can win.
 * Returns the number of the others, without candidate 0. */
int anypi_race(anypi_cell *cell);

/* Is candidate c faster than the library's choice by more than `margin` (0.03: 3 %), and is this
 * significant (the statistic of Mann and Whitney, two standard deviations above one half)? */
bool anypi_significantly_faster(const anypi_cell *cell, int c, double margin);
/* And is the library's choice so much faster than candidate c? */
bool anypi_significantly_slower(const anypi_cell *cell, int c, double margin);

#endif
