/* SPDX-License-Identifier: BSD-3-Clause
 *
 * run.c - carries out a program inside MPICH: at once, or as a task, piece by piece.
 *
 * Messages go by MPICH's internal calls for collectives. An error is recorded as MPICH's own
 * algorithms do it, and the program continues, so that no other rank waits forever.
 */
#include "mpir/internal.h"

#include <string.h>

/* User operators take an int count, so a larger reduction is done in parts. */
#define MAX_REDUCE ((int64_t) 1 << 30)

typedef MPIR_Request *anypi_request;

typedef struct anypi_transport {
    MPIR_Comm *comm;
    MPI_Datatype datatype;
    MPI_Op op;
    int tag;
    bool polls;                 /* does not wait for messages */
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

/* One by one: from 4.2 on, MPIC_Waitall stops at the first error and keeps the other requests.
 * Waiting for a complete message does not let others progress, so that a task can do it in MPICH's
 * progress engine. */
static inline bool anypi_transport_wait(anypi_transport *transport, anypi_request *requests,
                                        int count)
{
    for (int i = 0; i < count; i++) {
        if (!requests[i])               /* it did not start, or is done */
            continue;
        if (transport->polls && !MPIR_Request_is_complete(requests[i]))
            return false;
        int error = ANYPI_WAIT(requests[i], transport->errflag);
        if (!error)
            error = requests[i]->status.MPI_ERROR;
        MPIR_Request_free(requests[i]);
        requests[i] = NULL;
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

/* Makes job->entry's program; MPI error code. */
static int make_program(const anypi_mpir_job *job)
{
    anypi_workspace *workspace = &job->comm->coll.anyp->workspace;
    return anypi_cache_program(&workspace->cache, job->entry, &workspace->schedule, job->starts,
                               job->element) == ANYP_SUCCESS
        ? MPI_SUCCESS : anypi_mpir_no_memory("schedule");
}

int anypi_mpir_run(const anypi_mpir_job *job, int tag, ANYPI_ERRFLAG errflag)
{
    anypi_transport transport = { .comm = job->comm, .datatype = job->datatype, .op = job->op,
                                  .tag = tag, .error = MPI_SUCCESS, .errflag = errflag };
    const int error = make_program(job);
    if (error)
        return error;
    const char *missing = anypi_perform(&job->comm->coll.anyp->workspace, &job->entry->program,
                                        job->call.in_place, job->sendbuf, job->recvbuf, &transport);
    if (missing)
        return anypi_mpir_no_memory(missing);
    if (transport.error == MPI_SUCCESS && ANYPI_ERRFLAG_IS_SET(errflag))
        ANYPI_ERRFLAG_TO_CODE(errflag, transport.error);
    return transport.error;
}

/* ---- tasks ---- */

struct anypi_mpir_task {
    anypi_program program;      /* its operations follow this struct */
    anypi_transport transport;
    ANYPI_ERRFLAG_OWN errflag;
    anypi_request *requests;    /* then these, and scratch */
    char *areas[ANYPI_AREAS];
    int next;
};

/* Adds a part to a block: returns where it begins; *size is -1 if the block is too large. */
static int64_t add_part(int64_t *size, int64_t part)
{
    const int64_t begin = *size, mask = ANYPI_SCRATCH_ALIGNMENT - 1;
    if (begin < 0 || part < 0 || __builtin_add_overflow(begin, (part + mask) & ~mask, size))
        *size = -1;
    return begin;
}

int anypi_mpir_task_new(const anypi_mpir_job *job, anypi_mpir_task **task)
{
    int tag, error = make_program(job);
    if (!error)
        error = MPIR_Sched_next_tag(job->comm, &tag);
    if (error)
        return error;
    const anypi_program *program = &job->entry->program;
    int64_t size = 0;
    add_part(&size, sizeof **task);
    const int64_t ops = add_part(&size, program->count * (int64_t) sizeof *program->ops);
    const int64_t requests = add_part(&size, program->requests * (int64_t) sizeof(anypi_request));
    const int64_t scratch = add_part(&size, program->scratch);
    char *const block = size < 0 ? NULL : anypi_realloc(NULL, (size_t) size);
    if (!block)
        return anypi_mpir_no_memory("scratch");
    *task = (anypi_mpir_task *) (void *) block;
    **task = (anypi_mpir_task) {
        .program = { .ops = (anypi_op *) (void *) (block + ops), .count = program->count,
                     .requests = program->requests, .extent = program->extent },
        .transport = { .comm = job->comm, .datatype = job->datatype, .op = job->op, .tag = tag,
                       .polls = true },
        .requests = (anypi_request *) (void *) (block + requests),
        .areas = {
            [ANYPI_AREA_IN] = job->call.in_place ? job->recvbuf : (char *) job->sendbuf,
            [ANYPI_AREA_OUT] = job->recvbuf,
            [ANYPI_AREA_SCRATCH] = block + scratch,
        },
    };
    memcpy((*task)->program.ops, program->ops, (size_t) program->count * sizeof *program->ops);
    MPIR_Comm_add_ref(job->comm);
    MPIR_Datatype_add_ref_if_not_builtin(job->datatype);
    MPIR_Op_add_ref_if_not_builtin(job->op);
    return MPI_SUCCESS;
}

void anypi_mpir_task_free(anypi_mpir_task *task)
{
    MPIR_Op_release_if_not_builtin(task->transport.op);
    MPIR_Datatype_release_if_not_builtin(task->transport.datatype);
    MPIR_Comm_release(task->transport.comm);
    anypi_free(task);
}

void anypi_mpir_task_start(anypi_mpir_task *task)
{
    task->next = 0;
    task->errflag = ANYPI_ERRFLAG_NONE;
    task->transport.errflag = ANYPI_ERRFLAG_PASS(task->errflag);
    task->transport.error = MPI_SUCCESS;
}

bool anypi_mpir_task_continue(anypi_mpir_task *task)
{
    return anypi_execute_from(&task->program, task->areas, &task->transport, task->requests,
                              &task->next);
}

int anypi_mpir_task_error(const anypi_mpir_task *task)
{
    return task->transport.error;
}
