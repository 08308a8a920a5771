/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan/choose.h"


#include <math.h>

/* How far behind the best a candidate may be after so many rounds. One disturbed round of three may
 * take twice as long; the more rounds, the nearer each shortest time is to what it is without
 * noise. */
static double tolerance(int rounds)
{
    return rounds < ANYPI_LEAST_ROUNDS ? INFINITY
        : rounds < 5 ? 2.5 : rounds < 9 ? 1.6 : rounds < 17 ? 1.3 : 1.15;
}

int anypi_race(anypi_cell *cell)
{
    const double limit = anypi_shortest_of_all(cell) * tolerance(cell->rounds);
    int left = 0;
    for (int c = 1; c < cell->candidates; c++) {
        anypi_trial *trial = &cell->trials[c];
        if (trial->state == ANYPI_RUNNING && anypi_shortest(cell, c) > limit)
            trial->state = ANYPI_DROPPED;
        left += trial->state == ANYPI_RUNNING;
    }
    return left;
}
