/* SPDX-License-Identifier: BSD-3-Clause
 *
 * choose_loop.h - which of AnyP's loops (reduction_loops.h) reduces as the MPI library does.
 */
#ifndef ANYPI_CHOOSE_LOOP_H_INCLUDED
#define ANYPI_CHOOSE_LOOP_H_INCLUDED

#include "node/reduction_loops.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct anypi_own_loop {
    anypi_loop loop;            /* NULL: none; the MPI library must reduce */
    int numbers;                /* of an element, for the loop */
} anypi_own_loop;

/* A predefined operator and datatype, as a back end knows them. */
typedef struct anypi_reduction {
    uint64_t type, operator;    /* their handles */
    anypi_loop_operator loops;  /* ANYPI_LOOP_OPERATORS: there are none of this operator */
    int64_t size;               /* bytes of an element, without gaps */
    const void *handles;        /* for reduce() */
    /* right = left (+) right, by the MPI library. False: it refuses. */
    bool (*reduce)(const void *handles, const char *left, char *right, int elements);
} anypi_reduction;

/* Returns the loop. The first time, compares the bits of its results with those of the MPI library:
 * for negative numbers, zeros, infinities and one operand that is not a number. So a loop is right
 * for any MPI library, whatever its types are called. Only one thread may call this. */
anypi_own_loop anypi_own_loop_of(const anypi_reduction *reduction);

/* The operator of a row of MPI's names; for back ends, which know these. */
#define ANYPI_LOOP_OPERATOR_OF(op)                                                               \
    ((op) == MPI_SUM ? ANYPI_LOOP_SUM : (op) == MPI_PROD ? ANYPI_LOOP_PROD                       \
     : (op) == MPI_MAX ? ANYPI_LOOP_MAX : (op) == MPI_MIN ? ANYPI_LOOP_MIN                       \
     : (op) == MPI_LAND ? ANYPI_LOOP_LAND : (op) == MPI_LOR ? ANYPI_LOOP_LOR                     \
     : (op) == MPI_LXOR ? ANYPI_LOOP_LXOR : (op) == MPI_BAND ? ANYPI_LOOP_BAND                   \
     : (op) == MPI_BOR ? ANYPI_LOOP_BOR : (op) == MPI_BXOR ? ANYPI_LOOP_BXOR                     \
     : ANYPI_LOOP_OPERATORS)

#endif
