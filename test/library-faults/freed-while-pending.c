/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Open MPI: a crash, if MPI_Comm_free is called while a nonblocking collective is under way on the
 * communicator. MPI allows this: the communicator is freed when the collective is done.
 *
 * Releases: 4.1.4, measured; later releases were not examined
 *
 *   mpiexec -n 2 ./freed-while-pending
 */
#include "fault.h"

enum { ROUNDS = 20, COUNT = 20000 };

int main(void)
{
    static int in[COUNT], out[2][COUNT];
    MPI_Request requests[2];
    MPI_Status statuses[2];
    int wrong = 0;
    begin(2);
    expect_crash();
    for (int i = 0; i < COUNT; i++)
        in[i] = rank;
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Comm comms[2];
        progress++;
        for (int i = 0; i < 2; i++) {
            MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
            MPI_Iallreduce(in, out[i], COUNT, MPI_INT, MPI_SUM, comms[i], &requests[i]);
            MPI_Comm_free(&comms[i]);
        }
        MPI_Waitall(2, requests, statuses);
        wrong |= out[0][COUNT - 1] != size * (size - 1) / 2 || out[1][0] != out[0][COUNT - 1];
    }
    verdict(wrong, "MPI_Iallreduce: a wrong sum");
}
