/* SPDX-License-Identifier: BSD-3-Clause
 *
 * large - the collectives with counts of type MPI_Count, small ones.
 */
#include "calls.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { COUNT = 300, MOST = 16 };

static int wrong, rank, p;
static double in[COUNT * MOST], out[COUNT * MOST];

/* `count` elements of the output must be sums of the first `ranks` ranks. */
static void check_sums(const char *what, anyp_collective collective, int error, int ranks,
                       MPI_Count first, MPI_Count count)
{
    for (MPI_Count i = 0; i < count && !error; i++)
        if (out[i] != (double) (ranks * (first + i) + ranks * (ranks - 1) / 2))
            error = -1;
    if (!strcmp(what_ran(collective), "own") && p > 1)
        error = -2;
    if (error)
        printf("large: rank %d: wrong: %s: %d\n", rank, what, error);
    wrong += !!error;
}

static void check(const char *what, anyp_collective collective, int error, MPI_Count first,
                  MPI_Count count)
{
    check_sums(what, collective, error, p, first, count);
}

/* The results of check(), as input; the output is emptied. */
static void fill_moved(MPI_Count count)
{
    for (MPI_Count i = 0; i < count; i++)
        in[i] = (double) (p * i + p * (p - 1) / 2);
    memset(out, 0, sizeof out);
}

int main(int argc, char **argv)
{
    MPI_Count counts[MOST];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    const MPI_Count all = (MPI_Count) COUNT * p, mine = rank % 2 ? 2 * COUNT : 0;
    const MPI_Count first = 2 * (MPI_Count) COUNT * (rank / 2);
    for (int i = 0; i < all; i++)
        in[i] = rank + i;
    for (int i = 0; i < p; i++)
        counts[i] = i % 2 ? 2 * COUNT : 0;
    int error = MPI_Allreduce_c(in, out, all, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    check("allreduce", ANYP_ALLREDUCE, error, 0, all);
    error = MPI_Reduce_c(in, out, all, MPI_DOUBLE, MPI_SUM, p - 1, MPI_COMM_WORLD);
    check("reduce", ANYP_REDUCE, error, 0, rank == p - 1 ? all : 0);
    error = MPI_Reduce_scatter_block_c(in, out, COUNT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    check("reduce_scatter_block", ANYP_REDUCE_SCATTER_BLOCK, error, (MPI_Count) COUNT * rank,
          COUNT);
    error = MPI_Reduce_scatter_c(in, mine ? out : NULL, counts, MPI_DOUBLE, MPI_SUM,
                                 MPI_COMM_WORLD);
    check("reduce_scatter", ANYP_REDUCE_SCATTER, error, first, mine);
    error = MPI_Scan_c(in, out, all, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    check_sums("scan", ANYP_SCAN, error, rank + 1, 0, all);
    error = MPI_Exscan_c(in, out, all, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    check_sums("exscan", ANYP_EXSCAN, error, rank, 0, rank ? all : 0);

    MPI_Aint displs[MOST];
    for (int i = 0; i < p; i++)
        displs[i] = 2 * (MPI_Aint) COUNT * (i / 2);
    fill_moved(all);
    memcpy(out, in, rank == 0 ? sizeof out : 0);
    error = MPI_Bcast_c(out, all, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    check("bcast", ANYP_BCAST, error, 0, all);
    error = MPI_Allgather_c(in + COUNT * rank, COUNT, MPI_DOUBLE, out, COUNT, MPI_DOUBLE,
                            MPI_COMM_WORLD);
    check("allgather", ANYP_ALLGATHER, error, 0, all);
    error = MPI_Allgatherv_c(in + first, mine, MPI_DOUBLE, out, counts, displs, MPI_DOUBLE,
                             MPI_COMM_WORLD);
    check("allgatherv", ANYP_ALLGATHERV, error, 0, 2 * (MPI_Count) COUNT * (p / 2));
    memset(out, 0, sizeof out);
    error = MPI_Gather_c(in + COUNT * rank, COUNT, MPI_DOUBLE, out, COUNT, MPI_DOUBLE, p - 1,
                         MPI_COMM_WORLD);
    check("gather", ANYP_GATHER, error, 0, rank == p - 1 ? all : 0);
    error = MPI_Scatter_c(in, COUNT, MPI_DOUBLE, out, COUNT, MPI_DOUBLE, p - 1, MPI_COMM_WORLD);
    check("scatter", ANYP_SCATTER, error, (MPI_Count) COUNT * rank, COUNT);
    /* block b is the same on all ranks; each gets its own p times */
    error = MPI_Alltoall_c(in, COUNT, MPI_DOUBLE, out, COUNT, MPI_DOUBLE, MPI_COMM_WORLD);
    for (int i = 0; i < p; i++) {
        memmove(out, out + COUNT * i, COUNT * sizeof *out);
        check("alltoall", ANYP_ALLTOALL, error, (MPI_Count) COUNT * rank, COUNT);
    }
    for (int i = 0; i < p; i++) {
        counts[i] = COUNT;
        displs[i] = (MPI_Aint) COUNT * i;
    }
    error = MPI_Alltoallv_c(in, counts, displs, MPI_DOUBLE, out, counts, displs, MPI_DOUBLE,
                            MPI_COMM_WORLD);
    for (int i = 0; i < p; i++) {
        memmove(out, out + COUNT * i, COUNT * sizeof *out);
        check("alltoallv", ANYP_ALLTOALLV, error, (MPI_Count) COUNT * rank, COUNT);
    }
    MPI_Aint bytes[MOST];
    MPI_Datatype types[MOST];
    for (int i = 0; i < p; i++) {
        bytes[i] = displs[i] * (MPI_Aint) sizeof *in;
        types[i] = MPI_DOUBLE;
    }
    error = MPI_Alltoallw_c(in, counts, bytes, types, out, counts, bytes, types, MPI_COMM_WORLD);
    for (int i = 0; i < p; i++) {
        memmove(out, out + COUNT * i, COUNT * sizeof *out);
        check("alltoallw", ANYP_ALLTOALLW, error, (MPI_Count) COUNT * rank, COUNT);
    }
    memset(out, 0, sizeof out);
    error = MPI_Gatherv_c(in + COUNT * rank, COUNT, MPI_DOUBLE, out, counts, displs, MPI_DOUBLE,
                          p - 1, MPI_COMM_WORLD);
    check("gatherv", ANYP_GATHERV, error, 0, rank == p - 1 ? all : 0);
    error = MPI_Scatterv_c(in, counts, displs, MPI_DOUBLE, out, COUNT, MPI_DOUBLE, p - 1,
                           MPI_COMM_WORLD);
    check("scatterv", ANYP_SCATTERV, error, (MPI_Count) COUNT * rank, COUNT);
    if (wrong || rank == 0)
        printf("large: %s\n", wrong ? "wrong" : "right");
    MPI_Finalize();
    return wrong != 0;
}
