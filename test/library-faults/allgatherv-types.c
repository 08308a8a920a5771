/* SPDX-License-Identifier: BSD-3-Clause
 *
 * MPICH: MPI_Allgatherv by the algorithm ring fails, or delivers wrong data, if blocks are longer
 * than MPIR_CVAR_ALLGATHERV_PIPELINE_MSG_SIZE (32 KiB), and processes describe the same data by
 * types of different extents.
 *
 * The algorithm cuts blocks into messages. It computes their number of elements from the extent of
 * the receive type, so that sender and receiver cut a block at different places.
 *
 * Releases: 4.0.2, measured; 4.1 to 5.0.1 and main of 2026-08-20, by their sources
 *
 *   mpiexec -n 3 ./allgatherv-types
 *
 * Rank 0 receives elements that have a gap. The program forces the algorithm with
 * MPIR_CVAR_ALLGATHERV_INTRA_ALGORITHM=ring. MPICH's defaults choose it for long blocks.
 */
#include "fault.h"

enum { COUNT = 20000, FACTOR = 4 };     /* an element with a gap is as long as 4 without one */

int main(void)
{
    set_variable("MPIR_CVAR_ALLGATHERV_INTRA_ALGORITHM", "ring");
    begin(3);
    expect_crash();
    const int step = rank == 0 ? FACTOR : 1;
    int *in = malloc(COUNT * sizeof *in), *counts = malloc((size_t) size * sizeof *counts);
    int *places = malloc((size_t) size * sizeof *places), wrong;
    int *out = calloc((size_t) size * COUNT * FACTOR, sizeof *out);
    MPI_Datatype with_gap;
    MPI_Type_create_resized(MPI_INT, 0, FACTOR * sizeof(int), &with_gap);
    MPI_Type_commit(&with_gap);
    for (int i = 0; i < COUNT; i++)
        in[i] = COUNT * rank + i;
    for (int i = 0; i < size; i++) {
        counts[i] = COUNT;
        places[i] = i * COUNT;
    }
    wrong = MPI_Allgatherv(in, COUNT, MPI_INT, out, counts, places, rank == 0 ? with_gap : MPI_INT,
                           MPI_COMM_WORLD) != MPI_SUCCESS;
    for (int i = 0; i < size * COUNT; i++)
        wrong |= out[i * step] != i;
    verdict(wrong, "MPI_Allgatherv: an error or wrong data");
}
