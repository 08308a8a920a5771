/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collectives.c - the four collectives: their arguments as a job, and the way that the job goes.
 * The generated MPIR_<Collective>_intra_anyp_<algorithm> functions are one call to these.
 */
#include "mpir/internal.h"

#define ALGORITHM_ERROR(error) MPIR_ERR_SET(error, MPI_ERR_OTHER, "**collalgo")

int64_t anypi_mpir_vector_count(anyp_collective collective, MPI_Aint count,
                                const MPI_Aint counts[], const MPIR_Comm *comm)
{
    if (collective == ANYP_REDUCE_SCATTER_BLOCK)
        return (int64_t) count * comm->local_size;
    if (!counts)
        return count;
    int64_t sum = 0;
    for (int i = 0; i < comm->local_size; i++)
        sum += counts[i];
    return sum;
}

static anypi_mpir_job new_job(anyp_collective collective, int tag, const void *sendbuf,
                              void *recvbuf, MPI_Aint count, const MPI_Aint counts[],
                              MPI_Datatype datatype, MPI_Op op, MPIR_Comm *comm)
{
    MPI_Aint size;
    MPIR_Datatype_get_size_macro(datatype, size);
    return (anypi_mpir_job) {
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
        .counts = counts,
        .datatype = datatype,
        .op = op,
        .tag = tag,
        .comm = comm,
    };
}

/* Is there anything to do? Counts and types are the same on all ranks. */
static bool is_empty(const anypi_mpir_job *job)
{
    return job->call.count == 0 || job->call.type_size == 0;
}

int anypi_mpir_allreduce(int algorithm, const int *parameters, const void *sendbuf, void *recvbuf,
                         MPI_Aint count, MPI_Datatype datatype, MPI_Op op, MPIR_Comm *comm_ptr,
                         ANYPI_ERRFLAG errflag)
{
    int error = MPI_SUCCESS;
    anypi_mpir_job job = new_job(ANYP_ALLREDUCE, MPIR_ALLREDUCE_TAG, sendbuf, recvbuf, count, NULL,
                                 datatype, op, comm_ptr);
    if (is_empty(&job))
        return MPI_SUCCESS;
    switch (anypi_mpir_choose(&job, algorithm, parameters)) {
        case ANYPI_MPIR_RUN:
            return anypi_mpir_run(&job, errflag);
        case ANYPI_MPIR_AUTOMATIC:
            error = MPIR_Allreduce_allcomm_auto(sendbuf, recvbuf, count, datatype, op, comm_ptr,
                                                errflag);
            comm_ptr->coll.anyp->forced_refused = false;
            return error;
        case ANYPI_MPIR_OWN:
            return ANYPI_OWN_ALLREDUCE(sendbuf, recvbuf, count, datatype, op, comm_ptr, errflag);
        case ANYPI_MPIR_REFUSE:
            break;
    }
    ALGORITHM_ERROR(error);
    return error;
}

int anypi_mpir_reduce(int algorithm, const int *parameters, const void *sendbuf, void *recvbuf,
                      MPI_Aint count, MPI_Datatype datatype, MPI_Op op, int root,
                      MPIR_Comm *comm_ptr, ANYPI_ERRFLAG errflag)
{
    int error = MPI_SUCCESS;
    anypi_mpir_job job = new_job(ANYP_REDUCE, MPIR_REDUCE_TAG, sendbuf, recvbuf, count, NULL,
                                 datatype, op, comm_ptr);
    job.call.root = root;
    if (is_empty(&job))
        return MPI_SUCCESS;
    switch (anypi_mpir_choose(&job, algorithm, parameters)) {
        case ANYPI_MPIR_RUN:
            return anypi_mpir_run(&job, errflag);
        case ANYPI_MPIR_AUTOMATIC:
            error = MPIR_Reduce_allcomm_auto(sendbuf, recvbuf, count, datatype, op, root, comm_ptr,
                                             errflag);
            comm_ptr->coll.anyp->forced_refused = false;
            return error;
        case ANYPI_MPIR_OWN:
            return ANYPI_OWN_REDUCE(sendbuf, recvbuf, count, datatype, op, root, comm_ptr, errflag);
        case ANYPI_MPIR_REFUSE:
            break;
    }
    ALGORITHM_ERROR(error);
    return error;
}

