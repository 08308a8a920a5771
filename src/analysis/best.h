/* SPDX-License-Identifier: BSD-3-Clause
 *
 * best.h - finds the algorithm and the parameters with the smallest closed form under a model. It
 * makes no schedule, so its time does not grow with the number of processes.
 *
 * For each algorithm it evaluates a grid over the parameters. The grid contains:
 * - of enums, all values;
 * - of numbers, both ends, p-1, the powers of two, and the vector's bytes divided by these;
 * - of numbers that are not bytes, also the first sixteen; if the range is small, all.
 * From the best point the numbers move up and down, in smaller and smaller steps, while this helps.
 * Points that the algorithm refuses are left out. Of points with equal costs the first one counts,
 * of algorithms the first in algorithms.def.
 *
 * Closed forms ignore nodes. If the model and the call have nodes, the best parameters by the
 * closed form are simulated (simulate.h). If the algorithm can use nodes, a search with nodes
 * follows. It starts from two points, one of them the values of "auto" (algorithms/settle.h).
 * One parameter after the other is tried with all its values in the grid, as long as this helps.
 */
#ifndef ANYPI_BEST_H_INCLUDED
#define ANYPI_BEST_H_INCLUDED

#include "anyp.h"

/* Maximum number of closed forms that are evaluated for one algorithm. */
#define ANYPI_BEST_EVALUATIONS 16384

/* Maximum number of simulations for one algorithm. */
#define ANYPI_BEST_SIMULATIONS 1000

typedef struct anypi_best {
    const anyp_algorithm *algorithm;
    int parameters[ANYP_MAX_PARAMETERS];
    double time;                /* of the closed form; with nodes, simulated */
    bool form;                  /* the time is the closed form's, although others are simulated */
    int evaluations;            /* number of closed forms, or of simulations that were started */
} anypi_best;

/* Finds the best parameters of one algorithm. False if none of those tried serves the call. */
bool anypi_best_of(const anyp_algorithm *algorithm, const anyp_call *call, const anyp_model *model,
                   anypi_best *best);

/* Writes the best of every algorithm that serves the call into list, the fastest first. The list
 * has room for all algorithms. Returns their number. */
int anypi_best_of_all(const anyp_call *call, const anyp_model *model, anypi_best *list);

/* Inserts an entry into a list of `count` entries, the fastest first, which has room for it. */
void anypi_best_insert(anypi_best *list, int count, anypi_best one);

#endif
