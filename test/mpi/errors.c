/* SPDX-License-Identifier: BSD-3-Clause
 *
 * errors - an allreduce that fails on the way ends on all ranks, with an error where it should, and
 * the next one is right. Every algorithm of the registry is forced in turn, and two things go
 * wrong: the operator is not defined for the datatype (every rank must get MPI_ERR_OP), and one
 * rank gives a longer vector (messages are cut: some ranks notice it, others hear of it, none waits
 * for ever). Run with MPIR_CVAR_ERROR_CHECKING=0, so that MPI does not refuse the call at its door.
 */
#include "control.h"

#include "anyp.h"

#include <mpi.h>

#include <stdio.h>

enum { COUNT = 1000 };

static int in[2 * COUNT], out[2 * COUNT];

/* The error class of an allreduce. */
static int reduce(int count, MPI_Datatype type)
{
    int class;
    MPI_Error_class(MPI_Allreduce(in, out, count, type, MPI_SUM, MPI_COMM_WORLD), &class);
    return class;
}

static int in_order(int p)
{
    if (reduce(COUNT, MPI_INT) != MPI_SUCCESS)
        return 0;
    for (int i = 0; i < COUNT; i++)
        if (out[i] != p * in[i])
            return 0;
    return 1;
}

/* How many things an algorithm does wrong, on all ranks together. */
static int test(const char *name, int rank, int p)
{
    /* no operator; right afterwards; noticed; right afterwards */
    int mine[4], all[4];
    control_algorithm(ANYP_ALLREDUCE, name);
    mine[0] = reduce(COUNT, MPI_BYTE) == MPI_ERR_OP;
    mine[1] = in_order(p);
    mine[2] = reduce(rank == p / 2 ? 2 * COUNT : COUNT, MPI_INT) != MPI_SUCCESS;
    mine[3] = in_order(p);
    control_algorithm(ANYP_ALLREDUCE, "auto");
    MPI_Allreduce(mine, all, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    const int wrong = (p - all[0]) + (p - all[1]) + (all[2] == 0) + (p - all[3]);
    if (wrong && rank == 0)
        printf("errors: %s: %d of %d ranks get MPI_ERR_OP, %d are right afterwards, %d notice cut "
               "messages, %d are right afterwards\n", name, all[0], p, all[1], all[2], all[3]);
    return wrong;
}

int main(int argc, char **argv)
{
    int rank, p, count, tested = 0, wrong = 0;
    if (argc != 2) {
        fputs("usage: mpiexec -n P errors PREFIX/share/anyp/cvars.json\n", stderr);
        return 2;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    control_open(argv[1]);
    for (int i = 0; i < 2 * COUNT; i++)
        in[i] = i;
    const anyp_algorithm *algorithms = anyp_algorithms(&count);
    for (int i = 0; i < count; i++) {
        char name[128];
        if (!(algorithms[i].collectives & ANYP_IN_SET(ANYP_ALLREDUCE)))
            continue;
        snprintf(name, sizeof name, "anyp_%s", algorithms[i].name);
        wrong += test(name, rank, p);
        tested++;
    }
    control_close();
    if (rank == 0)
        printf("errors: p=%d, %d algorithms: %s\n", p, tested, wrong ? "FAILED" : "passed");
    MPI_Finalize();
    return wrong != 0;
}
