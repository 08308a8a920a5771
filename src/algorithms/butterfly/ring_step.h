/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ring_step.h - the step that joins `radix` neighbouring groups, one rank of each. A butterfly's
 * exchange is the step of two groups. (Rabenseifner & Träff 2004, section 3.4)
 *
 * If the step "halves", each rank receives its part of the slice from every other, in radix - 1
 * rounds, and routing gathers the parts in ceil(log2 radix) rounds. Otherwise all gather the
 * others' whole slices in as many rounds. The operands are reduced in rank order when all have
 * arrived, so that all parts have the same bracketing.
 */
#ifndef ANYPI_RING_STEP_H_INCLUDED
#define ANYPI_RING_STEP_H_INCLUDED

#include "algorithms/shared/accumulate.h"

/* Instead of a digit: all of them, or none. */
enum { ANYPI_ALL = -1, ANYPI_NONE = -2 };

/* One rank's part in a step. The rank with digit e is (e - digit) * unit ranks from it. */
typedef struct anypi_turn {
    int radix, digit, unit;
    anypi_range slice;          /* before the step */
    bool halves;                /* part e of the slice goes to digit e */
    int width;                  /* blocks of a part: those of the slice divided by the radix */
    bool may_exchange;          /* as in anypi_move */
    int goal;                   /* the digit that receives the sum or, if it halves, to which
                                 * routing gathers the parts; or ANYPI_ALL or ANYPI_NONE */
} anypi_turn;

/* Returns the slice after the step. */
anypi_range anypi_turn_after(const anypi_turn *turn);

/* Must this step change the buffer of the accumulated result? */
bool anypi_turn_must_change(const anypi_turn *turn);

/* Call this before the first step of more than two groups. The scratch buffer after the
 * accumulator's buffers will hold the slices of this step and the following ones. */
void anypi_turn_make_room(const anypi_turn *turn, const anypi_accumulator *sum,
                          anyp_schedule *schedule);

/* Adds the step's rounds in the reduction phase. */
void anypi_turn_reduce(const anypi_turn *turn, anypi_accumulator *sum, anyp_schedule *schedule);

/* Adds its rounds in the routing phase, if it halves: the parts of the result lie in `buffer`. */
void anypi_turn_route(const anypi_turn *turn, int buffer, anyp_schedule *schedule);

#endif
