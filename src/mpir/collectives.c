/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collectives.c - the four collectives: their arguments as a job, and what runs it.
 * The generated MPIR_<Collective>_intra_anyp_<algorithm> functions are one call to these.
 */
#include "mpir/internal.h"

#include "schedule/nodes.h"

/* Sets what an element occupies: its data and its extent, whichever reaches further; a user
 * operator may write the gaps, too. */
static void find_element(anypi_mpir_job *job)
{
    MPI_Aint lb, extent, true_lb, true_extent;
    if (HANDLE_IS_BUILTIN(job->datatype)) {
        MPIR_Datatype_get_extent_macro(job->datatype, extent);
        job->element = (anypi_element) { .low = 0, .high = extent, .extent = extent };
        return;
    }
    MPIR_Type_get_extent_impl(job->datatype, &lb, &extent);
    MPIR_Type_get_true_extent_impl(job->datatype, &true_lb, &true_extent);
    const MPI_Aint ub = lb + extent, true_ub = true_lb + true_extent;
    job->element = (anypi_element) { .low = lb < true_lb ? lb : true_lb,
                                     .high = ub > true_ub ? ub : true_ub, .extent = extent };
    job->overlaps = true_extent > (extent < 0 ? -extent : extent);
}

/* Where the blocks of a reduce_scatter begin, into job->starts: NULL if all have the same size.
 * False if there is no memory. */
static bool find_starts(anypi_mpir_job *job)
{
    bool regular = true;
    for (int i = 0; job->counts && i < job->call.p; i++)
        regular = regular && job->counts[i] == job->counts[0];
    if (regular)
        return true;
    int64_t *starts = anypi_workspace_starts(&job->comm->coll.anyp->workspace, job->call.p + 1);
    if (!starts)
        return false;
    starts[0] = 0;
    for (int i = 0; i < job->call.p; i++)
        starts[i + 1] = starts[i] + job->counts[i];
    job->starts = starts;
    return true;
}

static anypi_mpir_job new_job(anyp_collective collective, int tag, const void *sendbuf,
                              void *recvbuf, MPI_Aint count, const MPI_Aint counts[],
                              MPI_Datatype datatype, MPI_Op op, MPIR_Comm *comm)
{
    MPI_Aint size;
    MPIR_Datatype_get_size_macro(datatype, size);
    anypi_mpir_job job = {
        .call = {
            .collective = collective,
            .p = comm->local_size,
            .rank = comm->rank,
            .count = anypi_mpir_vector_count(collective, count, counts, comm),
            .type_size = size,
            .commutative = MPIR_Op_is_commutative(op),
            .in_place = sendbuf == MPI_IN_PLACE,
        },
        .sendbuf = sendbuf,
        .recvbuf = recvbuf,
        .count = count,
        .counts = counts,
        .datatype = datatype,
        .op = op,
        .tag = tag,
        .comm = comm,
    };
    find_element(&job);
    return job;
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

/* Runs a job. Counts and types are the same on all ranks, so the vector is empty on all or none. */
static int run(anypi_mpir_job *job, int algorithm, const int *parameters, ANYPI_ERRFLAG errflag)
{
    int error = MPI_SUCCESS;
    int count;
    if (job->call.count == 0 || job->call.type_size == 0)
        return MPI_SUCCESS;
    if (!find_starts(job))
        return anypi_mpir_no_memory("block starts");
    switch (anypi_mpir_choose(job, &anyp_algorithms(&count)[algorithm], parameters)) {
        case ANYPI_MPIR_RUN:
            return anypi_mpir_run(job, errflag);
        case ANYPI_MPIR_AUTOMATIC:
            error = run_mpich(job, true, errflag);
            job->comm->coll.anyp->forced_refused = NULL;
            return error;
        case ANYPI_MPIR_OWN:
            return run_mpich(job, false, errflag);
        case ANYPI_MPIR_NO_MEMORY:
            return anypi_mpir_no_memory("choice");
        case ANYPI_MPIR_REFUSE:
            break;
    }
    MPIR_ERR_SET(error, MPI_ERR_OTHER, "**collalgo");
    return error;
}

int anypi_mpir_allreduce(int algorithm, const int *parameters, const void *sendbuf, void *recvbuf,
                         MPI_Aint count, MPI_Datatype datatype, MPI_Op op, MPIR_Comm *comm_ptr,
                         ANYPI_ERRFLAG errflag)
{
    anypi_mpir_job job = new_job(ANYP_ALLREDUCE, MPIR_ALLREDUCE_TAG, sendbuf, recvbuf, count, NULL,
                                 datatype, op, comm_ptr);
    return run(&job, algorithm, parameters, errflag);
}

int anypi_mpir_reduce(int algorithm, const int *parameters, const void *sendbuf, void *recvbuf,
                      MPI_Aint count, MPI_Datatype datatype, MPI_Op op, int root,
                      MPIR_Comm *comm_ptr, ANYPI_ERRFLAG errflag)
{
    anypi_mpir_job job = new_job(ANYP_REDUCE, MPIR_REDUCE_TAG, sendbuf, recvbuf, count, NULL,
                                 datatype, op, comm_ptr);
    job.call.root = root;
    return run(&job, algorithm, parameters, errflag);
}

int anypi_mpir_reduce_scatter(int algorithm, const int *parameters, const void *sendbuf,
                              void *recvbuf, const MPI_Aint recvcounts[], MPI_Datatype datatype,
                              MPI_Op op, MPIR_Comm *comm_ptr, ANYPI_ERRFLAG errflag)
{
    anypi_mpir_job job = new_job(ANYP_REDUCE_SCATTER, MPIR_REDUCE_SCATTER_TAG, sendbuf, recvbuf, 0,
                                 recvcounts, datatype, op, comm_ptr);
    return run(&job, algorithm, parameters, errflag);
}

int anypi_mpir_reduce_scatter_block(int algorithm, const int *parameters, const void *sendbuf,
                                    void *recvbuf, MPI_Aint recvcount, MPI_Datatype datatype,
                                    MPI_Op op, MPIR_Comm *comm_ptr, ANYPI_ERRFLAG errflag)
{
    anypi_mpir_job job = new_job(ANYP_REDUCE_SCATTER_BLOCK, MPIR_REDUCE_SCATTER_BLOCK_TAG, sendbuf,
                                 recvbuf, recvcount, NULL, datatype, op, comm_ptr);
    return run(&job, algorithm, parameters, errflag);
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
