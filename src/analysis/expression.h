/* SPDX-License-Identifier: BSD-3-Clause
 *
 * expression.h - the expression that a set of schedules computes, as text.
 */
#ifndef ANYPI_EXPRESSION_H_INCLUDED
#define ANYPI_EXPRESSION_H_INCLUDED

#include "anyp.h"

/* How block `block` (0 .. blocks-1) of the result of `rank` is computed, e.g. "x0+x1+(x2+x3)": xr
 * is rank r's contribution, + the operator, and a+b+c means (a+b)+c, so only brackets that differ
 * from left to right are written. `set` holds the call->p schedules of a call (call->rank is
 * ignored), one that anypi_verify() accepts. *text is to be freed with anypi_free().
 *
 * ANYP_ERR_ARGUMENT if the rank has no such block of a result (not the root; another rank's block),
 * ANYP_ERR_SCHEDULE if the set does not compute it, ANYP_ERR_MEMORY; *text is NULL then. */
anyp_status anypi_expression(const anyp_schedule *set, const anyp_call *call, int rank, int block,
                             char **text);

#endif
