/* SPDX-License-Identifier: BSD-3-Clause
 *
 * transport.h - the transport of execute.h over public MPI functions, on a communicator's channel,
 * and over the lanes of a node. It is a header, so that the compiler inlines these functions into
 * the loop of each file that runs programs. After an error the program's messages continue, so that
 * no other rank waits forever. The transport has the first error.
 */
#ifndef ANYPI_MPI_TRANSPORT_H_INCLUDED
#define ANYPI_MPI_TRANSPORT_H_INCLUDED

#include "mpi/mpi_messages.h"
#include "mpi/operations.h"

/* ---- messages over lanes: see node/messages.h ---- */

static inline void anypi_library_start(anypi_transport *transport, anypi_request *requests,
                                       int count)
{
    start_mpi(transport, requests, count);
}

static inline bool anypi_library_test(anypi_transport *transport, anypi_request *one)
{
    int flag = 1;
    if (one->handle != MPI_REQUEST_NULL)
        record(transport, anypi_mpi.Test(&one->handle, &flag, MPI_STATUS_IGNORE));
    return flag;
}

static inline void anypi_library_wait(anypi_transport *transport, anypi_request *requests,
                                      int count)
{
    wait_for_mpi(transport, requests, count);
}

static inline bool anypi_library_complete(anypi_transport *transport, anypi_request *requests,
                                          int count)
{
    return complete_mpi(transport, requests, count);
}

static inline void anypi_library_reduce(anypi_transport *transport, const char *left, char *right,
                                        int64_t elements)
{
    record(transport, anypi_mpi.Reduce_local(left, right, (int) elements,
                                             transport->type->handle, transport->op));
}

static inline void anypi_library_unpack(anypi_transport *transport, anypi_staged *its)
{
    pack(transport, &its->place, its->bytes, false);
}

static inline void anypi_record_truncated(anypi_transport *transport)
{
    record(transport, MPI_ERR_TRUNCATE);
}

static inline void anypi_record_no_memory(anypi_transport *transport)
{
    record(transport, MPI_ERR_NO_MEM);
}

static inline void anypi_record_failed(anypi_transport *transport)
{
    record(transport, MPI_ERR_OTHER);
}

#define ANYPI_TRANSPORT_POLLS 1
#include "node/messages.h"
#include "node/node_memory.h"

/* Makes the memory of a message, and packs the data of a send into it. Returns the address of the
 * bytes, or NULL. */
static char *stage(anypi_transport *transport, bool sends, const anypi_place *at,
                   anypi_request *request)
{
    anypi_staged *its = anypi_stage(transport, at->elements * at->type->size);
    request->staged = its;
    if (!its)
        return NULL;
    its->type = *at->type;
    its->place = (anypi_place) { &its->type, at->address, at->elements };
    if (sends)
        pack(transport, &its->place, its->bytes, true);
    return its->bytes;
}

/* Prepares a message, or starts it if it takes a lane. `plain`: its data have no gaps and are in
 * the processor's memory. */
static inline void prepare(anypi_transport *transport, bool sends, int peer, const anypi_place *at,
                           bool plain, anypi_request *request)
{
    const int rank = anypi_channel_peer(transport->channel, peer);
    request->lane = transport->lanes ? anypi_lane_to(rank) : NULL;
    request->staged = NULL;
    if (!request->lane) {
        prepare_mpi(transport, sends, rank, at, request);
        return;
    }
    const int64_t unit = at->type->size, bytes = at->elements * unit;
    request->started = true;
    request->handle = MPI_REQUEST_NULL;
    request->part.made = false;
    anypi_begin_in_node(transport, sends, plain || bytes == 0 ? (char *) at->address
                        : stage(transport, sends, at, request), bytes, unit, request);
}

/* Returns whether elements have the same layout in memory as in a message. */
static inline bool is_plain(const anypi_transport *transport)
{
    return transport->type->dense && !transport->device;
}

static inline void anypi_transport_send(anypi_transport *transport, int peer, const char *from,
                                        int64_t elements, anypi_request *request)
{
    prepare(transport, true, peer, &(anypi_place) { transport->type, from, elements },
            is_plain(transport), request);
}

