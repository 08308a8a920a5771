/* SPDX-License-Identifier: BSD-3-Clause
 *
 * local_transport.h - a transport for calls with local sizes between ranks in one process, each of
 * which has its turns. For one file.
 */
#ifndef ANYP_TEST_LOCAL_TRANSPORT_H_INCLUDED
#define ANYP_TEST_LOCAL_TRANSPORT_H_INCLUDED

#include "unit/common.h"

#include "execute/local_sizes.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_RANKS = 130 };

/* ---- messages ---- */

typedef struct message {
    char *data;
    int64_t bytes;
    struct message *next;
} message;

typedef struct channel {
    message *first, **last;     /* that have not been received */
    int sent, taken;
} channel;

static channel channels[MOST_RANKS][MOST_RANKS];
static int64_t messages_sent;

typedef struct anypi_request {
    channel *from;              /* NULL: a send, or complete */
    int turn;
    char *to;
    int64_t bytes;
} anypi_request;

/* The caller's buffers: block i begins at starts[i]. */
typedef struct anypi_transport {
    anypi_local *local;
    int rank, taken[MOST_RANKS];
    char *in, *out;
    int64_t *in_starts, *out_starts;
    int64_t *sizes_in, *sizes_out;      /* the caller's */
} anypi_transport;

static inline void anypi_transport_send(anypi_transport *transport, int peer, const char *from,
                                        int64_t bytes, anypi_request *request)
{
    channel *to = &channels[transport->rank][peer];
    message *one = malloc(sizeof *one);
    *one = (message) { .data = malloc((size_t) bytes + 1), .bytes = bytes };
    memcpy(one->data, from, (size_t) bytes);
    if (!to->first)
        to->last = &to->first;
    *to->last = one;
    to->last = &one->next;
    to->sent++;
    messages_sent++;
    *request = (anypi_request) { .from = NULL };
}

static inline void anypi_transport_receive(anypi_transport *transport, int peer, char *to,
                                           int64_t bytes, anypi_request *request)
{
    *request = (anypi_request) { &channels[peer][transport->rank], transport->taken[peer]++, to,
                                 bytes };
}

static inline void anypi_transport_start(anypi_transport *transport, anypi_request *requests,
                                         int count)
{
    (void) transport, (void) requests, (void) count;
}

static inline bool anypi_transport_wait(anypi_transport *transport, anypi_request *requests,
                                        int count)
{
    (void) transport;
    for (int i = 0; i < count; i++) {
        channel *from = requests[i].from;
        if (!from)
            continue;
        if (!from->first || from->taken != requests[i].turn)
            return false;
        message *one = from->first;
        assert_often(one->bytes <= requests[i].bytes, "a message of %ld bytes for %ld",
                     (long) one->bytes, (long) requests[i].bytes);
        memcpy(requests[i].to, one->data, (size_t) one->bytes);
        from->first = one->next;
        from->taken++;
        free(one->data);
        free(one);
        requests[i].from = NULL;
    }
    return true;
}

static inline void anypi_transport_reduce(anypi_transport *transport, const char *from, char *to,
                                          int64_t elements)
{
    (void) transport, (void) from, (void) to, (void) elements;
    ck_abort_msg("nothing is reduced");
}

static inline void anypi_transport_copy(anypi_transport *transport, const char *from, char *to,
                                        int64_t bytes)
{
    (void) transport;
    memmove(to, from, (size_t) bytes);
}

static inline void anypi_transport_pack(anypi_transport *transport, char *to)
{
    (void) transport, (void) to;
    ck_abort_msg("blocks are packed one by one");
}

static inline void anypi_transport_unpack(anypi_transport *transport, const char *from, int first,
                                          int end)
{
    (void) transport, (void) from, (void) first, (void) end;
    ck_abort_msg("blocks are unpacked one by one");
}

static inline void anypi_caller_send(anypi_transport *transport, int peer, int block,
                                     anypi_request *request)
{
    anypi_transport_send(transport, peer, transport->in + transport->in_starts[block],
                         transport->sizes_in[block], request);
}

static inline void anypi_caller_receive(anypi_transport *transport, int peer, int block,
                                        anypi_request *request)
{
    anypi_transport_receive(transport, peer, transport->out + transport->out_starts[block],
                            transport->sizes_out[block], request);
}

static inline void anypi_caller_pack(anypi_transport *transport, int block, char *to)
{
    memcpy(to, transport->in + transport->in_starts[block], (size_t) transport->sizes_in[block]);
}

static inline void anypi_caller_unpack(anypi_transport *transport, const char *from, int block)
{
    memcpy(transport->out + transport->out_starts[block], from,
           (size_t) transport->sizes_out[block]);
}

static inline void anypi_caller_copy(anypi_transport *transport, int block)
{
    anypi_caller_pack(transport, block, transport->out + transport->out_starts[block]);
}

#define ANYPI_TRANSPORT_HAS_BLOCKS 1

#include "execute/execute.h"

#endif
