/* SPDX-License-Identifier: BSD-3-Clause
 *
 * execute.h - the loop that carries out a schedule, for every back end that moves real data.
 *
 * A back end is a transport. It defines two types and five functions, and then includes this file:
 *
 *   anypi_transport   its state, with whatever went wrong so far
 *   anypi_request     a message under way
 *   bool anypi_transport_send(anypi_transport *, int peer, const char *from, int64_t elements,
 *                             anypi_request *);
 *   bool anypi_transport_receive(anypi_transport *, int peer, char *to, int64_t elements,
 *                                anypi_request *);
 *       start a message; false if there is nothing to wait for (done, or failed and noted)
 *   void anypi_transport_wait(anypi_transport *, anypi_request *, int count);
 *   void anypi_transport_reduce(anypi_transport *, const char *from, char *to, int64_t elements);
 *       to = from (+) to
 *   void anypi_transport_copy(anypi_transport *, const char *from, char *to, int64_t elements);
 *       the two do not overlap
 *
 * A failing message does not end the schedule, since other ranks wait for the next ones: the
 * transport remembers the error and the caller asks it at the end. No MPI here, no allocation.
 */
#ifndef ANYPI_EXECUTE_H_INCLUDED
#define ANYPI_EXECUTE_H_INCLUDED

#include "anyp.h"
#include "core/layout.h"

/* Where the buffers of a schedule lie. */
typedef struct anypi_buffers {
    char *base[ANYP_BUFFERS];       /* address of the first element of the buffer's first block */
    int64_t origin[ANYP_BUFFERS];   /* where this block starts, in elements: see layout.h */
    int64_t gap[ANYP_BUFFERS];      /* elements of each copy of the vector that it leaves out */
    int64_t extent;
} anypi_buffers;

/* Scratch buffers are aligned to this, as malloc would. */
enum { ANYPI_SCRATCH_ALIGNMENT = 16 };

/* Bytes of memory for all scratch buffers together; -1 if there cannot be so much. */
static inline int64_t anypi_scratch_size(const anyp_schedule *schedule, const anypi_layout *layout,
                                         const anypi_element *element)
{
    const int64_t stride = element->extent < 0 ? -element->extent : element->extent;
    int64_t size = 0;
    for (int k = 0; k < schedule->scratch_count; k++) {
        const int64_t elements = anypi_scratch_elements(schedule, layout, k);
        int64_t span;
        if (elements == 0)
            continue;
        if (__builtin_mul_overflow(elements - 1, stride, &span) ||
            __builtin_add_overflow(size, span, &size) ||
            __builtin_add_overflow(size, element->high - element->low + ANYPI_SCRATCH_ALIGNMENT,
                                   &size))
            return -1;
    }
    return size;
}

/* Lays the scratch buffers into memory of anypi_scratch_size() bytes. */
static inline void anypi_scratch_place(const anyp_schedule *schedule, const anypi_layout *layout,
                                       const anypi_element *element, char *memory,
                                       anypi_buffers *buffers)
{
    uintptr_t free_from = (uintptr_t) memory;
    for (int k = 0; k < schedule->scratch_count; k++) {
        const int64_t elements = anypi_scratch_elements(schedule, layout, k);
        const int64_t last = elements > 0 ? (elements - 1) * element->extent : 0;
        const int64_t low = element->low + (last < 0 ? last : 0);
        const int64_t high = element->high + (last > 0 ? last : 0);
        const uintptr_t mask = ANYPI_SCRATCH_ALIGNMENT - 1;
        const uintptr_t base = (free_from - (uintptr_t) low + mask) & ~mask;
        buffers->base[ANYP_SCRATCH + k] = (char *) base;
        buffers->gap[ANYP_SCRATCH + k] = anypi_scratch_gap(schedule, layout, k);
        buffers->origin[ANYP_SCRATCH + k] =
            anypi_gapped_start(&layout->scratch, schedule->scratch[k].first,
                               buffers->gap[ANYP_SCRATCH + k]);
        if (elements > 0)
            free_from = base + (uintptr_t) high;
    }
}

