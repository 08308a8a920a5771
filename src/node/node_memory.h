/* SPDX-License-Identifier: BSD-3-Clause
 *
 * node_memory.h - the memory that the processes of this node share, and the lanes between them
 * (lanes.h). A back end knows which ranks are on the node; this file uses no MPI.
 */
#ifndef ANYPI_NODE_MEMORY_H_INCLUDED
#define ANYPI_NODE_MEMORY_H_INCLUDED

#include "node/lanes.h"

#include <stdbool.h>

typedef struct anypi_node_memory {
    anypi_lanes *lanes;         /* NULL: all messages are MPI's */
    int processes;              /* of the node */
    int first;                  /* rank in MPI_COMM_WORLD of process 0 */
    unsigned calls;             /* that took lanes */
    int *numbers;               /* of all ranks, -1 on other nodes; NULL: rank - first */
} anypi_node_memory;

extern anypi_node_memory anypi_my_node;

/* Returns the lane to a rank of MPI_COMM_WORLD. NULL: it does not share memory with this one. */
static inline anypi_lane *anypi_lane_to(int rank)
{
    const anypi_node_memory *node = &anypi_my_node;
    if (!node->lanes)
        return NULL;
    const int number = node->numbers ? node->numbers[rank] : rank - node->first;
    return number >= 0 && number < node->processes ? anypi_lane_of(node->lanes, number) : NULL;
}

/* The processes of a node, as a back end knows them. */
typedef struct anypi_node {
    int processes, number;      /* of the node; this one's number among them */
    int rank, p;                /* in MPI_COMM_WORLD */
    int per_core;               /* with more processes per core, there are no lanes; 0: no limit */
    /* Sends to process `to` of the node and receives from process `from`. Returns whether the
     * messages were successful. */
    bool (*exchange)(void *context, const void *out, int to, void *in, int from, size_t size);
    void *context;
    void (*poll)(void);         /* see anypi_lanes_open() */
} anypi_node;

/* Makes the lanes, on all processes of a node or on none. `wanted`: this process may use them. Sets
 * *bytes to the shared memory of this process. text[] becomes the reason why there are no lanes, or
 * "" if there is none; if they are not wanted, it remains. Collective over the node. */
void anypi_node_memory_open(const anypi_node *node, bool wanted, size_t *bytes, char *text,
                            size_t size);
void anypi_node_memory_close(void);

#endif
