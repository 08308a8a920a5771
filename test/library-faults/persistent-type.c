/* SPDX-License-Identifier: BSD-3-Clause
 *
 * MPICH: each start of a persistent MPI_Allgather releases its datatype and its communicator once
 * more. After some starts they no longer exist, although the program has not freed them.
 *
 * Releases: 4.0.2, measured; later releases were not examined
 *
 *   mpiexec -n 2 ./persistent-type
 */
#include "fault.h"

enum { STARTS = 20 };

int main(void)
{
#if MPI_VERSION < 4
    cannot_run("persistent collectives begin with MPI 4");
#else
    begin(2);
    MPI_Request request;
    MPI_Datatype pair;
    MPI_Comm comm;
    int wrong = 0, mine[2] = { rank, rank }, *all = malloc((size_t) size * sizeof mine), bytes = 0;
    expect_crash();
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Allgather_init(mine, 1, pair, all, 1, pair, comm, MPI_INFO_NULL, &request);
    for (int round = 0; round < STARTS; round++) {
        wrong |= MPI_Start(&request) || MPI_Wait(&request, MPI_STATUS_IGNORE);
        for (int i = 0; i < 2 * size; i++)
            wrong |= all[i] != i / 2;
    }
    wrong |= MPI_Type_size(pair, &bytes) || bytes != (int) sizeof mine || MPI_Barrier(comm);
    wrong |= MPI_Allgather(mine, 1, pair, all, 1, pair, comm) != MPI_SUCCESS;
    MPI_Request_free(&request);
    verdict(wrong, "MPI_Allgather_init: an error or wrong data after some starts");
#endif
}
