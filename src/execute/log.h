/* SPDX-License-Identifier: BSD-3-Clause
 *
 * log.h - log lines that say which algorithm runs a call and why, for every back end, as
 *
 *   anyp: COLLECTIVE p=P bytes=BYTES[ op=KIND][ persistent] -> ALGORITHM[(PARAMETER=VALUE, ...)]...
 *
 * A communicator has one line for each collective, operator kind and size class (power of two of
 * bytes). A process writes a line for the first communicator that has it, and at the end on how
 * many others it held, too.
 *
 * COLLECTIVE begins with "i" if the call is nonblocking or persistent. BYTES is the whole vector,
 * all blocks together; KIND, of a reduction's operator, is commutative, commutative-user or
 * non-commutative.
 */
#ifndef ANYPI_LOG_H_INCLUDED
#define ANYPI_LOG_H_INCLUDED

#include "execute/decide.h"

/* Kinds of operators in log lines. */
typedef enum anypi_operator_kind {
    ANYPI_COMMUTATIVE,          /* MPI's own */
    ANYPI_COMMUTATIVE_USER,
    ANYPI_NON_COMMUTATIVE,
    ANYPI_OPERATOR_KINDS
} anypi_operator_kind;

/* How a collective is called. */
typedef enum anypi_mode {
    ANYPI_BLOCKING,
    ANYPI_NONBLOCKING,
    ANYPI_PERSISTENT,
    ANYPI_MODES
} anypi_mode;

/* Which lines a communicator has had. Zero at first; anypi_free(lines) at its end. */
typedef struct anypi_logged {
    unsigned age;               /* of these lines */
    /* A bit per size class. NULL: none yet. */
    uint64_t (*lines)[ANYPI_MODES][ANYP_COLLECTIVES][ANYPI_OPERATOR_KINDS];
} anypi_logged;

/* A line under construction; text that does not fit is cut. */
typedef struct anypi_log_line {
    char text[2048];
    size_t length;
    int size_class;             /* of BYTES, which are text[bytes .. after - 1]; from */
    size_t bytes, after;        /* anypi_log_begin() */
    unsigned age;
} anypi_log_line;

void anypi_log_add(anypi_log_line *line, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Is this the first line of its kind on the communicator? Then begins it, up to the arrow. With
 * another `age` than that of the lines before, the communicator has had none. False also without
 * memory. */
bool anypi_log_begin(anypi_log_line *line, anypi_logged *logged, unsigned age, anypi_mode mode,
                     anyp_collective collective, int p, int64_t bytes, anypi_operator_kind kind);

/* Begins a line that is not about a call: "anyp: ". */
void anypi_log_begin_other(anypi_log_line *line, unsigned age);

/* Adds "anyp_NAME(PARAMETER=VALUE, ...)". Where `asked`, what the rule or the variable gave, has
 * "auto", it adds which parameters the closed form chose: "; auto: PARAMETER, ...". */
void anypi_log_add_algorithm(anypi_log_line *line, const anyp_algorithm *algorithm,
                             const int *parameters, const int *asked);

/* Adds what runs a call and, if that is not what was requested, what was requested and why not.
 * `otherwise` names what runs if it is no algorithm of AnyP's. */
void anypi_log_add_decision(anypi_log_line *line, const anypi_entry *entry,
                            const anypi_asked *asked, const char *otherwise);

/* Writes the line "anyp: shape: 5x(8x4),(5x4), from FROM". `why`, if not empty, is why switches are
 * not known; it follows in parentheses. */
void anypi_log_shape(unsigned age, const anyp_shape *shape, const char *from, const char *why);

/* Writes a line that one of these began to stderr, unless the process has written it for
 * another communicator: if only BYTES differ, inside the size class, it is the same. With another
 * age than that of the last line, the process has written none. Any thread. */
void anypi_log_end(const anypi_log_line *line);

/* Rank 0 warns, once in a process, that the result of a call is not reproducible, although
 * `variable` is set. */
void anypi_warn_not_reproducible(anypi_mode mode, const anyp_call *call, const char *variable,
                                 const char *reason);

/* Writes on how many other communicators each line held, and forgets the lines. Any thread. */
void anypi_log_finish(void);

#endif
