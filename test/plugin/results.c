/* SPDX-License-Identifier: BSD-3-Clause
 *
 * results - the four collectives on the world, a copy of it and halves of it, all twice, checked.
 * Rank 0 writes one line: "results: right, ALLREDUCE REDUCE REDUCE_SCATTER REDUCE_SCATTER_BLOCK
 * ran", each by its algorithm on the world. A rank with a wrong result or, with --return, an error,
 * says so: "results: rank RANK: error CLASS" (-1: wrong).
 */
#include "four.h"

#include <stdio.h>
#include <string.h>

enum { SIZES = 4 };

static const int sizes[SIZES] = { 1, 10, 100, 1000 };

int main(int argc, char **argv)
{
    const char *ran[ANYP_COLLECTIVES];
    int rank, class = 0, error = 0;
    MPI_Comm copy, half;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 1 && !strcmp(argv[1], "--return"))
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    for (int i = 0; i < 2 * SIZES && !error; i++) {
        const int count = sizes[i % SIZES];
        error = four_calls(MPI_COMM_WORLD, count);
        for (int c = 0; c < ANYP_REDUCTIONS; c++)
            ran[c] = four_ran((anyp_collective) c);
        if (!error)
            error = four_calls(copy, count);
        if (!error)
            error = four_calls(half, count);
    }
    if (error > 0)
        MPI_Error_class(error, &class);
    if (error)
        printf("results: rank %d: error %d\n", rank, error < 0 ? error : class);
    else if (rank == 0)
        printf("results: right, %s %s %s %s ran\n", ran[0], ran[1], ran[2], ran[3]);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return error != 0;
}
