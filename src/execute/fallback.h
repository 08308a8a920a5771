/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fallback.h - may an algorithm run a call on real data, and if not, which one may? For every back
 * end. All answers come from what is the same on all ranks.
 */
#ifndef ANYPI_FALLBACK_H_INCLUDED
#define ANYPI_FALLBACK_H_INCLUDED

#include "anyp.h"

/* A question about scratch buffers (all that schedules depend on but the rank), and its answer. */
typedef struct anypi_several {
    const anyp_algorithm *algorithm;
    int collective, p, root, blocks, commutative;
    int parameters[ANYP_MAX_PARAMETERS];
    int answer;
} anypi_several;

/* What is asked about. */
typedef struct anypi_question {
    const anyp_call *call;
    bool woven;                 /* the datatype's elements reach into each other, like columns of a
                                 * matrix: a vector of them is sound, but not two in a row */
    anypi_several *last;        /* the last question of woven elements: zero at first */
    anyp_schedule *schedule;    /* memory to work in */
} anypi_question;

/* Does the algorithm serve the call? NULL, or why not (static text). */
const char *anypi_refusal(const anypi_question *question, const anyp_algorithm *algorithm,
                          const int *parameters);

/* The first of all algorithms that serves the call: its place, with its default parameters; -1 if
 * none does. */
int anypi_replacement(const anypi_question *question, int *parameters);

#endif
