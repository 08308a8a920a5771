/* SPDX-License-Identifier: BSD-3-Clause
 *
 * generic.h - decisions by closed forms, without measurements: of the algorithms with parameters
 * that are "auto", the one whose largest loss in some networks is least. For generic.json, the
 * decision file for machines that nobody has tuned, these networks are a family, and parameters are
 * chosen in the call by the constants of an ordinary cluster. For what a tuned file has not
 * measured, the network is that of the machine, whose constants the rules have.
 */
#ifndef ANYPI_GENERIC_H_INCLUDED
#define ANYPI_GENERIC_H_INCLUDED

#include "tuner/regions.h"

/* Fills an empty plan with cells whose "times" are these largest losses, as ratios; false: no
 * memory. Free the plan with anypi_plan_free() in any case. */
bool anypi_generic_plan(anypi_plan *plan);

/* How regions are chosen: few, since losses are estimates. */
extern const anypi_choosing anypi_generic_choosing;

/* The comment at the head of generic.json. */
extern const char anypi_generic_origin[];

/* Adds to the regions of a plan those of all collectives and operator kinds that were not measured
 * on its kinds of nodes, if those are complete for any p. False: no memory. */
bool anypi_forms_add(const anypi_plan *measured, anypi_regions *regions);

#endif
