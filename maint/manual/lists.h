/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lists.h - writes parts of the manual pages from tables of the programs: commands, options,
 * variables, algorithms.
 */
#ifndef ANYPI_MANUAL_LISTS_H_INCLUDED
#define ANYPI_MANUAL_LISTS_H_INCLUDED

#include <stdbool.h>

/* Writes the list of this name; false if there is none. */
bool list_write(const char *name);

#endif
