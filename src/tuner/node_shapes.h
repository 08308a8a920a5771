/* SPDX-License-Identifier: BSD-3-Clause
 *
 * node_shapes.h - names, orders and divides nodes for the tuner. Where nodes may be NULL, all ranks
 * are on one node, or nodes do not matter.
 */
#ifndef ANYPI_NODE_SHAPES_H_INCLUDED
#define ANYPI_NODE_SHAPES_H_INCLUDED

#include "tuner/candidates.h"

/* Returns the first p ranks in the order of nodes: the first nodes as a whole, and perhaps a part
 * of the next, at the same switches. They are renumbered in the order of their ranks. Free it with
 * anypi_shape_free(); NULL: no memory. */
anyp_shape *anypi_nodes_part(const anyp_shape *nodes, int p);

/* Returns `count` nodes of the same kind with `mean` ranks each, at switches with the mean number
 * of nodes. Free it with anypi_shape_free(); NULL: no memory. */
anyp_shape *anypi_nodes_more(const anyp_shape *like, int count, int mean);

/* Returns the kind of nodes that rules distinguish: 0: one node; 1: several nodes with consecutive
 * ranks; 2: several others. */
int anypi_nodes_kind(const anyp_shape *nodes);
/* The condition of each kind. */
extern const char *const anypi_nodes_conditions[];

/* Compares two shapes as rules do, first by kind, then by the mean ranks of a node. */
int anypi_nodes_order(const anyp_shape *one, const anyp_shape *other);

/* Returns "p=104" or "p=104 (13x8)". */
anypi_text anypi_procs_text(int p, const anyp_shape *nodes);

#endif
