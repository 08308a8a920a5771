/* SPDX-License-Identifier: BSD-3-Clause
 *
 * text_file.h - files of text that are read as a whole, and written completely or not at all.
 */
#ifndef ANYPI_TEXT_FILE_H_INCLUDED
#define ANYPI_TEXT_FILE_H_INCLUDED

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The whole of a regular file as text, to be freed with free(); NULL with *reason. A byte order
 * mark is left out, as editors may add one. Does not wait for a writer of a named pipe. */
char *anypi_file_read(const char *name, const char **reason);
/* Closes a stream of open_memstream() for *text; returns it, or NULL if there was no memory. */
char *anypi_text_end(FILE *file, char **text);
/* Writes a text to an open file; false with errno. */
bool anypi_file_put(int file, const char *text);
/* Do two names mean the same file, also one that is not there yet? */
bool anypi_file_same(const char *one, const char *other);
/* Can the file, the value of `option`, be written? Otherwise false and a message (one line). */
bool anypi_file_writable(const char *name, const char *option, char *message, size_t size);
/* Replaces the file by the text, atomically: an interruption leaves the old file. Of a link, the
 * file that it means. The mode stays. False and a message (one line) if that fails. */
bool anypi_file_replace(const char *name, const char *option, const char *text, char *message,
                        size_t size);

#endif
