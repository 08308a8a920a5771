/* SPDX-License-Identifier: BSD-3-Clause
 *
 * text_file.h - files: the table beside the program, and a decision file that is there whole or not at
 * all. No MPI.
 */
#ifndef ANYPI_FILE_H_INCLUDED
#define ANYPI_FILE_H_INCLUDED

#include <stdbool.h>
#include <stddef.h>

/* The whole file as text, free() it; NULL (errno says why). */
char *anypi_file_read(const char *name);
/* The path of share/anyp/`name` in the tree that this program is installed in; returns path. */
char *anypi_file_installed(const char *name, char *path, size_t size);
/* Can a file of that name be written, which `option` gave? Otherwise false and a message (one
 * line). */
bool anypi_file_writable(const char *name, const char *option, char *message, size_t size);
/* Puts the text in place of the file in one step; an interruption leaves the old file and nothing
 * else. False and a message (one line) if that fails. */
bool anypi_file_replace(const char *name, const char *option, const char *text, char *message,
                        size_t size);

#endif
