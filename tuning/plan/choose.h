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

/* Sets choice in all cells of complete p. The library keeps its choice unless a candidate is faster
 * by more than `margin`, and significantly so. Among the candidates within `margin` of the best,
 * takes the choice at the next smaller size, else that at the next smaller p, else the best, so
 * that noise does not split rules. */
void anypi_choose_all(anypi_plan *plan, double margin);

#endif
