/* SPDX-License-Identifier: BSD-3-Clause
 *
 * transport.h - execute.h over a transport that records its calls, and moves 32-bit numbers for the
 * local steps; and elements to run schedules on.
 */
#ifndef UNIT_TRANSPORT_H_INCLUDED
#define UNIT_TRANSPORT_H_INCLUDED

#include "unit/common.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int anypi_request;

typedef struct anypi_transport {
    const char *origin;         /* addresses are noted relative to it */
    int64_t extent;
    int overlap;                /* of the schedule */
    char said[512];
} anypi_transport;

static void say(anypi_transport *transport, const char *what, int peer, const char *address,
                int64_t elements)
{
    const size_t length = strlen(transport->said);
    snprintf(transport->said + length, sizeof transport->said - length, "%s%d@%td:%lld ", what,
             peer, (address - transport->origin) / 4, (long long) elements);
}

/* The value of a request while its message is under way; no other has it by chance. */
enum { SENDS = 0x5e4d5, RECEIVES = 0x4ece17e, DONE = 0x604e };

static void begin(anypi_request *request, int what)
{
    ck_assert_msg(*request != SENDS && *request != RECEIVES, "a request has two messages");
    *request = what;
}

static void is_under_way(const anypi_request *requests, int count)
{
    for (int i = 0; i < count; i++)
        ck_assert(requests[i] == SENDS || requests[i] == RECEIVES);
}

static inline void anypi_transport_send(anypi_transport *transport, int peer, const char *from,
                                        int64_t elements, anypi_request *request)
{
    begin(request, SENDS);
    say(transport, ">", peer, from, elements);
}

static inline void anypi_transport_receive(anypi_transport *transport, int peer, char *to,
                                           int64_t elements, anypi_request *request)
{
    begin(request, RECEIVES);
    say(transport, "<", peer, to, elements);
}

static inline void anypi_transport_start(anypi_transport *transport, anypi_request *requests,
                                         int count)
{
    const size_t length = strlen(transport->said);
    is_under_way(requests, count);
    snprintf(transport->said + length, sizeof transport->said - length, "start%d ", count);
}

static inline bool anypi_transport_wait(anypi_transport *transport, anypi_request *requests,
                                        int count)
{
    const size_t length = strlen(transport->said);
    is_under_way(requests, count);
    for (int i = 0; i < count; i++)
        requests[i] = DONE;
    snprintf(transport->said + length, sizeof transport->said - length, "wait%d ", count);
    return true;
}

static inline void anypi_transport_reduce(anypi_transport *transport, const char *from, char *to,
                                          int64_t elements)
{
    say(transport, "+", 0, to, elements);
    for (int64_t i = 0; i < elements; i++) {
        uint32_t left, right;    /* what has not arrived has any value */
        memcpy(&left, from + i * transport->extent, sizeof left);
        memcpy(&right, to + i * transport->extent, sizeof right);
        right += left;
        memcpy(to + i * transport->extent, &right, sizeof right);
    }
}

static inline void anypi_transport_copy(anypi_transport *transport, const char *from, char *to,
                                        int64_t elements)
{
    /* where addresses have 32 bits, a ptrdiff_t may be too small */
    const int64_t distance = llabs((int64_t) (uintptr_t) from - (int64_t) (uintptr_t) to);
    if (distance % transport->extent == 0)
        ck_assert(distance >= elements * transport->extent);    /* no overlap */
    for (int64_t i = 0; i < elements; i++)
        memcpy(to + i * transport->extent, from + i * transport->extent, 4);
}

static inline void anypi_transport_pack(anypi_transport *transport, char *to)
{
    say(transport, "pack", 0, to, 0);
}

static inline void anypi_transport_unpack(anypi_transport *transport, const char *from, int first,
                                          int end)
{
    say(transport, "unpack", first, from, end);
}

#include "execute/execute.h"

/* Elements with gaps, with data in front of their address, and in descending order. */
static const anypi_element elements[] = {
    { 0, 4, 4 }, { 4, 28, 28 }, { -8, 12, 20 }, { 0, 400, 4 }, { 0, 4, -4 }, { -3, 5, -16 },
};

#endif
