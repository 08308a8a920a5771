/* SPDX-License-Identifier: BSD-3-Clause
 *
 * bindings.c - a Fortran binding over the standard ABI, which has none: only as much of it as
 * fortran.F90 calls.
 */
#include <mpi.h>

#include <stddef.h>

extern int fortran_in_place;    /* the program's */

static void *in_c(void *buffer)
{
    return buffer == &fortran_in_place ? MPI_IN_PLACE : buffer;
}

#define BINDING(name, parameters, call)                                                            \
    void name parameters;                                                                          \
    void name parameters                                                                           \
    {                                                                                              \
        *error = call;                                                                             \
    }
#define TYPE MPI_Type_fromint(*type)
#define OP MPI_Op_fromint(*op)
#define COMM MPI_Comm_fromint(*comm)

BINDING(mpi_init_, (int *error), MPI_Init(NULL, NULL))
BINDING(mpi_finalize_, (int *error), MPI_Finalize())
BINDING(mpi_comm_rank_, (int *comm, int *rank, int *error), MPI_Comm_rank(COMM, rank))
BINDING(mpi_comm_size_, (int *comm, int *size, int *error), MPI_Comm_size(COMM, size))
BINDING(mpi_allreduce_,
        (void *in, void *out, int *count, int *type, int *op, int *comm, int *error),
        MPI_Allreduce(in_c(in), out, *count, TYPE, OP, COMM))
BINDING(mpi_reduce_,
        (void *in, void *out, int *count, int *type, int *op, int *root, int *comm, int *error),
        MPI_Reduce(in_c(in), out, *count, TYPE, OP, *root, COMM))
BINDING(mpi_reduce_scatter_,
        (void *in, void *out, int *counts, int *type, int *op, int *comm, int *error),
        MPI_Reduce_scatter(in_c(in), out, counts, TYPE, OP, COMM))
BINDING(mpi_reduce_scatter_block_,
        (void *in, void *out, int *count, int *type, int *op, int *comm, int *error),
        MPI_Reduce_scatter_block(in_c(in), out, *count, TYPE, OP, COMM))
BINDING(mpi_scan_,
        (void *in, void *out, int *count, int *type, int *op, int *comm, int *error),
        MPI_Scan(in_c(in), out, *count, TYPE, OP, COMM))
BINDING(mpi_exscan_,
        (void *in, void *out, int *count, int *type, int *op, int *comm, int *error),
        MPI_Exscan(in_c(in), out, *count, TYPE, OP, COMM))
BINDING(mpi_barrier_, (int *comm, int *error), MPI_Barrier(COMM))
BINDING(mpi_bcast_, (void *out, int *count, int *type, int *root, int *comm, int *error),
        MPI_Bcast(out, *count, TYPE, *root, COMM))
BINDING(mpi_allgather_,
        (void *in, int *in_count, int *in_type, void *out, int *count, int *type, int *comm,
         int *error),
        MPI_Allgather(in_c(in), *in_count, MPI_Type_fromint(*in_type), out, *count, TYPE, COMM))
BINDING(mpi_allgatherv_,
        (void *in, int *in_count, int *in_type, void *out, int *counts, int *displs, int *type,
         int *comm, int *error),
        MPI_Allgatherv(in_c(in), *in_count, MPI_Type_fromint(*in_type), out, counts, displs, TYPE,
                       COMM))
BINDING(mpi_gather_,
        (void *in, int *in_count, int *in_type, void *out, int *count, int *type, int *root,
         int *comm, int *error),
        MPI_Gather(in_c(in), *in_count, MPI_Type_fromint(*in_type), out, *count, TYPE, *root, COMM))
BINDING(mpi_scatter_,
        (void *in, int *in_count, int *in_type, void *out, int *count, int *type, int *root,
         int *comm, int *error),
        MPI_Scatter(in, *in_count, MPI_Type_fromint(*in_type), in_c(out), *count, TYPE, *root,
                    COMM))
BINDING(mpi_alltoall_,
        (void *in, int *in_count, int *in_type, void *out, int *count, int *type, int *comm,
         int *error),
        MPI_Alltoall(in_c(in), *in_count, MPI_Type_fromint(*in_type), out, *count, TYPE, COMM))

BINDING(mpi_alltoallv_,
        (void *in, int *in_counts, int *in_displs, int *in_type, void *out, int *counts,
         int *displs, int *type, int *comm, int *error),
        MPI_Alltoallv(in_c(in), in_counts, in_displs, MPI_Type_fromint(*in_type), out, counts,
                      displs, TYPE, COMM))
BINDING(mpi_gatherv_,
        (void *in, int *in_count, int *in_type, void *out, int *counts, int *displs, int *type,
         int *root, int *comm, int *error),
        MPI_Gatherv(in_c(in), *in_count, MPI_Type_fromint(*in_type), out, counts, displs, TYPE,
                    *root, COMM))
BINDING(mpi_scatterv_,
        (void *in, int *in_counts, int *in_displs, int *in_type, void *out, int *count, int *type,
         int *root, int *comm, int *error),
        MPI_Scatterv(in, in_counts, in_displs, MPI_Type_fromint(*in_type), in_c(out), *count, TYPE,
                     *root, COMM))

/* All blocks have the first one's type. */
void mpi_alltoallw_(void *in, int *in_counts, int *in_displs, int *in_types, void *out,
                    int *counts, int *displs, int *types, int *comm, int *error);
void mpi_alltoallw_(void *in, int *in_counts, int *in_displs, int *in_types, void *out,
                    int *counts, int *displs, int *types, int *comm, int *error)
{
    enum { MOST = 16 };
    MPI_Datatype gives[MOST], gets[MOST];
    for (int i = 0; i < MOST; i++) {
        gives[i] = MPI_Type_fromint(*in_types);
        gets[i] = MPI_Type_fromint(*types);
    }
    *error = MPI_Alltoallw(in_c(in), in_counts, in_displs, gives, out, counts, displs, gets, COMM);
}

void mpi_comm_dup_(int *comm, int *copy, int *error);
void mpi_comm_dup_(int *comm, int *copy, int *error)
{
    MPI_Comm made;
    *error = MPI_Comm_dup(COMM, &made);
    *copy = MPI_Comm_toint(made);
}

void mpi_comm_free_(int *comm, int *error);
void mpi_comm_free_(int *comm, int *error)
{
    MPI_Comm gone = COMM;
    *error = MPI_Comm_free(&gone);
}

void mpi_op_create_(MPI_User_function *function, int *commute, int *op, int *error);
void mpi_op_create_(MPI_User_function *function, int *commute, int *op, int *error)
{
    MPI_Op made;
    *error = MPI_Op_create(function, *commute, &made);
    *op = MPI_Op_toint(made);
}

void mpi_op_free_(int *op, int *error);
void mpi_op_free_(int *op, int *error)
{
    MPI_Op gone = OP;
    *error = MPI_Op_free(&gone);
}
