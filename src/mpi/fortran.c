/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fortran.c - wraps Fortran bindings that call the C library by its profiling names and so bypass
 * the plug-in.
 *
 * - Open MPI: all bindings do this.
 * - MPICH: bindings call the C functions by their usual names. Only its module mpi_f08 calls
 *   functions without buffers by their profiling names: fortran_mpich.c.
 * - The standard ABI has no Fortran bindings. Libraries above it call the C functions.
 *
 * The wrapped names are those of the usual compilers, and of the module mpi_f08, whose handles are
 * one integer. Names in lower case without an underscore at the end are omitted: C libraries have
 * functions of these names (Rmpi has an mpi_allreduce), which a preloaded wrapper would replace.
 *
 * The mpi_f08 of Open MPI 6 converts each compiler's descriptors of arrays, and calls functions
 * with the descriptors of ISO_Fortran_binding.h. If the C compiler has no such header, these calls
 * bypass the plug-in.
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

/* Finds MPI's functions, because a wrapper may be the plug-in's first function that is called. */
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

/* Returns the buffer in the form of C's functions. */
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

/* FORTRAN(lower, UPPER, parameters, call) defines a binding that calls C, under all its names. */
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

void mpi_pcontrol_(const MPI_Fint *level);
void mpi_pcontrol_(const MPI_Fint *level)
{
    MPI_Pcontrol(*level);
}
void mpi_pcontrol__(const MPI_Fint *level) __attribute__((alias("mpi_pcontrol_")));
void mpi_pcontrol_f08_(const MPI_Fint *level) __attribute__((alias("mpi_pcontrol_")));
void MPI_PCONTROL(const MPI_Fint *level) __attribute__((alias("mpi_pcontrol_")));

/* Returns the datatypes of an alltoallw from buffer `in`, in memory that the thread keeps for its
 * next call. Returns NULL if MPI ignores them, or if there is no memory, which the library
 * reports. */
enum { ANYPI_sendtypes, ANYPI_recvtypes };
static const MPI_Datatype *types_of(int kind, const MPI_Fint *types, const void *in, MPI_Fint comm)
{
    static __thread MPI_Datatype *kept[2];
    static __thread int room[2];
    int inter = 0, p = 0;
    if (kind == ANYPI_sendtypes && in == MPI_IN_PLACE)
        return NULL;
    anypi_mpi.Comm_test_inter(anypi_mpi.Comm_f2c(comm), &inter);
    (inter ? anypi_mpi.Comm_remote_size : anypi_mpi.Comm_size)(anypi_mpi.Comm_f2c(comm), &p);
    MPI_Datatype *const its = anypi_reserve(kept[kind], &room[kind], p, sizeof *its);
    if (!its)
        return NULL;
    kept[kind] = its;
    for (int i = 0; i < p; i++)
        its[i] = anypi_mpi.Type_f2c(types[i]);
    return its;
}

/* The parameters of Fortran's functions and the arguments of C's, for the lists of
 * argument_shapes.h. BUFFER, COUNT and DISPL are types. */
