/* SPDX-License-Identifier: BSD-3-Clause
 *
 * arguments - wrong arguments, with MPI_ERRORS_RETURN. All ranks make the same mistake; for each, a
 * line shows the error class that rank 0 receives. With and without the plug-in the lines must be
 * the same. Calls with arguments that a library does not check (Open MPI: many) must also end.
 */
#include "../mpi/library.h"

#include <mpi.h>

#include <stdio.h>

enum { COUNT = 12 };

static int rank, p, in[COUNT * 16], out[COUNT * 16], counts[16];

static void tell(const char *what, int error)
{
    int class;
    MPI_Error_class(error, &class);
    if (rank == 0)
        printf("%s: %d\n", what, class);
}

static void user(void *from, void *to, int *count, MPI_Datatype *type)
{
    (void) from;
    (void) to;
    (void) count;
    (void) type;
}

/* Mistakes that all reductions can make, in one of the arguments. */
static void test_all(const char *what, const void *from, void *to, int count, MPI_Datatype type,
                     MPI_Op op, MPI_Comm comm)
{
    char line[100];
    for (int i = 0; i < p; i++)
        counts[i] = count;
    snprintf(line, sizeof line, "allreduce, %s", what);
    tell(line, MPI_Allreduce(from, to, count, type, op, comm));
    snprintf(line, sizeof line, "reduce, %s", what);
    tell(line, MPI_Reduce(from, to, count, type, op, 0, comm));
    snprintf(line, sizeof line, "reduce_scatter, %s", what);
    tell(line, MPI_Reduce_scatter(from, to, counts, type, op, comm));
    snprintf(line, sizeof line, "reduce_scatter_block, %s", what);
    tell(line, MPI_Reduce_scatter_block(from, to, count, type, op, comm));
    snprintf(line, sizeof line, "scan, %s", what);
    tell(line, MPI_Scan(from, to, count, type, op, comm));
    /* rank 0 ignores its output, and so may wait for the others */
    if (count != 0 && (!to || to == MPI_IN_PLACE || to == from))
        return;
    snprintf(line, sizeof line, "exscan, %s", what);
    tell(line, MPI_Exscan(from, to, count, type, op, comm));
}

/* Mistakes that all that move blocks can make. */
static void test_moves(const char *what, const void *from, void *to, int count, MPI_Datatype type,
                       int root, MPI_Comm comm)
{
    char line[100];
    snprintf(line, sizeof line, "bcast, %s", what);
    tell(line, MPI_Bcast(to, count, type, root, comm));
    snprintf(line, sizeof line, "gather, %s", what);
    tell(line, MPI_Gather(from, count, type, to, count, type, root, comm));
    snprintf(line, sizeof line, "scatter, %s", what);
    tell(line, MPI_Scatter(from, count, type, to, count, type, root, comm));
    MPI_Datatype types[16];
    int places[16];
    for (int i = 0; i < p; i++) {
        counts[i] = count;
        places[i] = COUNT * i;
        types[i] = type;
    }
    snprintf(line, sizeof line, "gatherv, %s", what);
    tell(line, MPI_Gatherv(from, count, type, to, counts, places, type, root, comm));
    snprintf(line, sizeof line, "scatterv, %s", what);
    tell(line, MPI_Scatterv(from, counts, places, type, to, count, type, root, comm));
    if (root != 0)
        return;
    snprintf(line, sizeof line, "allgather, %s", what);
    tell(line, MPI_Allgather(from, count, type, to, count, type, comm));
    snprintf(line, sizeof line, "alltoall, %s", what);
    tell(line, MPI_Alltoall(from, count, type, to, count, type, comm));
    if (!from)                  /* MPICH refuses one address for both buffers, even null */
        return;
    snprintf(line, sizeof line, "alltoallv, %s", what);
    tell(line, MPI_Alltoallv(from, counts, places, type, to, counts, places, type, comm));
    snprintf(line, sizeof line, "alltoallw, %s", what);
    tell(line, MPI_Alltoallw(from, counts, places, types, to, counts, places, types, comm));
}

