/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fallback.h - the algorithm that replaces one that does not support a call. For every back end.
 */
#ifndef ANYPI_FALLBACK_H_INCLUDED
#define ANYPI_FALLBACK_H_INCLUDED

#include "anyp.h"

/* The first algorithm that supports the call; sets its default parameters. NULL if none does. The
 * result is the same on all ranks. */
const anyp_algorithm *anypi_replacement(const anyp_call *call, int *parameters);

/* Why no algorithm supports a datatype whose elements overlap, like the columns of a matrix: such
 * elements cannot be adjacent in scratch memory. */
#define ANYPI_ELEMENTS_OVERLAP "the elements of the datatype overlap"

#endif
