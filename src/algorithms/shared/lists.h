/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lists.h - lists of numbers as values of parameters, which are ints. A table per process contains
 * the lists; the index of a list never changes, and equal lists have the same index. Lists are
 * added while files or options are read. Any thread may look them up at any time, without a lock.
 */
#ifndef ANYPI_LISTS_H_INCLUDED
#define ANYPI_LISTS_H_INCLUDED

#include "anyp.h"

enum {
    ANYPI_MAXIMUM_LISTS = 1 << 14, /* in a process */
    ANYPI_MAXIMUM_LIST = 64     /* numbers */
};

/* Reads "11,6,3,2,1" (only digits and commas) into numbers[0 .. ANYPI_MAXIMUM_LIST-1]. Sets *count
 * and returns NULL, or what is wrong with the text (static text). */
const char *anypi_list_read(const char *text, int *numbers, int *count);

/* Sets *index to the index of a list, which is added if it is new. ANYP_ERR_ARGUMENT if the table
 * is full, ANYP_ERR_MEMORY. */
anyp_status anypi_list_add(const int *numbers, int count, int *index);

/* Returns the list with an index, and its length; it stays valid until all are freed. NULL if there
 * is none. */
const int *anypi_list_at(int index, int *count);

/* Frees all lists. No index may be used afterwards. */
void anypi_lists_free(void);

/* Writes the list into text; returns text. */
char *anypi_list_text(int index, char *text, size_t size);

#endif
