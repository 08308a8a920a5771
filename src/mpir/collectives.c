/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collectives.c - the four blocking collectives: what runs a job.
 * The generated MPIR_<Collective>_intra_anyp_<algorithm> functions are one call to these.
 */
#include "mpir/transport.h"

#include "schedule/nodes.h"

/* Runs job->entry's program. */
static int run_program(const anypi_mpir_job *job, int tag, ANYPI_ERRFLAG errflag)
{
    anypi_transport transport = { .comm = job->comm, .datatype = job->datatype, .op = job->op,
                                  .tag = tag, .error = MPI_SUCCESS, .errflag = errflag };
    const char *missing = anypi_perform(&job->comm->coll.anyp->workspace, job->entry->program,
                                        job->call.in_place, job->sendbuf, job->recvbuf, &transport);
    if (missing)
        return anypi_mpir_no_memory(missing);
    if (transport.error == MPI_SUCCESS && ANYPI_ERRFLAG_IS_SET(errflag))
        ANYPI_ERRFLAG_TO_CODE(errflag, transport.error);
    return transport.error;
}

/* MPICH's own code for the job: its automatic choice, or the algorithm that serves every call. */
static int run_mpich(const anypi_mpir_job *job, bool automatic, ANYPI_ERRFLAG errflag)
{
    switch (job->call.collective) {
        case ANYP_ALLREDUCE:
            return (automatic ? MPIR_Allreduce_allcomm_auto : ANYPI_OWN_ALLREDUCE)(
                job->sendbuf, job->recvbuf, job->count, job->datatype, job->op, job->comm, errflag);
        case ANYP_REDUCE:
            return (automatic ? MPIR_Reduce_allcomm_auto : ANYPI_OWN_REDUCE)(
                job->sendbuf, job->recvbuf, job->count, job->datatype, job->op, job->call.root,
                job->comm, errflag);
        case ANYP_REDUCE_SCATTER:
            return (automatic ? MPIR_Reduce_scatter_allcomm_auto : ANYPI_OWN_REDUCE_SCATTER)(
                job->sendbuf, job->recvbuf, job->counts, job->datatype, job->op, job->comm,
                errflag);
        case ANYP_REDUCE_SCATTER_BLOCK:
            return (automatic ? MPIR_Reduce_scatter_block_allcomm_auto
                    : ANYPI_OWN_REDUCE_SCATTER_BLOCK)(
                job->sendbuf, job->recvbuf, job->count, job->datatype, job->op, job->comm, errflag);
        case ANYP_COLLECTIVES:
            break;
    }
    return MPI_ERR_INTERN;
}

static int run(anypi_mpir_job *job, int tag, int algorithm, const int *parameters,
               ANYPI_ERRFLAG errflag)
{
    anypi_mpir_way way;
    int error = anypi_mpir_choose(job, algorithm, parameters, &way);
    if (error || way == ANYPI_MPIR_NOTHING)
        return error;
    if (way == ANYPI_MPIR_RUN)
        return run_program(job, tag, errflag);
    error = run_mpich(job, way == ANYPI_MPIR_AUTOMATIC, errflag);
    job->comm->coll.anyp->forced_refused = NULL;
    return error;
}

int anypi_mpir_allreduce(int algorithm, const int *parameters, const void *sendbuf, void *recvbuf,
                         MPI_Aint count, MPI_Datatype datatype, MPI_Op op, MPIR_Comm *comm_ptr,
                         ANYPI_ERRFLAG errflag)
{
    anypi_mpir_job job = anypi_mpir_new_job(ANYP_ALLREDUCE, sendbuf, recvbuf, count, NULL, datatype,
                                            op, comm_ptr);
    return run(&job, MPIR_ALLREDUCE_TAG, algorithm, parameters, errflag);
}

int anypi_mpir_reduce(int algorithm, const int *parameters, const void *sendbuf, void *recvbuf,
                      MPI_Aint count, MPI_Datatype datatype, MPI_Op op, int root,
                      MPIR_Comm *comm_ptr, ANYPI_ERRFLAG errflag)
{
    anypi_mpir_job job = anypi_mpir_new_job(ANYP_REDUCE, sendbuf, recvbuf, count, NULL, datatype,
                                            op, comm_ptr);
    job.call.root = root;
    return run(&job, MPIR_REDUCE_TAG, algorithm, parameters, errflag);
}

int anypi_mpir_reduce_scatter(int algorithm, const int *parameters, const void *sendbuf,
                              void *recvbuf, const MPI_Aint recvcounts[], MPI_Datatype datatype,
                              MPI_Op op, MPIR_Comm *comm_ptr, ANYPI_ERRFLAG errflag)
{
    anypi_mpir_job job = anypi_mpir_new_job(ANYP_REDUCE_SCATTER, sendbuf, recvbuf, 0, recvcounts,
                                            datatype, op, comm_ptr);
    return run(&job, MPIR_REDUCE_SCATTER_TAG, algorithm, parameters, errflag);
}

int anypi_mpir_reduce_scatter_block(int algorithm, const int *parameters, const void *sendbuf,
                                    void *recvbuf, MPI_Aint recvcount, MPI_Datatype datatype,
                                    MPI_Op op, MPIR_Comm *comm_ptr, ANYPI_ERRFLAG errflag)
{
    anypi_mpir_job job = anypi_mpir_new_job(ANYP_REDUCE_SCATTER_BLOCK, sendbuf, recvbuf, recvcount,
                                            NULL, datatype, op, comm_ptr);
    return run(&job, MPIR_REDUCE_SCATTER_BLOCK_TAG, algorithm, parameters, errflag);
}

int anypi_mpir_comm_init(MPIR_Comm *comm)
{
    struct anypi_mpir_comm *anyp = anypi_realloc(NULL, sizeof *anyp);
    comm->coll.anyp = anyp;
    if (!anyp)
        return anypi_mpir_no_memory("communicator");
    *anyp = (struct anypi_mpir_comm) { .forced_refused = NULL };
    anypi_workspace_init(&anyp->workspace);
    return MPI_SUCCESS;
}

void anypi_mpir_comm_free(MPIR_Comm *comm)
{
    if (!comm->coll.anyp)
        return;
    anypi_workspace_free(&comm->coll.anyp->workspace);
    anypi_nodes_free(comm->coll.anyp->nodes);
    anypi_free(comm->coll.anyp);
    comm->coll.anyp = NULL;
}
