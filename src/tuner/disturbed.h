/* SPDX-License-Identifier: BSD-3-Clause
 *
 * disturbed.h - was the machine busy with something else while a cell was measured?
 *
 * Noise is independent from candidate to candidate. What makes rounds slow or fast for all
 * candidates of a cell together is the machine: another job, the frequency of the processors. A
 * cell is disturbed if both hold:
 *
 * - Candidates agree which rounds are the slow ones: the mean correlation of their ranks of the
 *   rounds (Spearman's; Friedman's test) is three standard deviations above 0. Whatever the
 *   distribution of the times, this happens by chance in about 1 % of the calm cells.
 * - It matters: of the rounds' mean times (geometric), the upper quartile is 1.2 times the lower
 *   one. Single slow rounds change neither, nor do they change the time of a candidate (race.h).
 *
 * So a drift, a step, and rounds of two kinds are all found, in whatever order.
 */
#ifndef ANYPI_DISTURBED_H_INCLUDED
#define ANYPI_DISTURBED_H_INCLUDED

#include "tuner/cells.h"

/* Is a cell disturbed? It needs six rounds, and two candidates that are still in the race. */
bool anypi_disturbed(const anypi_cell *cell);

/* Forgets the first half of a cell's rounds. Candidates that have no later ones keep theirs. */
void anypi_forget(anypi_cell *cell);

#endif
