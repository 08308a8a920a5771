/* SPDX-License-Identifier: BSD-3-Clause
 *
 * MPICH: a selection file (MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE) with a condition on
 * total_msg_size makes MPI_Gather hang, if processes describe the same data by different types.
 *
 * The selection computes the total size of gather, scatter and ireduce_scatter_block as the number
 * of elements: it computes the size of the type, then overwrites it where it should multiply. So
 * conditions compare elements with bytes, and a process with one element of 800 bytes follows
 * another rule than a process with 100 elements of 8 bytes.
 *
 * Releases: 4.0.2, measured; 4.1 to 5.0.1 and main of 2026-08-20, by their sources
 *
 *   mpiexec -n 2 ./selection-elements
 *
 * The program writes the file itself: up to 100 bytes binomial, otherwise the nonblocking
 * algorithm.
 */
#include "fault.h"

enum { COUNT = 100 };

int main(void)
{
    static double mine[COUNT];
    int wrong = 0;
    select_by("\"collective=gather\": {"
              "\"total_msg_size<=100\": {\"algorithm=MPIR_Gather_intra_binomial\": {}},"
              "\"total_msg_size=any\": {\"algorithm=MPIR_Gather_allcomm_nb\": {}}},"
              "\"collective=igather\": {\"algorithm=MPIR_Igather_intra_sched_binomial\": {}}");
    begin(2);
    expect_crash();
    double *all = calloc((size_t) size * COUNT, sizeof *all);
    MPI_Datatype block;
    MPI_Type_contiguous(COUNT, MPI_DOUBLE, &block);
    MPI_Type_commit(&block);
    for (int i = 0; i < COUNT; i++)
        mine[i] = rank + 1;
    if (rank == 0)
        MPI_Gather(mine, 1, block, all, 1, block, 0, MPI_COMM_WORLD);
    else
        MPI_Gather(mine, COUNT, MPI_DOUBLE, NULL, 0, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < size * COUNT; i++)
        wrong |= all[i] != i / COUNT + 1;
    verdict(wrong, "MPI_Gather: wrong data");
}
