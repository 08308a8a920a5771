/* SPDX-License-Identifier: BSD-3-Clause
 *
 * json.h - writes JSON to a stream immediately. So the schedules of a thousand ranks need no tree
 * in memory.
 */
#ifndef ANYPI_JSON_H_INCLUDED
#define ANYPI_JSON_H_INCLUDED

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct anypi_json {
    FILE *file;
    int depth;
    bool filled;                /* the innermost object or array is not empty */
} anypi_json;

/* Writes the values that the format lists, separated by blanks: KEY:VALUE in an object, VALUE in an
 * array. A key is a name or %s. A value is { or [, which a later } or ] (also of a later call)
 * closes, or
 *   %s      a text; bytes that are not UTF-8 are replaced. It has no '<', which has a meaning in
 *           a <script> of HTML; NULL: null
 *   %d, %PRId64     an integer
 *   %g      a real; null if it is not finite
 *   %hhd    a bool
 *   null */
void anypi_json_write(anypi_json *json, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
