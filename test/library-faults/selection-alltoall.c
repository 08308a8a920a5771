/* SPDX-License-Identifier: BSD-3-Clause
 *
 * MPICH: a selection file (MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE) with a condition on
 * avg_msg_size or total_msg_size makes MPI_Alltoall with MPI_IN_PLACE hang, if sendcount or
 * sendtype differ between the processes.
 *
 * The selection measures an alltoall by sendcount and sendtype. MPI ignores them with MPI_IN_PLACE,
 * so they may differ, and the processes follow different rules.
 *
 * Releases: 4.0.2, measured; 4.1 to 5.0.1 and main of 2026-08-20, by their sources
 *
 *   mpiexec -n 2 ./selection-alltoall
 *
 * The program writes the file itself: up to 8 bytes sendrecv_replace, otherwise the nonblocking
 * algorithm.
 */
#include "fault.h"

int main(void)
{
    int wrong = 0;
    select_by("\"collective=alltoall\": {"
              "\"is_sendbuf_inplace=yes\": {"
              "\"avg_msg_size<=8\":"
              " {\"algorithm=MPIR_Alltoall_intra_pairwise_sendrecv_replace\": {}},"
              "\"avg_msg_size=any\": {\"algorithm=MPIR_Alltoall_allcomm_nb\": {}}},"
              "\"is_sendbuf_inplace=no\": {\"algorithm=MPIR_Alltoall_intra_pairwise\": {}}},"
              "\"collective=ialltoall\": {"
              "\"is_sendbuf_inplace=yes\":"
              " {\"algorithm=MPIR_Ialltoall_intra_sched_inplace\": {}},"
              "\"is_sendbuf_inplace=no\":"
              " {\"algorithm=MPIR_Ialltoall_intra_sched_pairwise\": {}}}");
    begin(2);
    expect_crash();
    double *all = calloc((size_t) size, sizeof *all);
    for (int i = 0; i < size; i++)
        all[i] = 100 * rank + i;
    MPI_Alltoall(MPI_IN_PLACE, rank == 0 ? 0 : 100, MPI_DOUBLE, all, 1, MPI_DOUBLE, MPI_COMM_WORLD);
    for (int i = 0; i < size; i++)
        wrong |= all[i] != 100 * i + rank;
    verdict(wrong, "MPI_Alltoall: wrong data");
}
