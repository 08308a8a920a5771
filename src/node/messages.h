/* SPDX-License-Identifier: BSD-3-Clause
 *
 * messages.h - the messages of a transport (execute/execute.h) over the lanes of a node, and waits
 * in which there are messages of both kinds, over lanes and by the MPI library.
 *
 * A lane carries bytes without gaps. Blocks with gaps, and data in device memory, are staged: the
 * back end packs them to memory of the message, or unpacks them from there. Reductions of elements
 * with gaps take no lanes: all their messages are the library's.
 *
 * A back end defines the following, and then includes this file. Its types:
 *
 *   anypi_staged      a copy of data that must be packed: bool allocated, and last char bytes[]
 *   anypi_request     bool sends, anypi_lane *lane (NULL: the library's), anypi_parcel parcel,
 *                     anypi_staged *staged (NULL: the lane has the data themselves)
 *   anypi_transport   anypi_lanes *lanes, uint64_t context, int64_t unit (bytes of an element that
 *                     is reduced), anypi_loop loop (NULL: none), int loop_numbers, int error,
 *                     bool failed (tell the receivers of later messages that this rank's data
 *                     are wrong), char *room, *room_end (for staged data; NULL: none), const
 *                     anypi_parcel *missing_parcel (that a task waits for; only if
 *                     ANYPI_TRANSPORT_POLLS is defined)
 *
 * Its functions:
 *
 *   void anypi_library_start(anypi_transport *, anypi_request *, int count);
 *   bool anypi_library_test(anypi_transport *, anypi_request *);
 *       is the message complete? The library moves messages in this call
 *   void anypi_library_wait(anypi_transport *, anypi_request *, int count);
 *       waits for all that are not over lanes
 *   bool anypi_library_complete(anypi_transport *, anypi_request *, int count);
 *       completes those that are not over lanes, or returns false if one is missing; only if
 *       ANYPI_TRANSPORT_POLLS is defined
 *   void anypi_library_reduce(anypi_transport *, const char *left, char *right, int64_t elements);
 *       right = left (+) right
 *   void anypi_library_unpack(anypi_transport *, anypi_staged *);
 *   void anypi_record_truncated(anypi_transport *), anypi_record_no_memory(anypi_transport *),
 *       anypi_record_failed(anypi_transport *): records that another rank has failed
 */
#ifndef ANYPI_NODE_MESSAGES_H_INCLUDED
#define ANYPI_NODE_MESSAGES_H_INCLUDED

#include "node/lanes.h"
#include "schedule/memory.h"

#include <stddef.h>
#include <string.h>

/* Returns the memory of a staged message. */
static inline size_t anypi_staged_size(int64_t bytes)
{
    const size_t mask = sizeof(max_align_t) - 1;
    return (sizeof(anypi_staged) + (size_t) bytes + mask) & ~mask;
}

/* Returns the memory of a staged message. If there is none, records that and returns NULL; the
 * message then goes without its data. */
static anypi_staged *anypi_stage(anypi_transport *transport, int64_t bytes)
{
    const size_t size = anypi_staged_size(bytes);
    const bool fits = size <= (size_t) (transport->room_end - transport->room);
    anypi_staged *its = fits ? (anypi_staged *) (void *) transport->room
        : anypi_realloc(NULL, size);
    if (its) {
        its->allocated = !fits;
    } else {
        anypi_record_no_memory(transport);
        transport->failed = true;
    }
    transport->room += fits ? size : 0;
    return its;
}

/* Begins a message over request->lane, from or to an address, which NULL leaves without data;
 * request->staged is set. An element has `unit` bytes. */
static inline void anypi_begin_in_node(anypi_transport *transport, bool sends, char *address,
                                       int64_t bytes, int64_t unit, anypi_request *request)
{
    request->sends = sends;
    if (sends)
        anypi_lane_send(transport->lanes, request->lane, transport->context, address, bytes,
                        unit > 0 ? unit : 1, transport->failed, &request->parcel);
    else
        anypi_lane_receive(transport->lanes, request->lane, transport->context, address, bytes,
                           unit > 0 ? unit : 1, &request->parcel);
}

/* Records the errors of a message, once. */
static inline void anypi_note_failures(anypi_transport *transport, anypi_parcel *parcel)
{
    if (parcel->truncated)
        anypi_record_truncated(transport);
    else if (parcel->failed && !parcel->sends && !transport->failed)
        anypi_record_failed(transport);
    transport->failed |= parcel->truncated || parcel->failed;
    parcel->truncated = parcel->failed = false;
}

static inline void anypi_end_in_node(anypi_transport *transport, anypi_request *request)
{
    anypi_staged *its = request->staged;
    anypi_note_failures(transport, &request->parcel);
    if (its && !request->sends)
        anypi_library_unpack(transport, its);
    if (its && its->allocated)
        anypi_free(its);
    request->staged = NULL;
}

/* Returns whether there is nothing to wait for. `received`: not for sends and held receives.
 * Otherwise held receives are copied: the sender may wait for that. */
static inline bool anypi_is_complete(anypi_transport *transport, anypi_request *one, bool received)
{
    anypi_parcel *parcel = &one->parcel;
    if (!one->lane)
        return anypi_library_test(transport, one);
    parcel->held &= received;
    if (!parcel->over && !parcel->sends && !parcel->held)
        anypi_lane_wants(parcel);
    return parcel->over || (received && (parcel->sends || parcel->held));
}

