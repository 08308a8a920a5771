/* SPDX-License-Identifier: BSD-3-Clause
 *
 * segment.h - memory of a process that other processes of the node can read. It is no file in any
 * folder: the others open it through /proc. So nothing is left if a process is killed, and the size
 * of /dev/shm is no limit. Only processes of the same user, in containers that see each other's
 * processes, can open it.
 */
#ifndef ANYPI_SEGMENT_H_INCLUDED
#define ANYPI_SEGMENT_H_INCLUDED

#include <stddef.h>
#include <stdint.h>

/* What other processes need to open a segment. */
typedef struct anypi_segment_name {
    int64_t process;            /* that made it */
    uint64_t cookie;            /* its first word: another segment has another one */
    int file;                   /* its descriptor in that process */
} anypi_segment_name;

enum { ANYPI_SEGMENT_HEAD = 64 };       /* bytes before the memory, with the cookie */

/* Makes a segment of `size` bytes, zero at first, beside the head. Returns its memory, behind the
 * head. NULL: *reason is why (static text). */
char *anypi_segment_make(size_t size, anypi_segment_name *name, const char **reason);

/* Opens another process's segment for reading. Returns the memory behind its head. NULL: there is
 * no such segment here, as in another container. */
char *anypi_segment_open(const anypi_segment_name *name, size_t size);

/* Closes the descriptor of a segment that was made: from now on no process can open it. */
void anypi_segment_hide(const anypi_segment_name *name);

/* Frees a segment that was made or opened; NULL is allowed. */
void anypi_segment_close(char *memory, size_t size);

#endif
