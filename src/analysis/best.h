/* SPDX-License-Identifier: BSD-3-Clause
 *
 * best.h - the algorithm and the parameters whose closed form is least under a model, found without
 * any schedule, so that it takes no longer for many processes than for few.
 *
 * For each algorithm a grid over its parameters is evaluated: all values of enums; of numbers the
 * default, both ends, p-1, the powers of two, and the vector's bytes divided by these; where they
 * are not bytes also the first sixteen or, of a small range, all.
 * From the best point numbers then move up and down in ever smaller steps while that helps. What an
 * algorithm refuses is left out. Of points that cost the same the one nearer to the defaults is
 * taken, of algorithms the first in algorithms.def.
 */
#ifndef ANYPI_BEST_H_INCLUDED
#define ANYPI_BEST_H_INCLUDED

#include "anyp.h"

/* Closed forms that are evaluated for one algorithm, at most. */
#define ANYPI_BEST_EVALUATIONS 16384

typedef struct anypi_best {
    const anyp_algorithm *algorithm;
    int parameters[ANYP_MAX_PARAMETERS];
    double time;                /* of the closed form */
    int evaluations;            /* how many it took */
} anypi_best;

/* The best parameters of one algorithm; false if it serves the call with none that were tried. */
bool anypi_best_of(const anyp_algorithm *algorithm, const anyp_call *call, const anyp_model *model,
                   anypi_best *best);

/* The best of every algorithm that serves the call into list, which has room for all algorithms;
 * the fastest first. Returns how many. */
int anypi_best_of_all(const anyp_call *call, const anyp_model *model, anypi_best *list);

#endif
