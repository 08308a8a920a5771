/* SPDX-License-Identifier: BSD-3-Clause
 *
 * parts.h - the parts of a page, each appended to report->page.
 */
#ifndef ANYPI_PARTS_H_INCLUDED
#define ANYPI_PARTS_H_INCLUDED

#include "report/finding.h"

/* ---- headline.c ---- */

/* Writes how often AnyP is chosen and how much faster it is, in a sentence and in a table by
 * groups. `group` has room for its cells, here and below. */
void anypi_summary_write(anypi_report *report, anypi_cell_group *group);

/* ---- map.c: the numbers of processes of a group against sizes ---- */

/* Writes the map of a group; `number` becomes part of its id. Colour and number of a field tell how
 * much faster the choice is than the library's, the letter names the algorithm. */
void anypi_map_write(anypi_report *report, const anypi_cell_group *group, int number);

/* ---- curve.c: times against sizes ---- */

/* Writes the curves of `count` cells that differ only in their sizes: the library's choice and the
 * best algorithms, with the intervals of their medians. */
void anypi_curve_write(anypi_report *report, const anypi_cell *const *cells, int count);

/* ---- model.c: closed forms against times ---- */

/* Writes what the constants of the machine predict for each algorithm, the worst errors, and the
 * time lost if predictions alone chose. */
void anypi_model_write(anypi_report *report, anypi_cell_group *group);

/* ---- marks.c: how algorithms look ---- */

/* Writes the letter of an algorithm in maps. */
void anypi_mark_letter(const anyp_algorithm *algorithm, char letter[4]);
/* Draws a mark at a point of a picture, in the algorithm's colour and shape; NULL: the
 * library's. */
void anypi_mark_write(FILE *page, const anyp_algorithm *algorithm, double x, double y);
const char *anypi_mark_colour(const anyp_algorithm *algorithm);

/* Begins a picture: its id, size, and a description for readers who do not see it. */
void anypi_picture_begin(FILE *page, const char *id, double width, double height,
                         const char *label);

#endif
