/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fortran.c - wraps Open MPI's Fortran bindings, which call the C library by its profiling names
 * and so bypass the plug-in. (MPICH's call the C functions by their own names. The standard ABI has
 * no Fortran bindings; libraries above it call the C functions.) The names are those of the usual
 * compilers, and of the module mpi_f08, whose handles are one integer. Names in lower case that end
 * without an underscore are not among them: C libraries have functions of these names (Rmpi has an
 * mpi_allreduce), which a preloaded one would replace. The mpi_f08 of Open MPI 6
 * takes each compiler's own descriptors of arrays, and calls functions that take those of
 * ISO_Fortran_binding.h. If the C compiler has no such header, these calls bypass the plug-in.
 */
#include "mpi/internal.h"

#include "schedule/collectives.h"
#include "schedule/memory.h"

#ifdef OPEN_MPI

#include <pthread.h>
#include <string.h>
#ifdef __has_include
#if __has_include(<ISO_Fortran_binding.h>)
#include <ISO_Fortran_binding.h>
#define HAVE_DESCRIPTORS 1
#endif
#endif

_Static_assert(sizeof(MPI_Fint) == sizeof(int), "Fortran's INTEGER is C's int");

int MPI_Init(int *argc, char ***argv);

/* The addresses of Fortran's constants: compilers spell their names in four ways. */
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

/* The first call of the plug-in may be one of these. */
static void load(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    anypi_pmpi_load();
    pthread_once(&once, find_constants);
}

static bool is_one_of(const void *address, const void *const addresses[SPELLINGS])
{
    for (int i = 0; i < SPELLINGS; i++)
        if (address && address == addresses[i])
            return true;
    return false;
}

/* A buffer as C functions take it. */
static void *buffer_of(void *buffer)
{
    return is_one_of(buffer, constants.in_place) ? MPI_IN_PLACE
        : is_one_of(buffer, constants.bottom) ? MPI_BOTTOM : buffer;
}

static void set_error(MPI_Fint *ierror, int error)
{
    if (ierror)                 /* optional in mpi_f08 */
        *ierror = error;
}

