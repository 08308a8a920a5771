/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sum.c - one allreduce; rank 0 writes its result. The exit status is the argument.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, p, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("p=%d sum=%d\n", p, sum);
    MPI_Finalize();
    return argc > 1 ? atoi(argv[1]) : 0;
}
