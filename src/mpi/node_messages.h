/* SPDX-License-Identifier: BSD-3-Clause
 *
 * node_messages.h - the messages of the plug-in's transport over the lanes of a node, and waits in
 * which there are messages of both kinds. For transport.c.
 *
 * A lane carries bytes without gaps. Blocks with gaps, and data in device memory, are staged: MPI
 * packs them to memory of the message, or unpacks them from there. Reductions of elements with gaps
 * take no lanes: all their messages are MPI's.
 */
#ifndef ANYPI_NODE_MESSAGES_H_INCLUDED
#define ANYPI_NODE_MESSAGES_H_INCLUDED

#include "mpi/mpi_messages.h"
#include "node/node_memory.h"

#include "schedule/memory.h"

#include <stddef.h>

/* Returns the memory of a staged message. */
static size_t staged_size(int64_t bytes)
{
    const size_t mask = sizeof(max_align_t) - 1;
    return (sizeof(staged) + (size_t) bytes + mask) & ~mask;
}

/* Makes the memory of a message, and packs the data of a send into it. If there is no memory, the
 * message goes without its data. Returns the address of the bytes, or NULL. */
static char *stage(anypi_transport *transport, bool sends, const anypi_place *at,
                   anypi_request *request)
{
    const size_t size = staged_size(at->elements * at->type->size);
    const bool fits = size <= (size_t) (transport->room_end - transport->room);
    staged *its = fits ? (staged *) (void *) transport->room : anypi_realloc(NULL, size);
    request->staged = its;
    if (!its) {
        record(transport, MPI_ERR_NO_MEM);
        return NULL;
    }
    transport->room += fits ? size : 0;
    its->allocated = !fits;
    its->type = *at->type;
    its->place = (anypi_place) { &its->type, at->address, at->elements };
    if (sends)
        pack(transport, &its->place, its->bytes, true);
    return its->bytes;
}

/* Begins a message. `plain`: its data have no gaps and are in the processor's memory. */
static void begin_in_node(anypi_transport *transport, bool sends, const anypi_place *at, bool plain,
                          anypi_request *request)
{
    const int64_t unit = at->type->size, bytes = at->elements * unit;
    char *address = (char *) at->address;
    request->sends = sends;
    request->started = true;
    request->handle = MPI_REQUEST_NULL;
    request->part.made = false;
    if (!plain && bytes > 0)
        address = stage(transport, sends, at, request);
    if (sends)
        anypi_lane_send(transport->lanes, request->lane, (uint32_t) transport->tag, address, bytes,
                        unit > 0 ? unit : 1, &request->parcel);
    else
        anypi_lane_receive(transport->lanes, request->lane, (uint32_t) transport->tag, address,
                           bytes, unit > 0 ? unit : 1, &request->parcel);
}

static void end_in_node(anypi_transport *transport, anypi_request *request)
{
    staged *its = request->staged;
    if (request->parcel.truncated)
        record(transport, MPI_ERR_TRUNCATE);
    request->parcel.truncated = false;
    if (its && !request->sends)
        pack(transport, &its->place, its->bytes, false);
    if (its && its->allocated)
        anypi_free(its);
    request->staged = NULL;
}

/* Prepares a message, or starts it if it takes a lane. */
static inline void prepare(anypi_transport *transport, bool sends, int peer, const anypi_place *at,
                           bool plain, anypi_request *request)
{
    const int rank = anypi_channel_peer(transport->channel, peer);
    request->lane = transport->lanes ? anypi_lane_to(rank) : NULL;
    request->staged = NULL;
    if (request->lane)
        begin_in_node(transport, sends, at, plain, request);
    else
        prepare_mpi(transport, sends, rank, at, request);
}

/* Returns whether there is nothing to wait for. `received`: not for sends and held receives.
 * Otherwise held receives are copied: the sender may wait for that. */
static bool is_complete(anypi_transport *transport, anypi_request *one, bool received)
{
    int flag = 1;
    if (one->lane) {
        anypi_parcel *parcel = &one->parcel;
        parcel->held &= received;
        if (!parcel->over && !parcel->sends && !parcel->held)
            anypi_lane_wants(parcel);
        return parcel->over || (received && (parcel->sends || parcel->held));
    }
    if (one->handle != MPI_REQUEST_NULL)
        record(transport, anypi_mpi.Test(&one->handle, &flag, MPI_STATUS_IGNORE));
    return flag;
}

/* Waits for messages of both kinds. If no parcel is under way any more, the MPI library waits for
 * its messages. */
static void wait_in_node(anypi_transport *transport, anypi_request *requests, int count,
                         bool received)
{
    int turns = 0;
    bool all = false;
    start_mpi(transport, requests, count);
    while (!all) {
        const bool moved = anypi_lanes_move(transport->lanes);
        all = true;
        for (int i = 0; i < count; i++)
            all &= is_complete(transport, &requests[i], received);
        if (!all && !anypi_lanes_busy(transport->lanes))
            break;
        if (moved)
            turns = 0;
        else if (!all)
            anypi_lanes_idle(transport->lanes, &turns);
    }
    wait_for_mpi(transport, requests, count);
    for (int i = 0; i < count; i++)
        if (requests[i].lane && requests[i].parcel.over)
            end_in_node(transport, &requests[i]);
    anypi_lanes_changed(transport->lanes);
}

static inline bool has_lane(const anypi_request *requests, int count)
{
    for (int i = 0; i < count; i++)
        if (requests[i].lane)
            return true;
    return false;
}

/* out = left (+) right, where `out` may be `right`. */
static void combine(void *context, const char *left, const char *right, char *out,
                    int64_t elements)
{
    anypi_transport *transport = context;
    enum { PIECE = 8192 };      /* bytes that stay in the cache: MPI reduces two operands */
    const int64_t size = transport->type->size, most = size < PIECE ? PIECE / size : 1;
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
        record(transport, anypi_mpi.Reduce_local(left + at, out + at, (int) some,
                                                 transport->type->handle, transport->op));
    }
}

#endif
