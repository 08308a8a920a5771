/* SPDX-License-Identifier: BSD-3-Clause
 *
 * markdown.h - writes the lists of manual pages as Markdown for readers on the web: the forms of
 * roff.h, with terms as items of lists, and lines filled to 100 columns.
 */
#ifndef ANYPI_MANUAL_MARKDOWN_H_INCLUDED
#define ANYPI_MANUAL_MARKDOWN_H_INCLUDED

/* Writes a line of a list to stdout, perhaps after the next lines of the same paragraph. */
void markdown_line(const char *line);

/* Writes the rest of the list. */
void markdown_end(void);

#endif
