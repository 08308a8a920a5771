/* SPDX-License-Identifier: BSD-3-Clause
 *
 * shared_rules.h - few rules for many points: neighbouring numbers of processes and sizes share a
 * choice if it is nearly as good as their own.
 */
#ifndef ANYPI_SHARED_RULES_H_INCLUDED
#define ANYPI_SHARED_RULES_H_INCLUDED

#include "tuner/cells.h"

/* The ratio of a choice's time to the best, at each point (number of processes), size and choice;
 * INFINITY: it may not be chosen there. At least one choice is 1. */
typedef struct anypi_ratios {
    int points, sizes, choices;
    float *list;                /* [point][size][choice] */
} anypi_ratios;

static inline float *anypi_ratio_at(const anypi_ratios *ratios, int point, int size)
{
    return &ratios->list[((size_t) point * (size_t) ratios->sizes + (size_t) size) *
                         (size_t) ratios->choices];
}

/* Choices of a group of neighbouring points: step i holds for sizes up to `last`. */
typedef struct anypi_chain {
    int end;                    /* the point after the group */
    int count;
    struct {
        int last, choice;
    } steps[ANYPI_MAX_LIST];
} anypi_chain;

/* Divides the points into groups such that the chains have the fewest lines, where each choice's
 * ratio is `limit` at most (a best one's always is) and of those that serve a step of the chain the
 * one with the smallest mean is taken. Writes the chains, at most one per point, and returns their
 * number; -1: no memory. */
int anypi_share(const anypi_ratios *ratios, double limit, anypi_chain *chains);

#endif
