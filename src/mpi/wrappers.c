/* SPDX-License-Identifier: BSD-3-Clause
 *
 * wrappers.c - the collectives, with int and MPI_Count counts, in front of the MPI library's.
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

/* Of a call that moves data. A bcast's buffer is input and output. */
static anypi_job new_movement(anyp_collective collective, const void *sendbuf, int64_t sendcount,
                              MPI_Datatype sendtype, void *recvbuf, int64_t count,
                              MPI_Datatype datatype, int root, MPI_Comm comm)
{
    anypi_job job = new_job(collective, sendbuf, recvbuf, count, datatype, MPI_OP_NULL, root, comm);
    job.sendcount = sendcount;
    job.sendtype = sendtype;
    return job;
}

/* WRAP(function, collective, type of its count, the count as a number (a reduce_scatter: -1), what
 * stores its counts, parameter, argument, root): what is declared and passed on before the
 * communicator, each with its comma. */
#define WRAP(name, COLLECTIVE, Count, number, set, parameter, argument, root)                      \
    int MPI_##name(const void *sendbuf, void *recvbuf, Count count, MPI_Datatype datatype,         \
                   MPI_Op op, parameter MPI_Comm comm)                                             \
    {                                                                                              \
        if (anypi_passes_through(ANYP_##COLLECTIVE, sendbuf, number, datatype, (uint64_t) op,      \
                                 root, comm))                                                      \
            return anypi_mpi.name(sendbuf, recvbuf, count, datatype, op, argument comm);           \
        anypi_job job = new_job(ANYP_##COLLECTIVE, sendbuf, recvbuf, number, datatype, op, root,   \
                                comm);                                                             \
        set                                                                                        \
        return anypi_intercept(&job) ? job.error                                                   \
            : anypi_passed(&job, anypi_mpi.name(sendbuf, recvbuf, count, datatype, op,             \
                                                argument comm));                                   \
    }
#define NONE
#define ROOT_PARAMETER int root,
#define ROOT root,
#define WRAP_COUNT(name, NAME, Count, counts) WRAP(name, NAME, Count, count, NONE, NONE, NONE, 0)
#define WRAP_BLOCK WRAP_COUNT
#define WRAP_ROOTED(name, NAME, Count, counts)                                                     \
    WRAP(name, NAME, Count, count, NONE, ROOT_PARAMETER, ROOT, root)
#define WRAP_COUNTS(name, NAME, Count, counts)                                                     \
    WRAP(name, NAME, const Count *, -1, job.counts = count;, NONE, NONE, 0)

/* MOVE(function, collective, (parameters), (arguments), number of its input's elements if it is
 * known to have as many of the same type as each block of the output, else -1; the job's sendbuf,
 * sendcount, sendtype, recvbuf, count, datatype and root; what stores counts and displacements). */
#define MOVE(name, COLLECTIVE, parameters, arguments, same, sendbuf, sendcount, sendtype, recvbuf, \
             count, datatype, root, set)                                                           \
    int MPI_##name parameters                                                                      \
    {                                                                                              \
        if (anypi_passes_through(ANYP_##COLLECTIVE, sendbuf, same, datatype, 0, root, comm))       \
            return anypi_mpi.name arguments;                                                       \
        anypi_job job = new_movement(ANYP_##COLLECTIVE, sendbuf, sendcount, sendtype, recvbuf,     \
                                     count, datatype, root, comm);                                 \
        set                                                                                        \
        return anypi_intercept(&job) ? job.error                                                   \
            : anypi_passed(&job, anypi_mpi.name arguments);                                        \
    }
#define MOVE_BUFFER(name, NAME, Count, Place, counts, displs)                                      \
    MOVE(name, NAME, (void *buffer, Count count, MPI_Datatype datatype, int root, MPI_Comm comm),  \
         (buffer, count, datatype, root, comm), count, buffer, count, datatype, buffer, count,     \
         datatype, root, NONE)
#define MOVE_BLOCK(name, NAME, Count, Place, counts, displs)                                       \
    MOVE(name, NAME, (const void *sendbuf, Count sendcount, MPI_Datatype sendtype, void *recvbuf,  \
                      Count recvcount, MPI_Datatype recvtype, MPI_Comm comm),                      \
         (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm),                       \
         anypi_same_input(sendbuf, sendcount, sendtype, recvcount, recvtype), sendbuf, sendcount,  \
         sendtype, recvbuf, recvcount, recvtype, 0, NONE)
#define MOVE_ROOTED_BLOCK(name, NAME, Count, Place, counts, displs)                                \
    MOVE(name, NAME, (const void *sendbuf, Count sendcount, MPI_Datatype sendtype, void *recvbuf,  \
                      Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm),            \
         (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm),                 \
         recvbuf == MPI_IN_PLACE ? -1                                                              \
             : anypi_same_input(sendbuf, sendcount, sendtype, recvcount, recvtype), sendbuf,       \
         sendcount, sendtype, recvbuf, recvcount, recvtype, root, NONE)
#define MOVE_COUNTS(name, NAME, Count, Place, counts_of_job, displs_of_job)                        \
    MOVE(name, NAME, (const void *sendbuf, Count sendcount, MPI_Datatype sendtype, void *recvbuf,  \
                      const Count *counts, const Place *displs, MPI_Datatype recvtype,             \
                      MPI_Comm comm),                                                              \
         (sendbuf, sendcount, sendtype, recvbuf, counts, displs, recvtype, comm), -1, sendbuf,     \
         sendcount, sendtype, recvbuf, -1, recvtype, 0,                                            \
         job.counts_of_job = counts; job.displs_of_job = displs;)

#define ANYP_REDUCTION(NAME, Name, name, input, output, arguments, own)                            \
    WRAP_##arguments(Name, NAME, int, counts)
#define ANYP_MOVEMENT(NAME, Name, name, input, output, arguments, forward)                         \
    MOVE_##arguments(Name, NAME, int, int, counts, displs)
#include "schedule/collectives.def"

#ifdef ANYPI_HAVE_LARGE
#define ANYP_REDUCTION(NAME, Name, name, input, output, arguments, own)                            \
    WRAP_##arguments(Name##_c, NAME, MPI_Count, large_counts)
#define ANYP_MOVEMENT(NAME, Name, name, input, output, arguments, forward)                         \
    MOVE_##arguments(Name##_c, NAME, MPI_Count, MPI_Aint, large_counts, large_displs)
#include "schedule/collectives.def"
#endif
