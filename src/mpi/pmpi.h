/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pmpi.h - the MPI library below the plug-in. Its functions are looked up when the first of the
 * plug-in's is called, not when the plug-in is loaded: so it can be preloaded into programs that
 * have no MPI (mpiexec, a shell) or load it later and privately (Python).
 */
#ifndef ANYPI_PMPI_H_INCLUDED
#define ANYPI_PMPI_H_INCLUDED

#include "schedule/argument_shapes.h"

#include <mpi.h>

#include <stdbool.h>

/* Counts of type MPI_Count are new in MPI 4. */
#if MPI_VERSION >= 4
#define ANYPI_HAVE_LARGE 1
#endif

/* The mpi.h of the standard ABI is the same for all libraries that have it; which one is in use is
 * only known at run time. (Other libraries may define -1.) */
#if MPI_ABI_VERSION >= 1
#define ANYPI_STANDARD_ABI 1
#endif

/* The parts of pmpi.def that this library has. */
#ifdef ANYPI_HAVE_LARGE
#define ANYPI_PMPI_LARGE ANYPI_PMPI_OF_4
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

/* MPI 4.1 deprecates Type_size_x, but older libraries, with which the same binary runs, have no
 * Type_size_c. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
typedef struct anypi_pmpi {
#define ANYPI_PMPI(name) __typeof__(&PMPI_##name) name;
#define ANYPI_PMPI_OF_4 ANYPI_PMPI
#include "mpi/pmpi.def"
#undef ANYPI_PMPI
#undef ANYPI_PMPI_OF_4
} anypi_pmpi;
#pragma GCC diagnostic pop

/* Complete when anypi_pmpi_load() has returned. */
extern anypi_pmpi anypi_mpi;

/* Finds the functions, once. Ends the program with a message if the MPI library lacks one. Any
 * thread. */
void anypi_pmpi_load(void);

/* The address of a symbol in the program or any loaded object, also private ones; NULL: none. */
void *anypi_symbol(const char *name);

#endif
