/* SPDX-License-Identifier: BSD-3-Clause
 *
 * stress_transport.h - the transport of stress.c (execute/execute.h): messages over lanes only,
 * which wait or poll. Some messages carry the sign that their sender has failed; it checks that
 * they do.
 */
#ifndef STRESS_TRANSPORT_H_INCLUDED
#define STRESS_TRANSPORT_H_INCLUDED

#include "node/lanes.h"

#include <string.h>

enum { WORDS = 4 };

/* An element: a 2x2 matrix of numbers modulo 2^32, whose product does not commute, or a number. */
typedef uint32_t matrix[WORDS];

typedef struct anypi_transport {
    anypi_lanes *lanes;
    int rank;
    uint64_t context;
    bool polls;                 /* it does not wait */
    int64_t size;               /* of an element */
    bool multiplies;
    int64_t in_place;           /* elements that were reduced in the sender's memory */
    int wrong;                  /* messages without the sign of an error, or with a wrong one */
} anypi_transport;

typedef anypi_parcel anypi_request;

/* out = left (+) right */
static void combine(void *context, const char *left, const char *right, char *out, int64_t elements)
{
    anypi_transport *transport = context;
    for (int64_t i = 0; i < elements; i++) {
        const int64_t at = i * transport->size;
        matrix a = { 0 }, b = { 0 }, c;
        memcpy(a, left + at, (size_t) transport->size);
        memcpy(b, right + at, (size_t) transport->size);
        for (int k = 0; k < WORDS; k++)
            c[k] = transport->multiplies ? a[k & 2] * b[k & 1] + a[(k & 2) + 1] * b[2 + (k & 1)]
                : a[k] + b[k];
        memcpy(out + at, c, (size_t) transport->size);
    }
}

static void combine_held(void *context, const char *left, const char *right, char *out,
                         int64_t elements)
{
    anypi_transport *transport = context;
    transport->in_place += out != left && out != right ? 0 : elements;
    combine(context, left, right, out, elements);
}

/* Is a message to be sent as that of a rank that has failed? */
static bool is_failed(int rank, int peer)
{
    return (rank + peer) % 3 == 1;
}

/* Checks a message that was received. */
static void check_failed(anypi_transport *transport, const anypi_request *one)
{
    int peer = 0;
    while (anypi_lane_of(transport->lanes, peer) != one->lane)
        peer++;
    transport->wrong += one->failed != is_failed(peer, transport->rank);
}

static inline void anypi_transport_send(anypi_transport *transport, int peer, const char *from,
                                        int64_t elements, anypi_request *request)
{
    anypi_lane_send(transport->lanes, anypi_lane_of(transport->lanes, peer), transport->context,
                    from, elements * transport->size, transport->size,
                    is_failed(transport->rank, peer), request);
}

static inline void anypi_transport_receive(anypi_transport *transport, int peer, char *to,
                                           int64_t elements, anypi_request *request)
{
    anypi_lane_receive(transport->lanes, anypi_lane_of(transport->lanes, peer), transport->context,
                       to, elements * transport->size, transport->size, request);
}

static inline void anypi_transport_hold(anypi_transport *transport, int peer, char *to,
                                        int64_t elements, anypi_request *request)
{
    anypi_transport_receive(transport, peer, to, elements, request);
    request->held = !request->over;
}

static inline void anypi_transport_start(anypi_transport *transport, anypi_request *requests,
                                         int count)
{
    (void) transport;
    (void) requests;
    (void) count;
}

/* Returns whether there is nothing to wait for. */
static bool are_complete(anypi_transport *transport, anypi_request *requests, int count,
                         bool received)
{
    bool all = true;
    for (int i = 0; i < count; i++) {
        anypi_parcel *one = &requests[i];
        if (one->over || (received && (one->sends || one->held)))
            continue;
        if (!one->sends && !one->held)
            anypi_lane_wants(one);
        all = false;
    }
    for (int i = 0; i < count && all; i++)
        if (requests[i].over && !requests[i].sends)
            check_failed(transport, &requests[i]);
    return all;
}

static bool wait_for(anypi_transport *transport, anypi_request *requests, int count, bool received)
{
    int turns = 0;
    bool moved = anypi_lanes_move(transport->lanes);
    while (!are_complete(transport, requests, count, received)) {
        if (transport->polls)
            return false;
        if (moved)
            turns = 0;
        else
            anypi_lanes_idle(transport->lanes, &turns, true);
        moved = anypi_lanes_move(transport->lanes);
    }
    anypi_lanes_changed(transport->lanes);
    return true;
}

static inline bool anypi_transport_wait(anypi_transport *transport, anypi_request *requests,
                                        int count)
{
    return wait_for(transport, requests, count, false);
}

static inline bool anypi_transport_wait_received(anypi_transport *transport,
                                                 anypi_request *requests, int count)
{
    return wait_for(transport, requests, count, true);
}

static inline void anypi_transport_reduce(anypi_transport *transport, const char *from, char *to,
                                          int64_t elements)
{
    anypi_lanes_changed(transport->lanes);
    combine(transport, from, to, to, elements);
}

static inline bool anypi_transport_reduce_held(anypi_transport *transport, anypi_request *request,
                                               bool right, const char *from, char *to,
                                               int64_t elements)
{
    (void) elements;
    anypi_lanes_changed(transport->lanes);
    if (!anypi_lane_reduce(transport->lanes, request, right, from, to, combine_held, transport,
                           !transport->polls))
        return false;
    check_failed(transport, request);
    return true;
}

static inline void anypi_transport_copy(anypi_transport *transport, const char *from, char *to,
                                        int64_t elements)
{
    anypi_lanes_changed(transport->lanes);
    memcpy(to, from, (size_t) (elements * transport->size));
}

static void anypi_transport_pack(anypi_transport *transport, char *to)
{
    (void) transport;
    (void) to;
}

static void anypi_transport_unpack(anypi_transport *transport, const char *from, int first, int end)
{
    (void) transport;
    (void) from;
    (void) first;
    (void) end;
}

#define ANYPI_TRANSPORT_HOLDS 1
#include "execute/execute.h"

#endif
