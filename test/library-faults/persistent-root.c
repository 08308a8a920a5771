/* SPDX-License-Identifier: BSD-3-Clause
 *
 * MPICH: a persistent MPI_Gather or MPI_Allgather moves what was in the buffers at MPI_Gather_init,
 * not at MPI_Start; a persistent MPI_Scatter delivers nothing from its second start on.
 *
 * The algorithm makes a schedule of sends and receives, but copies the process's own block, and a
 * short block to be sent, while it makes the schedule. A persistent request makes its schedule once
 * and starts it many times. The nonblocking calls start their schedule immediately, so that they
 * are right.
 *
 * Releases: 4.0.2, measured; gather in 4.1 and 4.2, by their sources, not in 4.3.2 and later
 *
 *   mpiexec -n 2 ./persistent-root
 */
#include "fault.h"

int main(void)
{
#if MPI_VERSION < 4
    cannot_run("persistent collectives begin with MPI 4");
#else
    begin(1);
    MPI_Request gather, scatter, allgather;
    int wrong = 0, mine = -1, part = -1;
    int *all = malloc((size_t) size * sizeof *all), *parts = malloc((size_t) size * sizeof *parts);
    int *copies = malloc((size_t) size * sizeof *copies);
    for (int i = 0; i < size; i++)
        all[i] = parts[i] = -2;
    MPI_Gather_init(&mine, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &gather);
    MPI_Scatter_init(parts, 1, MPI_INT, &part, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                     &scatter);
    MPI_Allgather_init(&mine, 1, MPI_INT, copies, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL,
                       &allgather);
    for (int round = 1; round <= 2; round++) {
        mine = 10 * round + rank;
        for (int i = 0; i < size; i++)
            parts[i] = 100 * round + i;
        part = all[0] = -3;
        MPI_Start(&gather);
        MPI_Wait(&gather, MPI_STATUS_IGNORE);
        MPI_Start(&scatter);
        MPI_Wait(&scatter, MPI_STATUS_IGNORE);
        MPI_Start(&allgather);
        MPI_Wait(&allgather, MPI_STATUS_IGNORE);
        for (int i = 0; i < size; i++)
            wrong |= (rank == 0 && all[i] != 10 * round + i) | (copies[i] != 10 * round + i) << 2;
        wrong |= (part != 100 * round + rank) << 1;
    }
    MPI_Request_free(&gather);
    MPI_Request_free(&scatter);
    MPI_Request_free(&allgather);
    char what[120];
    snprintf(what, sizeof what, "wrong blocks in%s%s%s", wrong & 1 ? " MPI_Gather_init" : "",
             wrong & 2 ? " MPI_Scatter_init" : "", wrong & 4 ? " MPI_Allgather_init" : "");
    verdict(wrong != 0, what);
#endif
}
