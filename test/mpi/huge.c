/* SPDX-License-Identifier: BSD-3-Clause
 *
 * huge - an allreduce, in place, and a reduce_scatter of more elements than an int counts: one byte
 * each, their bitwise or. With gather_reduce, 2 processes need 7 GB each; test/mpi/run starts it
 * if ANYP_HUGE=1. With --init it only chooses the algorithm of an allgather of such blocks, which
 * needs no memory.
 */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT (((MPI_Count) 1 << 31) + 12345)

static unsigned char value(int rank, MPI_Count i)
{
    return (unsigned char) (1u << (i * 7 + i / 251 + rank) % 8);
}

static long wrong(const unsigned char *got, MPI_Count first, MPI_Count n, int p)
{
    long count = 0;
    for (MPI_Count i = 0; i < n; i++) {
        unsigned char expected = 0;
        for (int rank = 0; rank < p; rank++)
            expected |= value(rank, first + i);
        count += got[i] != expected;
    }
    return count;
}

static void fill(unsigned char *data, int rank)
{
    for (MPI_Count i = 0; i < COUNT; i++)
        data[i] = value(rank, i);
}

static void choose(void)
{
    unsigned char own, all;
    MPI_Request request;
    MPI_Allgather_init_c(&own, COUNT, MPI_UNSIGNED_CHAR, &all, COUNT, MPI_UNSIGNED_CHAR,
                         MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Request_free(&request);
}

int main(int argc, char **argv)
{
    int rank, p;
    long failures, all;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    if (argc > 1 && !strcmp(argv[1], "--init")) {
        choose();
        if (!rank)
            printf("huge: an allgather is chosen: passed\n");
        MPI_Finalize();
        return 0;
    }
    unsigned char *data = malloc(COUNT);
    MPI_Count *counts = malloc((size_t) p * sizeof *counts);
    if (!data || !counts) {
        fprintf(stderr, "huge: no memory\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }

    fill(data, rank);
    MPI_Allreduce_c(MPI_IN_PLACE, data, COUNT, MPI_UNSIGNED_CHAR, MPI_BOR, MPI_COMM_WORLD);
    failures = wrong(data, 0, COUNT, p);

    MPI_Count first = 0;
    for (int i = 0; i < p; i++)
        counts[i] = COUNT / p + (i == 0 ? COUNT % p : 0);
    for (int i = 0; i < rank; i++)
        first += counts[i];
    fill(data, rank);
    MPI_Reduce_scatter_c(MPI_IN_PLACE, data, counts, MPI_UNSIGNED_CHAR, MPI_BOR, MPI_COMM_WORLD);
    failures += wrong(data, first, counts[rank], p);

    free(data);
    free(counts);
    MPI_Allreduce(&failures, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("huge: p=%d, %lld elements: %ld wrong: %s\n", p, (long long) COUNT, all,
               all ? "FAILED" : "passed");
    MPI_Finalize();
    return all != 0;
}
