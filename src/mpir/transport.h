/* SPDX-License-Identifier: BSD-3-Clause
 *
 * transport.h - the transport of execute.h over MPICH's internal calls for collectives, and over
 * the lanes of a node. It is a header, so that the compiler inlines these
 * functions into the loop of each file that runs programs. It records errors as MPICH's algorithms
 * do. The program continues after an error, so that no other rank waits forever.
 */
#ifndef ANYPI_MPIR_TRANSPORT_H_INCLUDED
#define ANYPI_MPIR_TRANSPORT_H_INCLUDED

#include "mpir/internal.h"

#include "node/choose_loop.h"
#include "node/node_memory.h"

/* User operators have an int count, so a larger reduction is done in parts. */
#define ANYPI_MAX_REDUCE ((int64_t) 1 << 30)

/* A copy of data that MPICH must pack, beside its bytes. */
typedef struct anypi_staged {
    void *at;                   /* the data */
    MPI_Aint count, size;       /* their elements, and bytes */
    MPI_Datatype datatype;
    bool allocated;
    char bytes[];
} anypi_staged;

/* A message under way. */
typedef struct anypi_request {
    MPIR_Request *its;          /* MPICH's; NULL: it did not start, is done, or takes a lane */
    bool sends;
    anypi_lane *lane;           /* to a rank that shares memory; NULL: the message is MPICH's */
    anypi_parcel parcel;        /* on this lane */
    anypi_staged *staged;       /* NULL: the lane has the data themselves */
} anypi_request;

typedef struct anypi_transport {
    MPIR_Request *missing;      /* if it polls: the message that the program waits for, or NULL */
    const anypi_parcel *missing_parcel;         /* the same of a lane */
    MPIR_Comm *comm;
    MPI_Datatype datatype;      /* of the call's elements */
    MPI_Op op;
    int tag;
    bool polls;                 /* it does not wait for messages */
    const anypi_mpir_job *job;
    anypi_local *local;         /* of a call with local sizes */
    int error;                  /* MPI error code that combines all errors */
    ANYPI_ERRFLAG errflag;
    bool failed;                /* messages over lanes carry it: as the error flag */
    anypi_lanes *lanes;         /* to ranks that share memory; NULL: all messages are MPICH's */
    bool device;                /* the caller's data are in device memory: MPICH copies them */
    uint64_t context;           /* of messages over lanes */
    int64_t unit;               /* bytes of an element that is reduced */
    anypi_loop loop;            /* of the operator; NULL: MPIR_Reduce_local */
    int loop_numbers;           /* of an element, for the loop */
    char *room, *room_end;      /* of node/messages.h; none */
} anypi_transport;

/* Records that communication failed; MPICH notifies the other ranks. */
static inline void anypi_transport_record(anypi_transport *transport, int error)
{
    ANYPI_ERRFLAG_RECORD(transport->errflag, error, transport->error);
    transport->failed = true;
}

/* Records that a local step failed, for example because the operator is not defined for the
 * datatype. No message is missing, so the error keeps its class, and the error flag does not
 * change. */
static inline void anypi_transport_record_local(anypi_transport *transport, int error)
{
    MPIR_ERR_ADD(transport->error, error);
}

/* ---- messages over lanes: see node/messages.h ---- */

static inline void anypi_library_start(anypi_transport *transport, anypi_request *requests,
                                       int count)
{
    (void) transport;           /* messages start when they are added */
    (void) requests;
    (void) count;
}

static inline bool anypi_library_test(anypi_transport *transport, anypi_request *one)
{
    (void) transport;
    if (!one->its || MPIR_Request_is_complete(one->its))
        return true;
    anypi_mpir_poll();
    return MPIR_Request_is_complete(one->its);
}

/* Waits one by one: from 4.2 on, MPIC_Waitall stops at the first error and keeps the other
 * requests. Waiting for a complete message makes no progress for others, so a task can do it in
 * MPICH's progress engine. Returns false if the transport polls, and a message is missing. */
