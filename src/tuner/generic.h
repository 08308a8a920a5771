/* SPDX-License-Identifier: BSD-3-Clause
 *
 * generic.h - the decision file for machines that nobody has tuned, generic.json: from closed forms
 * for a family of networks. Of the algorithms with parameters that are "auto" (which closed forms
 * choose in the call, by the constants of an ordinary cluster), it takes in each region the one
 * whose largest loss in any of these networks is least.
 */
#ifndef ANYPI_GENERIC_H_INCLUDED
#define ANYPI_GENERIC_H_INCLUDED

#include "tuner/regions.h"

/* Fills an empty plan with cells whose "times" are these largest losses, as ratios; false: no
 * memory. Free the plan with anypi_plan_free() in any case. */
bool anypi_generic_plan(anypi_plan *plan);

/* How its regions are chosen: few, since losses are estimates. */
extern const anypi_choosing anypi_generic_choosing;

/* The comment at the head of the file. */
extern const char anypi_generic_origin[];

#endif
