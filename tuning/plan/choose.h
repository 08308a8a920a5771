/* SPDX-License-Identifier: BSD-3-Clause
 *
 * choose.h - from measured times to one choice per cell.
 *
 * A disturbance only lengthens a measurement, so the time of a candidate is the lower quartile: it
 * ignores disturbed rounds and does not depend on a single short one.
 */
#ifndef ANYPI_CHOOSE_H_INCLUDED
#define ANYPI_CHOOSE_H_INCLUDED

#include "plan/plan.h"

/* Sorts the times; returns the lower quartile, INFINITY of none. */
double anypi_quartile(double *times, int count);
/* The lower quartile of candidate c's times in seconds; INFINITY if it was not measured. */
double anypi_time(const anypi_cell *cell, int c);
/* That time relative to that of the library's choice. */
double anypi_ratio(const anypi_cell *cell, int c);
/* The shortest time of candidate c, which after few rounds tells most of who may still win;
 * INFINITY if it was not measured. */
double anypi_shortest(const anypi_cell *cell, int c);
/* The shortest of all. */
double anypi_shortest_of_all(const anypi_cell *cell);
/* Is candidate c faster than the library's choice by more than `margin` (0.03: 3 %), and its times
 * smaller more often than luck would have it (the statistic of Mann and Whitney, two standard
 * deviations above one half)? */
bool anypi_proven(const anypi_cell *cell, int c, double margin);

/* Drops candidates that are clearly slower from the race, so that the time goes into those that may
 * win; returns how many remain, candidate 0 not counted. */
int anypi_race(anypi_cell *cell);

/* Sets choice in all cells of complete p. The burden of proof is on the candidate: where nothing is
 * clearly faster, the library keeps its choice. A candidate must be faster than the library's choice
 * by more than `margin`, and provably so in spite of noise. Among those within
 * `margin` of the best, that of the next smaller size, else that of the next smaller p, else the
 * best is taken, so that noise does not tear rules apart. */
void anypi_choose_all(anypi_plan *plan, double margin);

#endif
