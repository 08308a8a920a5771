/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/json.h"

#include <inttypes.h>
#include <string.h>

enum { DEPTH_OF_LINES = 3 };    /* deeper values share a line */

static void separate(tool_json *json)
{
    if (json->filled)
        fputc(',', json->file);
    if (json->depth <= DEPTH_OF_LINES && json->depth > 0)
        fprintf(json->file, "\n%*s", 2 * json->depth, "");
    else if (json->filled)
        fputc(' ', json->file);
    json->filled = true;
}

/* The number of bytes of the UTF-8 character at `text`, 0 if it is none. */
static int character(const unsigned char *text)
{
    const int size = *text < 0x80 ? 1 : *text < 0xc2 ? 0 : *text < 0xe0 ? 2 : *text < 0xf0 ? 3
        : *text < 0xf5 ? 4 : 0;
    for (int i = 1; i < size; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    if ((*text == 0xe0 && text[1] < 0xa0) || (*text == 0xed && text[1] > 0x9f) ||
        (*text == 0xf0 && text[1] < 0x90) || (*text == 0xf4 && text[1] > 0x8f))
        return 0;               /* an overlong form, a surrogate, beyond Unicode */
    return size;
}

static void quote(FILE *file, const char *text)
{
    fputc('"', file);
    for (const unsigned char *at = (const unsigned char *) text; *at;) {
        const int size = character(at);
        if (!size)
            fputs("\\ufffd", file);
        else if (*at < 0x20 || *at == 0x7f)
            fprintf(file, "\\u%04x", *at);
        else if (*at == '"' || *at == '\\')
            fprintf(file, "\\%c", *at);
        else
            fwrite(at, 1, (size_t) size, file);
        at += size ? size : 1;
    }
    fputc('"', file);
}

static void begin(tool_json *json, const char *key)
{
    separate(json);
    if (key) {
        quote(json->file, key);
        fputs(": ", json->file);
    }
}

void anypi_json_open(tool_json *json, const char *key, char bracket)
{
    begin(json, key);
    fputc(bracket, json->file);
    json->depth++;
    json->filled = false;
}

void anypi_json_close(tool_json *json, char bracket)
{
    json->depth--;
    if (json->filled && json->depth < DEPTH_OF_LINES)
        fprintf(json->file, "\n%*s", 2 * json->depth, "");
    fputc(bracket, json->file);
    json->filled = true;
    if (!json->depth)
        fputc('\n', json->file);
}

void anypi_json_text(tool_json *json, const char *key, const char *text)
{
    begin(json, key);
    if (text)
        quote(json->file, text);
    else
        fputs("null", json->file);
}

void anypi_json_integer(tool_json *json, const char *key, int64_t number)
{
    begin(json, key);
    fprintf(json->file, "%" PRId64, number);
}

void anypi_json_real(tool_json *json, const char *key, double real)
{
    begin(json, key);
    fprintf(json->file, "%.15g", real);
}

void anypi_json_bool(tool_json *json, const char *key, bool value)
{
    begin(json, key);
    fputs(value ? "true" : "false", json->file);
}
