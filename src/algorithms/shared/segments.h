/* SPDX-License-Identifier: BSD-3-Clause
 *
 * segments.h - functions that pipelines share: the number of segments of the vector, and a rank's
 * sum of a segment. Segment j is block j of the partition, in every buffer.
 *
 * A rank's sum is in the input until an operand is received. Then it is in OUT at the root, and in
 * scratch elsewhere. The first operand is received directly into the buffer of the sum, and the
 * input is reduced onto it, so no plain copy is needed.
 */
#ifndef ANYPI_SEGMENTS_H_INCLUDED
#define ANYPI_SEGMENTS_H_INCLUDED

#include "algorithms/shared/bytes.h"

#include "schedule/ranks.h"
#include "schedule/schedule.h"

/* The maximum number of segments. Beyond it segments grow with the vector, so that schedules stay
 * small. With 1024 segments, filling the pipeline costs little, unless there are about as many
 * ranks. */
enum { ANYPI_MAXIMUM_SEGMENTS = 1024 };

/* Returns k: segments of at most `segment` bytes, but whole elements; from one to `maximum`. */
int anypi_segments(const anyp_call *call, int segment, int maximum);

/* Returns `blocks` of a pipeline whose first parameter is `segment`. */
int anypi_segment_blocks(const anyp_call *call, const int *parameters);

/* Adds segments to a list of values that are worth a try (values.h): four sizes per octave, from
 * the whole vector on. */
void anypi_try_segments(const anyp_call *call, int *list, int *count);

/* Returns this rank's input buffer. */
static inline int anypi_segment_input(const anyp_call *call)
{
    return call->in_place ? ANYP_OUT : ANYP_IN;
}

/* Sends the sum of segment j; `received`: an operand for it was received before. */
void anypi_segment_send(const anyp_call *call, int peer, int j, bool received,
                        anyp_schedule *schedule);

/* Receives an operand for segment j. After all messages of the round, anypi_segment_reduce() must
 * follow with the same arguments. */
void anypi_segment_recv(const anyp_call *call, int peer, int j, bool received,
                        anyp_schedule *schedule);

/* Adds the operand to the sum. The first operand is the right one, the input the left one, except
 * at the root in place if the operator commutes; later operands need an operator that commutes. */
void anypi_segment_reduce(const anyp_call *call, int j, bool received, anyp_schedule *schedule);

/* For p = 1: the input is the result. */
void anypi_segment_alone(const anyp_call *call, int k, anyp_schedule *schedule);

#endif
