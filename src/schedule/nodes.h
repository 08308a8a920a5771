/* SPDX-License-Identifier: BSD-3-Clause
 *
 * nodes.h - which ranks share a node: making and comparing anyp_nodes.
 */
#ifndef ANYPI_NODES_H_INCLUDED
#define ANYPI_NODES_H_INCLUDED

#include "anyp.h"

/* From the node of each of p ranks, any number that is the same for ranks of one node. Nodes are
 * ordered by their lowest ranks. A new struct, to be freed with anypi_nodes_free(); NULL: no
 * memory. */
anyp_nodes *anypi_nodes_make(const int *node_of_rank, int p);

/* From text: "13x8" is 13 nodes of 8 ranks, "8,8,5" nodes of these sizes; ":cyclic" after it deals
 * the ranks round robin instead of one node after the other. NULL, with *reason (static text), if
 * the text is wrong or its ranks are not p; p = 0 accepts any number of ranks up to 2^24. */
anyp_nodes *anypi_nodes_read(const char *text, int p, const char **reason);

/* NULL is allowed. */
void anypi_nodes_free(anyp_nodes *nodes);

/* The node of the rank at a position. */
int anypi_nodes_at(const anyp_nodes *nodes, int position);

/* The ranks of the largest node. */
int anypi_nodes_largest(const anyp_nodes *nodes);

/* The rank at a position. */
static inline int anypi_nodes_rank(const anyp_nodes *nodes, int position)
{
    return nodes->rank ? nodes->rank[position] : position;
}

/* The ranks of a node. */
static inline int anypi_nodes_size(const anyp_nodes *nodes, int node)
{
    return nodes->first[node + 1] - nodes->first[node];
}

/* The mean ranks of a node, rounded up. */
static inline int anypi_nodes_mean(const anyp_nodes *nodes)
{
    return (nodes->first[nodes->count] + nodes->count - 1) / nodes->count;
}

/* The number of ranks. */
static inline int anypi_nodes_ranks(const anyp_nodes *nodes)
{
    return nodes->first[nodes->count];
}

#endif
