/* SPDX-License-Identifier: BSD-3-Clause
 *
 * run.c - carries out a schedule inside MPICH.
 *
 * Messages go by MPICH's internal calls for collectives. An error is recorded as MPICH's own
 * algorithms do it, and the schedule continues, so that no other rank waits forever.
 */
#include "mpir/internal.h"

/* User operators take an int count, so a larger reduction is done in parts. */
#define MAX_REDUCE ((int64_t) 1 << 30)

typedef MPIR_Request *anypi_request;

typedef struct anypi_transport {
    MPIR_Comm *comm;
    MPI_Datatype datatype;
    MPI_Op op;
    int tag;
    int error;                  /* MPI error code of all errors */
    ANYPI_ERRFLAG errflag;
} anypi_transport;

/* Communication failed: MPICH lets the other ranks know. */
static void record(anypi_transport *transport, int error)
{
    ANYPI_ERRFLAG_RECORD(transport->errflag, error, transport->error);
}

/* A local step failed, for example because the operator is not defined for the datatype. No message
 * is missing, so the error keeps its class and the flag does not change. */
static void record_local(anypi_transport *transport, int error)
{
    MPIR_ERR_ADD(transport->error, error);
}

static inline void anypi_transport_send(anypi_transport *transport, int peer, const char *from,
                                        int64_t elements, anypi_request *request)
{
    const int error = MPIC_Isend(from, elements, transport->datatype, peer, transport->tag,
                                 transport->comm, request, transport->errflag);
    if (error) {
        record(transport, error);
        *request = NULL;        /* nothing to wait for */
    }
}

static inline void anypi_transport_receive(anypi_transport *transport, int peer, char *to,
                                           int64_t elements, anypi_request *request)
{
    *request = NULL;
    const int error = MPIC_Irecv(to, elements, transport->datatype, peer, transport->tag,
                                 transport->comm, request);
    if (error) {
        record(transport, error);
        /* a message that had arrived, and was too long, has completed the receive */
        if (*request && MPIR_Request_is_complete(*request))
            MPIR_Request_free(*request);
        *request = NULL;
    }
}

/* Messages start when they are added. */
static inline void anypi_transport_start(anypi_transport *transport, anypi_request *requests,
                                         int count)
{
    (void) transport;
    (void) requests;
    (void) count;
}

/* One by one: from 4.2 on, MPIC_Waitall stops at the first error and keeps the other requests. */
static inline bool anypi_transport_wait(anypi_transport *transport, anypi_request *requests,
                                        int count)
{
    for (int i = 0; i < count; i++) {
        if (!requests[i])               /* it did not start */
            continue;
        int error = ANYPI_WAIT(requests[i], transport->errflag);
        if (!error)
            error = requests[i]->status.MPI_ERROR;
        MPIR_Request_free(requests[i]);
        if (error)
            record(transport, error);
    }
    return true;
}

static inline void anypi_transport_reduce(anypi_transport *transport, const char *from, char *to,
                                          int64_t elements)
{
    MPI_Aint extent = 0;
    if (elements > MAX_REDUCE)
        MPIR_Datatype_get_extent_macro(transport->datatype, extent);
    for (int64_t done = 0; done < elements; done += MAX_REDUCE) {
        const int64_t rest = elements - done;
        const int error = MPIR_Reduce_local(from + done * extent, to + done * extent,
                                            rest < MAX_REDUCE ? rest : MAX_REDUCE,
                                            transport->datatype, transport->op);
        if (error)
            record_local(transport, error);
    }
}

static inline void anypi_transport_copy(anypi_transport *transport, const char *from, char *to,
                                        int64_t elements)
{
    const int error = MPIR_Localcopy(from, elements, transport->datatype,
                                     to, elements, transport->datatype);
    if (error)
        record_local(transport, error);
}

#include "execute/execute.h"

int anypi_mpir_run(const anypi_mpir_job *job, ANYPI_ERRFLAG errflag)
{
    anypi_workspace *workspace = &job->comm->coll.anyp->workspace;
    anypi_transport transport = { .comm = job->comm, .datatype = job->datatype, .op = job->op,
                                  .tag = job->tag, .error = MPI_SUCCESS, .errflag = errflag };
    if (anypi_cache_program(&workspace->cache, job->entry, &workspace->schedule, job->starts,
                            job->element) != ANYP_SUCCESS)
        return anypi_mpir_no_memory("schedule");
    const char *missing = anypi_perform(workspace, &job->entry->program, job->call.in_place,
                                        job->sendbuf, job->recvbuf, &transport);
    if (missing)
        return anypi_mpir_no_memory(missing);
    if (transport.error == MPI_SUCCESS && ANYPI_ERRFLAG_IS_SET(errflag))
        ANYPI_ERRFLAG_TO_CODE(errflag, transport.error);
    return transport.error;
}
