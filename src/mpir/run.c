/* SPDX-License-Identifier: BSD-3-Clause
 *
 * run.c - carries out a schedule inside MPICH.
 *
 * Messages go by MPICH's internal calls for collectives. An error is recorded as MPICH's own
 * algorithms do it, and the schedule goes on, so that no other rank waits in vain.
 */
#include "mpir/internal.h"

/* Requests and bytes of scratch that small calls keep on the stack. */
enum { STACK_REQUESTS = 64, STACK_SCRATCH = 4096 };
/* MPIC_Waitall hands the statuses of at most so many requests back. */
enum { WAIT_MOST = 64 };
/* User operators take an int; a larger call is cut, which no operator can tell. */
#define REDUCE_MOST ((int64_t) 1 << 30)

typedef MPIR_Request *anypi_request;

typedef struct anypi_transport {
    MPIR_Comm *comm;
    MPI_Datatype datatype;
    MPI_Op op;
    int tag;
    int error;                  /* MPI error code of all that failed */
    ANYPI_ERRFLAG errflag;
} anypi_transport;

/* Communication failed: the other ranks shall know. */
static void record(anypi_transport *transport, int error)
{
    ANYPI_ERRFLAG_RECORD(transport->errflag, error, transport->error);
}

/* A local step failed, as an operator does that is not defined for the datatype: no message is
 * missing, so the error keeps its class and the flag stays as it is. */
static void record_local(anypi_transport *transport, int error)
{
    MPIR_ERR_ADD(transport->error, error);
}

static inline bool anypi_transport_send(anypi_transport *transport, int peer, const char *from,
                                        int64_t elements, anypi_request *request)
{
    const int error = MPIC_Isend(from, elements, transport->datatype, peer, transport->tag,
                                 transport->comm, request, transport->errflag);
    if (error)
        record(transport, error);
    return !error;
}

static inline bool anypi_transport_receive(anypi_transport *transport, int peer, char *to,
                                           int64_t elements, anypi_request *request)
{
    const int error = MPIC_Irecv(to, elements, transport->datatype, peer, transport->tag,
                                 transport->comm, request);
    if (error)
        record(transport, error);
    return !error;
}

static inline void anypi_transport_wait(anypi_transport *transport, anypi_request *requests,
                                        int count)
{
    MPI_Status statuses[WAIT_MOST];
    for (int done = 0; done < count; done += WAIT_MOST) {
        const int some = count - done < WAIT_MOST ? count - done : WAIT_MOST;
        const int error = MPIC_Waitall(some, requests + done, statuses, transport->errflag);
        if (error == MPI_ERR_IN_STATUS) {
            for (int i = 0; i < some; i++)
                if (statuses[i].MPI_ERROR)
                    record(transport, statuses[i].MPI_ERROR);
        } else if (error) {
            record(transport, error);
        }
    }
}

