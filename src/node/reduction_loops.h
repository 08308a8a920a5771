/* SPDX-License-Identifier: BSD-3-Clause
 *
 * reduction_loops.h - reductions with three operands, for MPI's predefined operators:
 * MPI_Reduce_local has two, so that one of them must be copied first.
 */
#ifndef ANYPI_REDUCTION_LOOPS_H_INCLUDED
#define ANYPI_REDUCTION_LOOPS_H_INCLUDED

#include <stdint.h>

/* out = left (+) right, for that many numbers, at any address. `out` may be `left` or `right`, but
 * must not overlap them otherwise. */
typedef void (*anypi_loop)(const char *left, const char *right, char *out, int64_t numbers);

typedef enum anypi_loop_operator {
    ANYPI_LOOP_SUM, ANYPI_LOOP_PROD, ANYPI_LOOP_MAX, ANYPI_LOOP_MIN, ANYPI_LOOP_LAND,
    ANYPI_LOOP_LOR, ANYPI_LOOP_LXOR, ANYPI_LOOP_BAND, ANYPI_LOOP_BOR, ANYPI_LOOP_BXOR,
    ANYPI_LOOP_OPERATORS
} anypi_loop_operator;

/* MAX and MIN have two loops of each kind: the right operand is the result if it is beyond the left
 * one, or unless the left one is beyond it. They differ in zeros and in numbers that are none. */
enum { ANYPI_LOOP_VARIANTS = 2 };

/* Kinds of numbers, in the order in which to try them for numbers of one size. */
typedef enum anypi_loop_kind {
    ANYPI_LOOP_INT64, ANYPI_LOOP_UINT64, ANYPI_LOOP_DOUBLE, ANYPI_LOOP_INT32, ANYPI_LOOP_UINT32,
    ANYPI_LOOP_FLOAT, ANYPI_LOOP_INT16, ANYPI_LOOP_UINT16, ANYPI_LOOP_INT8, ANYPI_LOOP_UINT8,
    ANYPI_LOOP_KINDS
} anypi_loop_kind;

/* Returns the bytes of a number. */
int anypi_loop_size(anypi_loop_kind kind);

/* Returns a loop, or NULL: there is none, as for bits of a float. */
anypi_loop anypi_loop_of(anypi_loop_operator operator, anypi_loop_kind kind, int variant);

#endif
