/* SPDX-License-Identifier: BSD-3-Clause
 *
 * spawn - a spawned world: the parent starts two children by way of a shell, they join, and all of
 * them reduce. Libraries that are preloaded into the parent are preloaded into the children, which
 * Open MPI from 6 on does not do itself. With an argument, NAME=VALUE is put into the environment
 * of child 1 only.
 */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>

enum { CHILDREN = 2 };

int main(int argc, char **argv)
{
    MPI_Comm parent, all;
    int p, rank, one = 1, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent == MPI_COMM_NULL) {
        char command[4096], *arguments[] = { "-c", command, NULL };
        const char *preload = getenv("LD_PRELOAD");
        snprintf(command, sizeof command, "[ \"${PMI_RANK:-$OMPI_COMM_WORLD_RANK}\" != 1 ] || "
                 "export '%s'; export LD_PRELOAD='%s'; exec '%s'",
                 argc > 1 ? argv[1] : "ANYP_NOTHING=0", preload ? preload : "", argv[0]);
        MPI_Comm_spawn("/bin/sh", arguments, CHILDREN, MPI_INFO_NULL, 0, MPI_COMM_SELF, &parent,
                       MPI_ERRCODES_IGNORE);
    }
    MPI_Intercomm_merge(parent, 0, &all);
    MPI_Comm_size(all, &p);
    MPI_Comm_rank(all, &rank);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, all);
    if (rank == 0)
        printf("spawn: p=%d: %s\n", p, sum == CHILDREN + 1 ? "passed" : "FAILED");
    MPI_Comm_free(&all);
    MPI_Comm_disconnect(&parent);
    MPI_Finalize();
    return sum != CHILDREN + 1;
}
