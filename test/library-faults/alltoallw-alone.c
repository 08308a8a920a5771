/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Open MPI: MPI_Alltoallw of one process takes the displacements for numbers of elements, although
 * the standard says bytes: it reads and writes at the displacement times the extent, perhaps beyond
 * the buffers.
 *
 * Releases: 4.1.4, measured
 *
 *   mpiexec -n 1 ./alltoallw-alone
 */
#include "fault.h"

int main(void)
{
    enum { ROOM = 64 };
    const int count = 2, from = 2 * (int) sizeof(int), to = 3 * (int) sizeof(int);
    const MPI_Datatype type = MPI_INT;
    int in[ROOM], out[ROOM], wrong = 0;
    begin(1);
    for (int i = 0; i < ROOM; i++) {
        in[i] = i;
        out[i] = -1;
    }
    MPI_Alltoallw(in, &count, &from, &type, out, &count, &to, &type, MPI_COMM_SELF);
    for (int i = 0; i < ROOM; i++)
        wrong |= out[i] != (i == 3 || i == 4 ? i - 1 : -1);
    verdict(wrong, "the block is not at its displacement in bytes");
}
