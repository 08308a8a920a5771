/* SPDX-License-Identifier: BSD-3-Clause
 *
 * adapt.h - which algorithm runs where blocks of a reduce-scatter or an allgatherv differ much in
 * size. Rules are measured with equal blocks and know the size of the whole vector only; closed
 * forms know the largest block. For every back end.
 */
#ifndef ANYPI_ADAPT_H_INCLUDED
#define ANYPI_ADAPT_H_INCLUDED

#include "anyp.h"

/* Has the largest block at least twice the average? */
bool anypi_adapts(const anyp_call *call);

/* The fastest for such a call by the closed forms: the algorithm that a rule chose, with its
 * parameters, or one with the property ANYP_UNEVEN, with its defaults. Sets parameters[] to those
 * of the result; `network`, if the rule gives it, is kept. The call knows its nodes. The same on
 * all ranks. */
const anyp_algorithm *anypi_adapted(const anyp_call *call, const anyp_algorithm *algorithm,
                                    int *parameters);

#define ANYPI_BLOCKS_DIFFER "the sizes of its blocks differ"

#endif
