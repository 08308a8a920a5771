/* SPDX-License-Identifier: BSD-3-Clause
 *
 * files.h - the files of the tests of decision files.
 */
#ifndef ANYPI_TEST_FILES_H_INCLUDED
#define ANYPI_TEST_FILES_H_INCLUDED

#include <stddef.h>

/* A whole file, NUL-terminated, to be freed with free(); its length if wanted. Fails the test if it
 * cannot be read. */
char *file_text(const char *path, size_t *length);

/* Calls the function with the path of every NAME.json in test/FOLDER, in the order of the names. */
void each_file(const char *folder, void (*function)(const char *path, void *state), void *state);

#endif
