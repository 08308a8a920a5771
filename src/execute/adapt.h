/* SPDX-License-Identifier: BSD-3-Clause
 *
 * adapt.h - replaces a rule's algorithm by the one with the shortest closed form, for calls that
 * rules cannot describe. For every back end. There are two kinds of such calls:
 *
 * - The blocks of a reduce-scatter or an allgatherv differ much in size. Rules are measured with
 *   equal blocks and know only the size of the whole vector. Closed forms know the largest block.
 * - There are switches above the nodes, or nodes of different sizes, and all parameters of the rule
 *   are auto, like those of generic.json. Conditions know only the mean size of a node, and nobody
 *   measured this machine. Closed forms know its shape.
 */
#ifndef ANYPI_ADAPT_H_INCLUDED
#define ANYPI_ADAPT_H_INCLUDED

#include "algorithms/settle.h"

/* Returns whether the largest block is at least twice the average, so that the call is of the first
 * kind. False for reproducible calls. */
bool anypi_adapts(const anyp_call *call);

/* Returns whether the call is of the second kind: the shape has switches or nodes of different
 * sizes, and all parameters are the algorithm's defaults, some of them auto. False for reproducible
 * calls. */
bool anypi_adapts_to_shape(const anyp_call *call, const anyp_algorithm *algorithm,
                           const int *parameters, const anyp_shape *shape);

/* Sets one->algorithm, asked[] and one->parameters[] to the algorithm with the shortest closed form
 * for a call of either kind. Candidates are the rule's algorithm with the rule's asked[], which
 * they contain before, and all algorithms that know blocks (the property ANYP_UNEVEN) or shapes,
 * with their defaults. A parameter `network` that the rule gives is kept. call->nodes must be set.
 * Changes nothing if no candidate serves the call. The result is the same on all ranks. */
void anypi_adapt(anypi_settled_call *one, int *asked);

#define ANYPI_BLOCKS_DIFFER "the sizes of its blocks differ"
#define ANYPI_OTHER_SHAPE "its rule does not know the shape"

#endif
