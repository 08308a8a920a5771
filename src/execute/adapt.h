/* SPDX-License-Identifier: BSD-3-Clause
 *
 * adapt.h - which algorithm runs where a rule cannot know what matters. For every back end.
 *
 * - Blocks of a reduce-scatter or an allgatherv differ much in size: rules are measured with equal
 *   blocks and know the size of the whole vector only; closed forms know the largest block.
 * - There are switches above the nodes, or nodes of different sizes, and all parameters of the rule
 *   are auto, as those of generic.json: conditions know the mean node only, and nobody measured
 *   this machine; closed forms know its shape.
 */
#ifndef ANYPI_ADAPT_H_INCLUDED
#define ANYPI_ADAPT_H_INCLUDED

#include "anyp.h"

/* Has the largest block at least twice the average? */
bool anypi_adapts(const anyp_call *call);

/* Has the shape switches, or nodes of different sizes, and are all parameters the algorithm's
 * defaults? */
bool anypi_adapts_to_shape(const anyp_call *call, const anyp_algorithm *algorithm,
                           const int *parameters, const anyp_shape *shape);

/* The fastest for such a call by the closed forms: the algorithm that a rule chose, with its
 * parameters, or one that knows blocks (the property ANYP_UNEVEN) or shapes, with its defaults.
 * Sets parameters[] to those of the result; `network`, if the rule gives it, is kept. The call
 * knows its nodes. The same on all ranks. */
const anyp_algorithm *anypi_adapted(const anyp_call *call, const anyp_algorithm *algorithm,
                                    int *parameters);

#define ANYPI_BLOCKS_DIFFER "the sizes of its blocks differ"
#define ANYPI_OTHER_SHAPE "its rule does not know the shape"

#endif
