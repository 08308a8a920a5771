/* SPDX-License-Identifier: BSD-3-Clause
 *
 * transport.h - the transport of execute.h over MPICH's internal calls for collectives. It is a
 * header, so that the compiler inlines these functions into the loop of each file that runs
 * programs. It records errors as MPICH's algorithms do. The program continues after an error, so
 * that no other rank waits forever.
 */
#ifndef ANYPI_MPIR_TRANSPORT_H_INCLUDED
#define ANYPI_MPIR_TRANSPORT_H_INCLUDED

#include "mpir/internal.h"

/* User operators have an int count, so a larger reduction is done in parts. */
#define ANYPI_MAX_REDUCE ((int64_t) 1 << 30)

typedef MPIR_Request *anypi_request;

typedef struct anypi_transport {
    anypi_request missing;      /* if it polls: the message that the program waits for, or NULL */
    MPIR_Comm *comm;
    MPI_Datatype datatype;      /* of the call's elements */
    MPI_Op op;
    int tag;
    bool polls;                 /* it does not wait for messages */
    const anypi_mpir_job *job;
    anypi_local *local;         /* of a call with local sizes */
    int error;                  /* MPI error code that combines all errors */
    ANYPI_ERRFLAG errflag;
} anypi_transport;

/* Records that communication failed; MPICH notifies the other ranks. */
static inline void anypi_transport_record(anypi_transport *transport, int error)
{
    ANYPI_ERRFLAG_RECORD(transport->errflag, error, transport->error);
}

/* Records that a local step failed, for example because the operator is not defined for the
 * datatype. No message is missing, so the error keeps its class, and the error flag does not
 * change. */
static inline void anypi_transport_record_local(anypi_transport *transport, int error)
{
    MPIR_ERR_ADD(transport->error, error);
}

static inline void anypi_send(anypi_transport *transport, int peer, const void *from,
                              MPI_Aint count, MPI_Datatype datatype, anypi_request *request)
{
    const int error = MPIC_Isend(from, count, datatype, peer, transport->tag, transport->comm,
                                 request, transport->errflag);
    if (error) {
        anypi_transport_record(transport, error);
        *request = NULL;        /* nothing to wait for */
    }
}

static inline void anypi_receive(anypi_transport *transport, int peer, void *to, MPI_Aint count,
                                 MPI_Datatype datatype, anypi_request *request)
{
    *request = NULL;
    const int error = MPIC_Irecv(to, count, datatype, peer, transport->tag, transport->comm,
                                 request);
    if (error) {
        anypi_transport_record(transport, error);
        /* a message that had arrived, and was too long, has completed the receive */
        if (*request && MPIR_Request_is_complete(*request))
            MPIR_Request_free(*request);
        *request = NULL;
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

/* Does nothing: messages start when they are added. */
static inline void anypi_transport_start(anypi_transport *transport, anypi_request *requests,
                                         int count)
{
    (void) transport;
    (void) requests;
    (void) count;
}

/* Waits one by one: from 4.2 on, MPIC_Waitall stops at the first error and keeps the other
 * requests. Waiting for a complete message makes no progress for others, so a task can do it in
 * MPICH's progress engine. */
static inline bool anypi_transport_wait(anypi_transport *transport, anypi_request *requests,
                                        int count)
{
    for (int i = 0; i < count; i++) {
        if (!requests[i])               /* it did not start, or is done */
            continue;
        if (transport->polls && !MPIR_Request_is_complete(requests[i])) {
            transport->missing = requests[i];
            return false;
        }
        int error = ANYPI_WAIT(requests[i], transport->errflag);
        if (!error)
            error = requests[i]->status.MPI_ERROR;
        MPIR_Request_free(requests[i]);
        requests[i] = NULL;
        if (error)
            anypi_transport_record(transport, error);
    }
    return true;
}

static inline void anypi_transport_reduce(anypi_transport *transport, const char *from, char *to,
                                          int64_t elements)
{
    MPI_Aint extent = 0;
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
    const int error = MPIR_Localcopy(from, elements, transport->datatype,
                                     to, elements, transport->datatype);
    if (error)
        anypi_transport_record_local(transport, error);
}

/* Copies between the caller's memory and bytes. */
static inline void anypi_transport_pack(anypi_transport *transport, char *to)
{
    const anypi_mpir_job *job = transport->job;
    const anypi_arguments *its = &job->its;
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

/* ---- calls with local sizes: see local_steps.h ---- */

static inline void anypi_no_message(anypi_request *request)
{
    *request = NULL;
}

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

#include "execute/local_steps.h"

#include "execute/execute.h"

#endif
