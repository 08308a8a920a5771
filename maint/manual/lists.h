/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lists.h - the parts of the manual pages that the programs' own tables and --help have: commands,
 * options, variables, algorithms.
 */
#ifndef ANYPI_MANUAL_LISTS_H_INCLUDED
#define ANYPI_MANUAL_LISTS_H_INCLUDED

#include <stdbool.h>

/* Writes the list of that name; false: there is none. */
bool list_write(const char *name);

#endif
