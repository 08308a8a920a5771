/* SPDX-License-Identifier: BSD-3-Clause
 *
 * markup.h - a text that grows, of HTML with SVG in it that is also XML, and how it writes numbers.
 */
#ifndef ANYPI_MARKUP_H_INCLUDED
#define ANYPI_MARKUP_H_INCLUDED

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct anypi_markup {
    char *text;                 /* NULL: empty */
    size_t size, room;
    bool failed;                /* there was no memory: text is missing */
} anypi_markup;

/* Appends what the format gives, as it is. */
void anypi_markup_add(anypi_markup *markup, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Appends any text: characters that mean something in HTML are escaped, and those that it must not
 * have are replaced. */
void anypi_markup_text(anypi_markup *markup, const char *text);

enum { ANYPI_NUMBER_SIZE = 32 };
/* "12.0 µs", "12 µs", "2 KiB", "1.42" or "1/20"; all return text. */
char *anypi_markup_time(double seconds, char text[ANYPI_NUMBER_SIZE]);
char *anypi_markup_tick(double seconds, char text[ANYPI_NUMBER_SIZE]);
char *anypi_markup_bytes(int64_t bytes, char text[ANYPI_NUMBER_SIZE]);
char *anypi_markup_ratio(double ratio, char text[ANYPI_NUMBER_SIZE]);

#endif
