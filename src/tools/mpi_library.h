/* SPDX-License-Identifier: BSD-3-Clause
 *
 * mpi_library.h - finds out which MPI library a command uses, without running it: from the
 * libraries that its program needs, or from its launcher.
 */
#ifndef ANYPI_TOOL_MPI_H_INCLUDED
#define ANYPI_TOOL_MPI_H_INCLUDED

#include <stdbool.h>

/* All members of a family have one ABI, and use one build of the plug-in. */
typedef enum tool_family {
    FAMILY_MPICH,               /* MPICH, or with its ABI: Intel, Cray, MVAPICH, ParaStation */
    FAMILY_OPENMPI,             /* Open MPI 3, 4, 5 and 6 */
    FAMILY_ABI,                 /* any MPI 5 library with the standard ABI: MPICH, Open MPI */
    FAMILIES,
    FAMILY_OTHER,               /* an MPI that AnyP has no build for */
    FAMILY_UNKNOWN              /* no MPI was found */
} tool_family;

/* "mpich", "openmpi", "abi", as in folders and options; "MPICH", "Open MPI", "the standard ABI". */
extern const char *const anypi_family_names[FAMILIES], *const anypi_family_titles[FAMILIES];

/* Returns the family of this name, or FAMILY_UNKNOWN. */
tool_family anypi_family_find(const char *name);

/* The reason why nothing can be preloaded into a program. */
typedef enum tool_obstacle {
    OBSTACLE_NONE,              /* it is possible, or the file is no program */
    OBSTACLE_FOREIGN,           /* the program is for another kind of processor than this one */
    OBSTACLE_STATIC             /* it does not use the dynamic loader */
} tool_obstacle;

enum { TOOL_LIBRARY_SIZE = 128 };

/* The MPI of a command. Indices are those of the command's words; -1: there is no such word. */
typedef struct tool_mpi {
    tool_family program;        /* of the first word that is an MPI program ... */
    int program_word;           /* ... its index ... */
    char library[TOOL_LIBRARY_SIZE];    /* ... and the library that it needs */
    tool_family launcher;       /* of the first word that is a launcher, and its index */
    int launcher_word;
    tool_obstacle obstacle;     /* of the first program that has one, and its index */
    int obstacle_word;
    bool runnable;              /* the first word is a program */
} tool_mpi;

/* Examines a command's words, which end with NULL. */
void anypi_mpi_of(char *const *words, tool_mpi *mpi);

/* Is the file a shared library for this kind of processor? */
bool anypi_loader_is_library(const char *path);

/* Does the library with this name in LD_PRELOAD define the function itself? This process has also
 * loaded the library. */
bool anypi_loader_preloads(const char *name, const char *function);

#endif