#define DECLARE(x, KIND, name, member) DECLARE_##KIND(name),
#define DECLARE_IN(name) BUFFER *name
#define DECLARE_OUT(name) BUFFER *name
#define DECLARE_BOTH(name) BUFFER *name
#define DECLARE_COUNT(name) COUNT *name
#define DECLARE_COUNTS(name) COUNT *name
#define DECLARE_DISPLS(name) DISPL *name
#define DECLARE_TYPE(name) MPI_Fint *name
#define DECLARE_TYPES(name) MPI_Fint *name
#define DECLARE_OP(name) MPI_Fint *name
#define DECLARE_ROOT(name) MPI_Fint *name
#define GIVE(x, KIND, name, member) GIVE_##KIND(name),
#define GIVE_IN(name) buffer_of(name)
#define GIVE_OUT(name) buffer_of(name)
#define GIVE_BOTH(name) buffer_of(name)
#define GIVE_COUNT(name) *name
#define GIVE_COUNTS(name) name
#define GIVE_DISPLS(name) name
#define GIVE_TYPE(name) anypi_mpi.Type_f2c(*name)
#define GIVE_TYPES(name) types_of(ANYPI_##name, name, GIVE_IN(sendbuf), *comm)
#define GIVE_OP(name) anypi_mpi.Op_f2c(*name)
#define GIVE_ROOT(name) *name
#define BUFFER void
#define COUNT MPI_Fint
#define DISPL MPI_Fint
#define ANYP_COLLECTIVE(NAME, Name, name, kind, input, output, arguments, forward, own)            \
    FORTRAN(mpi_##name, MPI_##NAME,                                                                \
            (ANYPI_SHAPE_##kind##_##arguments(DECLARE, ) MPI_Fint *comm, MPI_Fint *ierror),        \
            MPI_##Name(ANYPI_SHAPE_##kind##_##arguments(GIVE, ) anypi_mpi.Comm_f2c(*comm)))
#include "schedule/collectives.def"

/* ---- operations: their requests, and handles that they use ---- */

static int give_request(int error, MPI_Request made, MPI_Fint *request)
{
    if (!error)
        *request = anypi_mpi.Request_c2f(made);
    return error;
}

/* A binding whose `call` sets the request `made`. The last arguments are its other parameters. */
#define MAKES_REQUEST(lower, upper, call, ...)                                                     \
    FORTRAN(lower, upper, (__VA_ARGS__, MPI_Fint *request, MPI_Fint *ierror), __extension__ ({     \
        MPI_Request made = MPI_REQUEST_NULL;                                                       \
        const int error = call;                                                                    \
        give_request(error, made, request);                                                        \
    }))
#define ANYP_COLLECTIVE(NAME, Name, name, kind, input, output, arguments, forward, own)            \
    MAKES_REQUEST(mpi_i##name, MPI_I##NAME,                                                        \
                  MPI_I##name(ANYPI_SHAPE_##kind##_##arguments(GIVE, )                             \
                              anypi_mpi.Comm_f2c(*comm), &made),                                   \
                  ANYPI_SHAPE_##kind##_##arguments(DECLARE, ) MPI_Fint *comm)
#include "schedule/collectives.def"
#ifdef ANYPI_HAVE_LARGE
#define ANYP_COLLECTIVE(NAME, Name, name, kind, input, output, arguments, forward, own)            \
    MAKES_REQUEST(mpi_##name##_init, MPI_##NAME##_INIT,                                            \
                  MPI_##Name##_init(ANYPI_SHAPE_##kind##_##arguments(GIVE, )                       \
                                    anypi_mpi.Comm_f2c(*comm), anypi_mpi.Info_f2c(*info), &made),  \
                  ANYPI_SHAPE_##kind##_##arguments(DECLARE, ) MPI_Fint *comm, MPI_Fint *info)
#include "schedule/collectives.def"
#endif

/* A binding that changes a handle of C. */
#define CHANGES(lower, upper, type, Type, function)                                                \
    FORTRAN(lower, upper, (MPI_Fint *handle, MPI_Fint *ierror), __extension__ ({                   \
        type its = anypi_mpi.Type##_f2c(*handle);                                                  \
        const int error = function(&its);                                                          \
        *handle = anypi_mpi.Type##_c2f(its);                                                       \
        error;                                                                                     \
    }))
CHANGES(mpi_start, MPI_START, MPI_Request, Request, MPI_Start)
CHANGES(mpi_request_free, MPI_REQUEST_FREE, MPI_Request, Request, MPI_Request_free)
CHANGES(mpi_op_free, MPI_OP_FREE, MPI_Op, Op, MPI_Op_free)
CHANGES(mpi_type_free, MPI_TYPE_FREE, MPI_Datatype, Type, MPI_Type_free)

FORTRAN(mpi_startall, MPI_STARTALL, (MPI_Fint *count, MPI_Fint *requests, MPI_Fint *ierror),
        __extension__ ({
            int error = MPI_SUCCESS;
            for (int i = 0; i < *count && !error; i++) {
                MPI_Request its = anypi_mpi.Request_f2c(requests[i]);
                error = MPI_Start(&its);
            }
            error;
        }))

#ifdef HAVE_DESCRIPTORS

/* Does the same as CFI_is_contiguous(), without the Fortran library, which a program may link
 * statically. An array whose last extent is unknown, -1, is always contiguous. */
static bool is_contiguous(const CFI_cdesc_t *array)
{
    CFI_index_t bytes = (CFI_index_t) array->elem_len;  /* distance without gaps */
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

/* Returns whether this process is the root of a call, which has all blocks. */
static bool is_root(MPI_Fint root, MPI_Fint comm)
{
    int inter = 0, rank = -1;
    anypi_mpi.Comm_test_inter(anypi_mpi.Comm_f2c(comm), &inter);
    anypi_mpi.Comm_rank(anypi_mpi.Comm_f2c(comm), &rank);
    return root == (inter ? MPI_ROOT : rank);
}

/* Copies the elements of an array's first dimensions, which begin at `base`, to or from one
 * contiguous piece. Returns the end in the piece. */
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

/* The arrays of a call. */
typedef struct arrays {
    anyp_collective collective;
    const CFI_cdesc_t *in, *out;        /* NULL: no array */
    const MPI_Fint *root, *comm;
    void *in_buffer, *out_buffer;       /* the arguments of C's function */
    const CFI_cdesc_t *copied;          /* the array that is copied; NULL: none */
} arrays;

/* Returns the array that may have gaps: the buffer of a bcast, the blocks that are sent, or a
 * scatter's block. Other arrays must be contiguous, as in the MPI library, and both arrays of an
 * alltoallv. NULL: none may have gaps. */
static const CFI_cdesc_t *may_have_gaps(const arrays *its)
{
    const anypi_collective *of = &anypi_collectives[its->collective];
    const bool pairs = of->arguments == ANYPI_TAKES_PAIRS ||
        of->arguments == ANYPI_TAKES_TYPED_PAIRS;
    if (!of->moves || pairs)
        return NULL;
    return !its->in || of->output == ANYPI_HAS_OWN ? its->out : its->in;
}

/* Returns whether this process uses the array, and it has gaps although it must not. In a gather or
 * scatter, only the root has all blocks. */
static bool is_wrong(const arrays *its, const CFI_cdesc_t *array)
{
    const anypi_collective *of = &anypi_collectives[its->collective];
    return array && array != may_have_gaps(its) && !is_contiguous(array) &&
        (!anypi_has_rooted_blocks(of) || is_root(*its->root, *its->comm));
}

/* Sets the buffers. A section with gaps is copied; the library has a datatype for it instead.
 * Returns an MPI error code. */
static int open_arrays(arrays *its)
{
    const CFI_cdesc_t *gaps = may_have_gaps(its);
    if (is_wrong(its, its->in) || is_wrong(its, its->out))
        return fail(*its->comm, MPI_ERR_INTERN);
    its->in_buffer = its->in ? buffer_of(its->in->base_addr) : NULL;
    its->out_buffer = its->out ? buffer_of(its->out->base_addr) : NULL;
    if (!gaps || is_contiguous(gaps))
        return MPI_SUCCESS;
    size_t bytes = gaps->elem_len;
    for (int i = 0; i < gaps->rank; i++)
        bytes *= (size_t) gaps->dim[i].extent;
    void *const copy = anypi_realloc(NULL, bytes);
    if (!copy)
        return fail(*its->comm, MPI_ERR_NO_MEM);
    copy_section(gaps, gaps->rank, gaps->base_addr, copy, true);
    its->copied = gaps;
    *(gaps == its->in ? &its->in_buffer : &its->out_buffer) = copy;
    return MPI_SUCCESS;
}

/* Copies the output to its array, if it was copied, and frees the copy. */
static void close_arrays(const arrays *its)
{
    if (!its->copied)
        return;
    void *const copy = its->copied == its->in ? its->in_buffer : its->out_buffer;
    if (its->copied == its->out)
        copy_section(its->out, its->out->rank, its->out->base_addr, copy, false);
    anypi_free(copy);
}

/* The descriptors of a binding in `arrays`, and the arguments of C's function. */
#define KEEP(x, KIND, name, member) KEEP_##KIND(name)
#define KEEP_IN(name) .in = name,
#define KEEP_OUT(name) .out = name,
#define KEEP_BOTH(name) .out = name,
#define KEEP_COUNT(name)
#define KEEP_COUNTS(name)
#define KEEP_DISPLS(name)
#define KEEP_TYPE(name)
#define KEEP_TYPES(name)
#define KEEP_OP(name)
#define KEEP_ROOT(name) .root = name,
#undef GIVE_IN
#undef GIVE_OUT
#undef GIVE_BOTH
#define GIVE_IN(name) its.in_buffer
#define GIVE_OUT(name) its.out_buffer
#define GIVE_BOTH(name) its.out_buffer
#define DESCRIBED(NAME, binding, function, shape)                                                  \
    void ompi_##binding(shape(DECLARE, ) MPI_Fint *comm, MPI_Fint *ierror);                        \
    void ompi_##binding(shape(DECLARE, ) MPI_Fint *comm, MPI_Fint *ierror)                         \
    {                                                                                              \
        load();                                                                                    \
        arrays its = { .collective = ANYP_##NAME, .comm = comm, shape(KEEP, ) };                   \
        int error = open_arrays(&its);                                                             \
        if (!error) {                                                                              \
            error = MPI_##function(shape(GIVE, ) anypi_mpi.Comm_f2c(*comm));                       \
            close_arrays(&its);                                                                    \
        }                                                                                          \
        set_error(ierror, error);                                                                  \
    }
#undef BUFFER
#define BUFFER CFI_cdesc_t
#define ANYP_COLLECTIVE(NAME, Name, name, kind, input, output, arguments, forward, own)            \
    DESCRIBED(NAME, name##_wrapper_f08, Name, ANYPI_SHAPE_##kind##_##arguments)
#include "schedule/collectives.def"
#ifdef ANYPI_HAVE_LARGE
#undef COUNT
#undef DISPL
#define COUNT MPI_Count
#define DISPL MPI_Aint
#define ANYP_COLLECTIVE(NAME, Name, name, kind, input, output, arguments, forward, own)            \
    ANYPI_LARGE_##kind(DESCRIBED(NAME, name##_wrapper_f08_c, Name##_c,                             \
                                 ANYPI_SHAPE_##kind##_##arguments))
#include "schedule/collectives.def"
#endif

#endif

#endif
