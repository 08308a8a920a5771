/* SPDX-License-Identifier: BSD-3-Clause
 *
 * MPICH: MPI_Allgatherv and MPI_Iallgatherv of one process ignore the displacement: the block is
 * copied to the beginning of the receive buffer.
 *
 * Releases: 4.0.2, measured; mended in 4.1, by its source
 *
 *   mpiexec -n 1 ./allgatherv-alone
 */
#include "fault.h"

int main(void)
{
    const int count = 2, displacement = 3;
    const int in[2] = { 7, 8 };
    int out[5] = { 0, 0, 0, 0, 0 }, wrong = 0;
    begin(1);
    for (int form = 0; form < 2; form++) {
        MPI_Request request = MPI_REQUEST_NULL;
        memset(out, 0, sizeof out);
        if (form == 0)
            MPI_Allgatherv(in, count, MPI_INT, out, &count, &displacement, MPI_INT, MPI_COMM_SELF);
        else
            MPI_Iallgatherv(in, count, MPI_INT, out, &count, &displacement, MPI_INT, MPI_COMM_SELF,
                            &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (out[0] || out[1] || out[2] || out[3] != 7 || out[4] != 8)
            wrong |= 1 << form;
    }
    verdict(wrong, wrong == 2 ? "MPI_Iallgatherv: the block is not at its displacement" :
            "MPI_Allgatherv: the block is not at its displacement");
}
