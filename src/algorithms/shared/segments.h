/* SPDX-License-Identifier: BSD-3-Clause
 *
 * segments.h - what pipelines have in common: into how many segments they cut the vector, and how a
 * rank's sum of a segment grows. Segment j is block j of the partition, in every buffer.
 *
 * A rank's sum lies in the input until something is received onto it; then in OUT at the root,
 * elsewhere in scratch. The first operand is received straight to where the sum shall be and the
 * input reduced onto it, so that nothing needs a plain copy.
 */
#ifndef ANYPI_SEGMENTS_H_INCLUDED
#define ANYPI_SEGMENTS_H_INCLUDED

#include "algorithms/shared/bytes.h"

#include "schedule/schedule.h"

/* More segments are never made: then they grow with the vector, and schedules stay small. Among
 * 1024 segments the first one's way costs little, unless there are as many ranks. */
enum { ANYPI_MAXIMUM_SEGMENTS = 1024 };

/* k: segments of at most `segment` bytes, but whole elements, at least one and at most `maximum`. */
static inline int anypi_segments(const anyp_call *call, int segment, int maximum)
{
    const int64_t fit = call->type_size > 0 ? segment / call->type_size : call->count;
    const int64_t elements = fit > 0 ? fit : 1;
    const int64_t segments = call->count / elements + (call->count % elements > 0);
    return segments < 1 ? 1 : segments < maximum ? (int) segments : maximum;
}

/* This rank's input. */
static inline int anypi_segment_input(const anyp_call *call)
{
    return call->in_place ? ANYP_OUT : ANYP_IN;
}

static inline anyp_slice anypi_segment(int buffer, int j)
{
    return anypi_slice(buffer, j, j + 1);
}

/* Sends the sum of segment j, onto which something was received before or not. */
void anypi_segment_send(const anyp_call *call, int peer, int j, bool received,
                        anyp_schedule *schedule);

/* A message with an operand for segment j. Behind all messages of its round must follow
 * anypi_segment_reduce() with the same arguments. */
void anypi_segment_recv(const anyp_call *call, int peer, int j, bool received,
                        anyp_schedule *schedule);

/* Takes the operand into the sum. An operand that came first is the right one, the input the left,
 * but for the root in place if the operator commutes; later ones need operators that commute. */
void anypi_segment_reduce(const anyp_call *call, int j, bool received, anyp_schedule *schedule);

/* p = 1: the input is the result. */
void anypi_segment_alone(const anyp_call *call, int k, anyp_schedule *schedule);

#endif
