/* SPDX-License-Identifier: BSD-3-Clause
 *
 * values.h - lists of the values of a parameter that are worth a try, if it is "auto" (settle.h).
 */
#ifndef ANYPI_VALUES_H_INCLUDED
#define ANYPI_VALUES_H_INCLUDED

#include <stdint.h>

/* The maximum number of values that are tried of one parameter. */
enum { ANYPI_TRIES = 40 };

/* Adds a value to the first *count of list[ANYPI_TRIES], if it is new and there is room. */
static inline void anypi_try(int *list, int *count, int64_t value)
{
    for (int i = 0; i < *count; i++)
        if (list[i] == value)
            return;
    if (*count < ANYPI_TRIES && value >= 0 && value <= INT32_MAX)
        list[(*count)++] = (int) value;
}

#endif
