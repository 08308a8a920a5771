/* SPDX-License-Identifier: BSD-3-Clause
 *
 * MPICH, development branch: MPI_Bcast by the algorithm circ_graph delivers wrong data or hangs,
 * for example with 33 processes and 5 or more chunks.
 *
 * Since the receive schedules are computed without recursion, the send and receive schedules of 690
 * of the 2,099 numbers of processes from 2 to 2100 contradict each other: 33, 65, 66, 67, 69, 73,
 * 81, 129 to 135, 137, ..., a third of all numbers above 128. The search for the next block of a
 * rank lost two of its conditions; the schedule of sends lost its bound. With both again, all 2,099
 * are right.
 *
 * Releases: main of 2026-08-20 (6a79bf65), by its source; no release up to 5.0.2 has circ_graph
 *
 *   mpiexec -n 33 ./circ-graph
 *
 * The program sets MPIR_CVAR_BCAST_INTRA_ALGORITHM=circ_graph and
 * MPIR_CVAR_CIRC_GRAPH_CHUNK_SIZE=1024.
 */
#include "fault.h"

enum { CHUNKS = 20, COUNT = CHUNKS * 1024 / sizeof(int) };

int main(void)
{
    static int vector[COUNT];
    int wrong = 0;
    if (mpich_release() < 501)
        cannot_run("the library has no circ_graph; it needs an MPICH after 5.0");
    set_variable("MPIR_CVAR_BCAST_INTRA_ALGORITHM", "circ_graph");
    set_variable("MPIR_CVAR_CIRC_GRAPH_CHUNK_SIZE", "1024");
    set_variable("MPIR_CVAR_DEVICE_COLLECTIVES", "none");
    begin(33);
    expect_crash();
    for (int i = 0; i < COUNT; i++)
        vector[i] = rank == 0 ? i : -1;
    MPI_Bcast(vector, COUNT, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 0; i < COUNT; i++)
        wrong |= vector[i] != i;
    verdict(wrong, "MPI_Bcast: wrong data");
}
