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

/* Calls the function with the path of every NAME.json in test/FOLDER, in the order of the names;
 * then the same for those of its folders from-4.3, before-4.2, ..., if there are any, that are for
 * the vocabulary in force. */
void each_file(const char *folder, void (*function)(const char *path, void *state), void *state);

/* An input of test/decision/malformed.txt, whose form test/inputs.py explains. */
typedef struct decision_input {
    char name[64];
    char *text;                 /* of `length` bytes, and a NUL */
    size_t length;
    char *message;              /* the expected one */
} decision_input;
/* Calls the function with every input of the table that is for the vocabulary in force. */
void each_malformed(void (*function)(const decision_input *input, void *state), void *state);

/* How many vocabularies there are: the tables of src/select/mpich. The first one is that of
 * mpich.def. */
int vocabularies(void);
/* The path of table i, from 1 to vocabularies() - 1. */
void table_path(int i, char *path, size_t size);
/* Puts vocabulary i in force, from 0, which is that of mpich.def, to vocabularies() - 1. */
void use_vocabulary(int i);

#endif