static inline bool anypi_wait(anypi_transport *transport, anypi_request *requests, int count)
{
    for (int i = 0; i < count; i++) {
        MPIR_Request *const its = requests[i].its;
        if (!its)
            continue;
        if (transport->polls && !MPIR_Request_is_complete(its)) {
            transport->missing = its;
            return false;
        }
        int error = ANYPI_WAIT(its, transport->errflag);
        if (!error)
            error = its->status.MPI_ERROR;
        MPIR_Request_free(its);
        requests[i].its = NULL;
        if (error)
            anypi_transport_record(transport, error);
        transport->failed |= ANYPI_ERRFLAG_IS_SENT(transport->errflag);
    }
    return true;
}

static inline void anypi_library_wait(anypi_transport *transport, anypi_request *requests,
                                      int count)
{
    anypi_wait(transport, requests, count);
}

static inline bool anypi_library_complete(anypi_transport *transport, anypi_request *requests,
                                          int count)
{
    return anypi_wait(transport, requests, count);
}

static inline void anypi_library_reduce(anypi_transport *transport, const char *left, char *right,
                                        int64_t elements)
{
    const int error = MPIR_Reduce_local(left, right, elements, transport->datatype,
                                        transport->op);
    if (error)
        anypi_transport_record_local(transport, error);
}

static inline void anypi_library_unpack(anypi_transport *transport, anypi_staged *its)
{
    const int error = MPIR_Localcopy(its->bytes, its->size, ANYPI_TYPE_BYTE, its->at, its->count,
                                     its->datatype);
    if (error)
        anypi_transport_record_local(transport, error);
}

static inline void anypi_record_truncated(anypi_transport *transport)
{
    anypi_transport_record(transport, anypi_mpir_sizes_differ());
}

static inline void anypi_record_failed(anypi_transport *transport)
{
    anypi_transport_record(transport, anypi_mpir_other_failed());
}

static inline void anypi_record_no_memory(anypi_transport *transport)
{
    anypi_transport_record(transport, anypi_mpir_no_memory("message"));
}

#define ANYPI_TRANSPORT_POLLS 1
#include "node/messages.h"

/* The last bits of a context tell the tasks and the blocking calls of a communicator apart. */
enum { ANYPI_TASK_BITS = 25 };

static inline uint64_t anypi_task_context(int tag)
{
    const uint64_t bit = UINT64_C(1) << (ANYPI_TASK_BITS - 1);
    return bit | ((uint64_t) tag & (bit - 1));
}

/* collectives.c: lets the messages of a call take lanes, unless elements that are reduced have
 * gaps. */
void anypi_mpir_enter_node(anypi_transport *transport);

/* collectives.c: makes the programs of job->entry; `lanes`: for messages over lanes. */
anyp_status anypi_mpir_parts(const anypi_mpir_job *job, bool lanes, anypi_parts *parts);

/* Returns the memory for the bytes of a message whose data have gaps or are in device memory, with
 * the bytes of a send in it; NULL: there is none. */
static char *anypi_stage_data(anypi_transport *transport, bool sends, void *at, MPI_Aint count,
                              MPI_Datatype datatype, MPI_Aint size, anypi_request *request)
{
    anypi_staged *its = anypi_stage(transport, size);
    request->staged = its;
    if (!its)
        return NULL;
    its->at = at;
    its->count = count;
    its->size = size;
    its->datatype = datatype;
    const int error = sends ? MPIR_Localcopy(at, count, datatype, its->bytes, size,
                                             ANYPI_TYPE_BYTE) : MPI_SUCCESS;
    if (error)
        anypi_transport_record_local(transport, error);
    return its->bytes;
}

/* Begins a message if it takes a lane; otherwise returns false. */
static inline bool anypi_takes_lane(anypi_transport *transport, bool sends, int peer, void *at,
                                    MPI_Aint count, MPI_Datatype datatype, anypi_request *request)
{
    *request = (anypi_request) { .its = NULL };
    if (!transport->lanes)
        return false;
    const int64_t rank = anypi_world_rank(transport->comm, peer);
    request->lane = rank >= 0 && rank < MPIR_Process.size ? anypi_lane_to((int) rank) : NULL;
    if (!request->lane)
        return false;
    MPI_Aint unit;
    MPIR_Datatype_get_size_macro(datatype, unit);
    const MPI_Aint size = count * unit;
    const bool plain = size == 0 || (!transport->device && !anypi_mpir_has_gaps(datatype));
    anypi_begin_in_node(transport, sends, plain ? at
                        : anypi_stage_data(transport, sends, at, count, datatype, size, request),
                        size, unit, request);
    return true;
}

