/* SPDX-License-Identifier: BSD-3-Clause
 *
 * roff.h - converts Markdown to the macros of man(7). These forms are known:
 *
 *   # name(section) - summary     the head
 *   ## Section, ### Subsection
 *   - item                         further lines of an item begin with two blanks
 *   `literal`, [name](link)        bold, as are options and variables; both end on their line
 *   ```, ```synopsis               until ```: verbatim lines; lines of a synopsis
 *   **term** *argument*            the term of a list; its explanation follows
 *   | cell | cell |              a table: the first row has the titles, the second only lines; the
 *                                last column, whose text is filled, should have the longest cells
 *   <br>text                       text on a new line
 */
#ifndef ANYPI_MANUAL_ROFF_H_INCLUDED
#define ANYPI_MANUAL_ROFF_H_INCLUDED

/* Writes a line of Markdown as part of a manual page to stdout. */
void roff_line(const char *line);

#endif
