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
 * nodes, if these are complete for any p. False: no memory. */
bool anypi_forms_add(const anypi_plan *measured, anypi_regions *regions);

#endif