/* Waits for messages of both kinds. If no parcel is under way any more, the MPI library waits for
 * its messages. */
static void anypi_wait_in_node(anypi_transport *transport, anypi_request *requests, int count,
                               bool received)
{
    int turns = 0;
    bool all = false;
    anypi_library_start(transport, requests, count);
    while (!all) {
        const bool moved = anypi_lanes_move(transport->lanes);
        all = true;
        for (int i = 0; i < count; i++)
            all &= anypi_is_complete(transport, &requests[i], received);
        if (!all && !anypi_lanes_busy(transport->lanes))
            break;
        if (moved)
            turns = 0;
        else if (!all)
            anypi_lanes_idle(transport->lanes, &turns, true);
    }
    anypi_library_wait(transport, requests, count);
    for (int i = 0; i < count; i++)
        if (requests[i].lane && requests[i].parcel.over)
            anypi_end_in_node(transport, &requests[i]);
    anypi_lanes_changed(transport->lanes);
}

/* As anypi_transport_wait() and anypi_transport_wait_received(): see execute.h. */
static inline void anypi_wait_for_all(anypi_transport *transport, anypi_request *requests,
                                      int count, bool received)
{
    bool in_node = transport->lanes && anypi_lanes_busy(transport->lanes);
    for (int i = 0; i < count && transport->lanes && !in_node; i++)
        in_node = requests[i].lane;
    if (in_node)
        anypi_wait_in_node(transport, requests, count, received);
    else
        anypi_library_wait(transport, requests, count);
}

#ifdef ANYPI_TRANSPORT_POLLS

/* Returns the first message over a lane that is not complete, or NULL. `received`: not a send or a
 * held receive; otherwise held receives are copied. */
static inline anypi_parcel *anypi_first_missing(anypi_request *requests, int count, bool received)
{
    for (int i = 0; i < count; i++) {
        anypi_parcel *parcel = &requests[i].parcel;
        parcel->held &= received;
        if (requests[i].lane && !parcel->over && !(received && (parcel->sends || parcel->held)))
            return parcel;
    }
    return NULL;
}

/* Completes messages of both kinds without waiting. Returns false if one is missing. */
static inline bool anypi_complete_in_node(anypi_transport *transport, anypi_request *requests,
                                          int count, bool received)
{
    if (!transport->lanes)
        return anypi_library_complete(transport, requests, count);
    anypi_library_start(transport, requests, count);
    anypi_parcel *missing = anypi_first_missing(requests, count, received);
    if (missing && anypi_lanes_move(transport->lanes))
        missing = anypi_first_missing(requests, count, received);
    anypi_lanes_changed(transport->lanes);      /* what was sent may change now */
    transport->missing_parcel = missing;
    if (missing && !missing->sends)
        anypi_lane_wants(missing);
    if (missing || !anypi_library_complete(transport, requests, count))
        return false;
    for (int i = 0; i < count; i++)
        if (requests[i].lane && requests[i].parcel.over)
            anypi_end_in_node(transport, &requests[i]);
    return true;
}

#endif

/* Local steps may change what was sent before them. */
static inline void anypi_data_change(anypi_transport *transport)
{
    if (transport->lanes)
        anypi_lanes_changed(transport->lanes);
}

/* out = left (+) right, where `out` may be `right`. */
static void anypi_combine_in_node(void *context, const char *left, const char *right, char *out,
                                  int64_t elements)
{
    anypi_transport *transport = context;
    enum { PIECE = 8192 };      /* bytes that stay in the cache: the library has two operands */
    const int64_t size = transport->unit, most = size < PIECE ? PIECE / size : 1;
    if (transport->error)
        return;
    if (transport->loop) {
        transport->loop(left, right, out, elements * transport->loop_numbers);
        return;
    }
    for (int64_t done = 0; done < elements; done += most) {
        const int64_t some = elements - done < most ? elements - done : most, at = done * size;
        if (right != out)
            memcpy(out + at, right + at, (size_t) (some * size));
        anypi_library_reduce(transport, left + at, out + at, some);
    }
}

/* What a reduction of a message that may be held has done. */
typedef enum anypi_held {
    ANYPI_NOT_HELD,             /* nothing: the message has no lane, or its data are copied */
    ANYPI_HELD_REDUCED,
    ANYPI_HELD_MISSING          /* fragments are missing; continue when some have arrived */
} anypi_held;

/* As anypi_transport_reduce_held(): see execute.h. If `waits`, nothing is missing. */
static inline anypi_held anypi_reduce_in_node(anypi_transport *transport, anypi_request *request,
                                              bool right, const char *from, char *to, bool waits)
{
    anypi_parcel *parcel = &request->parcel;
    if (!request->lane || request->staged)
        return ANYPI_NOT_HELD;
    const bool held = !parcel->over || parcel->reduced > 0;     /* not copied after all, because
                                                                 * later messages depend on it */
    if (held) {
        anypi_lanes_changed(transport->lanes);
        if (!anypi_lane_reduce(transport->lanes, parcel, right, from, to, anypi_combine_in_node,
                               transport, waits))
            return ANYPI_HELD_MISSING;
    }
    anypi_note_failures(transport, parcel);
    return held ? ANYPI_HELD_REDUCED : ANYPI_NOT_HELD;
}

#endif