/* ---- messages ---- */

static inline void anypi_send(anypi_transport *transport, int peer, const void *from,
                              MPI_Aint count, MPI_Datatype datatype, anypi_request *request)
{
    if (anypi_takes_lane(transport, true, peer, (void *) from, count, datatype, request))
        return;
    const int error = MPIC_Isend(from, count, datatype, peer, transport->tag, transport->comm,
                                 &request->its, transport->errflag);
    if (error) {
        anypi_transport_record(transport, error);
        request->its = NULL;    /* nothing to wait for */
    }
}

static inline void anypi_receive(anypi_transport *transport, int peer, void *to, MPI_Aint count,
                                 MPI_Datatype datatype, anypi_request *request)
{
    if (anypi_takes_lane(transport, false, peer, to, count, datatype, request))
        return;
    const int error = MPIC_Irecv(to, count, datatype, peer, transport->tag, transport->comm,
                                 &request->its);
    if (error) {
        anypi_transport_record(transport, error);
        /* a message that had arrived, and was too long, has completed the receive */
        if (request->its && MPIR_Request_is_complete(request->its))
            MPIR_Request_free(request->its);
        request->its = NULL;
    }
}

static inline void anypi_transport_send(anypi_transport *transport, int peer, const char *from,
                                        int64_t elements, anypi_request *request)
{
    anypi_send(transport, peer, from, elements, transport->datatype, request);
}

static inline void anypi_transport_receive(anypi_transport *transport, int peer, char *to,
                                           int64_t elements, anypi_request *request)
{
    anypi_receive(transport, peer, to, elements, transport->datatype, request);
}

static inline void anypi_transport_start(anypi_transport *transport, anypi_request *requests,
                                         int count)
{
    anypi_library_start(transport, requests, count);
}

static inline bool anypi_transport_wait(anypi_transport *transport, anypi_request *requests,
                                        int count)
{
    if (transport->polls)
        return anypi_complete_in_node(transport, requests, count, false);
    anypi_wait_for_all(transport, requests, count, false);
    return true;
}

static inline void anypi_transport_reduce(anypi_transport *transport, const char *from, char *to,
                                          int64_t elements)
{
    MPI_Aint extent = 0;
    anypi_data_change(transport);
    if (transport->loop) {
        transport->loop(from, to, to, elements * transport->loop_numbers);
        return;
    }
    if (elements > ANYPI_MAX_REDUCE)
        MPIR_Datatype_get_extent_macro(transport->datatype, extent);
    for (int64_t done = 0; done < elements; done += ANYPI_MAX_REDUCE) {
        const int64_t rest = elements - done;
        const int error = MPIR_Reduce_local(from + done * extent, to + done * extent,
                                            rest < ANYPI_MAX_REDUCE ? rest : ANYPI_MAX_REDUCE,
                                            transport->datatype, transport->op);
        if (error)
            anypi_transport_record_local(transport, error);
    }
}

static inline void anypi_transport_copy(anypi_transport *transport, const char *from, char *to,
                                        int64_t elements)
{
    anypi_data_change(transport);
    const int error = MPIR_Localcopy(from, elements, transport->datatype,
                                     to, elements, transport->datatype);
    if (error)
        anypi_transport_record_local(transport, error);
}

/* ---- held messages ---- */

static inline void anypi_transport_hold(anypi_transport *transport, int peer, char *to,
                                        int64_t elements, anypi_request *request)
{
    anypi_transport_receive(transport, peer, to, elements, request);
    /* a user's operator might write to its left operand, which is the sender's memory */
    request->parcel.held = request->lane && !request->staged &&
        (!transport->polls || anypi_mpir_holds()) &&
        HANDLE_IS_BUILTIN(transport->op) && !transport->job->call.reproducible;
}

