/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Open MPI: the messages of MPI_Comm_create_group match the program's own receives with
 * MPI_ANY_TAG. Then the receive gets a wrong message, and MPI_Comm_create_group does not return.
 *
 * Releases: 4.1.4, measured; later releases were not examined
 *
 *   mpiexec -n 2 ./group-any-tag
 */
#include "fault.h"

int main(void)
{
    int got = -1, wrong = 0;
    MPI_Request request;
    MPI_Group group;
    MPI_Comm comm;
    begin(2);
    expect_crash();
    MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    MPI_Comm_create_group(MPI_COMM_WORLD, group, 7, &comm);
    MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, 3, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    wrong = got != (rank + size - 1) % size;
    verdict(wrong, "a receive got a message of MPI_Comm_create_group");
}