static inline void anypi_transport_receive(anypi_transport *transport, int peer, char *to,
                                           int64_t elements, anypi_request *request)
{
    prepare(transport, false, peer, &(anypi_place) { transport->type, to, elements },
            is_plain(transport), request);
}

static inline void anypi_transport_start(anypi_transport *transport, anypi_request *requests,
                                         int count)
{
    start_mpi(transport, requests, count);
}

static inline bool anypi_transport_wait(anypi_transport *transport, anypi_request *requests,
                                        int count)
{
    if (transport->polls)
        return anypi_complete_in_node(transport, requests, count, false);
    anypi_wait_for_all(transport, requests, count, false);
    return true;
}

/* ---- held messages ---- */

static inline void anypi_transport_hold(anypi_transport *transport, int peer, char *to,
                                        int64_t elements, anypi_request *request)
{
    anypi_transport_receive(transport, peer, to, elements, request);
    /* a user's operator might write to its left operand, which is the sender's memory; the bits of
     * reproducible extremes are those of anypi_transport_reduce() */
    request->parcel.held = request->lane && !request->staged &&
        (!transport->polls || anypi_operations_active == 1) && transport->job->builtin &&
        !transport->job->call.reproducible;
}

static inline bool anypi_transport_wait_received(anypi_transport *transport,
                                                 anypi_request *requests, int count)
{
    if (transport->polls)
        return anypi_complete_in_node(transport, requests, count, true);
    anypi_wait_for_all(transport, requests, count, true);
    return true;
}

static inline void anypi_transport_reduce(anypi_transport *transport, const char *from, char *to,
                                          int64_t elements)
{
    anypi_data_change(transport);
    if (transport->loop) {
        transport->loop(from, to, to, elements * transport->loop_numbers);
        return;
    }
    if (transport->job->call.reproducible &&
        anypi_reduce_extremes(transport->type, transport->op, from, to, elements))
        return;
    /* after an error the result is undefined; an error of the local reduction would call another
     * error handler than the caller's */
    for (int64_t done = 0; done < elements && !transport->error; done += MAX_REDUCE) {
        const int64_t rest = elements - done, bytes = done * transport->type->element.extent;
        record(transport,
               anypi_mpi.Reduce_local(from + bytes, to + bytes,
                                      rest < MAX_REDUCE ? (int) rest : MAX_REDUCE,
                                      transport->type->handle, transport->op));
    }
}

static inline bool anypi_transport_reduce_held(anypi_transport *transport, anypi_request *request,
                                               bool right, const char *from, char *to,
                                               int64_t elements)
{
    const anypi_held held = anypi_reduce_in_node(transport, request, right, from, to,
                                                 !transport->polls);
    if (held == ANYPI_NOT_HELD)
        anypi_transport_reduce(transport, from, to, elements);
    return held != ANYPI_HELD_MISSING;
}

static inline void anypi_transport_copy(anypi_transport *transport, const char *from, char *to,
                                        int64_t elements)
{
    anypi_data_change(transport);
    if (is_plain(transport)) {
        memcpy(to, from, (size_t) (elements * transport->type->size));
        return;
    }
    copy_by_message(transport, &(anypi_place) { transport->type, from, elements },
                    &(anypi_place) { transport->type, to, elements });
}

/* Returns the elements of this rank's output that belong to rank i, or all elements if the output
 * has no ranks' blocks. */
static anypi_place output_of(const anypi_job *job, int i)
{
    const anyp_call *call = &job->call;
    const int64_t extent = job->type->element.extent;
    int64_t first = 0, elements = job->its.count;
    if (anypi_has_counts(call)) {
        first = anypi_integer(job->its.displs, i);
        elements = anypi_integer(job->its.counts, i);
    } else if (anypi_has_equal_blocks(call)) {
        first = i * elements;
    }
    return (anypi_place) { job->type, (char *) job->its.recvbuf + first * extent, elements };
}

static void anypi_transport_pack(anypi_transport *transport, char *to)
{
    anypi_data_change(transport);
    const anypi_job *job = transport->job;
    const anyp_call *call = &job->call;
    const bool out = anypi_input_in_out(call), all = anypi_has_blocks(call->collective) &&
        !anypi_gathers(call);   /* MPI's counts are those of one block */
    anypi_place from = out ? output_of(job, all ? 0 : call->rank)
        : (anypi_place) { job->sends, job->its.sendbuf, job->its.sendcount };
    from.elements *= all ? call->p : 1;
    if (from.elements > 0)
        pack(transport, &from, to, true);
}

