/* SPDX-License-Identifier: BSD-3-Clause
 *
 * virtual - a sum, and vectors of sums, of many contributions that the processes share by
 * anyp_tree.h: for the same bits with any number of processes. Rank 0 prints them.
 */
#include <mpi.h>

#include "anyp_tree.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { CONTRIBUTIONS = 1000, LENGTH = 5 };

static double value(int64_t i, int k)
{
    return (i % 3 ? 1 : -1.5) * pow(10, (double) (i * 37 % 61 - 30)) + k;
}

int main(int argc, char **argv)
{
    int p, rank;
    int64_t first, end;
    double sums[LENGTH + 1];
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    anyp_tree_run(CONTRIBUTIONS, p, rank, &first, &end);
    const size_t n = (size_t) (end - first);
    double *numbers = malloc(n * sizeof *numbers), (*vectors)[LENGTH] = malloc(n * sizeof *vectors);
    if (!numbers || !vectors)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (size_t i = 0; i < n; i++) {
        numbers[i] = value(first + (int64_t) i, 0);
        for (int k = 0; k < LENGTH; k++)
            vectors[i][k] = value(first + (int64_t) i, k);
    }
    const double mine = anyp_tree_sum(numbers, (int64_t) n);
    MPI_Allreduce(&mine, &sums[LENGTH], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    anyp_reduce_local_tree(vectors, (int64_t) n, sizeof *vectors, LENGTH, MPI_DOUBLE, MPI_SUM);
    MPI_Allreduce(vectors[n - 1], sums, LENGTH, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int k = 0; k <= LENGTH && rank == 0; k++)
        printf("%a\n", sums[k]);
    free(numbers);
    free(vectors);
    MPI_Finalize();
}
