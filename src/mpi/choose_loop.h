/* SPDX-License-Identifier: BSD-3-Clause
 *
 * choose_loop.h - which of AnyP's loops (node/reduction_loops.h) reduces as MPI_Reduce_local does.
 */
#ifndef ANYPI_CHOOSE_LOOP_H_INCLUDED
#define ANYPI_CHOOSE_LOOP_H_INCLUDED

#include "mpi/types.h"
#include "node/reduction_loops.h"

typedef struct anypi_own_loop {
    anypi_loop loop;            /* NULL: none; MPI_Reduce_local must reduce */
    int numbers;                /* of an element, for the loop */
} anypi_own_loop;

/* Returns the loop of a predefined operator and datatype. The first time, compares the bits of the
 * results with those of MPI_Reduce_local: for negative numbers, zeros, infinities and one operand
 * that is not a number. So a loop is right for any MPI library, whatever its types are called. Only
 * one thread may call this. */
anypi_own_loop anypi_own_loop_of(const anypi_type *type, MPI_Op op);

#endif
