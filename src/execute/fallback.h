/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fallback.h - which algorithm runs a call if the one that a rule names cannot? For every back end.
 */
#ifndef ANYPI_FALLBACK_H_INCLUDED
#define ANYPI_FALLBACK_H_INCLUDED

#include "anyp.h"

/* The first of all algorithms that serves the call, and its default parameters; NULL if none does.
 * The answer is the same on all ranks. */
const anyp_algorithm *anypi_replacement(const anyp_call *call, int *parameters);

/* Why no algorithm serves a call with a datatype whose elements overlap, like the columns of a
 * matrix: two such elements cannot lie in a row in scratch memory. */
#define ANYPI_ELEMENTS_OVERLAP "the elements of the datatype overlap"

#endif
