/* SPDX-License-Identifier: BSD-3-Clause
 *
 * json.h - writes JSON to a stream at once, so that the schedules of a thousand ranks need no tree
 * in memory. Inside an object every value has a key, inside an array the key is NULL.
 */
#ifndef ANYPI_TOOL_JSON_H_INCLUDED
#define ANYPI_TOOL_JSON_H_INCLUDED

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct tool_json {
    FILE *file;
    int depth;
    bool filled;                /* the innermost object or array is not empty */
} tool_json;

/* `bracket` is '{' or '[', and closes with '}' or ']'. */
void anypi_json_open(tool_json *json, const char *key, char bracket);
void anypi_json_close(tool_json *json, char bracket);
/* Bytes that are not UTF-8 are replaced; NULL is written as null. */
void anypi_json_text(tool_json *json, const char *key, const char *text);
void anypi_json_integer(tool_json *json, const char *key, int64_t number);
/* `real` must be finite. */
void anypi_json_real(tool_json *json, const char *key, double real);
void anypi_json_bool(tool_json *json, const char *key, bool value);

#endif
