/* SPDX-License-Identifier: BSD-3-Clause
 *
 * shared_rules.h - makes few rules for many cells. Neighbouring numbers of processes, and
 * neighbouring sizes, share a choice that is nearly as good as the best of each. The boundary
 * between two choices is placed where their times cross.
 */
#ifndef ANYPI_SHARED_RULES_H_INCLUDED
#define ANYPI_SHARED_RULES_H_INCLUDED

#include "tuner/cells.h"

/* The cells of points (numbers of processes) and sizes, and the time of each choice in them. */
typedef struct anypi_ratios {
    int points, sizes, choices;
    float *list;                /* [point][size][choice]: the ratio to the best; INFINITY: unknown,
                                   or it must not be chosen. At least one is 1 */
    float limit;                /* the largest ratio that may be chosen, >= 1 */
} anypi_ratios;

static inline float *anypi_ratio_at(const anypi_ratios *ratios, int point, int size)
{
    return &ratios->list[((size_t) point * (size_t) ratios->sizes + (size_t) size) *
                         (size_t) ratios->choices];
}

/* The choices of a group of neighbouring points: step i is for sizes up to `last`. A boundary is
 * between two points, or between two sizes (by logarithms), at the part `cut` of the way from the
 * smaller one: where the times cross, or in the middle if this is unknown. */
typedef struct anypi_chain {
    int end;                    /* the point after the group */
    double cut;                 /* between the points end - 1 and end */
    int count;
    struct {
        int last, choice;
        double cut;             /* between the sizes last and last + 1 */
    } steps[ANYPI_MAX_LIST];
} anypi_chain;

/* Divides the points into groups such that the chains have the fewest lines. If several choices may
 * serve a step, the one with the smallest mean is used. Writes the chains, at most one per point,
 * and returns their number; -1: no memory. */
int anypi_share(const anypi_ratios *ratios, anypi_chain *chains);

#endif