int main(int argc, char **argv)
{
    const MPI_Comm world = MPI_COMM_WORLD;
    MPI_Comm copy;
    MPI_Op op;
    MPI_Datatype pair, gaps;
    setvbuf(stdout, NULL, _IONBF, 0);   /* what was written before a crash is seen */
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &p);
    MPI_Op_create(user, 1, &op);
    MPI_Type_contiguous(2, MPI_INT, &pair);     /* not committed */
    MPI_Type_vector(2, 1, 2, MPI_INT, &gaps);
    MPI_Type_commit(&gaps);

    test_all("right", in, out, COUNT, MPI_INT, MPI_SUM, world);
    test_all("null communicator", in, out, COUNT, MPI_INT, MPI_SUM, MPI_COMM_NULL);
    if (mpich_major() < 5)
        test_all("null datatype", in, out, COUNT, MPI_DATATYPE_NULL, MPI_SUM, world);
    else if (rank == 0)
        puts("null datatype: left out: MPICH 5.0 crashes");
    test_all("null operator", in, out, COUNT, MPI_INT, MPI_OP_NULL, world);
    test_all("sum of bytes", in, out, COUNT, MPI_BYTE, MPI_SUM, world);
    test_all("bits of doubles", in, out, 1, MPI_DOUBLE, MPI_BXOR, world);
    test_all("maximum of complex", in, out, 1, MPI_C_FLOAT_COMPLEX, MPI_MAX, world);
    test_all("maxloc of int", in, out, 2, MPI_INT, MPI_MAXLOC, world);
    test_all("sum of pairs", in, out, 1, MPI_2INT, MPI_SUM, world);
    test_all("sum of a derived type", in, out, 1, gaps, MPI_SUM, world);
    test_all("sum of characters", in, out, 4, MPI_CHAR, MPI_SUM, world);
    test_all("replace", in, out, COUNT, MPI_INT, MPI_REPLACE, world);
    test_all("no operation", in, out, COUNT, MPI_INT, MPI_NO_OP, world);
    test_all("no elements", in, out, 0, MPI_INT, MPI_SUM, world);
    test_all("no elements of null", NULL, NULL, 0, MPI_INT, MPI_SUM, world);
    test_all("output in place", in, MPI_IN_PLACE, COUNT, MPI_INT, MPI_SUM, world);
    test_all("same buffer", out, out, COUNT, MPI_INT, MPI_SUM, world);
    tell("barrier, null communicator", MPI_Barrier(MPI_COMM_NULL));
    tell("reduce, root too large", MPI_Reduce(in, out, COUNT, MPI_INT, MPI_SUM, p, world));
    tell("reduce, root negative", MPI_Reduce(in, out, COUNT, MPI_INT, MPI_SUM, -7, world));
    /* wrong reductions at the root only have left messages in the world */
    MPI_Comm_dup(world, &copy);
    test_moves("right", in, out, COUNT, MPI_INT, 0, copy);
    if (!is_open_mpi())                         /* Open MPI's allgather crashes */
        test_moves("null communicator", in, out, COUNT, MPI_INT, 0, MPI_COMM_NULL);
    if (!is_open_mpi() && mpich_major() < 5)    /* others crash */
        test_moves("null datatype", in, out, COUNT, MPI_DATATYPE_NULL, 0, copy);
    test_moves("no elements of null", NULL, NULL, 0, MPI_INT, 0, copy);
    test_moves("negative count", in, out, -1, MPI_INT, 0, copy);
    test_moves("root too large", in, out, COUNT, MPI_INT, p, copy);
    test_moves("root negative", in, out, COUNT, MPI_INT, -7, copy);
    test_moves("right at the end", in, out, COUNT, MPI_INT, 0, copy);
    MPI_Comm_free(&copy);
    if (is_open_mpi()) {        /* MPICH crashes */
        test_all("negative count", in, out, -1, MPI_INT, MPI_SUM, world);
        /* valid calls first, so that the wrong one is not the last that was passed on */
        MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, world);
        MPI_Reduce(in, out, 5, MPI_INT, MPI_SUM, 0, world);
        tell("allreduce, negative count after others",
             MPI_Allreduce(in, out, -1, MPI_INT, MPI_SUM, world));
        test_all("truth of floats", in, out, 1, MPI_FLOAT, MPI_LAND, world);
    } else {                    /* Open MPI crashes */
        test_all("null input", NULL, out, COUNT, MPI_INT, MPI_SUM, world);
        test_all("null output", in, NULL, COUNT, MPI_INT, MPI_SUM, world);
        test_all("type not committed", in, out, 1, pair, op, world);
        test_all("same buffer, user's operator", out, out, COUNT, MPI_INT, op, world);
        test_all("same buffer, user's type", out, out, 1, gaps, op, world);
        test_all("output in place, user's type", in, MPI_IN_PLACE, 1, gaps, op, world);
    }
    test_all("right at the end", in, out, COUNT, MPI_INT, MPI_SUM, world);
    MPI_Type_free(&pair);
    MPI_Type_free(&gaps);
    MPI_Op_free(&op);
    MPI_Finalize();
    return 0;
}
