/* SPDX-License-Identifier: BSD-3-Clause
 *
 * repeat_segments.h - repeats an exchange for several segments of the vector, one after the other,
 * so that links of all heights work at the same time.
 *
 * The schedule of one segment is made first, as if there were no others. Round r of segment j is in
 * round r + j of the whole. A round has the same number on all ranks, even on those that do nothing
 * in it. So messages between two ranks are in the same order on both.
 */
#ifndef ANYPI_EXCHANGE_REPEAT_SEGMENTS_H_INCLUDED
#define ANYPI_EXCHANGE_REPEAT_SEGMENTS_H_INCLUDED

#include "anyp.h"

enum { ANYPI_EXCHANGE_MAX_ROUNDS = 1024 };       /* of one segment */

/* The schedule of one segment. */
typedef struct anypi_segment_rounds {
    int packed;                         /* if it has an order: the buffer with the input, to which
                                         * copies of all segments are made first */
    int count;                          /* number of rounds */
    int first[ANYPI_EXCHANGE_MAX_ROUNDS + 1];   /* of each round, its first step; and the end */
} anypi_segment_rounds;

/* Begins a round of one segment, which some ranks may leave empty. */
void anypi_exchange_round(anypi_segment_rounds *rounds, anyp_schedule *schedule);

/* Replaces the schedule of one segment by that of all segments. Segments are parts of the vector
 * that follow each other; if the schedule has an order, they are parts of each block. */
void anypi_exchange_repeat(anyp_schedule *schedule, const anypi_segment_rounds *rounds,
                           int segments);

#endif
