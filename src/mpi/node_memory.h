/* SPDX-License-Identifier: BSD-3-Clause
 *
 * node_memory.h - finds which ranks of MPI_COMM_WORLD share memory with this one, and makes the
 * lanes to them (node/lanes.h). Messages on the duplicate of MPI_COMM_WORLD (channel.h) take them.
 */
#ifndef ANYPI_NODE_MEMORY_H_INCLUDED
#define ANYPI_NODE_MEMORY_H_INCLUDED

#include "node/lanes.h"

#include <stdbool.h>

typedef struct anypi_node_memory {
    anypi_lanes *lanes;         /* NULL: all messages are MPI's */
    int processes;              /* of the node */
    int own, first;             /* ranks in MPI_COMM_WORLD of this process and of number 0 */
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

/* Makes the lanes, on all ranks of a node or on none. `wanted`: this process may use them. Sets
 * *bytes to the shared memory of this process. text[] becomes the reason why there are no lanes, or
 * "" if there is none; if they are not wanted, it remains. Collective over MPI_COMM_WORLD. */
void anypi_node_memory_open(bool wanted, size_t *bytes, char *text, size_t size);
void anypi_node_memory_close(void);

#endif
