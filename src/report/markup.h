/* SPDX-License-Identifier: BSD-3-Clause
 *
 * markup.h - what pages write other than by fprintf(): HTML with SVG in it, which is also XML.
 */
#ifndef ANYPI_MARKUP_H_INCLUDED
#define ANYPI_MARKUP_H_INCLUDED

#include <stdint.h>
#include <stdio.h>

/* The style of all pages. */
extern const char anypi_page_style[];

/* Writes any text. Characters with a meaning in HTML are escaped; characters that are not allowed
 * there are replaced. */
void anypi_markup_text(FILE *page, const char *text);

typedef struct anypi_number {
    char text[32];
} anypi_number;

/* "12.0 µs", "12 µs", "2 KiB", "1.42" or "1/20" */
anypi_number anypi_markup_time(double seconds);
anypi_number anypi_markup_tick(double seconds);
anypi_number anypi_markup_bytes(int64_t bytes);
anypi_number anypi_markup_ratio(double ratio);

#endif
