/* SPDX-License-Identifier: BSD-3-Clause
 *
 * MPICH: MPI_Ibcast between two groups delivers wrong data if the root is not rank 0 of its group.
 *
 * The root sends to rank 0 of the other group, which broadcasts within its group. For that the
 * algorithm takes the root's rank in the other group as the root, instead of 0: so the rank with
 * the same number there sends what was in its buffer before.
 *
 * Releases: 4.0.2, measured; 4.1 to 5.0.1 and main of 2026-08-20, by their sources
 *
 *   mpiexec -n 4 ./ibcast-groups
 *
 * Two groups of two processes; the root is rank 1 of the first group.
 */
#include "fault.h"

int main(void)
{
    int wrong = 0;
    begin(4);
    expect_crash();
    const int group = rank % 2, its_rank = rank / 2;
    MPI_Comm within, between;
    MPI_Request request;
    MPI_Comm_split(MPI_COMM_WORLD, rank < 4 ? group : MPI_UNDEFINED, rank, &within);
    if (rank < 4) {
        MPI_Intercomm_create(within, 0, MPI_COMM_WORLD, 1 - group, 5, &between);
        int number = group == 0 && its_rank == 1 ? 42 : -1;
        const int root = group == 1 ? 1 : its_rank == 1 ? MPI_ROOT : MPI_PROC_NULL;
        wrong = MPI_Ibcast(&number, 1, MPI_INT, root, between, &request) != MPI_SUCCESS ||
            MPI_Wait(&request, MPI_STATUS_IGNORE) != MPI_SUCCESS;
        wrong |= group == 1 && number != 42;
    }
    verdict(wrong, "MPI_Ibcast between groups: an error or wrong data");
}
