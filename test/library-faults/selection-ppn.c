/* SPDX-License-Identifier: BSD-3-Clause
 *
 * MPICH: the condition comm_avg_ppn<=N of a selection file
 * (MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE) does not hold for a large N: the selection multiplies
 * N and the number of nodes as int, which overflows.
 *
 * Releases: 4.0.2, measured; 4.1 to 5.0.1 and main of 2026-08-20, by their sources
 *
 *   mpiexec -n 4 -launcher fork -hosts a,b ./selection-ppn
 *
 * These options of Hydra put the processes on two nodes, which both are this machine. In the file
 * that the program writes, MPI_Reduce_scatter has the algorithm recursive_halving for
 * comm_avg_ppn<=2000000000, and recursive_doubling for everything else. The program's operator sees
 * which one runs: recursive_halving never reduces more than half of the vector in one call.
 */
#include "fault.h"

static int most;                /* elements in one call of the operator */

static void add(void *left, void *right, int *count, MPI_Datatype *type)
{
    (void) type;
    most = *count > most ? *count : most;
    for (int i = 0; i < *count; i++)
        ((int *) right)[i] += ((int *) left)[i];
}

int main(void)
{
    static const int counts[4] = { 1, 1, 1, 1 };
    int in[4] = { 1, 2, 3, 4 }, out = 0, nodes = 0;
    MPI_Comm node;
    MPI_Op op;
    const int mpich = mpich_release();
    select_by("\"collective=reduce_scatter\": {\"is_commutative=yes\": {"
              "\"comm_avg_ppn<=2000000000\":"
              " {\"algorithm=MPIR_Reduce_scatter_intra_recursive_halving\": {}},"
              "\"comm_size=any\":"
              " {\"algorithm=MPIR_Reduce_scatter_intra_recursive_doubling\": {}}},"
              "\"is_commutative=no\":"
              " {\"algorithm=MPIR_Reduce_scatter_intra_recursive_doubling\": {}}}");
    begin(4);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &nodes);
    nodes = nodes == 0;
    MPI_Allreduce(MPI_IN_PLACE, &nodes, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (size != 4 || nodes < 2)
        cannot_run("it needs 4 processes on at least two nodes");
    MPI_Op_create(add, 1, &op);
    MPI_Reduce_scatter(in, &out, counts, MPI_INT, op, MPI_COMM_WORLD);
    verdict(out != 4 * (1 + rank) || (mpich && most > 2),
            "MPI_Reduce_scatter: the rule with comm_avg_ppn<=2000000000 is not followed");
}
