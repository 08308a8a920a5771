/* SPDX-License-Identifier: BSD-3-Clause
 *
 * node_processes.h - finds the processes of this node by MPI, and opens the memory that they share.
 */
#ifndef ANYPI_NODE_PROCESSES_H_INCLUDED
#define ANYPI_NODE_PROCESSES_H_INCLUDED

#include "node/node_memory.h"

/* anypi_node_memory_open() for the node of this process. Collective over MPI_COMM_WORLD. */
void anypi_node_open(bool wanted, size_t *bytes, char *text, size_t size);

#endif
