/* SPDX-License-Identifier: BSD-3-Clause
 *
 * execute.h - the loop that carries out a schedule, for every back end that moves real data.
 *
 * A back end is a transport. It defines two types and six functions, and then includes this file:
 *
 *   anypi_transport   its state, with whatever went wrong so far
 *   anypi_request     a message under way
 *   bool anypi_transport_send(anypi_transport *, int peer, const char *from, int64_t elements,
 *                             anypi_request *);
 *   bool anypi_transport_receive(anypi_transport *, int peer, char *to, int64_t elements,
 *                                anypi_request *);
 *       prepare a message, or start it; false if there is nothing to wait for (done, or failed and
 *       noted)
 *   void anypi_transport_start(anypi_transport *, anypi_request *, int count);
 *       start messages now that have only been prepared; else anypi_transport_wait() does
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
#include "core/early.h"
#include "core/layout.h"

/* Where the buffers of a schedule lie. */
typedef struct anypi_buffers {
    char *base[ANYP_BUFFERS];       /* address of the first element of the buffer's first block */
    int64_t origin[ANYP_BUFFERS];   /* where this block starts, in elements: see layout.h */
    int64_t gap[ANYP_BUFFERS];      /* elements of each copy of the vector that it leaves out, ... */
    int window[ANYP_BUFFERS];       /* and then the block that a copy begins with */
    int64_t extent;
    bool overlaid;                  /* OUT lies in IN, but not at the same block */
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
        buffers->window[ANYP_SCRATCH + k] = schedule->scratch[k].window_first;
        buffers->origin[ANYP_SCRATCH + k] =
            anypi_gapped_start(&layout->scratch, schedule->scratch[k].first,
                               buffers->window[ANYP_SCRATCH + k], buffers->gap[ANYP_SCRATCH + k]);
        if (elements > 0)
            free_from = base + (uintptr_t) high;
    }
}

/* At most how many messages a round has. */
static inline int anypi_requests_most(const anyp_schedule *schedule)
{
    int most = 0;
    for (int round = 0; round < schedule->rounds; round++) {
        const int steps = schedule->round_start[round + 1] - schedule->round_start[round];
        most = steps > most ? steps : most;
    }
    return most;
}

/* Rounds that have requests at a time: those that overlap, and one whose receives begin early. */
static inline int anypi_requests_slots(const anyp_schedule *schedule)
{
    return schedule->overlap + 2;
}

/* The room that anypi_execute() needs for requests. */
static inline int anypi_requests_room(const anyp_schedule *schedule)
{
    return anypi_requests_slots(schedule) * anypi_requests_most(schedule);
}