static inline bool anypi_transport_wait_received(anypi_transport *transport,
                                                 anypi_request *requests, int count)
{
    if (transport->polls)
        return anypi_complete_in_node(transport, requests, count, true);
    anypi_wait_for_all(transport, requests, count, true);
    return true;
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

/* Copies between the caller's memory and bytes. */
static inline void anypi_transport_pack(anypi_transport *transport, char *to)
{
    const anypi_mpir_job *job = transport->job;
    const anypi_arguments *its = &job->its;
    anypi_data_change(transport);
    const void *from = its->sendbuf;
    const int blocks = anypi_mpir_input_blocks(&job->call);
    MPI_Aint count = its->sendcount;
    if (anypi_input_in_out(&job->call)) {
        const int rank = anypi_gathers(&job->call) ? job->call.rank : 0;
        count = its->counts.at ? anypi_integer(its->counts, rank) : its->count;
        from = (char *) its->recvbuf +
            job->extent *
            (its->displs.at ? anypi_integer(its->displs, rank) : rank * its->count);
    }
    const int error = MPIR_Localcopy(from, count * blocks, its->sendtype,
                                     to, anypi_mpir_input_bytes(job), ANYPI_TYPE_BYTE);
    if (error)
        anypi_transport_record_local(transport, error);
}

static inline void anypi_transport_unpack(anypi_transport *transport, const char *from, int first,
                                          int end)
{
    const anypi_mpir_job *job = transport->job;
    const anypi_arguments *its = &job->its;
    anypi_data_change(transport);
    const bool ranks = anypi_gathers(&job->call) || anypi_transposes(job->call.collective);
    for (int i = ranks ? first : 0; i < (ranks ? end : 1); i++) {
        const MPI_Aint count = its->counts.at ? anypi_integer(its->counts, i) : its->count;
        const MPI_Aint place =
            its->displs.at ? anypi_integer(its->displs, i) : i * its->count;
        const int error = count == 0 ? MPI_SUCCESS
            : MPIR_Localcopy(from, count * job->size, ANYPI_TYPE_BYTE,
                             (char *) its->recvbuf + place * job->extent, count, its->datatype);
        if (error)
            anypi_transport_record_local(transport, error);
        from += count * job->size;
    }
}

/* ---- calls with local sizes: see execute.h ---- */

static inline void anypi_caller_send(anypi_transport *transport, int peer, int block,
                                     anypi_request *request)
{
    const anypi_mpir_block from = anypi_mpir_input_block(&transport->job->its, block);
    anypi_send(transport, peer, from.at, from.count, from.datatype, request);
}

static inline void anypi_caller_receive(anypi_transport *transport, int peer, int block,
                                        anypi_request *request)
{
    const anypi_mpir_block to = anypi_mpir_output_block(&transport->job->its, block);
    anypi_receive(transport, peer, to.at, to.count, to.datatype, request);
}

static inline void anypi_copy_block(anypi_transport *transport, anypi_mpir_block from,
                                    anypi_mpir_block to)
{
    anypi_data_change(transport);
    const int error = MPIR_Localcopy(from.at, from.count, from.datatype,
                                     to.at, to.count, to.datatype);
    if (error)
        anypi_transport_record_local(transport, error);
}

static inline void anypi_caller_pack(anypi_transport *transport, int block, char *to)
{
    anypi_copy_block(transport, anypi_mpir_input_block(&transport->job->its, block),
                     (anypi_mpir_block) { to, transport->local->given[block], ANYPI_TYPE_BYTE });
}

static inline void anypi_caller_unpack(anypi_transport *transport, const char *from, int block)
{
    anypi_copy_block(transport, (anypi_mpir_block) { (char *) from, transport->local->got[block],
                                                     ANYPI_TYPE_BYTE },
                     anypi_mpir_output_block(&transport->job->its, block));
}

static inline void anypi_caller_copy(anypi_transport *transport, int block)
{
    anypi_copy_block(transport, anypi_mpir_input_block(&transport->job->its, block),
                     anypi_mpir_output_block(&transport->job->its, block));
}

#define ANYPI_TRANSPORT_HOLDS 1
#define ANYPI_TRANSPORT_HAS_BLOCKS 1

#include "execute/execute.h"

#endif
