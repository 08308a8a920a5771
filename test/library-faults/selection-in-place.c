/* SPDX-License-Identifier: BSD-3-Clause
 *
 * MPICH: a selection file (MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE) with a condition on
 * total_msg_size makes MPI_Gather hang, if the root gathers with MPI_IN_PLACE.
 *
 * The selection measures the root of gather by sendcount and sendtype (of scatter: by recvcount and
 * recvtype). MPI ignores them with MPI_IN_PLACE, so they are often 0. The root then follows another
 * rule than the other processes. It should be measured by the arguments that are significant at the
 * root only, as the selection does for the root of an intercommunicator.
 *
 * Releases: 4.0.2, measured; 4.1 to 5.0.1 and main of 2026-08-20, by their sources
 *
 *   mpiexec -n 2 ./selection-in-place
 *
 * The program writes the file itself: up to 8 bytes binomial, otherwise the nonblocking algorithm.
 */
#include "fault.h"

enum { COUNT = 100 };

int main(void)
{
    static double mine[COUNT];
    int wrong = 0;
    select_by("\"collective=gather\": {"
              "\"total_msg_size<=8\": {\"algorithm=MPIR_Gather_intra_binomial\": {}},"
              "\"total_msg_size=any\": {\"algorithm=MPIR_Gather_allcomm_nb\": {}}},"
              "\"collective=igather\": {\"algorithm=MPIR_Igather_intra_sched_binomial\": {}}");
    begin(2);
    expect_crash();
    double *all = calloc((size_t) size * COUNT, sizeof *all);
    for (int i = 0; i < COUNT; i++)
        all[i] = mine[i] = rank + 1;
    if (rank == 0)
        MPI_Gather(MPI_IN_PLACE, 0, MPI_DOUBLE, all, COUNT, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    else
        MPI_Gather(mine, COUNT, MPI_DOUBLE, NULL, 0, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < size * COUNT; i++)
        wrong |= all[i] != i / COUNT + 1;
    verdict(wrong, "MPI_Gather: wrong data");
}
