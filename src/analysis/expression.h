/* SPDX-License-Identifier: BSD-3-Clause
 *
 * expression.h - the expression that a set of schedules computes, as text.
 */
#ifndef ANYPI_EXPRESSION_H_INCLUDED
#define ANYPI_EXPRESSION_H_INCLUDED

#include "analysis/verify.h"

/* Sets *text to the expression that computes block `block` (0 .. blocks-1) of the result of `rank`,
 * e.g. "x0+x1+(x2+x3)". xr is rank r's contribution, + the operator, and a+b+c means (a+b)+c, so
 * only other brackets are written. The verifier has replayed the set of p ranks, which
 * anypi_verify() must accept, and the rank has this block. Free *text with anypi_free().
 *
 * On an error *text is NULL. ANYP_ERR_SCHEDULE: the set does not compute the block.
 * ANYP_ERR_MEMORY. */
anyp_status anypi_expression_of(const anypi_verifier *replayed, int p, int rank, int block,
                                char **text);

#endif
