/* SPDX-License-Identifier: BSD-3-Clause
 *
 * types.h - describes MPI's predefined operators and datatypes, and tells which operator is defined
 * for which datatype.
 */
#ifndef ANYPI_TYPES_H_INCLUDED
#define ANYPI_TYPES_H_INCLUDED

#include "mpi/pmpi.h"
#include "schedule/layout.h"

#include <stdint.h>

typedef struct anypi_type {
    MPI_Datatype handle;
    unsigned kinds;             /* bits as in anypi_operator_kinds() */
    int64_t size;               /* bytes of data */
    anypi_element element;
    bool dense;                 /* consecutive elements are one piece of memory without gaps */
    bool overlaps;              /* its elements overlap (decide.h) */
} anypi_type;

/* Fills the table of predefined datatypes, once, after MPI is initialized. */
void anypi_types_load(void);

/* Returns the row of a predefined datatype. NULL: it is a user datatype, or has no row. */
const anypi_type *anypi_type_find(MPI_Datatype handle);

/* Asks MPI about a datatype and sets all members but `kinds`. Returns false if MPI fails. */
bool anypi_type_ask(MPI_Datatype handle, anypi_type *type);

/* Returns the row of a datatype. For a user datatype, describes it in *users, without kinds, and
 * returns that. NULL: the datatype is wrong. */
const anypi_type *anypi_type_know(MPI_Datatype handle, anypi_type *users);

/* Returns whether the bytes of consecutive elements are contiguous in memory, begin at the buffer's
 * address, and have the order in which MPI sends them. Returns false also if this is not known. */
bool anypi_type_is_contiguous(const anypi_type *type);

/* Returns the kinds of datatypes for which a predefined operator is defined; 0: it is a user
 * operator, or not for reductions. */
unsigned anypi_operator_kinds(MPI_Op op);

/* Reduces by MPI_MAX or MPI_MIN of float or double: to = from (+) to. The result is `from` if
 * neither is larger (zeros, a NaN). Returns false, and does nothing, for other operators or
 * datatypes. MPICH and Open MPI compute two elements in the same way, but Open MPI's vector code
 * (op/avx) keeps the other one. */
bool anypi_reduce_extremes(const anypi_type *type, MPI_Op op, const char *from, char *to,
                           int64_t elements);

#endif
