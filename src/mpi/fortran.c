/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fortran.c - Open MPI's Fortran bindings, which call the C library by its profiling names, past
 * the plug-in: so they are wrapped, too. (MPICH's call the C functions by their own names.) The
 * names are those of the usual compilers, and of the module mpi_f08, whose handles are one integer.
 */
#include "mpi/internal.h"

#ifdef OPEN_MPI

#include <pthread.h>

_Static_assert(sizeof(MPI_Fint) == sizeof(int), "Fortran's INTEGER is C's int");

int MPI_Init(int *argc, char ***argv);

/* Where Fortran's constants lie: compilers spell their names in four ways. */
enum { SPELLINGS = 4 };

static struct {
    const void *in_place[SPELLINGS], *bottom[SPELLINGS];
} constants;

static void find_constants(void)
{
    static const char *const in_place[SPELLINGS] = {
        "mpi_fortran_in_place_", "mpi_fortran_in_place", "mpi_fortran_in_place__",
        "MPI_FORTRAN_IN_PLACE"
    };
    static const char *const bottom[SPELLINGS] = {
        "mpi_fortran_bottom_", "mpi_fortran_bottom", "mpi_fortran_bottom__", "MPI_FORTRAN_BOTTOM"
    };
    for (int i = 0; i < SPELLINGS; i++) {
        constants.in_place[i] = anypi_symbol(in_place[i]);
        constants.bottom[i] = anypi_symbol(bottom[i]);
    }
}

/* What must be known before anything else: the first call of the plug-in may be one of these. */
static void load(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    anypi_pmpi_load();
    pthread_once(&once, find_constants);
}

static bool is_one_of(const void *address, const void *const places[SPELLINGS])
{
    for (int i = 0; i < SPELLINGS; i++)
        if (address && address == places[i])
            return true;
    return false;
}

/* A buffer as C has it. */
static void *buffer_of(void *buffer)
{
    return is_one_of(buffer, constants.in_place) ? MPI_IN_PLACE
        : is_one_of(buffer, constants.bottom) ? MPI_BOTTOM : buffer;
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
    load();
    give(ierror, MPI_Init(NULL, NULL));
}
NAMES(mpi_init, MPI_INIT, PARAMETERS)
#undef PARAMETERS

#define PARAMETERS (MPI_Fint *required, MPI_Fint *provided, MPI_Fint *ierror)
void mpi_init_thread_ PARAMETERS;
void mpi_init_thread_ PARAMETERS
{
    load();
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
    load();
    give(ierror, MPI_Allreduce(buffer_of(sendbuf), buffer_of(recvbuf), *count,
                               anypi_mpi.Type_f2c(*datatype), anypi_mpi.Op_f2c(*op),
                               anypi_mpi.Comm_f2c(*comm)));
}
NAMES(mpi_allreduce, MPI_ALLREDUCE, PARAMETERS)

void mpi_reduce_scatter_block_ PARAMETERS;
void mpi_reduce_scatter_block_ PARAMETERS
{
    load();
    give(ierror, MPI_Reduce_scatter_block(buffer_of(sendbuf), buffer_of(recvbuf), *count,
                                          anypi_mpi.Type_f2c(*datatype), anypi_mpi.Op_f2c(*op),
                                          anypi_mpi.Comm_f2c(*comm)));
}
NAMES(mpi_reduce_scatter_block, MPI_REDUCE_SCATTER_BLOCK, PARAMETERS)

/* `count` is an array here. */
void mpi_reduce_scatter_ PARAMETERS;
void mpi_reduce_scatter_ PARAMETERS
{
    load();
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
    load();
    give(ierror, MPI_Reduce(buffer_of(sendbuf), buffer_of(recvbuf), *count,
                            anypi_mpi.Type_f2c(*datatype), anypi_mpi.Op_f2c(*op), *root,
                            anypi_mpi.Comm_f2c(*comm)));
}
NAMES(mpi_reduce, MPI_REDUCE, PARAMETERS)
#undef PARAMETERS

#endif
