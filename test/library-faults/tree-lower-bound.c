/* SPDX-License-Identifier: BSD-3-Clause
 *
 * MPICH: MPI_Igather by the algorithm tsp_tree writes in front of the buffer that a process inside
 * the tree allocates, if the datatype has a negative true lower bound.
 *
 * The buffer has the size of the data, but the algorithm takes its beginning for the address of the
 * first element, and data below this address lie in front of the buffer. The algorithm tsp_tree of
 * MPI_Iscatter has the same fault.
 *
 * Releases: 4.0.2, measured; 4.1 to 5.0.1 and main of 2026-08-20, by their sources
 *
 *   mpiexec -n 4 ./tree-lower-bound
 *
 * The root is rank 1. Each process reserves 512 MB of memory, and touches little of it. The program
 * forces the algorithm with MPIR_CVAR_IGATHER_INTRA_ALGORITHM=tsp_tree.
 */
#include "fault.h"

enum { COUNT = 10, BELOW = 1 << 26 };   /* each element is an int, BELOW ints below its address */

int main(void)
{
    int *in = malloc(((size_t) COUNT + BELOW) * sizeof *in);
    const int one = 1, root = 1;
    const MPI_Aint place = -(MPI_Aint) (BELOW * sizeof(int));
    int wrong = 0;
    MPI_Datatype number, type;
    MPI_Request request;
    set_variable("MPIR_CVAR_IGATHER_INTRA_ALGORITHM", "tsp_tree");
    begin(4);
    int *out = malloc(((size_t) size * COUNT + BELOW) * sizeof *out);
    if (!in || !out)
        cannot_run("too little memory");
    expect_crash();
    MPI_Type_create_hindexed(1, &one, &place, MPI_INT, &number);
    MPI_Type_create_resized(number, 0, sizeof(int), &type);
    MPI_Type_commit(&type);
    for (int i = 0; i < COUNT; i++)
        in[i] = COUNT * rank + i;
    MPI_Igather(in + BELOW, COUNT, type, out + BELOW, COUNT, type, root, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; rank == root && i < size * COUNT; i++)
        wrong |= out[i] != i;
    verdict(wrong, "MPI_Igather: wrong data");
}
