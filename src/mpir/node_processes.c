/* SPDX-License-Identifier: BSD-3-Clause
 *
 * node_processes.c - makes the lanes between the processes of this node (node/node_memory.h). MPICH
 * knows the node of each rank of MPI_COMM_WORLD.
 */
#include "mpir/internal.h"

#include "node/node_memory.h"

static struct {
    int *ranks;                 /* of the processes of the node */
    int count, own;             /* their number; this process's number among them */
} node;

/* Finds the ranks of the node. Returns false if nodes are unknown, or without memory. */
static bool find_ranks(MPIR_Comm *world)
{
    int its = -1, mine = -1;
    node.ranks = anypi_realloc(NULL, (size_t) world->local_size * sizeof *node.ranks);
    if (!node.ranks || MPID_Get_node_id(world, world->rank, &mine) != MPI_SUCCESS || mine < 0)
        return false;
    for (int rank = 0; rank < world->local_size; rank++) {
        if (MPID_Get_node_id(world, rank, &its) != MPI_SUCCESS)
            return false;
        if (rank == world->rank)
            node.own = node.count;
        if (its == mine)
            node.ranks[node.count++] = rank;
    }
    return true;
}

static bool exchange(void *context, const void *out, int to, void *in, int from, size_t size)
{
    return anypi_mpir_exchange(out, node.ranks[to], in, node.ranks[from], (MPI_Aint) size, context,
                               NULL) == MPI_SUCCESS;
}

/* Called while a process waits for others of its node. */
static void poll(void)
{
    MPID_Progress_test(NULL);
}

void anypi_mpir_node_open(MPIR_Comm *world)
{
    size_t bytes = 0;
    char why[128] = "";
    if (MPIR_ThreadInfo.thread_provided == MPI_THREAD_MULTIPLE)
        snprintf(why, sizeof why, "MPI_Init_thread provides MPI_THREAD_MULTIPLE");
    else if (!MPIR_CVAR_ANYP_SHARED_MEMORY)
        snprintf(why, sizeof why, "MPIR_CVAR_ANYP_SHARED_MEMORY=0");
    node.count = 0;
    if (find_ranks(world))
        anypi_node_memory_open(&(anypi_node) {
            .processes = node.count, .number = node.own, .rank = world->rank,
            .p = world->local_size, .exchange = exchange, .context = world, .poll = poll
        }, !*why, &bytes, why, sizeof why);
    if (MPIR_CVAR_ANYP_VERBOSE && world->rank == 0 && (bytes || *why))
        anypi_log_memory((unsigned) MPIR_CVAR_ANYP_VERBOSE, node.count, bytes, why);
    anypi_free(node.ranks);
    node.ranks = NULL;
}
