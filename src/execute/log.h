/* SPDX-License-Identifier: BSD-3-Clause
 *
 * log.h - the lines that tell which algorithm serves a call and why, for every back end: once per
 * communicator, collective, operator kind and size class (power of two of bytes), as
 *
 *   anyp: COLLECTIVE p=P bytes=BYTES op=KIND -> ALGORITHM[(PARAMETER=VALUE, ...)]...
 *
 * BYTES is the whole vector, all blocks together; KIND is commutative, commutative-user or
 * non-commutative.
 */
#ifndef ANYPI_LOG_H_INCLUDED
#define ANYPI_LOG_H_INCLUDED

#include "anyp.h"

/* Kinds of operators, as they are told. */
typedef enum anypi_operator_kind {
    ANYPI_COMMUTATIVE,          /* MPI's own */
    ANYPI_COMMUTATIVE_USER,
    ANYPI_NON_COMMUTATIVE,
    ANYPI_OPERATOR_KINDS
} anypi_operator_kind;

/* Which lines were written: a bit per size class. */
typedef struct anypi_logged {
    uint64_t sizes[ANYP_COLLECTIVES][ANYPI_OPERATOR_KINDS];
} anypi_logged;

/* A line in the making; what does not fit is cut. */
typedef struct anypi_log_line {
    char text[2048];
    size_t length;
} anypi_log_line;

void anypi_log_add(anypi_log_line *line, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Is it the first of its kind? Then the line is begun, up to the arrow. */
bool anypi_log_begin(anypi_log_line *line, anypi_logged *told, anyp_collective collective, int p,
                     int64_t bytes, anypi_operator_kind kind);

/* Adds "anyp_NAME(PARAMETER=VALUE, ...)". */
void anypi_log_add_algorithm(anypi_log_line *line, const anyp_algorithm *algorithm,
                             const int *parameters);

/* Writes it to stderr. */
void anypi_log_end(const anypi_log_line *line);

#endif
