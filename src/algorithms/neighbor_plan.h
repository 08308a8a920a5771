/* SPDX-License-Identifier: BSD-3-Clause
 *
 * neighbor_plan.h - combines the messages of a neighborhood collective inside nodes.
 *
 * In a neighborhood collective each rank sends a block along each of its edges. The edges never
 * change, so the ranks of a node tell each other theirs once. Two nodes that share an edge are
 * partners. For each partner, one rank of the node is the carrier; the ranks of a node carry in
 * turn. A call has three rounds:
 *
 *   ROUND 0   Each rank sends its blocks for other nodes to the carriers of its node, and its
 *             blocks for ranks of its node directly.
 *   ROUND 1   The two carriers of each pair of partners exchange one message in each direction.
 *   ROUND 2   Each carrier sends the blocks that have arrived to the ranks of its node.
 *
 *   2 nodes of 2 ranks; each rank has an edge to each rank of the other node:
 *
 *   round 0   1 -> 0: |1 to 2|1 to 3|                       3 -> 2: |3 to 0|3 to 1|
 *   round 1   0 -> 2: |0 to 2|0 to 3|1 to 2|1 to 3|         2 -> 0: |2 to 0|2 to 1|3 to 0|3 to 1|
 *   round 2   2 -> 3: |0 to 3|1 to 3|                       0 -> 1: |2 to 1|3 to 1|
 *
 * An edge is named by its sender and the number of its block there. Both ends know this name, and
 * sort the blocks of a message by it. So several edges between the same two ranks are no special
 * case.
 *
 * Each rank numbers the blocks that it handles, the slots: first its own, then those of each
 * message that it receives.
 */
#ifndef ANYPI_NEIGHBOR_PLAN_H_INCLUDED
#define ANYPI_NEIGHBOR_PLAN_H_INCLUDED

#include "anyp.h"

/* The edges of one rank. A negative rank means that there is no neighbour (MPI_PROC_NULL). */
typedef struct anypi_neighbor_list {
    int rank;
    int out, in;                /* number of its blocks */
    const int *to;              /* out: the receiver of each block */
    const int *from;            /* 2 * in: the sender of each block, and the block's number there */
} anypi_neighbor_list;

/* What the ranks of a node know. */
typedef struct anypi_neighbor_node {
    const anyp_shape *shape;
    const int *positions;       /* p: of ranks in the shape; NULL: the position is the rank */
    int node;
    int size;                   /* ranks of the node */
    const anypi_neighbor_list *lists;   /* size: in the order of their positions */
    int partners;
    int *partner;               /* their nodes, sorted */
    int *carrier;               /* the rank at each partner that carries for this node */
} anypi_neighbor_node;

typedef struct anypi_neighbor_message {
    int peer;
    int first, count;           /* its blocks: of a send, indices of plan->order; of a receive,
                                 * slots */
} anypi_neighbor_message;

enum { ANYPI_NEIGHBOR_ROUNDS = 3 };
enum { ANYPI_NEIGHBOR_INSIDE = -1, ANYPI_NEIGHBOR_NONE = -2 };

/* What one rank does. */
typedef struct anypi_neighbor_plan {
    int out, in;
    int *to;                    /* out: as in the list */
    bool *leaves;               /* out: the receiver is on another node */
    int *from;                  /* 2 * in: as in the list */
    int *slot;                  /* in: the slot that becomes this block; ANYPI_NEIGHBOR_INSIDE: the
                                 * sender is on the same node; ANYPI_NEIGHBOR_NONE: no sender */
    int *arrivals;              /* in: the blocks, sorted by sender and number there */
    int slots;                  /* the first ones are the rank's own blocks */
    anypi_neighbor_message *messages;
    int receives[ANYPI_NEIGHBOR_ROUNDS];        /* the first receive of each round, */
    int sends[ANYPI_NEIGHBOR_ROUNDS];           /* the first send, */
    int ends[ANYPI_NEIGHBOR_ROUNDS];            /* and the end of the messages */
    int *order;                 /* the slots of all messages that are sent */
    int messages_room, order_count, order_room;
} anypi_neighbor_plan;

/* Costs, of which each is the maximum over all ranks. */
typedef struct anypi_neighbor_costs {
    int64_t direct;             /* messages of a rank, both ways, without a plan */
    int64_t inside;             /* with the plan: messages of rounds 0 and 2, */
    int64_t across;             /* and of round 1 */
    int64_t moved;              /* blocks of rounds 0 and 2, without those inside a node */
    int64_t leaving;            /* blocks that leave a node or enter it */
    int64_t slots;
} anypi_neighbor_costs;

/* Sets node->partners and node->partner, and makes room for node->carrier. The caller frees both
 * arrays with anypi_free(). */
anyp_status anypi_neighbor_partners(anypi_neighbor_node *node);

/* Returns the index in node->lists of the rank that carries for a partner. */
static inline int anypi_neighbor_carrier(const anypi_neighbor_node *node, int partner)
{
    return partner % node->size;
}

/* Makes the plan of the rank at index `own` of node->lists. Free it in any case. */
anyp_status anypi_neighbor_plan_make(anypi_neighbor_plan *plan, const anypi_neighbor_node *node,
                                     int own);
void anypi_neighbor_plan_free(anypi_neighbor_plan *plan);

/* Returns the costs of a plan for this rank alone. */
anypi_neighbor_costs anypi_neighbor_costs_of(const anypi_neighbor_plan *plan,
                                             const anypi_neighbor_node *node, int own);

/* The maximum bytes of a block that is combined. Two bytes must express it. */
enum { ANYPI_NEIGHBOR_LARGEST = 8192 };

/* Returns the bytes, a power of two, up to which blocks are combined, by the times of a model, or
 * always; 0: direct messages are as fast, or the plan needs too much memory. */
int anypi_neighbor_limit(const anyp_model *model, const anypi_neighbor_costs *most, bool always);

#endif
