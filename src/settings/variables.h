/* SPDX-License-Identifier: BSD-3-Clause
 *
 * variables.h - the variables that users set, as text: from the environment, or set by programs.
 * Their names are in variables.def and algorithms.def.
 */
#ifndef ANYPI_VARIABLES_H_INCLUDED
#define ANYPI_VARIABLES_H_INCLUDED

#include "anyp.h"

#include <stddef.h>

/* Reads the environment. wrong[0 .. size-1] is a message about the first mistyped variable of AnyP,
 * or "". False if there is no memory. */
bool anypi_variables_read(char *wrong, size_t size);

/* The name of ANYP_<COLLECTIVE>_<last> without ANYP_, in upper case, into name; returns name. */
enum { ANYPI_NAME_SIZE = 128 }; /* more than the longest name */
char *anypi_variable_name(char name[ANYPI_NAME_SIZE], anyp_collective collective, const char *last);

/* The value of ANYP_<name>; NULL: not set. */
const char *anypi_variable_value(const char *name);

/* The value of ANYP_<COLLECTIVE>_<name>, `name` in upper or lower case; NULL: not set. */
const char *anypi_variable_of(anyp_collective collective, const char *name);

/* Does a variable of that name (without ANYP_) exist? If not, nearest[] is the most similar one, or
 * "". */
bool anypi_variable_exists(const char *name, char *nearest, size_t size);

/* Sets (value not NULL) or unsets one that exists. False if there is no memory. */
bool anypi_variable_set(const char *name, const char *value);

/* Unsets all. */
void anypi_variables_free(void);

#endif
