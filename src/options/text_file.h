/* SPDX-License-Identifier: BSD-3-Clause
 *
 * text_file.h - reads files of text as a whole, and writes them completely or not at all.
 */
#ifndef ANYPI_TEXT_FILE_H_INCLUDED
#define ANYPI_TEXT_FILE_H_INCLUDED

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Returns the whole of a regular file as text, to be freed with free(); NULL with *reason. Leaves
 * out a byte order mark, which editors may add. Does not wait for a writer of a named pipe. */
char *anypi_file_read(const char *name, const char **reason);
/* Closes a stream of open_memstream() for *text; returns it, or NULL if there was no memory. */
char *anypi_text_end(FILE *file, char **text);
/* Do two names mean the same file, even if it does not exist yet? */
bool anypi_file_same(const char *one, const char *other);
/* Can the file, the value of `option`, be written? If not, sets a message (one line). */
bool anypi_file_writable(const char *name, const char *option, char *message, size_t size);
/* Replaces the file by the text, atomically: an interruption leaves the old file. If the name is a
 * link, replaces the file behind it. The mode stays. False and a message (one line) on failure. */
bool anypi_file_replace(const char *name, const char *option, const char *text, char *message,
                        size_t size);

#endif
