/* SPDX-License-Identifier: BSD-3-Clause
 *
 * wrappers.c - the collectives, with int and MPI_Count counts, in front of the MPI library's.
 */
#include "mpi/internal.h"

/* A wrapper's parameters and the arguments of the MPI library's function, for the lists of
 * shapes.h. */
#define DECLARE(x, KIND, name, member) DECLARE_##KIND(name),
#define DECLARE_IN(name) const void *name
#define DECLARE_OUT(name) void *name
#define DECLARE_BOTH(name) void *name
#define DECLARE_COUNT(name) COUNT name
#define DECLARE_COUNTS(name) const COUNT *name
#define DECLARE_DISPLS(name) const DISPL *name
#define DECLARE_TYPE(name) MPI_Datatype name
#define DECLARE_OP(name) MPI_Op name
#define DECLARE_ROOT(name) int name
#define GIVE(x, KIND, name, member) name,

#define WRAP(NAME, function, shape)                                                                \
    int MPI_##function(shape(DECLARE, ) MPI_Comm comm)                                             \
    {                                                                                              \
        anypi_job job;                                                                             \
        anypi_arguments its = { .collective = ANYP_##NAME, shape(ANYPI_STORE, ) };                 \
        const anypi_recalled known = anypi_recall_near(&its, comm);                                \
        if (anypi_forwards(&known, ANYP_##NAME))                                                   \
            return anypi_mpi.function(shape(GIVE, ) comm);                                         \
        return anypi_intercept(&job, &its, comm, &known) ? job.error                               \
            : anypi_forwarded(&job, anypi_mpi.function(shape(GIVE, ) comm));                       \
    }

#define COUNT int
#define DISPL int
#define ANYP_COLLECTIVE(NAME, Name, name, kind, input, output, arguments, forward, own)            \
    WRAP(NAME, Name, ANYPI_SHAPE_##kind##_##arguments)
#include "schedule/collectives.def"

#ifdef ANYPI_HAVE_LARGE
#undef COUNT
#undef DISPL
#define COUNT MPI_Count
#define DISPL MPI_Aint
#define ANYP_COLLECTIVE(NAME, Name, name, kind, input, output, arguments, forward, own)            \
    WRAP(NAME, Name##_c, ANYPI_SHAPE_##kind##_##arguments)
#include "schedule/collectives.def"
#endif
