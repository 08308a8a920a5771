/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collectives.c - runs the blocking collectives.
 */
#include "mpir/transport.h"

/* Runs the stages of a call with local sizes. Returns NULL, or the name of what there was no memory
 * for. */
static const char *run_stages(const anypi_mpir_job *job, anypi_transport *transport)
{
    struct anypi_mpir_comm *anyp = job->comm->coll.anyp;
    anypi_local local;
    if (anypi_local_open(&local, job->entry->plan, job->call.in_place,
                         &anyp->learned[job->call.collective], true) != ANYP_SUCCESS)
        return "sizes";
    anypi_mpir_set_sizes(job, &local);
    transport->local = &local;
    const char *missing = anypi_execute_local(&anyp->workspace, &local, transport);
    if (local.disagrees)
        anypi_transport_record_local(transport, anypi_mpir_sizes_differ());
    anypi_local_close(&local);
    return missing;
}

static bool reduce_local(const void *handles, const char *left, char *right, int elements)
{
    const anypi_transport *transport = handles;
    return MPIR_Reduce_local(left, right, elements, transport->datatype, transport->op) ==
        MPI_SUCCESS;
}

void anypi_mpir_enter_node(anypi_transport *transport)
{
    const anypi_mpir_job *job = transport->job;
    const bool reduces = !anypi_moves(job->call.collective);
    transport->unit = job->size;
    transport->context = (uint64_t) job->comm->context_id << ANYPI_TASK_BITS;
    transport->device = MPIR_GPU_query_pointer_is_dev(job->its.recvbuf) ||
        (!job->its.in_place && MPIR_GPU_query_pointer_is_dev(job->its.sendbuf));
    if (!ANYPI_IS_OF_THREADS(job->comm) &&
        (!reduces || !anypi_mpir_has_gaps(job->its.datatype)))
        transport->lanes = anypi_my_node.lanes;
    if (!reduces || !transport->lanes || transport->device || job->call.reproducible ||
        !HANDLE_IS_BUILTIN(job->its.op) || !HANDLE_IS_BUILTIN(job->its.datatype))
        return;
    const anypi_own_loop own = anypi_own_loop_of(&(anypi_reduction) {
        .type = (uint64_t) job->its.datatype, .operator = (uint64_t) job->its.op,
        .loops = ANYPI_LOOP_OPERATOR_OF(job->its.op), .size = job->size, .handles = transport,
        .reduce = reduce_local
    });
    transport->loop = own.loop;
    transport->loop_numbers = own.numbers;
}

/* Returns whether all ranks of a communicator share memory. */
static bool is_inside(MPIR_Comm *comm)
{
    struct anypi_mpir_comm *anyp = comm->coll.anyp;
    if (anyp->inside)
        return anyp->inside > 0;
    anyp->inside = 1;
    for (int i = 0; i < comm->local_size && anyp->inside > 0; i++) {
        const int64_t rank = anypi_world_rank(comm, i);
        if (rank < 0 || rank >= MPIR_Process.size || !anypi_lane_to((int) rank))
            anyp->inside = -1;
    }
    return anyp->inside > 0;
}

anyp_status anypi_mpir_parts(const anypi_mpir_job *job, bool lanes, anypi_parts *parts)
{
    return anypi_cache_parts(&job->comm->coll.anyp->workspace.cache, job->entry, job->element,
                             lanes && is_inside(job->comm), parts);
}

/* Runs job->entry's programs. Returns NULL, or the name of what there was no memory for. */
static const char *run_parts(const anypi_mpir_job *job, anypi_transport *transport)
{
    anypi_parts parts;
    if (anypi_mpir_parts(job, transport->lanes, &parts) != ANYP_SUCCESS)
        return "schedule";
    return anypi_execute_call(&job->comm->coll.anyp->workspace, parts,
                              anypi_input_in_out(&job->call), job->its.sendbuf, job->its.recvbuf,
                              transport);
}

/* Calls over lanes, of which one lets MPICH make progress: calls that never wait must not stop the
 * program's messages. */
enum { POLLED_CALLS = 64 };

/* Runs job->entry's program, or the stages of its plan. */
static int run_program(const anypi_mpir_job *job, int tag, ANYPI_ERRFLAG errflag)
{
    anypi_transport transport = { .comm = job->comm, .datatype = job->type, .op = job->its.op,
                                  .tag = tag, .job = job, .error = MPI_SUCCESS,
                                  .errflag = errflag,
                                  .failed = ANYPI_ERRFLAG_IS_SENT(errflag) };
    if (anypi_my_node.lanes) {
        anypi_mpir_enter_node(&transport);
        if (++anypi_my_node.calls % POLLED_CALLS == 0)
            anypi_mpir_poll();
    }
    const char *missing = anypi_has_local_sizes(job->call.collective)
        ? run_stages(job, &transport) : run_parts(job, &transport);
    if (missing)
        return anypi_mpir_no_memory(missing);
    if (transport.error == MPI_SUCCESS && ANYPI_ERRFLAG_IS_SET(errflag))
        ANYPI_ERRFLAG_TO_CODE(errflag, transport.error);
    return transport.error;
}

/* Runs MPICH's code for the job: its automatic choice, or its algorithm that serves every call.
 * (For moving data, AnyP has an algorithm that serves every call.) */
static int run_mpich(const anypi_mpir_job *job, const anypi_arguments *its, bool automatic,
                     ANYPI_ERRFLAG errflag)
{
    switch (job->call.collective) {
#define OWN_REDUCTION(Name, own) MPIR_##Name##_intra_##own
#define OWN_MOVEMENT(Name, own) MPIR_##Name##_allcomm_auto
#define OWN_SIGNAL(Name, own) MPIR_##Name##_allcomm_auto
#define ANYP_COLLECTIVE(NAME, Name, name, kind, input, output, arguments, forward, own)          \
        case ANYP_##NAME:                                                                        \
            return (automatic ? MPIR_##Name##_allcomm_auto : OWN_##kind(Name, own))              \
                (ANYPI_SHAPE_##kind##_##arguments(ANYPI_GIVE, its) job->comm, errflag);
#include "schedule/collectives.def"
        default:
            break;
    }
    return MPI_ERR_INTERN;
}

int anypi_mpir_blocking(const anypi_mpir_asked *asked, const anypi_arguments *arguments,
                        MPIR_Comm *comm, ANYPI_ERRFLAG errflag)
{
    static const int tags[ANYP_COLLECTIVES] = {
#define ANYP_COLLECTIVE(NAME, ...) [ANYP_##NAME] = MPIR_##NAME##_TAG,
#include "schedule/collectives.def"
    };
    anypi_mpir_job job = anypi_mpir_new_job(arguments, comm);
    anypi_mpir_way way;
    int error = anypi_mpir_choose(&job, asked, &way);
    if (error || way == ANYPI_MPIR_NOTHING)
        return error;
    if (way == ANYPI_MPIR_RUN)
        return run_program(&job, tags[arguments->collective], errflag);
    error = run_mpich(&job, arguments, way == ANYPI_MPIR_AUTOMATIC, errflag);
    comm->coll.anyp->forced_refused = NULL;
    return error;
}
