/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/markup.h"

#include "select/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for more text and its end. */
static bool grow(anypi_markup *markup, size_t more)
{
    if (markup->room - markup->size <= more) {
        const size_t room = 2 * markup->room + more + 1;
        char *larger = markup->failed ? NULL : realloc(markup->text, room);
        if (!larger) {
            markup->failed = true;
            return false;
        }
        markup->text = larger;
        markup->room = room;
    }
    return true;
}

static void append(anypi_markup *markup, const char *text, size_t size)
{
    if (!grow(markup, size))
        return;
    memcpy(markup->text + markup->size, text, size);
    markup->size += size;
    markup->text[markup->size] = '\0';
}

void anypi_markup_add(anypi_markup *markup, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (size < 0 || !grow(markup, (size_t) size)) {
        markup->failed = true;
        return;
    }
    va_start(arguments, format);
    vsnprintf(markup->text + markup->size, (size_t) size + 1, format, arguments);
    va_end(arguments);
    markup->size += (size_t) size;
}

/* What stands for the character at `text`, whose size is *size; NULL: itself. */
static const char *escape(const char *text, int *size)
{
    const unsigned char first = (unsigned char) text[0], second = (unsigned char) text[1];
    *size = anypi_character(text);
    if (!*size) {
        *size = 1;
        return "\xef\xbf\xbd";
    }
    if ((first < 0x20 && first != '\n') || first == 0x7f || (first == 0xc2 && second < 0xa0) ||
        (first == 0xef && second == 0xbf && (unsigned char) text[2] >= 0xbe))
        return " ";
    return first == '<' ? "&lt;" : first == '>' ? "&gt;" : first == '&' ? "&amp;"
        : first == '"' ? "&quot;" : first == '\'' ? "&#39;" : NULL;
}

void anypi_markup_text(anypi_markup *markup, const char *text)
{
    for (int size; *text; text += size) {
        const char *instead = escape(text, &size);
        append(markup, instead ? instead : text, instead ? strlen(instead) : (size_t) size);
    }
}

/* Three digits, without an exponent. */
static char *digits(double number, const char *unit, char text[ANYPI_NUMBER_SIZE])
{
    const int after = number >= 99.95 ? 0 : number >= 9.995 ? 1 : 2;
    snprintf(text, ANYPI_NUMBER_SIZE, "%.*f%s", after, fmin(number, 1e15), unit);
    return text;
}

/* The unit of a time, which becomes a number of it. */
static const char *unit_of(double *seconds)
{
    static const char *const units[] = { " ns", " \xc2\xb5s", " ms", " s" };
    int unit = 0;
    *seconds *= 1e9;
    for (; unit < 3 && *seconds >= 999.5; unit++)
        *seconds /= 1000;
    return units[unit];
}

char *anypi_markup_time(double seconds, char text[ANYPI_NUMBER_SIZE])
{
    const char *unit = unit_of(&seconds);
    return digits(seconds, unit, text);
}

char *anypi_markup_tick(double seconds, char text[ANYPI_NUMBER_SIZE])
{
    const char *unit = unit_of(&seconds);
    snprintf(text, ANYPI_NUMBER_SIZE, "%.3g%s", seconds, unit);
    return text;
}

char *anypi_markup_bytes(int64_t bytes, char text[ANYPI_NUMBER_SIZE])
{
    static const char *const units[] = { "B", "KiB", "MiB", "GiB" };
    int unit = 0;
    double number = (double) bytes;
    for (; unit < 3 && number >= 1024; unit++)
        number /= 1024;
    snprintf(text, ANYPI_NUMBER_SIZE, "%.*f %s", number < 9.995 && number > floor(number) ? 1 : 0,
             number, units[unit]);
    return text;
}

char *anypi_markup_ratio(double ratio, char text[ANYPI_NUMBER_SIZE])
{
    if (ratio >= 0.0995)
        return digits(ratio, "", text);
    snprintf(text, ANYPI_NUMBER_SIZE, "1/%.0f", fmin(1 / ratio, 1e15));
    return text;
}
