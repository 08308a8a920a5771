/* SPDX-License-Identifier: BSD-3-Clause
 *
 * source_lines.h - names the function and the source line of places in a program.
 */
#ifndef ANYPI_SOURCE_LINES_H_INCLUDED
#define ANYPI_SOURCE_LINES_H_INCLUDED

#include "record/record.h"

/* Returns a text for each place of the record, such as "main (solver.c:12)", by the program
 * addr2line. Without it, or without symbols, the text has the file and the address: "solver+0x1f".
 * Free it by anypi_source_lines_free(). NULL: no memory. */
char **anypi_source_lines(const anypi_record *record);
void anypi_source_lines_free(char **lines, int count);

#endif
