/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pmpi.h - the functions of the MPI library below the plug-in. They are looked up when the first
 * function of the plug-in is called, not when the plug-in is loaded. So the plug-in can be
 * preloaded into programs without MPI (mpiexec, a shell), and into programs that load MPI later and
 * privately (Python).
 */
#ifndef ANYPI_PMPI_H_INCLUDED
#define ANYPI_PMPI_H_INCLUDED

#include "schedule/argument_shapes.h"

#include <mpi.h>

#include <stdbool.h>

/* MPI 4 introduced counts of type MPI_Count. */
#if MPI_VERSION >= 4
#define ANYPI_HAVE_LARGE 1
#endif

/* All libraries with the standard ABI have the same mpi.h; only at run time is it known which one
 * is used. (Other libraries may define -1.) */
#if MPI_ABI_VERSION >= 1
#define ANYPI_STANDARD_ABI 1
#endif

/* The parts of pmpi.def that this library has. */
#ifdef ANYPI_HAVE_LARGE
#define ANYPI_PMPI_LARGE ANYPI_PMPI_IF_THERE
#else
#define ANYPI_PMPI_LARGE(name)
#endif
#ifdef OPEN_MPI
#define ANYPI_PMPI_HANDLES ANYPI_PMPI
#else
#define ANYPI_PMPI_HANDLES(name)
#endif
#ifdef ANYPI_STANDARD_ABI
#define ANYPI_PMPI_STANDARD ANYPI_PMPI
#else
#define ANYPI_PMPI_STANDARD(name)
#endif

/* MPI 4.1 deprecates Type_size_x. But the same binary also runs with older libraries, which have no
 * Type_size_c. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
typedef struct anypi_pmpi {
#define ANYPI_PMPI(name) __typeof__(&PMPI_##name) name;
#define ANYPI_PMPI_IF_THERE ANYPI_PMPI
#include "mpi/pmpi.def"
#undef ANYPI_PMPI
#undef ANYPI_PMPI_IF_THERE
} anypi_pmpi;
#pragma GCC diagnostic pop

/* The parameters of an MPI function, and its arguments, for the lists of argument_shapes.h. Who
 * uses them defines INTEGER, the type of counts; `place` is the type of displacements. */
#define ANYPI_DECLARE(place, KIND, name, member) ANYPI_DECLARE_##KIND(place, name),
#define ANYPI_DECLARE_IN(place, name) const void *name
#define ANYPI_DECLARE_OUT(place, name) void *name
#define ANYPI_DECLARE_BOTH(place, name) void *name
#define ANYPI_DECLARE_COUNT(place, name) INTEGER name
#define ANYPI_DECLARE_COUNTS(place, name) const INTEGER *name
#define ANYPI_DECLARE_DISPLS(place, name) const place *name
#define ANYPI_DECLARE_TYPE(place, name) MPI_Datatype name
#define ANYPI_DECLARE_TYPES(place, name) const MPI_Datatype *name
#define ANYPI_DECLARE_OP(place, name) MPI_Op name
#define ANYPI_DECLARE_ROOT(place, name) int name
#define ANYPI_GIVE(x, KIND, name, member) name,

/* The table of functions, complete when anypi_pmpi_load() has returned. */
extern anypi_pmpi anypi_mpi;

/* Finds the functions, once. Ends the program with a message if the MPI library lacks one.
 * Thread-safe. */
void anypi_pmpi_load(void);

/* The number of reasons why functions that are usually forwarded must do more: the library's
 * functions have not been found yet, calls are recorded (recorder.h), or there are operations
 * (operations.h). */
extern int anypi_reasons;

static inline void anypi_reason_add(int change)
{
    __atomic_add_fetch(&anypi_reasons, change, __ATOMIC_RELEASE);
}

/* Returns whether a function need only be forwarded. */
static inline bool anypi_only_forwards(void)
{
    return __builtin_expect(__atomic_load_n(&anypi_reasons, __ATOMIC_ACQUIRE) == 0, 1);
}

/* Begins the definition of a function for the case that it is not only forwarded. The other case
 * takes few instructions. */
#define ANYPI_FORWARDED(name, parameters, arguments)                                               \
    static __attribute__((noinline)) int other_##name parameters;                                  \
    int MPI_##name parameters                                                                      \
    {                                                                                              \
        return anypi_only_forwards() ? anypi_mpi.name arguments : other_##name arguments;          \
    }                                                                                              \
    static int other_##name parameters

/* Returns the address of a symbol in the program or in any loaded object, also a private one; NULL:
 * none. */
void *anypi_symbol(const char *name);

#endif