/* FORTRAN(lower, UPPER, parameters, call): a binding that calls C, under all its names. */
#define FORTRAN(lower, upper, parameters, call)                                                    \
    void lower##_ parameters;                                                                      \
    void lower##_ parameters                                                                       \
    {                                                                                              \
        load();                                                                                    \
        set_error(ierror, call);                                                                   \
    }                                                                                              \
    void lower##__ parameters __attribute__((alias(#lower "_")));                                  \
    void lower##_f08_ parameters __attribute__((alias(#lower "_")));                               \
    void upper parameters __attribute__((alias(#lower "_")));
FORTRAN(mpi_init, MPI_INIT, (MPI_Fint *ierror), MPI_Init(NULL, NULL))
FORTRAN(mpi_init_thread, MPI_INIT_THREAD,
        (MPI_Fint *required, MPI_Fint *provided, MPI_Fint *ierror),
        MPI_Init_thread(NULL, NULL, *required, provided))

/* REDUCTION(lower, UPPER, function of C, *counts or counts, parameter, argument): what is declared
 * and passed on before the communicator, each with its comma. */
#define REDUCTION(lower, upper, function, count, parameter, argument)                              \
    FORTRAN(lower, upper,                                                                          \
            (void *sendbuf, void *recvbuf, MPI_Fint *counts, MPI_Fint *datatype, MPI_Fint *op,     \
             parameter MPI_Fint *comm, MPI_Fint *ierror),                                          \
            function(buffer_of(sendbuf), buffer_of(recvbuf), count,                                \
                     anypi_mpi.Type_f2c(*datatype), anypi_mpi.Op_f2c(*op),                         \
                     argument anypi_mpi.Comm_f2c(*comm)))
#define NONE
#define ROOT_PARAMETER MPI_Fint *root,
#define ROOT *root,
#define REDUCTION_COUNT(NAME, Name, name)                                                          \
    REDUCTION(mpi_##name, MPI_##NAME, MPI_##Name, *counts, NONE, NONE)
#define REDUCTION_BLOCK REDUCTION_COUNT
#define REDUCTION_ROOTED(NAME, Name, name)                                                         \
    REDUCTION(mpi_##name, MPI_##NAME, MPI_##Name, *counts, ROOT_PARAMETER, ROOT)
#define REDUCTION_COUNTS(NAME, Name, name)                                                         \
    REDUCTION(mpi_##name, MPI_##NAME, MPI_##Name, counts, NONE, NONE)
#define MOVE_BUFFER(NAME, Name, name)                                                              \
    FORTRAN(mpi_##name, MPI_##NAME,                                                                \
            (void *buffer, MPI_Fint *count, MPI_Fint *datatype, MPI_Fint *root, MPI_Fint *comm,    \
             MPI_Fint *ierror),                                                                    \
            MPI_##Name(buffer_of(buffer), *count, anypi_mpi.Type_f2c(*datatype), *root,            \
                       anypi_mpi.Comm_f2c(*comm)))
#define MOVE_BLOCK(NAME, Name, name)                                                               \
    FORTRAN(mpi_##name, MPI_##NAME,                                                                \
            (void *sendbuf, MPI_Fint *sendcount, MPI_Fint *sendtype, void *recvbuf,                \
             MPI_Fint *recvcount, MPI_Fint *recvtype, MPI_Fint *comm, MPI_Fint *ierror),           \
            MPI_##Name(buffer_of(sendbuf), *sendcount, anypi_mpi.Type_f2c(*sendtype),              \
                       buffer_of(recvbuf), *recvcount, anypi_mpi.Type_f2c(*recvtype),              \
                       anypi_mpi.Comm_f2c(*comm)))
#define MOVE_ROOTED_BLOCK(NAME, Name, name)                                                        \
    FORTRAN(mpi_##name, MPI_##NAME,                                                                \
            (void *sendbuf, MPI_Fint *sendcount, MPI_Fint *sendtype, void *recvbuf,                \
             MPI_Fint *recvcount, MPI_Fint *recvtype, MPI_Fint *root, MPI_Fint *comm,              \
             MPI_Fint *ierror),                                                                    \
            MPI_##Name(buffer_of(sendbuf), *sendcount, anypi_mpi.Type_f2c(*sendtype),              \
                       buffer_of(recvbuf), *recvcount, anypi_mpi.Type_f2c(*recvtype), *root,       \
                       anypi_mpi.Comm_f2c(*comm)))
#define MOVE_COUNTS(NAME, Name, name)                                                              \
    FORTRAN(mpi_##name, MPI_##NAME,                                                                \
            (void *sendbuf, MPI_Fint *sendcount, MPI_Fint *sendtype, void *recvbuf,                \
             MPI_Fint *counts, MPI_Fint *displs, MPI_Fint *recvtype, MPI_Fint *comm,               \
             MPI_Fint *ierror),                                                                    \
            MPI_##Name(buffer_of(sendbuf), *sendcount, anypi_mpi.Type_f2c(*sendtype),              \
                       buffer_of(recvbuf), counts, displs, anypi_mpi.Type_f2c(*recvtype),          \
                       anypi_mpi.Comm_f2c(*comm)))
#define ANYP_REDUCTION(NAME, Name, name, input, output, arguments, own)                            \
    REDUCTION_##arguments(NAME, Name, name)
#define ANYP_MOVEMENT(NAME, Name, name, input, output, arguments, forward)                         \
    MOVE_##arguments(NAME, Name, name)
#include "schedule/collectives.def"

#ifdef HAVE_DESCRIPTORS

/* CFI_is_contiguous() without the Fortran library, which a program may link statically. An array
 * whose last extent is unknown, -1, is always contiguous. */
static bool is_contiguous(const CFI_cdesc_t *array)
{
    CFI_index_t bytes = (CFI_index_t) array->elem_len;  /* to the next element, without gaps */
    bool contiguous = true;
    if (array->rank && array->dim[array->rank - 1].extent == -1)
        return true;
    for (int i = 0; i < array->rank; i++) {
        if (array->dim[i].extent == 0)
            return true;
        if (array->dim[i].extent != 1 && array->dim[i].sm != bytes)
            contiguous = false;
        bytes *= array->dim[i].extent;
    }
    return contiguous;
}

static int fail(MPI_Fint comm, int error)
{
    anypi_mpi.Comm_call_errhandler(anypi_mpi.Comm_f2c(comm), error);
    return error;
}

/* Whether this is the rooted call's process with all blocks. */
static bool is_root(MPI_Fint root, MPI_Fint comm)
{
    int inter = 0, rank = -1;
    anypi_mpi.Comm_test_inter(anypi_mpi.Comm_f2c(comm), &inter);
    anypi_mpi.Comm_rank(anypi_mpi.Comm_f2c(comm), &rank);
    return root == (inter ? MPI_ROOT : rank);
}

/* Only contiguous arrays can be reduced, or receive several blocks; others are an error, as in the
 * library itself. */
static bool are_contiguous(const CFI_cdesc_t *one, const CFI_cdesc_t *two, MPI_Fint comm,
                           MPI_Fint *ierror)
{
    if (is_contiguous(one) && is_contiguous(two))
        return true;
    set_error(ierror, fail(comm, MPI_ERR_INTERN));
    return false;
}

/* Copies the elements of an array's first dimensions, which begin at `base`, to or from one piece
 * of memory; returns where they end in it. */
static char *copy_section(const CFI_cdesc_t *array, int dimensions, char *base, char *piece,
                          bool gathers)
{
    if (dimensions == 0) {
        memcpy(gathers ? piece : base, gathers ? base : piece, array->elem_len);
        return piece + array->elem_len;
    }
    const CFI_dim_t *const dim = &array->dim[dimensions - 1];
    for (CFI_index_t i = 0; i < dim->extent; i++)
        piece = copy_section(array, dimensions - 1, base + i * dim->sm, piece, gathers);
    return piece;
}

/* The buffer of a bcast, of the blocks that are sent, or of a scatter's block, as C functions take
 * it: a section with gaps is copied, as the library has a datatype for it. False, and *ierror is
 * set: no memory. */
static bool open_section(const CFI_cdesc_t *array, MPI_Fint comm, MPI_Fint *ierror, void **buffer)
{
    size_t bytes = array->elem_len;
    *buffer = buffer_of(array->base_addr);
    if (is_contiguous(array))
        return true;
    for (int i = 0; i < array->rank; i++)
        bytes *= (size_t) array->dim[i].extent;
    *buffer = anypi_realloc(NULL, bytes);
    if (*buffer)
        copy_section(array, array->rank, array->base_addr, *buffer, true);
    else
        set_error(ierror, fail(comm, MPI_ERR_NO_MEM));
    return *buffer != NULL;
}

/* Frees the copy, if it is one, and with `received` gives the array what is in it. */
static void close_section(const CFI_cdesc_t *array, void *buffer, bool received)
{
    if (is_contiguous(array))
        return;
    if (received)
        copy_section(array, array->rank, array->base_addr, buffer, false);
    anypi_free(buffer);
}

/* DESCRIBED(name, function of C, type of its counts, and the rest as in REDUCTION). */
#define DESCRIBED(name, function, Count, count, parameter, argument)                               \
    void ompi_##name(CFI_cdesc_t *, CFI_cdesc_t *, Count *, MPI_Fint *, MPI_Fint *,                \
                     parameter MPI_Fint *, MPI_Fint *);                                            \
    void ompi_##name(CFI_cdesc_t *sendbuf, CFI_cdesc_t *recvbuf, Count *counts,                    \
                     MPI_Fint *datatype, MPI_Fint *op, parameter MPI_Fint *comm, MPI_Fint *ierror) \
    {                                                                                              \
        load();                                                                                    \
        if (are_contiguous(sendbuf, recvbuf, *comm, ierror))                                       \
            set_error(ierror, function(buffer_of(sendbuf->base_addr),                              \
                                       buffer_of(recvbuf->base_addr), count,                       \
                                       anypi_mpi.Type_f2c(*datatype), anypi_mpi.Op_f2c(*op),       \
                                       argument anypi_mpi.Comm_f2c(*comm)));                       \
    }
