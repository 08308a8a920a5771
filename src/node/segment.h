/* SPDX-License-Identifier: BSD-3-Clause
 *
 * segment.h - memory of a process that other processes of the node can read. It has a name only
 * until they have opened it, so nothing is left if a process is killed later.
 */
#ifndef ANYPI_SEGMENT_H_INCLUDED
#define ANYPI_SEGMENT_H_INCLUDED

#include <stddef.h>
#include <stdint.h>

/* What other processes need to open a segment. */
typedef struct anypi_segment_name {
    char name[48];
    uint64_t cookie;            /* its first word */
} anypi_segment_name;

enum { ANYPI_SEGMENT_HEAD = 64 };       /* bytes before the memory, with the cookie */

/* Makes a segment of `size` bytes, zero at first, beside the head. Returns its memory, behind the
 * head. NULL: *reason is why (static text). */
char *anypi_segment_make(size_t size, anypi_segment_name *name, const char **reason);

/* Opens another process's segment for reading. Returns the memory behind its head. NULL: there is
 * no such segment here, as in another container. */
char *anypi_segment_open(const anypi_segment_name *name, size_t size);

/* Removes the name. */
void anypi_segment_hide(const anypi_segment_name *name);

/* Frees a segment that was made or opened; NULL is allowed. */
void anypi_segment_close(char *memory, size_t size);

#endif