int anypi_mpir_reduce_scatter(int algorithm, const int *parameters, const void *sendbuf,
                              void *recvbuf, const MPI_Aint recvcounts[], MPI_Datatype datatype,
                              MPI_Op op, MPIR_Comm *comm_ptr, ANYPI_ERRFLAG errflag)
{
    int error = MPI_SUCCESS;
    anypi_mpir_job job = new_job(ANYP_REDUCE_SCATTER, MPIR_REDUCE_SCATTER_TAG, sendbuf, recvbuf, 0,
                                 recvcounts, datatype, op, comm_ptr);
    if (is_empty(&job))
        return MPI_SUCCESS;
    switch (anypi_mpir_choose(&job, algorithm, parameters)) {
        case ANYPI_MPIR_RUN:
            return anypi_mpir_run(&job, errflag);
        case ANYPI_MPIR_AUTOMATIC:
            error = MPIR_Reduce_scatter_allcomm_auto(sendbuf, recvbuf, recvcounts, datatype, op,
                                                     comm_ptr, errflag);
            comm_ptr->coll.anyp->forced_refused = false;
            return error;
        case ANYPI_MPIR_OWN:
            return ANYPI_OWN_REDUCE_SCATTER(sendbuf, recvbuf, recvcounts, datatype, op, comm_ptr,
                                            errflag);
        case ANYPI_MPIR_REFUSE:
            break;
    }
    ALGORITHM_ERROR(error);
    return error;
}

int anypi_mpir_reduce_scatter_block(int algorithm, const int *parameters, const void *sendbuf,
                                    void *recvbuf, MPI_Aint recvcount, MPI_Datatype datatype,
                                    MPI_Op op, MPIR_Comm *comm_ptr, ANYPI_ERRFLAG errflag)
{
    int error = MPI_SUCCESS;
    anypi_mpir_job job = new_job(ANYP_REDUCE_SCATTER_BLOCK, MPIR_REDUCE_SCATTER_BLOCK_TAG, sendbuf,
                                 recvbuf, recvcount, NULL, datatype, op, comm_ptr);
    if (is_empty(&job))
        return MPI_SUCCESS;
    switch (anypi_mpir_choose(&job, algorithm, parameters)) {
        case ANYPI_MPIR_RUN:
            return anypi_mpir_run(&job, errflag);
        case ANYPI_MPIR_AUTOMATIC:
            error = MPIR_Reduce_scatter_block_allcomm_auto(sendbuf, recvbuf, recvcount, datatype,
                                                           op, comm_ptr, errflag);
            comm_ptr->coll.anyp->forced_refused = false;
            return error;
        case ANYPI_MPIR_OWN:
            return ANYPI_OWN_REDUCE_SCATTER_BLOCK(sendbuf, recvbuf, recvcount, datatype, op,
                                                  comm_ptr, errflag);
        case ANYPI_MPIR_REFUSE:
            break;
    }
    ALGORITHM_ERROR(error);
    return error;
}

int anypi_mpir_comm_init(MPIR_Comm *comm)
{
    struct anypi_mpir_comm *anyp = anypi_realloc(NULL, sizeof *anyp);
    comm->coll.anyp = anyp;
    if (!anyp) {
        int error = MPI_SUCCESS;
        MPIR_ERR_SET1(error, MPI_ERR_OTHER, "**nomem", "**nomem %s", "communicator");
        return error;
    }
    *anyp = (struct anypi_mpir_comm) { .forced_refused = false };
    anyp_schedule_init(&anyp->schedule);
    return MPI_SUCCESS;
}

void anypi_mpir_comm_free(MPIR_Comm *comm)
{
    if (!comm->coll.anyp)
        return;
    anyp_schedule_free(&comm->coll.anyp->schedule);
    anypi_free(comm->coll.anyp->starts);
    anypi_free(comm->coll.anyp);
    comm->coll.anyp = NULL;
}
