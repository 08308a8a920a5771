/* SPDX-License-Identifier: BSD-3-Clause
 *
 * parts.h - the parts of a page, each appended to report->page.
 */
#ifndef ANYPI_PARTS_H_INCLUDED
#define ANYPI_PARTS_H_INCLUDED

#include "report/finding.h"

/* ---- headline.c ---- */

/* How often AnyP is chosen, and how much faster it is: in a sentence, and in a table by groups.
 * `group` has room for its cells, here and below. */
void anypi_summary_write(anypi_report *report, anypi_cell_group *group);

/* ---- map.c: the numbers of processes of a group against sizes ---- */

/* The map of a group; `number` makes its id. Colour and number of a field: how much faster the
 * choice is than the library's; letter: the algorithm. */
void anypi_map_write(anypi_report *report, const anypi_cell_group *group, int number);

/* ---- curve.c: times against sizes ---- */

/* The curves of `count` cells that differ in their sizes only: the library's choice, and the best
 * algorithms, with intervals of their medians. */
void anypi_curve_write(anypi_report *report, const anypi_cell *const *cells, int count);

/* ---- model.c: closed forms against times ---- */

/* What the constants of the machine predict for each algorithm, the worst errors, and what it would
 * cost to choose by predictions alone. */
void anypi_model_write(anypi_report *report, anypi_cell_group *group);

/* ---- marks.c: how algorithms look ---- */

/* Of algorithm i of the registry: a letter in maps. */
void anypi_mark_letter(const anyp_algorithm *algorithm, char letter[4]);
/* A mark at a point of a picture, with a colour and a shape of the algorithm; NULL: the library. */
void anypi_mark_write(FILE *page, const anyp_algorithm *algorithm, double x, double y);
const char *anypi_mark_colour(const anyp_algorithm *algorithm);

/* The beginning of a picture, with its id, size, and what it shows for those who do not see it. */
void anypi_picture_begin(FILE *page, const char *id, double width, double height,
                         const char *label);

#endif
