/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lanes.h - `exchange` on nodes: two exchanges, inside nodes and across them, and which ranks
 * exchange what with other nodes.
 *
 * 1. Inside: the ranks of each node exchange.
 * 2. Across: nodes exchange; for each part of the vector, one rank of each node.
 * 3. Inside: if the ranks of a node have divided the vector in 1, they gather the result.
 *
 * In 1 either all levels replicate. Then all ranks of a node have its whole result, and are
 * replicas: in 2, a rank receives from the replica of another node that has the same rank in its
 * node, modulo that node's size. Or all levels divide, into `lanes` equal parts of the vector, as
 * many as the largest node has ranks, or fewer. A node with fewer ranks has ranks that own several
 * consecutive lanes; a node with more ranks has ranks that own none. In 2, each lane is an exchange
 * of its own, with one rank of each node. So all nodes send and receive the same amount, whatever
 * their sizes.
 *
 * A reduce-scatter packs the blocks of the ranks by lane, and in a lane by the node's group rank in
 * the tree of nodes: packed block lane * nodes + group rank is the block of the rank of that node
 * whose first lane it is. In small nodes some lanes have no such rank, and their packed block is
 * empty.
 *
 * Nodes and ranks in them are numbered as in anyp_shape; anypi_lanes_rank() is a rank of the call.
 * With groups=ranks each rank is a node of its own.
 */
#ifndef ANYPI_EXCHANGE_LANES_H_INCLUDED
#define ANYPI_EXCHANGE_LANES_H_INCLUDED

#include "algorithms/exchange/member.h"
#include "schedule/shape.h"

/* Indices of the parameters. */
enum { ANYPI_EXCHANGE_THRESHOLD, ANYPI_EXCHANGE_RADIX, ANYPI_EXCHANGE_GROUPS,
       ANYPI_EXCHANGE_NODE_RADIX, ANYPI_EXCHANGE_LANES, ANYPI_EXCHANGE_SEGMENTS };

typedef struct anypi_lanes {
    const anyp_shape *nodes;    /* NULL: each rank is one */
    int count;                  /* nodes */
    int node_radix;
    int lanes;
    bool replicas;              /* inside nodes, all levels replicate; there is one lane */
    int segments;               /* of the vector (repeat_segments.h); all else here is of one */
    int width;                  /* blocks of a lane; packed blocks, in a reduce-scatter */
    int levels;                 /* inside the largest node */
    int node, local;            /* where the rank is, and its rank in the node */
    int root_node, root_local;
    int first, end;             /* the lanes that it owns */
    bool reduces;
    anypi_tree tree;            /* of the node that was asked for last */
} anypi_lanes;

/* Sets the lanes of a call, and `across`, the exchange of a lane. */
void anypi_lanes_make(anypi_lanes *l, const anyp_call *call, const int *parameters,
                      anypi_exchange *across);

/* Sets the exchange among the ranks of a node, for the rank with rank `local` in it. */
void anypi_lanes_inside(const anypi_lanes *l, const anyp_call *call, int node, int local,
                        anypi_exchange *inside);

/* Sets the rank's member of that exchange, and its own lanes. */
void anypi_lanes_choose(anypi_lanes *l, const anyp_call *call, anypi_member *inside);

static inline int anypi_lanes_size(const anypi_lanes *l, int node)
{
    return l->nodes ? anypi_shape_size(l->nodes, node) : 1;
}

/* The rank of the call that has rank `local` in a node. */
static inline int anypi_lanes_rank(const anypi_lanes *l, int node, int local)
{
    return l->nodes ? anypi_shape_rank(l->nodes, l->nodes->first[node] + local) : node;
}

/* The first lane of the rank with a group rank in a node of `size` ranks. */
static inline int anypi_lanes_first(const anypi_lanes *l, int size, int group_rank)
{
    const int owners = size < l->lanes ? size : l->lanes;
    return (int) ((2 * (int64_t) group_rank * l->lanes + owners) / (2 * (int64_t) owners));
}

/* The owner of a lane in a node: its rank in the node. */
int anypi_lanes_owner(anypi_lanes *l, int node, int lane);

/* The replica of a node from which the rank receives: its rank in the node. */
int anypi_lanes_source(const anypi_lanes *l, int node);

/* Sets order[i] to the block of rank order that is the i-th of the packed vector of a
 * reduce-scatter; `across` is the tree of nodes. Packed block i is then at index starts[i], to
 * starts[i + 1], of `order`; there are lanes * nodes, and `starts` may be NULL if none is empty. */
void anypi_lanes_order(anypi_lanes *l, const anypi_tree *across, int *order, int *starts);

/* Is no packed block empty? */
bool anypi_lanes_even(const anypi_lanes *l);

#endif
