/* SPDX-License-Identifier: BSD-3-Clause
 *
 * variables.h - the variables that users set, as text: from the environment, changed by programs.
 * Which names there are is in variables.def and algorithms.def.
 */
#ifndef ANYPI_VARIABLES_H_INCLUDED
#define ANYPI_VARIABLES_H_INCLUDED

#include "anyp.h"

#include <stddef.h>

/* Reads the environment. False, with a sentence in wrong[0 .. size-1], if there is a variable that
 * is none of ours but was meant to be. *memory is set to false if there is none. */
bool anypi_variables_read(char *wrong, size_t size, bool *memory);

/* The value of ANYP_<name>; NULL: not set. */
const char *anypi_variable_value(const char *name);

/* The value of ANYP_<COLLECTIVE>_<name>, `name` in any case; NULL: not set. */
const char *anypi_variable_of(anyp_collective collective, const char *name);

/* Is there a variable of that name (without ANYP_)? If not, the nearest one is in nearest[], ""
 * if none is near. */
bool anypi_variable_exists(const char *name, char *nearest, size_t size);

/* Sets (value not NULL) or unsets one that exists. False if there is no memory. */
bool anypi_variable_set(const char *name, const char *value);

/* Forgets all. */
void anypi_variables_free(void);

#endif
