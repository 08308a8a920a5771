/* SPDX-License-Identifier: BSD-3-Clause
 *
 * MPICH: MPI_Reduce_scatter_block by the algorithm noncommutative gives wrong results, or crashes,
 * if the datatype has a gap in front of its data or behind its data.
 *
 * The algorithm steps through the vector by the true extent of the datatype. Elements lie an extent
 * apart, which is more if there are gaps. MPI_Reduce_scatter has the same algorithm for blocks of
 * equal sizes.
 *
 * Releases: 4.0.2, measured; 4.1 to 5.0.1 and main of 2026-08-20, by their sources
 *
 *   mpiexec -n 2 ./noncommutative-gaps
 *
 * The number of processes must be a power of two. The program forces the algorithm with
 * MPIR_CVAR_REDUCE_SCATTER_BLOCK_INTRA_ALGORITHM=noncommutative. MPICH's defaults choose it for
 * every operator that does not commute, if the number of processes is a power of two.
 */
#include "fault.h"

enum { COUNT = 8, GAP = 3 };    /* elements of 1 + GAP integers: the gap, then the number */

static void add(void *left, void *right, int *count, MPI_Datatype *type)
{
    const int *from = left;
    int *to = right;
    (void) type;
    for (int i = 0; i < *count; i++)
        to[i * (1 + GAP) + GAP] += from[i * (1 + GAP) + GAP];
}

int main(void)
{
    static int in[2 * COUNT * (1 + GAP)], out[COUNT * (1 + GAP)];
    const int one = 1, place = GAP;
    int wrong = 0;
    MPI_Datatype with_gap, type;
    MPI_Op op;
    MPI_Comm two;
    set_variable("MPIR_CVAR_REDUCE_SCATTER_BLOCK_INTRA_ALGORITHM", "noncommutative");
    begin(2);
    expect_crash();
    MPI_Type_indexed(1, &one, &place, MPI_INT, &with_gap);
    MPI_Type_create_resized(with_gap, 0, (1 + GAP) * sizeof(int), &type);
    MPI_Type_commit(&type);
    MPI_Op_create(add, 0, &op);
    MPI_Comm_split(MPI_COMM_WORLD, rank < 2 ? 0 : MPI_UNDEFINED, rank, &two);
    if (two != MPI_COMM_NULL) {
        for (int i = 0; i < 2 * COUNT; i++)
            in[i * (1 + GAP) + GAP] = 100 * rank + i;
        MPI_Reduce_scatter_block(in, out, COUNT, type, op, two);
        for (int i = 0; i < COUNT; i++)
            wrong |= out[i * (1 + GAP) + GAP] != 100 + 2 * (rank * COUNT + i);
    }
    verdict(wrong, "MPI_Reduce_scatter_block of a type with a gap: a wrong sum");
}