static void anypi_transport_unpack(anypi_transport *transport, const char *from, int first, int end)
{
    anypi_data_change(transport);
    const anypi_job *job = transport->job;
    const anyp_call *call = &job->call;
    const bool ranks = anypi_gathers(call) || anypi_transposes(call->collective);
    for (int i = ranks ? first : 0; i < (ranks ? end : 1); i++) {
        const anypi_place to = output_of(job, i);
        if (to.elements > 0)
            pack(transport, &to, (char *) from, false);
        from += to.elements * to.type->size;
    }
}

/* ---- calls with local sizes ---- */

/* Returns whether a block has the same layout in memory as in a message. */
static inline bool is_plain_block(const anypi_transport *transport, const anypi_place *block)
{
    return block->type->dense && block->type->kinds && !transport->device;
}

static inline void anypi_caller_send(anypi_transport *transport, int peer, int i,
                                     anypi_request *request)
{
    anypi_type users;
    anypi_place block;
    anypi_block_of(&transport->job->gives, i, &users, &block);
    prepare(transport, true, peer, &block, is_plain_block(transport, &block), request);
}

static inline void anypi_caller_receive(anypi_transport *transport, int peer, int i,
                                        anypi_request *request)
{
    anypi_type users;
    anypi_place block;
    anypi_block_of(&transport->job->gets, i, &users, &block);
    prepare(transport, false, peer, &block, is_plain_block(transport, &block), request);
}

static inline void anypi_caller_pack(anypi_transport *transport, int i, char *to)
{
    anypi_type users;
    anypi_place block;
    anypi_block_of(&transport->job->gives, i, &users, &block);
    anypi_data_change(transport);
    if (is_plain_block(transport, &block))
        memcpy(to, block.address, (size_t) transport->local->given[i]);
    else
        pack(transport, &block, to, true);
}

static inline void anypi_caller_unpack(anypi_transport *transport, const char *from, int i)
{
    anypi_type users;
    anypi_place block;
    anypi_block_of(&transport->job->gets, i, &users, &block);
    anypi_data_change(transport);
    if (is_plain_block(transport, &block))
        memcpy((char *) block.address, from, (size_t) transport->local->got[i]);
    else
        pack(transport, &block, (char *) from, false);
}

static inline void anypi_caller_copy(anypi_transport *transport, int i)
{
    const int64_t bytes = transport->local->given[i];
    anypi_type users_from, users_to;
    anypi_place from, to;
    anypi_block_of(&transport->job->gives, i, &users_from, &from);
    anypi_block_of(&transport->job->gets, i, &users_to, &to);
    anypi_data_change(transport);
    if (transport->local->got[i] != bytes)
        record(transport, MPI_ERR_TRUNCATE);
    else if (is_plain_block(transport, &from) && is_plain_block(transport, &to))
        memmove((char *) to.address, from.address, (size_t) bytes);
    else
        copy_by_message(transport, &from, &to);
}

#define ANYPI_TRANSPORT_HOLDS 1
#define ANYPI_TRANSPORT_HAS_BLOCKS 1

#include "execute/execute.h"

/* transport.c: makes the transport of a call that AnyP runs. Returns an MPI error code. */
int anypi_mpi_open(const anypi_job *job, anypi_transport *transport);
/* Returns the elements of a reduction's output on this rank. */
static inline int64_t anypi_mpi_output_elements(const anypi_job *job)
{
    return anypi_has_counts(&job->call) ? anypi_integer(job->its.counts, job->call.rank)
        : job->its.count;
}
/* transport.c: returns the address of an output in the processor's memory, in place of one in
 * device memory. Sets *memory to what must be freed; NULL: there is none. */
char *anypi_mpi_host_output(const anypi_job *job, char **memory);
/* transport.c: copies it to the device. */
void anypi_mpi_to_device(anypi_transport *transport, char *out);

/* transport.c: makes the programs of a call without local sizes. */
anyp_status anypi_mpi_parts(const anypi_transport *transport, anypi_parts *parts);

#endif
