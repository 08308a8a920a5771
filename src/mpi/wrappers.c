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

/* WRAP(function, collective, type of its count, the count as a number (a reduce_scatter: -1), what
 * stores its counts, parameter, argument, root): what is declared and passed on before the
 * communicator, each with its comma. */
#define WRAP(name, COLLECTIVE, Count, number, set, parameter, argument, root)                      \
    int MPI_##name(const void *sendbuf, void *recvbuf, Count count, MPI_Datatype datatype,         \
                   MPI_Op op, parameter MPI_Comm comm)                                             \
    {                                                                                              \
        if (anypi_passes_through(ANYP_##COLLECTIVE, sendbuf, number, datatype, op, root, comm))    \
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

#define ANYP_REDUCTION(NAME, Name, name, input, output, arguments, own)                            \
    WRAP_##arguments(Name, NAME, int, counts)
#include "schedule/collectives.def"

#ifdef ANYPI_HAVE_LARGE
#define ANYP_REDUCTION(NAME, Name, name, input, output, arguments, own)                            \
    WRAP_##arguments(Name##_c, NAME, MPI_Count, large_counts)
#include "schedule/collectives.def"
#endif
