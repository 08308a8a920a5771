/* SPDX-License-Identifier: BSD-3-Clause
 *
 * log.h - writes log lines, which name the algorithm of a call and the reason for the choice. For
 * every back end.
 *
 *   anyp: COLLECTIVE p=P bytes=BYTES[ op=KIND | memory=device][ persistent]
 *       -> ALGORITHM[(PARAMETER=VALUE, ...)]...
 *
 * A communicator has one line for each collective, operator kind and size class (power of two of
 * bytes). A process writes a line only for the first communicator that has it. At the end it writes
 * how many other communicators had the same line.
 *
 * COLLECTIVE begins with "i" if the call is nonblocking or persistent. BYTES is the size of the
 * whole vector, all blocks together. KIND is the kind of a reduction's operator: commutative,
 * commutative-user or non-commutative. memory=device: rules for device memory apply.
 */
#ifndef ANYPI_LOG_H_INCLUDED
#define ANYPI_LOG_H_INCLUDED

#include "execute/decide.h"

typedef enum anypi_operator_kind {
    ANYPI_COMMUTATIVE,          /* predefined by MPI */
    ANYPI_COMMUTATIVE_USER,
    ANYPI_NON_COMMUTATIVE,
    ANYPI_NO_OPERATOR_DEVICE,   /* no operator; rules for device memory apply */
    ANYPI_OPERATOR_KINDS
} anypi_operator_kind;

typedef enum anypi_mode {
    ANYPI_BLOCKING,
    ANYPI_NONBLOCKING,
    ANYPI_PERSISTENT,
    ANYPI_MODES
} anypi_mode;

/* The lines that a communicator has had. Zero at first. Call anypi_free(lines) at the end. */
typedef struct anypi_logged {
    unsigned age;               /* age of the lines; see anypi_log_begin() */
    /* One bit per size class. NULL: no line yet. */
    uint64_t (*lines)[ANYPI_MODES][ANYP_COLLECTIVES][ANYPI_OPERATOR_KINDS];
} anypi_logged;

/* A line under construction; text that does not fit is cut off. */
typedef struct anypi_log_line {
    char text[2048];
    size_t length;
    int size_class;             /* of BYTES, which is text[bytes] .. text[after - 1]; set */
    size_t bytes, after;        /* by anypi_log_begin() */
    unsigned age;
} anypi_log_line;

void anypi_log_add(anypi_log_line *line, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Begins a line, up to the arrow, and returns true if it is the first line of its kind on the
 * communicator. If `age` differs from that of the earlier lines, these no longer count. Returns
 * false also if there is no memory. */
bool anypi_log_begin(anypi_log_line *line, anypi_logged *logged, unsigned age, anypi_mode mode,
                     anyp_collective collective, int p, int64_t bytes, anypi_operator_kind kind);

/* Adds the algorithm that runs a call. If another one was requested, adds its name and why it does
 * not run. `otherwise` is the text if the MPI library's algorithm runs. */
void anypi_log_add_decision(anypi_log_line *line, const anypi_entry *entry,
                            const anypi_asked *asked, const char *otherwise);

/* Writes the line "anyp: shape: 5x(8x4),(5x4), from FROM". `why` is the reason why switches are not
 * known; unless it is empty, it follows in parentheses. */
void anypi_log_shape(unsigned age, const anyp_shape *shape, const char *from, const char *why);

/* Writes how many ranks of this node share memory, and the bytes of each; 0: why they do not. */
void anypi_log_memory(unsigned age, int ranks, size_t bytes, const char *why);

/* Writes the line to stderr, unless the process has written it for another communicator. Lines are
 * the same if they differ only in BYTES, within one size class. If the line's age differs from that
 * of the last line, the process writes the counts of other communicators and begins anew.
 * Thread-safe. */
void anypi_log_end(const anypi_log_line *line);

/* Warns, on rank 0 and once in a process, that the result of a call is not reproducible although
 * `variable` is set. */
void anypi_warn_not_reproducible(anypi_mode mode, const anyp_call *call, const char *variable,
                                 const char *reason);

/* Writes on how many other communicators each line occurred, and forgets the lines. Thread-safe. */
void anypi_log_finish(void);

#endif
