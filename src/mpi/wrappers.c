/* SPDX-License-Identifier: BSD-3-Clause
 *
 * wrappers.c - the four collectives, with int and MPI_Count counts, in front of the MPI
 * library's.
 */
#include "mpi/internal.h"

static anypi_job new_job(anyp_collective collective, const void *sendbuf, void *recvbuf,
                         int64_t count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm)
{
    anypi_pmpi_load();
    return (anypi_job) {
        .call = { .collective = collective, .root = root }, .sendbuf = sendbuf, .recvbuf = recvbuf,
        .count = count, .datatype = datatype, .op = op, .comm = comm,
    };
}

int MPI_Allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                  MPI_Comm comm)
{
    if (anypi_passes_through(ANYP_ALLREDUCE, sendbuf, count, datatype, op, 0, comm))
        return anypi_mpi.Allreduce(sendbuf, recvbuf, count, datatype, op, comm);
    anypi_job job = new_job(ANYP_ALLREDUCE, sendbuf, recvbuf, count, datatype, op, 0, comm);
    return anypi_intercept(&job) ? job.error
        : anypi_passed(&job, anypi_mpi.Allreduce(sendbuf, recvbuf, count, datatype, op, comm));
}

int MPI_Reduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
               int root, MPI_Comm comm)
{
    if (anypi_passes_through(ANYP_REDUCE, sendbuf, count, datatype, op, root, comm))
        return anypi_mpi.Reduce(sendbuf, recvbuf, count, datatype, op, root, comm);
    anypi_job job = new_job(ANYP_REDUCE, sendbuf, recvbuf, count, datatype, op, root, comm);
    return anypi_intercept(&job) ? job.error
        : anypi_passed(&job, anypi_mpi.Reduce(sendbuf, recvbuf, count, datatype, op, root, comm));
}

int MPI_Reduce_scatter(const void *sendbuf, void *recvbuf, const int recvcounts[],
                       MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    if (anypi_passes_through(ANYP_REDUCE_SCATTER, sendbuf, -1, datatype, op, 0, comm))
        return anypi_mpi.Reduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, comm);
    anypi_job job = new_job(ANYP_REDUCE_SCATTER, sendbuf, recvbuf, 0, datatype, op, 0, comm);
    job.counts = recvcounts;
    return anypi_intercept(&job) ? job.error
        : anypi_passed(&job, anypi_mpi.Reduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op,
                                                      comm));
}

int MPI_Reduce_scatter_block(const void *sendbuf, void *recvbuf, int recvcount,
                             MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    if (anypi_passes_through(ANYP_REDUCE_SCATTER_BLOCK, sendbuf, recvcount, datatype, op, 0, comm))
        return anypi_mpi.Reduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, comm);
    anypi_job job = new_job(ANYP_REDUCE_SCATTER_BLOCK, sendbuf, recvbuf, recvcount, datatype, op, 0,
                            comm);
    return anypi_intercept(&job) ? job.error
        : anypi_passed(&job, anypi_mpi.Reduce_scatter_block(sendbuf, recvbuf, recvcount, datatype,
                                                            op, comm));
}

#ifdef ANYPI_HAVE_LARGE
int MPI_Allreduce_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype,
                    MPI_Op op, MPI_Comm comm)
{
    if (anypi_passes_through(ANYP_ALLREDUCE, sendbuf, count, datatype, op, 0, comm))
        return anypi_mpi.Allreduce_c(sendbuf, recvbuf, count, datatype, op, comm);
    anypi_job job = new_job(ANYP_ALLREDUCE, sendbuf, recvbuf, count, datatype, op, 0, comm);
    return anypi_intercept(&job) ? job.error
        : anypi_passed(&job, anypi_mpi.Allreduce_c(sendbuf, recvbuf, count, datatype, op, comm));
}

int MPI_Reduce_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype,
                 MPI_Op op, int root, MPI_Comm comm)
{
    if (anypi_passes_through(ANYP_REDUCE, sendbuf, count, datatype, op, root, comm))
        return anypi_mpi.Reduce_c(sendbuf, recvbuf, count, datatype, op, root, comm);
    anypi_job job = new_job(ANYP_REDUCE, sendbuf, recvbuf, count, datatype, op, root, comm);
    return anypi_intercept(&job) ? job.error
        : anypi_passed(&job, anypi_mpi.Reduce_c(sendbuf, recvbuf, count, datatype, op, root, comm));
}

int MPI_Reduce_scatter_c(const void *sendbuf, void *recvbuf, const MPI_Count recvcounts[],
                         MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    if (anypi_passes_through(ANYP_REDUCE_SCATTER, sendbuf, -1, datatype, op, 0, comm))
        return anypi_mpi.Reduce_scatter_c(sendbuf, recvbuf, recvcounts, datatype, op, comm);
    anypi_job job = new_job(ANYP_REDUCE_SCATTER, sendbuf, recvbuf, 0, datatype, op, 0, comm);
    job.large_counts = recvcounts;
    return anypi_intercept(&job) ? job.error
        : anypi_passed(&job, anypi_mpi.Reduce_scatter_c(sendbuf, recvbuf, recvcounts, datatype, op,
                                                        comm));
}

int MPI_Reduce_scatter_block_c(const void *sendbuf, void *recvbuf, MPI_Count recvcount,
                               MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    if (anypi_passes_through(ANYP_REDUCE_SCATTER_BLOCK, sendbuf, recvcount, datatype, op, 0, comm))
        return anypi_mpi.Reduce_scatter_block_c(sendbuf, recvbuf, recvcount, datatype, op, comm);
    anypi_job job = new_job(ANYP_REDUCE_SCATTER_BLOCK, sendbuf, recvbuf, recvcount, datatype, op, 0,
                            comm);
    return anypi_intercept(&job) ? job.error
        : anypi_passed(&job, anypi_mpi.Reduce_scatter_block_c(sendbuf, recvbuf, recvcount, datatype,
                                                              op, comm));
}
#endif
