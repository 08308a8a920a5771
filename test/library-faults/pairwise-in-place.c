/* SPDX-License-Identifier: BSD-3-Clause
 *
 * MPICH: MPI_Reduce_scatter by the algorithm pairwise aborts, or corrupts its result, if it is
 * called in place and the block of a rank is longer than all blocks before it.
 *
 * At its end the algorithm moves the result of a rank to the beginning of the buffer. If the block
 * is longer than the distance, source and target overlap; but they are copied like memory that
 * does not overlap. Builds with error checking abort there.
 *
 * Releases: 4.0.2, measured; 4.1 to 5.0.1 and main of 2026-08-20, by their sources
 *
 *   mpiexec -n 2 ./pairwise-in-place
 *
 * Blocks of 1 and 4 integers; rank 1 has the longer one. The program forces the algorithm with
 * MPIR_CVAR_REDUCE_SCATTER_INTRA_ALGORITHM=pairwise. MPICH's defaults choose it for long vectors.
 */
#include "fault.h"

int main(void)
{
    static const int counts[2] = { 1, 4 };
    int vector[5] = { 1, 2, 3, 4, 5 }, wrong = 0;
    set_variable("MPIR_CVAR_REDUCE_SCATTER_INTRA_ALGORITHM", "pairwise");
    begin(2);
    expect_crash();
    MPI_Comm two;
    MPI_Comm_split(MPI_COMM_WORLD, rank < 2 ? 0 : MPI_UNDEFINED, rank, &two);
    if (two != MPI_COMM_NULL) {
        const int error = MPI_Reduce_scatter(MPI_IN_PLACE, vector, counts, MPI_INT, MPI_SUM, two);
        wrong = error != MPI_SUCCESS;
        for (int i = 0; i < counts[rank]; i++)
            wrong |= vector[i] != 2 * (1 + rank + i);
    }
    verdict(wrong, "MPI_Reduce_scatter in place: an error or a wrong sum");
}
