/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lanes.h - the phases of `exchange` on nodes, and which ranks exchange what with other nodes.
 *
 * 1. The ranks of each node exchange inside.
 * 2. Nodes exchange: for each part of the vector, one rank of each node.
 * 3. If the ranks of a node have divided the vector in 1, they gather the result.
 *
 * In 1 either no level divides. Then all ranks of a node have its whole result, and are replicas:
 * in 2, a rank receives from the replica of another node that has its own number there, modulo that
 * node's size. Or all levels divide, into `lanes` equal parts of the vector, as many as the largest
 * node has ranks, or fewer. A node with fewer ranks has ranks with several consecutive lanes; a
 * node with more ranks has ranks without. In 2, each lane is an exchange of its own, with one rank
 * of each node. So all nodes send and receive the same amount, whatever their sizes.
 *
 * A reduce-scatter packs the blocks of the ranks by lane, and in a lane by the node's place in the
 * tree of nodes: cell lane * nodes + place has the block of the rank of that node whose first lane
 * it is. In small nodes some lanes have no such rank, and the cell is empty.
 *
 * Ranks here are positions in the order of anyp_nodes; anypi_lanes_rank() is a rank of the call. With
 * groups=ranks each rank is a node of its own.
 */
#ifndef ANYPI_EXCHANGE_LANES_H_INCLUDED
#define ANYPI_EXCHANGE_LANES_H_INCLUDED

#include "algorithms/exchange/member.h"

/* Indices of the parameters. */
enum { ANYPI_EXCHANGE_THRESHOLD, ANYPI_EXCHANGE_RADIX, ANYPI_EXCHANGE_GROUPS,
       ANYPI_EXCHANGE_NODE_RADIX, ANYPI_EXCHANGE_LANES, ANYPI_EXCHANGE_SEGMENTS };

typedef struct anypi_lanes {
    const anyp_nodes *nodes;    /* NULL: each rank is one */
    int count;                  /* nodes */
    int node_radix;
    int lanes;
    bool replicas;              /* inside nodes, no level divides; there is one lane */
    int segments;               /* of the vector (segments.h); all else here is of one of them */
    int width;                  /* blocks of a lane; cells, in a reduce-scatter */
    int levels;                 /* inside the largest node */
    int node, local;            /* where the rank is, and its number there */
    int root_node, root_local;
    int first, end;             /* its lanes */
    bool reduces;
    anypi_tree tree;            /* of a node of that size; kept from one question to the next */
} anypi_lanes;

/* Sets the lanes of a call, and `across`, the phase among the nodes, for each lane. */
void anypi_lanes_make(anypi_lanes *l, const anyp_call *call, const int *parameters,
                      anypi_exchange *across);

/* Sets the phase among the ranks of a node, and its rank. */
void anypi_lanes_inside(const anypi_lanes *l, const anyp_call *call, int node, int local,
                        anypi_exchange *inside);

/* Sets the rank's member of that phase, and its own lanes. */
void anypi_lanes_choose(anypi_lanes *l, const anyp_call *call, anypi_member *inside);

static inline int anypi_lanes_size(const anypi_lanes *l, int node)
{
    return l->nodes ? l->nodes->first[node + 1] - l->nodes->first[node] : 1;
}

/* The rank of the call that is rank `local` of a node. */
static inline int anypi_lanes_rank(const anypi_lanes *l, int node, int local)
{
    const int position = l->nodes ? l->nodes->first[node] + local : node;
    return l->nodes && l->nodes->rank ? l->nodes->rank[position] : position;
}

/* Among the ranks of a node with so many, the first lane of the one at a place. */
static inline int anypi_lanes_first(const anypi_lanes *l, int size, int place)
{
    const int owners = size < l->lanes ? size : l->lanes;
    return (int) ((2 * (int64_t) place * l->lanes + owners) / (2 * (int64_t) owners));
}

/* The rank of a node that has a lane: its number there. */
int anypi_lanes_holder(anypi_lanes *l, int node, int lane);

/* The replica of a node from which the rank receives. */
int anypi_lanes_server(const anypi_lanes *l, int node);

/* Sets order[i] to the block of rank order that is the i-th of the packed vector of a
 * reduce-scatter; `across` is the tree of nodes. If cells have no or one block, starts[c] is the
 * first one of cell c, for lanes * nodes + 1 cells; `starts` may be NULL if each has one. */
void anypi_lanes_order(anypi_lanes *l, const anypi_tree *across, int *order, int *starts);

/* Does each cell have one block? */
bool anypi_lanes_even(const anypi_lanes *l);

#endif
