/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fortran.c - Open MPI's Fortran bindings, which call the C library by its profiling names, past
 * the plug-in: so they are wrapped, too. (MPICH's call the C functions by their own names.) The
 * names are those of the usual compilers, and of the module mpi_f08, whose handles are one integer.
 */
#include "mpi/internal.h"

#ifdef OPEN_MPI

_Static_assert(sizeof(MPI_Fint) == sizeof(int), "Fortran's INTEGER is C's int");

int MPI_Init(int *argc, char ***argv);

/* Where Fortran's constants lie: one of these is what the compiler calls them. */
static bool is_one_of(const void *address, const char *const names[])
{
    for (int i = 0; names[i]; i++)
        if (address == anypi_symbol(names[i]))
            return true;
    return false;
}

/* A buffer as C has it. */
static void *buffer_of(void *buffer)
{
    static const char *const in_place[] = { "mpi_fortran_in_place_", "mpi_fortran_in_place",
                                            "mpi_fortran_in_place__", "MPI_FORTRAN_IN_PLACE",
                                            NULL };
    static const char *const bottom[] = { "mpi_fortran_bottom_", "mpi_fortran_bottom",
                                          "mpi_fortran_bottom__", "MPI_FORTRAN_BOTTOM", NULL };
    return is_one_of(buffer, in_place) ? MPI_IN_PLACE
        : is_one_of(buffer, bottom) ? MPI_BOTTOM : buffer;
}

static void give(MPI_Fint *ierror, int error)
{
    if (ierror)                 /* optional in mpi_f08 */
        *ierror = error;
}

/* The other names of a function. */
#define NAMES(lower, upper, parameters)                                                            \
    void lower parameters __attribute__((alias(#lower "_")));                                      \
    void lower##__ parameters __attribute__((alias(#lower "_")));                                  \
    void lower##_f08_ parameters __attribute__((alias(#lower "_")));                               \
    void upper parameters __attribute__((alias(#lower "_")));

#define PARAMETERS (MPI_Fint *ierror)
void mpi_init_ PARAMETERS;
void mpi_init_ PARAMETERS
{
    give(ierror, MPI_Init(NULL, NULL));
}
NAMES(mpi_init, MPI_INIT, PARAMETERS)
#undef PARAMETERS

#define PARAMETERS (MPI_Fint *required, MPI_Fint *provided, MPI_Fint *ierror)
void mpi_init_thread_ PARAMETERS;
void mpi_init_thread_ PARAMETERS
{
    give(ierror, MPI_Init_thread(NULL, NULL, *required, provided));
}
NAMES(mpi_init_thread, MPI_INIT_THREAD, PARAMETERS)
#undef PARAMETERS

#define PARAMETERS                                                                                 \
    (void *sendbuf, void *recvbuf, MPI_Fint *count, MPI_Fint *datatype, MPI_Fint *op,              \
     MPI_Fint *comm, MPI_Fint *ierror)
void mpi_allreduce_ PARAMETERS;
void mpi_allreduce_ PARAMETERS
{
    give(ierror, MPI_Allreduce(buffer_of(sendbuf), buffer_of(recvbuf), *count,
                               anypi_mpi.Type_f2c(*datatype), anypi_mpi.Op_f2c(*op),
                               anypi_mpi.Comm_f2c(*comm)));
}
NAMES(mpi_allreduce, MPI_ALLREDUCE, PARAMETERS)

void mpi_reduce_scatter_block_ PARAMETERS;
void mpi_reduce_scatter_block_ PARAMETERS
{
    give(ierror, MPI_Reduce_scatter_block(buffer_of(sendbuf), buffer_of(recvbuf), *count,
                                          anypi_mpi.Type_f2c(*datatype), anypi_mpi.Op_f2c(*op),
                                          anypi_mpi.Comm_f2c(*comm)));
}
NAMES(mpi_reduce_scatter_block, MPI_REDUCE_SCATTER_BLOCK, PARAMETERS)

/* `count` is an array here. */
void mpi_reduce_scatter_ PARAMETERS;
void mpi_reduce_scatter_ PARAMETERS
{
    give(ierror, MPI_Reduce_scatter(buffer_of(sendbuf), buffer_of(recvbuf), count,
                                    anypi_mpi.Type_f2c(*datatype), anypi_mpi.Op_f2c(*op),
                                    anypi_mpi.Comm_f2c(*comm)));
}
NAMES(mpi_reduce_scatter, MPI_REDUCE_SCATTER, PARAMETERS)
#undef PARAMETERS

#define PARAMETERS                                                                                 \
    (void *sendbuf, void *recvbuf, MPI_Fint *count, MPI_Fint *datatype, MPI_Fint *op,              \
     MPI_Fint *root, MPI_Fint *comm, MPI_Fint *ierror)
void mpi_reduce_ PARAMETERS;
void mpi_reduce_ PARAMETERS
{
    give(ierror, MPI_Reduce(buffer_of(sendbuf), buffer_of(recvbuf), *count,
                            anypi_mpi.Type_f2c(*datatype), anypi_mpi.Op_f2c(*op), *root,
                            anypi_mpi.Comm_f2c(*comm)));
}
NAMES(mpi_reduce, MPI_REDUCE, PARAMETERS)
#undef PARAMETERS

#endif
