/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lists.h - lists of numbers as values of parameters, which are ints: a table of the whole process,
 * where a list has a place that never changes. The same list has the same place. Lists are added
 * while files or options are read, and looked up by any thread at any time, without a lock.
 */
#ifndef ANYPI_LISTS_H_INCLUDED
#define ANYPI_LISTS_H_INCLUDED

#include "anyp.h"

enum {
    ANYPI_MAXIMUM_LISTS = 1 << 14, /* in a process */
    ANYPI_MAXIMUM_LIST = 64     /* numbers */
};

/* Reads "11,6,3,2,1" (digits and commas only) into numbers[0 .. ANYPI_MAXIMUM_LIST-1]. NULL with
 * *count, or what is wrong with it (static text). */
const char *anypi_list_read(const char *text, int *numbers, int *count);

/* The place of a list, added if it is new, into *index. ANYP_ERR_ARGUMENT if the table is full,
 * ANYP_ERR_MEMORY. */
anyp_status anypi_list_add(const int *numbers, int count, int *index);

/* The list at a place and its length, valid for ever; NULL if there is none. */
const int *anypi_list_at(int index, int *count);

/* The list as text; returns text. */
char *anypi_list_text(int index, char *text, size_t size);

#endif
