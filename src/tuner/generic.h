/* SPDX-License-Identifier: BSD-3-Clause
 *
 * generic.h - decisions by closed forms, without measurements. Of the algorithms with parameters
 * that are "auto", the one with the smallest largest loss over some networks is chosen.
 * - generic.json is the decision file for machines that were not tuned. Its networks are a family,
 *   and its parameters are chosen in the call, by the constants of an ordinary cluster.
 * - With --closed-forms, they also choose where nothing was measured. Then the network is that of
 *   the machine, whose constants the rules contain.
 */
#ifndef ANYPI_GENERIC_H_INCLUDED
#define ANYPI_GENERIC_H_INCLUDED

#include "tuner/regions.h"

/* Fills an empty plan with cells whose "times" are these largest losses, as ratios. False: no
 * memory. Free the plan with anypi_plan_free() in any case. */
bool anypi_generic_plan(anypi_plan *plan);

/* How regions are chosen: few, since losses are estimates. */
extern const anypi_choosing anypi_generic_choosing;

/* The comment at the head of generic.json. */
extern const char anypi_generic_origin[];

/* Adds regions for all collectives and operator kinds that were not measured on the plan's kinds of
 * nodes, if these are complete for any p. Adds those that were measured for numbers of ranks on a
 * node that are far from all measured ones. False: no memory. */
bool anypi_forms_add(const anypi_plan *measured, anypi_regions *regions);

/* ---- unmeasured_line.c: the line in the comment of a decision file that names the rules that were
 * not measured:
 *
 *   By closed forms, not measured: allgatherv, reduce (is_commutative=no), scatter.
 *
 * A collective without conditions means all its rules. Otherwise it means the rules below all of
 * the conditions, which " and " joins. test/sim/tune_keep.py also reads the line. ---- */

/* Returns the line without its end, to be freed with free(); "" if all regions were measured. NULL:
 * no memory. */
char *anypi_forms_line(const anypi_regions *regions);
/* Does such a line, in the comments of a file's text, name the rule to which the conditions of a
 * path (anypi_choice of select/decision.h) lead? */
bool anypi_forms_named(const char *text, const char *path);

#endif
