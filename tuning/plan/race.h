/* SPDX-License-Identifier: BSD-3-Clause
 *
 * race.h - candidates that are clearly slower are dropped from the race, so that the time goes into
 * those that may win.
 */
#ifndef ANYPI_RACE_H_INCLUDED
#define ANYPI_RACE_H_INCLUDED

#include "plan/plan.h"

/* Drops those that have clearly lost; returns how many remain, candidate 0 not counted. */
int anypi_race(anypi_cell *cell);

#endif