static inline char *anypi_slice_address(const anypi_buffers *buffers, const anypi_layout *layout,
                                        anyp_slice slice)
{
    const int64_t start = anypi_gapped_start(anypi_partition_of(layout, slice.buffer), slice.first,
                                             buffers->window[slice.buffer],
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

/* The receives of a round become requests; returns how many. Messages without elements are left
 * out, at both ends alike: both know the sizes. */
static inline int anypi_execute_receives(const anyp_schedule *schedule, int round,
                                         const anypi_layout *layout, const anypi_buffers *buffers,
                                         anypi_transport *transport, anypi_request *requests)
{
    const anyp_step *const end = &schedule->steps[schedule->round_start[round + 1]];
    int count = 0;
    for (const anyp_step *step = &schedule->steps[schedule->round_start[round]]; step < end;
         step++) {
        if (step->kind != ANYP_RECV)
            continue;
        const int64_t elements = anypi_slice_elements(layout, step->to);
        if (elements > 0)
            count += anypi_transport_receive(transport, step->peer,
                                             anypi_slice_address(buffers, layout, step->to),
                                             elements, &requests[count]);
    }
    return count;
}

/* The same for its sends. */
static inline int anypi_execute_sends(const anyp_schedule *schedule, int round,
                                      const anypi_layout *layout, const anypi_buffers *buffers,
                                      anypi_transport *transport, anypi_request *requests)
{
    const anyp_step *const end = &schedule->steps[schedule->round_start[round + 1]];
    int count = 0;
    for (const anyp_step *step = &schedule->steps[schedule->round_start[round]]; step < end;
         step++) {
        if (step->kind != ANYP_SEND)
            continue;
        const int64_t elements = anypi_slice_elements(layout, step->from);
        if (elements > 0)
            count += anypi_transport_send(transport, step->peer,
                                          anypi_slice_address(buffers, layout, step->from),
                                          elements, &requests[count]);
    }
    return count;
}

/* A schedule on its way. The requests of a round are in slot round mod `slots`. */
typedef struct anypi_execution {
    const anyp_schedule *schedule;
    const anypi_layout *layout;
    const anypi_buffers *buffers;
    anypi_transport *transport;
    anypi_request *requests;    /* `most` in each slot */
    int most, slots;
    int begun;                  /* rounds whose messages have begun */
    int received;               /* receives of the next round that have; -1: not yet */
    int under_way[ANYP_MAX_OVERLAP + 2];        /* messages in each slot */
} anypi_execution;

static inline anypi_request *anypi_requests_of(const anypi_execution *e, int round)
{
    return e->requests + round % e->slots * e->most;
}

/* Begins the next round, or what has not yet begun of it. */
static inline void anypi_begin_round(anypi_execution *e)
{
    anypi_request *const requests = anypi_requests_of(e, e->begun);
    int count = e->received;
    if (count < 0)
        count = anypi_execute_receives(e->schedule, e->begun, e->layout, e->buffers, e->transport,
                                       requests);
    count += anypi_execute_sends(e->schedule, e->begun, e->layout, e->buffers, e->transport,
                                 requests + count);
    e->under_way[e->begun % e->slots] = count;
    e->received = -1;
    e->begun++;
}

/* May the next round begin while those from `round` on are under way? */
static inline bool anypi_next_overlaps(const anypi_execution *e, int round)
{
    if (e->begun >= e->schedule->rounds || e->begun > round + e->schedule->overlap)
        return false;
    for (int other = round; other < e->begun; other++)
        if (!anypi_messages_early(e->schedule, other, e->begun, e->buffers->overlaid))
            return false;
    return true;
}

/* Carries the schedule out. Receives are started first, so that a message finds its place waiting,
 * and those of the next round before this one's local steps where they can be; whole rounds overlap
 * as far as the schedule says. `requests` has room for anypi_requests_room(). */
static inline void anypi_execute(const anyp_schedule *schedule, const anypi_layout *layout,
                                 const anypi_buffers *buffers, anypi_transport *transport,
                                 anypi_request *requests)
{
    anypi_execution e = { .schedule = schedule, .layout = layout, .buffers = buffers,
                          .transport = transport, .requests = requests,
                          .most = anypi_requests_most(schedule),
                          .slots = anypi_requests_slots(schedule), .received = -1 };
    for (int round = 0; round < schedule->rounds; round++) {
        if (e.begun == round)
            anypi_begin_round(&e);
        while (anypi_next_overlaps(&e, round)) {
            const int last = e.begun - 1;
            anypi_transport_start(transport, anypi_requests_of(&e, last),
                                  e.under_way[last % e.slots]);
            anypi_begin_round(&e);
        }
        if (e.begun > round + 1)
            anypi_transport_start(transport, anypi_requests_of(&e, e.begun - 1),
                                  e.under_way[(e.begun - 1) % e.slots]);
        if (e.under_way[round % e.slots] > 0)
            anypi_transport_wait(transport, anypi_requests_of(&e, round),
                                 e.under_way[round % e.slots]);
        if (e.begun == round + 1 && e.begun < schedule->rounds &&
            anypi_receives_early(schedule, round, e.begun, buffers->overlaid)) {
            anypi_request *const early = anypi_requests_of(&e, e.begun);
            e.received = anypi_execute_receives(schedule, e.begun, layout, buffers, transport,
                                                early);
            if (e.received > 0)
                anypi_transport_start(transport, early, e.received);
        }
        const anyp_step *const end = anypi_round_begin(schedule, round + 1);
        for (const anyp_step *step = anypi_round_begin(schedule, round); step < end; step++)
            if (step->kind == ANYP_REDUCE_LOCAL || step->kind == ANYP_COPY)
                anypi_execute_local(step, layout, buffers, transport);
    }
}

#endif
