/* SPDX-License-Identifier: BSD-3-Clause
 *
 * variables.h - the values of AnyP's variables, as text. Users set variables in the environment,
 * and programs by calls. The names are in variables.def and algorithms.def.
 */
#ifndef ANYPI_VARIABLES_H_INCLUDED
#define ANYPI_VARIABLES_H_INCLUDED

#include "anyp.h"

#include <stddef.h>

/* Reads the environment. Sets wrong[] to a message about the first mistyped variable of AnyP, or to
 * "". Returns false if there is no memory. */
bool anypi_variables_read(char *wrong, size_t size);

/* Sets name[] to the name of ANYP_<COLLECTIVE>_<last> without ANYP_, in upper case, and returns
 * it. `last` may be in lower case. */
enum { ANYPI_NAME_SIZE = 128 }; /* more than the longest name */
char *anypi_variable_name(char name[ANYPI_NAME_SIZE], anyp_collective collective, const char *last);

/* Returns the value of ANYP_<name>, or NULL if it is not set. */
const char *anypi_variable_value(const char *name);

/* Returns whether a variable of that name (without ANYP_) exists. If not, nearest[] is the most
 * similar name, or "". */
bool anypi_variable_exists(const char *name, char *nearest, size_t size);

/* Sets a variable, or unsets it if `value` is NULL. The variable must exist. Returns false if there
 * is no memory. */
bool anypi_variable_set(const char *name, const char *value);

/* Unsets all variables. */
void anypi_variables_free(void);

#endif
