/* SPDX-License-Identifier: BSD-3-Clause
 *
 * types.h - MPI's own operators and datatypes, and which operator is defined for which datatype.
 */
#ifndef ANYPI_TYPES_H_INCLUDED
#define ANYPI_TYPES_H_INCLUDED

#include "mpi/pmpi.h"
#include "schedule/layout.h"

#include <stdint.h>

typedef struct anypi_type {
    MPI_Datatype handle;
    unsigned kinds;             /* bits as of anypi_operator_kinds() */
    int64_t size;               /* bytes of data */
    anypi_element element;
    bool dense;                 /* a row of elements is one piece of memory without gaps */
    bool overlaps;              /* its elements overlap: see decide.h */
} anypi_type;

/* Fills the table of MPI's own datatypes, once, after MPI is initialized. */
void anypi_types_load(void);

/* The row of MPI's own datatype; NULL: it is the user's, or without a row. */
const anypi_type *anypi_type_find(MPI_Datatype handle);

/* Asks MPI about a datatype; sets everything but `kinds`. False if it fails. */
bool anypi_type_ask(MPI_Datatype handle, anypi_type *type);

/* The row of a datatype, or *users with what MPI says of it, and no kinds. NULL: it is wrong. */
const anypi_type *anypi_type_know(MPI_Datatype handle, anypi_type *users);

/* Are the bytes of elements one after the other in memory, in the order in which MPI sends them,
 * from the buffer's address on? False also if it is not known. */
bool anypi_type_is_contiguous(const anypi_type *type);

/* The kinds of datatypes for which an operator of MPI is defined; 0: it is the user's, or not for
 * reductions. */
unsigned anypi_operator_kinds(MPI_Op op);

/* Reduces by MPI_MAX or MPI_MIN of float or double: to = from (+) to, and `from` where neither is
 * larger (zeros, a NaN). False, and nothing is done, if they are not these. So do MPICH and Open
 * MPI compute two elements; but Open MPI's vector code (op/avx) keeps the other one. */
bool anypi_reduce_extremes(const anypi_type *type, MPI_Op op, const char *from, char *to,
                           int64_t elements);

#endif