#define DESCRIBED_COUNT(name, Name, Count) DESCRIBED(name, MPI_##Name, Count, *counts, NONE, NONE)
#define DESCRIBED_BLOCK DESCRIBED_COUNT
#define DESCRIBED_ROOTED(name, Name, Count)                                                        \
    DESCRIBED(name, MPI_##Name, Count, *counts, ROOT_PARAMETER, ROOT)
#define DESCRIBED_COUNTS(name, Name, Count) DESCRIBED(name, MPI_##Name, Count, counts, NONE, NONE)
/* DESCRIBED_MOVE(name, (parameters), is the output contiguous, the descriptor of the input, does it
 * receive, the call of C with the buffer `input`). */
#define DESCRIBED_MOVE(name, parameters, contiguous, section, receives, call)                      \
    void ompi_##name parameters;                                                                   \
    void ompi_##name parameters                                                                    \
    {                                                                                              \
        void *input;                                                                               \
        load();                                                                                    \
        if (contiguous && open_section(section, *comm, ierror, &input)) {                          \
            set_error(ierror, call);                                                               \
            close_section(section, input, receives);                                               \
        }                                                                                          \
    }
#define DESCRIBED_MOVE_BUFFER(name, Name, Count, Place, output)                                    \
    DESCRIBED_MOVE(name, (CFI_cdesc_t *buffer, Count *count, MPI_Fint *datatype, MPI_Fint *root,   \
                          MPI_Fint *comm, MPI_Fint *ierror), true, buffer, true,                   \
                   MPI_##Name(input, *count, anypi_mpi.Type_f2c(*datatype), *root,                 \
                              anypi_mpi.Comm_f2c(*comm)))
