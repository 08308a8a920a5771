/* SPDX-License-Identifier: BSD-3-Clause
 *
 * reset - reset NAME=VALUE...: sets each of these in turn by anyp_control_set() (without "=":
 * unsets it). Rank 0 writes which algorithm runs an allreduce before and after each.
 */
#include "anyp_control.h"

#include <mpi.h>

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static void show(int rank)
{
    const char *(*last)(const char *);
    int one = 1, sum;
    *(void **) &last = dlsym(RTLD_DEFAULT, "anyp_control_last");
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    const char *ran = last("allreduce");
    if (rank == 0)
        printf("%s ran\n", ran ? ran : "own");
}

int main(int argc, char **argv)
{
    int (*set)(const char *, const char *, const char **);
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    *(void **) &set = dlsym(RTLD_DEFAULT, "anyp_control_set");
    show(rank);
    for (int i = 1; i < argc; i++) {
        const char *reason = "";
        char *value = strchr(argv[i], '=');
        if (value)
            *value++ = '\0';
        if (set(argv[i], value, &reason) != 0 && rank == 0)
            printf("refused: %s\n", reason);
        show(rank);
    }
    MPI_Finalize();
    return 0;
}
