/* SPDX-License-Identifier: BSD-3-Clause */
#include "options/json.h"

#include "select/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

enum { DEPTH_OF_LINES = 3 };    /* deeper values share a line */

static void separate(anypi_json *json)
{
    if (json->filled)
        fputc(',', json->file);
    if (json->depth <= DEPTH_OF_LINES && json->depth > 0)
        fprintf(json->file, "\n%*s", 2 * json->depth, "");
    else if (json->filled)
        fputc(' ', json->file);
    json->filled = true;
}

static void quote(FILE *file, const char *text)
{
    if (!text) {
        fputs("null", file);
        return;
    }
    fputc('"', file);
    for (const unsigned char *at = (const unsigned char *) text; *at;) {
        const int size = anypi_character((const char *) at);
        if (!size)
            fputs("\\ufffd", file);
        else if (*at < 0x20 || *at == 0x7f || *at == '<')
            fprintf(file, "\\u%04x", *at);
        else if (*at == '"' || *at == '\\')
            fprintf(file, "\\%c", *at);
        else
            fwrite(at, 1, (size_t) size, file);
        at += size ? size : 1;
    }
    fputc('"', file);
}

static void write_key(anypi_json *json, const char *format, int width, va_list *values)
{
    if (*format == '%')
        quote(json->file, va_arg(*values, const char *));
    else
        fprintf(json->file, "\"%.*s\"", width, format);
    fputs(": ", json->file);
}

/* Writes a value, or opens an object or array. */
static void write_value(anypi_json *json, const char *format, va_list *values)
{
    double real;
    switch (format[*format == '%']) {
        case '{':
        case '[':
            fputc(*format, json->file);
            json->depth++;
            json->filled = false;
            break;
        case 's':
            quote(json->file, va_arg(*values, const char *));
            break;
        case 'd':
            fprintf(json->file, "%d", va_arg(*values, int));
            break;
        case 'l':
            fprintf(json->file, "%" PRId64, va_arg(*values, int64_t));
            break;
        case 'n':
            fputs("null", json->file);
            break;
        case 'g':
            real = va_arg(*values, double);
            fprintf(json->file, isfinite(real) ? "%.15g" : "null", real);
            break;
        case 'h':
            fputs(va_arg(*values, int) ? "true" : "false", json->file);
            break;
    }
}

static void close_bracket(anypi_json *json, char bracket)
{
    json->depth--;
    if (json->filled && json->depth < DEPTH_OF_LINES)
        fprintf(json->file, "\n%*s", 2 * json->depth, "");
    fputc(bracket, json->file);
    json->filled = true;
    if (!json->depth)
        fputc('\n', json->file);
}

void anypi_json_write(anypi_json *json, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    for (; *format; format += strspn(format, " ")) {
        const size_t width = strcspn(format, " "), key = strcspn(format, ":");
        if (*format == '}' || *format == ']') {
            close_bracket(json, *format);
        } else {
            separate(json);
            if (key < width)
                write_key(json, format, (int) key, &values);
            write_value(json, key < width ? format + key + 1 : format, &values);
        }
        format += width;
    }
    va_end(values);
}