#define DESCRIBED_MOVE_BLOCK(name, Name, Count, Place, output)                                     \
    DESCRIBED_MOVE(name, (CFI_cdesc_t *sendbuf, Count *sendcount, MPI_Fint *sendtype,              \
                          CFI_cdesc_t *recvbuf, Count *recvcount, MPI_Fint *recvtype,              \
                          MPI_Fint *comm, MPI_Fint *ierror),                                       \
                   are_contiguous(recvbuf, recvbuf, *comm, ierror), sendbuf, false,                \
                   MPI_##Name(input, *sendcount, anypi_mpi.Type_f2c(*sendtype),                    \
                              buffer_of(recvbuf->base_addr),                                       \
                              *recvcount, anypi_mpi.Type_f2c(*recvtype),                           \
                              anypi_mpi.Comm_f2c(*comm)))
/* A gather or scatter: the root's buffer of all blocks must be contiguous, and elsewhere it is not
 * looked at; the buffer of one block may have gaps. */
#define DESCRIBED_MOVE_ROOTED_BLOCK(name, Name, Count, Place, output)                              \
    void ompi_##name(CFI_cdesc_t *, Count *, MPI_Fint *, CFI_cdesc_t *, Count *, MPI_Fint *,       \
                     MPI_Fint *, MPI_Fint *, MPI_Fint *);                                          \
    void ompi_##name(CFI_cdesc_t *sendbuf, Count *sendcount, MPI_Fint *sendtype,                   \
                     CFI_cdesc_t *recvbuf, Count *recvcount, MPI_Fint *recvtype,                   \
                     MPI_Fint *root, MPI_Fint *comm, MPI_Fint *ierror)                             \
    {                                                                                              \
        const bool gathers = ANYPI_##output == ANYPI_AT_ROOT;                                      \
        const CFI_cdesc_t *const all = gathers ? recvbuf : sendbuf;                                \
        const CFI_cdesc_t *const one = gathers ? sendbuf : recvbuf;                                \
        void *block;                                                                               \
        load();                                                                                    \
        if ((!is_root(*root, *comm) || are_contiguous(all, all, *comm, ierror)) &&                 \
            open_section(one, *comm, ierror, &block)) {                                            \
            void *const blocks = buffer_of(all->base_addr);                                        \
            set_error(ierror, MPI_##Name(gathers ? block : blocks, *sendcount,                     \
                                         anypi_mpi.Type_f2c(*sendtype),                            \
                                         gathers ? blocks : block, *recvcount,                     \
                                         anypi_mpi.Type_f2c(*recvtype), *root,                     \
                                         anypi_mpi.Comm_f2c(*comm)));                              \
            close_section(one, block, !gathers);                                                   \
        }                                                                                          \
    }
#define DESCRIBED_MOVE_COUNTS(name, Name, Count, Place, output)                                    \
    DESCRIBED_MOVE(name, (CFI_cdesc_t *sendbuf, Count *sendcount, MPI_Fint *sendtype,              \
                          CFI_cdesc_t *recvbuf, Count *counts, Place *displs, MPI_Fint *recvtype,  \
                          MPI_Fint *comm, MPI_Fint *ierror),                                       \
                   are_contiguous(recvbuf, recvbuf, *comm, ierror), sendbuf, false,                \
                   MPI_##Name(input, *sendcount, anypi_mpi.Type_f2c(*sendtype),                    \
                              buffer_of(recvbuf->base_addr),                                       \
                              counts, displs, anypi_mpi.Type_f2c(*recvtype),                       \
                              anypi_mpi.Comm_f2c(*comm)))
#define ANYP_REDUCTION(NAME, Name, name, input, output, arguments, own)                            \
    DESCRIBED_##arguments(name##_wrapper_f08, Name, MPI_Fint)
#define ANYP_MOVEMENT(NAME, Name, name, input, output, arguments, forward)                         \
    DESCRIBED_MOVE_##arguments(name##_wrapper_f08, Name, MPI_Fint, MPI_Fint, output)
#include "schedule/collectives.def"
#ifdef ANYPI_HAVE_LARGE
#define ANYP_REDUCTION(NAME, Name, name, input, output, arguments, own)                            \
    DESCRIBED_##arguments(name##_wrapper_f08_c, Name##_c, MPI_Count)
#define ANYP_MOVEMENT(NAME, Name, name, input, output, arguments, forward)                         \
    DESCRIBED_MOVE_##arguments(name##_wrapper_f08_c, Name##_c, MPI_Count, MPI_Aint, output)
#include "schedule/collectives.def"
#endif

#endif
#endif
