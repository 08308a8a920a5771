/* SPDX-License-Identifier: BSD-3-Clause
 *
 * segments.h - into how many segments a pipeline cuts the vector. (Lowery & Langou 2013, section III)
 */
#ifndef ANYPI_SEGMENTS_H_INCLUDED
#define ANYPI_SEGMENTS_H_INCLUDED

#include "anyp.h"

/* k: segments of at most `segment` bytes, but whole elements, at least one and at most `most`. */
static inline int anypi_segments(const anyp_call *call, int segment, int most)
{
    const int64_t fit = call->type_size > 0 ? segment / call->type_size : call->count;
    const int64_t elements = fit > 0 ? fit : 1;
    const int64_t segments = call->count / elements + (call->count % elements > 0);
    return segments < 1 ? 1 : segments < most ? (int) segments : most;
}

#endif