/* At most how many messages a round has: the room that anypi_execute() needs for requests. */
static inline int anypi_requests_most(const anyp_schedule *schedule)
{
    int most = 0;
    for (int round = 0; round < schedule->rounds; round++) {
        const int steps = schedule->round_start[round + 1] - schedule->round_start[round];
        most = steps > most ? steps : most;
    }
    return most;
}

static inline char *anypi_slice_address(const anypi_buffers *buffers, const anypi_layout *layout,
                                        anyp_slice slice)
{
    const int64_t start = anypi_gapped_start(anypi_partition_of(layout, slice.buffer), slice.first,
                                             buffers->gap[slice.buffer]);
    return buffers->base[slice.buffer] + (start - buffers->origin[slice.buffer]) * buffers->extent;
}

/* Copies a slice. Only in place, from IN to the OUT that overlays it, can the two overlap: then the
 * target lies whole elements in front, and pieces as long as the distance do not overlap. (Other
 * buffers may be woven into each other's gaps, but not by whole elements.) */
static inline void anypi_execute_copy(anypi_transport *transport, const anypi_buffers *buffers,
                                      const char *from, char *to, int64_t elements)
{
    const int64_t bytes = from - to;
    int64_t piece = elements;
    if (buffers->extent > 0 && bytes >= 0 && bytes < elements * buffers->extent &&
        bytes % buffers->extent == 0)
        piece = bytes / buffers->extent;
    if (piece == 0)
        return;                 /* it is there already */
    for (int64_t done = 0; done < elements; done += piece) {
        const int64_t rest = elements - done;
        anypi_transport_copy(transport, from + done * buffers->extent,
                             to + done * buffers->extent, rest < piece ? rest : piece);
    }
}

static inline void anypi_execute_local(const anyp_step *step, const anypi_layout *layout,
                                       const anypi_buffers *buffers, anypi_transport *transport)
{
    const int64_t elements = anypi_slice_elements(layout, step->to);
    if (elements == 0)
        return;
    const char *from = anypi_slice_address(buffers, layout, step->from);
    char *to = anypi_slice_address(buffers, layout, step->to);
    if (step->kind == ANYP_REDUCE_LOCAL)
        anypi_transport_reduce(transport, from, to, elements);
    else
        anypi_execute_copy(transport, buffers, from, to, elements);
}

/* Carries the schedule out. Messages without elements are left out, at both ends alike: both know
 * the sizes. Receives are started first, so that a message finds its place waiting. */
static inline void anypi_execute(const anyp_schedule *schedule, const anypi_layout *layout,
                                 const anypi_buffers *buffers, anypi_transport *transport,
                                 anypi_request *requests)
{
    for (int round = 0; round < schedule->rounds; round++) {
        const anyp_step *const first = &schedule->steps[schedule->round_start[round]];
        const anyp_step *const end = &schedule->steps[schedule->round_start[round + 1]];
        int under_way = 0;
        for (const anyp_step *step = first; step < end; step++) {
            if (step->kind != ANYP_RECV)
                continue;
            const int64_t elements = anypi_slice_elements(layout, step->to);
            if (elements > 0)
                under_way += anypi_transport_receive(
                    transport, step->peer, anypi_slice_address(buffers, layout, step->to),
                    elements, &requests[under_way]);
        }
        for (const anyp_step *step = first; step < end; step++) {
            if (step->kind != ANYP_SEND)
                continue;
            const int64_t elements = anypi_slice_elements(layout, step->from);
            if (elements > 0)
                under_way += anypi_transport_send(
                    transport, step->peer, anypi_slice_address(buffers, layout, step->from),
                    elements, &requests[under_way]);
        }
        if (under_way > 0)
            anypi_transport_wait(transport, requests, under_way);
        for (const anyp_step *step = first; step < end; step++)
            if (step->kind == ANYP_REDUCE_LOCAL || step->kind == ANYP_COPY)
                anypi_execute_local(step, layout, buffers, transport);
    }
}

#endif
