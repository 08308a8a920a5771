/* SPDX-License-Identifier: BSD-3-Clause
 *
 * forms_mark.h - the line in the comment of a decision file that names what was not measured but
 * follows closed forms (generic.h):
 *
 *   By closed forms, not measured: allgatherv, reduce (is_commutative=no), scatter.
 *
 * A collective without conditions is meant as a whole; otherwise its rules below all of the
 * conditions, which " and " joins, are meant. test/sim/tune_keep.py reads the line, too.
 */
#ifndef ANYPI_FORMS_MARK_H_INCLUDED
#define ANYPI_FORMS_MARK_H_INCLUDED

#include "tuner/regions.h"

/* The line without its end, to be freed with free(); "" if all regions were measured. NULL: no
 * memory. */
char *anypi_forms_line(const anypi_regions *regions);

/* Does such a line in the comments of a file's text name the rule that the conditions of a path
 * (anypi_choice of select/decision.h) lead to? */
bool anypi_forms_named(const char *text, const char *path);

#endif