static inline void anypi_transport_reduce(anypi_transport *transport, const char *from, char *to,
                                          int64_t elements)
{
    MPI_Aint extent = 0;
    if (elements > REDUCE_MOST)
        MPIR_Datatype_get_extent_macro(transport->datatype, extent);
    for (int64_t done = 0; done < elements; done += REDUCE_MOST) {
        const int64_t rest = elements - done;
        const int error = MPIR_Reduce_local(from + done * extent, to + done * extent,
                                            rest < REDUCE_MOST ? rest : REDUCE_MOST,
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

#include "core/execute.h"

/* What an element occupies: its data and its extent, whichever reaches further; a user operator may
 * write the gaps, too. */
static anypi_element element_of(MPI_Datatype datatype)
{
    MPI_Aint lb, extent, true_lb, true_extent;
    if (HANDLE_IS_BUILTIN(datatype)) {
        MPIR_Datatype_get_extent_macro(datatype, extent);
        return (anypi_element) { .low = 0, .high = extent, .extent = extent };
    }
    MPIR_Type_get_extent_impl(datatype, &lb, &extent);
    MPIR_Type_get_true_extent_impl(datatype, &true_lb, &true_extent);
    const MPI_Aint ub = lb + extent, true_ub = true_lb + true_extent;
    return (anypi_element) { .low = lb < true_lb ? lb : true_lb,
                             .high = ub > true_ub ? ub : true_ub,
                             .extent = extent };
}

/* Where the blocks of a reduce_scatter begin, in memory that the communicator keeps; NULL if there
 * is none. */
static const int64_t *starts_of(const anypi_mpir_job *job)
{
    struct anypi_mpir_comm *anyp = job->comm->coll.anyp;
    if (!anyp->starts)
        anyp->starts = anypi_realloc(NULL, ((size_t) job->call.p + 1) * sizeof *anyp->starts);
    if (!anyp->starts)
        return NULL;
    anyp->starts[0] = 0;
    for (int i = 0; i < job->call.p; i++)
        anyp->starts[i + 1] = anyp->starts[i] + job->counts[i];
    return anyp->starts;
}

/* Room for the starts of the blocks in scratch buffers, in memory that the communicator keeps; NULL
 * if there is none. */
static int64_t *scratch_starts(const anypi_mpir_job *job, int blocks)
{
    struct anypi_mpir_comm *anyp = job->comm->coll.anyp;
    int64_t *room = anypi_realloc(anyp->scratch_starts, ((size_t) blocks + 1) * sizeof *room);
    if (room)
        anyp->scratch_starts = room;
    return room;
}

/* The caller's buffers. */
static anypi_buffers buffers_of(const anypi_mpir_job *job, const anypi_partition *partition,
                                const anypi_element *element)
{
    const anyp_call *call = &job->call;
    anypi_buffers buffers = { .extent = element->extent };
    buffers.base[ANYP_IN] = call->in_place ? job->recvbuf : (char *) job->sendbuf;
    buffers.base[ANYP_OUT] = job->recvbuf;
    if (call->collective == ANYP_REDUCE_SCATTER || call->collective == ANYP_REDUCE_SCATTER_BLOCK)
        buffers.origin[ANYP_OUT] = anypi_block_start(partition, call->rank);
    return buffers;
}

static int no_memory(const char *what)
{
    int error = MPI_SUCCESS;
    MPIR_ERR_SET1(error, MPI_ERR_OTHER, "**nomem", "**nomem %s", what);
    return error;
}

int anypi_mpir_run(const anypi_mpir_job *job, ANYPI_ERRFLAG errflag)
{
    MPIR_Request *stack_requests[STACK_REQUESTS], **requests = stack_requests;
    char stack_scratch[STACK_SCRATCH], *scratch = stack_scratch;
    anyp_schedule *schedule = &job->comm->coll.anyp->schedule;
    anypi_transport transport = { .comm = job->comm, .datatype = job->datatype, .op = job->op,
                                  .tag = job->tag, .error = MPI_SUCCESS, .errflag = errflag };
    int count;
    const anyp_algorithm *algorithm = &anyp_algorithms(&count)[job->algorithm];

    if (anyp_generate(algorithm, &job->call, job->parameters, schedule) != ANYP_SUCCESS)
        return no_memory("schedule");
    const anypi_partition partition = { .blocks = schedule->blocks, .count = job->call.count,
                                        .starts = job->counts ? starts_of(job) : NULL };
    if (job->counts && !partition.starts)
        return no_memory("block starts");
    int64_t *starts = NULL;
    if (anypi_layout_needs_starts(schedule, &partition)) {
        starts = scratch_starts(job, partition.blocks);
        if (!starts)
            return no_memory("block starts");
    }
    const anypi_layout layout = anypi_layout_of(schedule, &partition, starts);
    const anypi_element element = element_of(job->datatype);
    anypi_buffers buffers = buffers_of(job, &partition, &element);

    const int most = anypi_requests_most(schedule);
    if (most > STACK_REQUESTS) {
        requests = anypi_realloc(NULL, (size_t) most * sizeof *requests);
        if (!requests) {
            transport.error = no_memory("requests");
            goto fn_exit;
        }
    }
    const int64_t scratch_size = anypi_scratch_size(schedule, &layout, &element);
    if (scratch_size < 0 || scratch_size > STACK_SCRATCH) {
        scratch = scratch_size < 0 ? NULL : anypi_realloc(NULL, (size_t) scratch_size);
        if (!scratch) {
            transport.error = no_memory("scratch");
            goto fn_exit;
        }
    }
    anypi_scratch_place(schedule, &layout, &element, scratch, &buffers);
    anypi_execute(schedule, &layout, &buffers, &transport, requests);

  fn_exit:
    if (scratch != stack_scratch)
        anypi_free(scratch);
    if (requests != stack_requests)
        anypi_free(requests);
    if (transport.error == MPI_SUCCESS && ANYPI_ERRFLAG_IS_SET(errflag))
        ANYPI_ERRFLAG_TO_CODE(errflag, transport.error);
    return transport.error;
}
