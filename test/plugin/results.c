/* SPDX-License-Identifier: BSD-3-Clause
 *
 * results - the reductions on the world, a copy of it and halves of it, all twice, checked. Rank 0
 * writes one line: "results: right, ALLREDUCE REDUCE ... ran", each by its algorithm on the world.
 * A rank with a wrong result (-1) or, with --return, an error writes "results: rank RANK: error
 * CLASS".
 */
#include "calls.h"

#include <stdio.h>
#include <string.h>

enum { SIZES = 4 };

static const int sizes[SIZES] = { 1, 10, 100, 1000 };

int main(int argc, char **argv)
{
    const char *ran[ANYP_REDUCTIONS];
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
        error = call_all(MPI_COMM_WORLD, count);
        for (int c = 0; c < ANYP_REDUCTIONS; c++)
            ran[c] = what_ran((anyp_collective) c);
        if (!error)
            error = call_all(copy, count);
        if (!error)
            error = call_all(half, count);
    }
    if (error > 0)
        MPI_Error_class(error, &class);
    if (error)
        printf("results: rank %d: error %d\n", rank, error < 0 ? error : class);
    if (!error && rank == 0) {
        printf("results: right,");
        for (int c = 0; c < ANYP_REDUCTIONS; c++)
            printf(" %s", ran[c]);
        puts(" ran");
    }
    MPI_Comm_free(&copy);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return error != 0;
}
