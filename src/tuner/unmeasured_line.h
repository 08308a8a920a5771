/* SPDX-License-Identifier: BSD-3-Clause
 *
 * unmeasured_line.h - the line in the comment of a decision file that names the rules that follow
 * closed forms (generic.h), and were not measured:
 *
 *   By closed forms, not measured: allgatherv, reduce (is_commutative=no), scatter.
 *
 * A collective without conditions means all its rules. Otherwise it means the rules below all of
 * the conditions, which " and " joins. test/sim/tune_keep.py also reads the line.
 */
#ifndef ANYPI_UNMEASURED_LINE_H_INCLUDED
#define ANYPI_UNMEASURED_LINE_H_INCLUDED

#include "tuner/regions.h"

/* Returns the line without its end, to be freed with free(); "" if all regions were measured. NULL:
 * no memory. */
char *anypi_forms_line(const anypi_regions *regions);

/* Does such a line, in the comments of a file's text, name the rule to which the conditions of a
 * path (anypi_choice of select/decision.h) lead? */
bool anypi_forms_named(const char *text, const char *path);

#endif
