/* SPDX-License-Identifier: BSD-3-Clause
 *
 * library.h - which MPI library is in use: with the standard ABI, that is known only at run time.
 */
#ifndef ANYPI_TEST_LIBRARY_H_INCLUDED
#define ANYPI_TEST_LIBRARY_H_INCLUDED

#include <mpi.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static inline bool library_is(const char *name)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    return !MPI_Get_library_version(version, &length) && strstr(version, name);
}

static inline bool is_open_mpi(void)
{
    return library_is("Open MPI");
}

/* 5 of MPICH 5.0.1; 0: another library. */
static inline int mpich_major(void)
{
    static const char head[] = "MPICH Version:";
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    const char *found = MPI_Get_library_version(version, &length) ? NULL : strstr(version, head);
    return found ? atoi(found + sizeof head - 1) : 0;
}

#endif
