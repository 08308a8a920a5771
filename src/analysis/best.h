/* SPDX-License-Identifier: BSD-3-Clause
 *
 * best.h - finds the algorithm and the parameters with the smallest closed form under a model,
 * without any schedule: the time does not grow with the number of processes.
 *
 * For each algorithm a grid over its parameters is evaluated: all values of enums; of numbers
 * both ends, p-1, the powers of two, and the vector's bytes divided by these; where they
 * are not bytes also the first sixteen or, of a small range, all. From the best point numbers then
 * move up and down in smaller and smaller steps while that helps. Points that the algorithm refuses
 * are left out. Of points with the same cost the first is taken, of algorithms the first in
 * algorithms.def.
 *
 * Closed forms ignore nodes. If the model and the call have some, the best parameters by the closed
 * form are simulated (simulate.h). If the algorithm can use nodes, a search with nodes begins at
 * what "auto" becomes (algorithms/automatic.h), and at a second point: one parameter after the
 * other takes its values in this grid, as long as that helps.
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
    int evaluations;            /* closed forms, or simulations that were begun */
} anypi_best;

/* The best parameters of one algorithm; false if it serves the call with none of those tried. */
bool anypi_best_of(const anyp_algorithm *algorithm, const anyp_call *call, const anyp_model *model,
                   anypi_best *best);

/* The best of every algorithm that serves the call into list, which has room for all algorithms;
 * the fastest first. Returns how many. */
int anypi_best_of_all(const anyp_call *call, const anyp_model *model, anypi_best *list);

/* Inserts one into a list of that many, the fastest first, which has room for it. */
void anypi_best_insert(anypi_best *list, int count, anypi_best one);

/* Simulated points, the fastest first. */
typedef struct anypi_points {
    int maximum;
    anypi_best *list;           /* room for `maximum` */
    int count;
    /* Is the algorithm wanted? Is it time to end? NULL: always; never. */
    bool (*wants)(const void *context, const anyp_algorithm *algorithm);
    bool (*ends)(const void *context);
    const void *context;
} anypi_points;

/* With nodes: the fastest of all points that the search simulates, for all algorithms. Those of one
 * algorithm have different times, as others probably have the same schedules. A point is left out,
 * and its simulation ends early, if it takes more than `hopeless` times the best so far. So are
 * algorithms that use no nodes, if their best closed form takes longer, as if every message took
 * the time of the faster kind. */
void anypi_best_points(const anyp_call *call, const anyp_model *model, double hopeless,
                       anypi_points *points);

#endif
