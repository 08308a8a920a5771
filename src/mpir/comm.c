/* SPDX-License-Identifier: BSD-3-Clause
 *
 * comm.c - what a communicator keeps, and which of its ranks share a node. MPICH knows the node of
 * each rank, and it is the same on all of them, so there is no message. It does not know the nodes
 * of processes of another world: each rank of a communicator that has some detects this, and nodes
 * are unknown.
 */
#include "mpir/internal.h"

#include "schedule/shape.h"

bool anypi_mpir_comm_make(MPIR_Comm *comm)
{
    if (comm->coll.anyp)
        return true;
    struct anypi_mpir_comm *anyp = anypi_realloc(NULL, sizeof *anyp);
    if (anyp) {
        *anyp = (struct anypi_mpir_comm) { .forced_refused = NULL };
        anypi_workspace_init(&anyp->workspace);
    }
    comm->coll.anyp = anyp;
    return anyp;
}

void anypi_mpir_comm_free(MPIR_Comm *comm)
{
    if (!comm->coll.anyp)
        return;
    anypi_workspace_free(&comm->coll.anyp->workspace);
    anypi_shape_free(comm->coll.anyp->nodes);
    anypi_free(comm->coll.anyp);
    comm->coll.anyp = NULL;
}

/* Sets the node of each rank; false if one is unknown. */
static bool find(MPIR_Comm *comm, int *node_of_rank)
{
    for (int rank = 0; rank < comm->local_size; rank++)
        if (MPID_Get_node_id(comm, rank, &node_of_rank[rank]) != MPI_SUCCESS ||
            node_of_rank[rank] < 0)
            return false;
    return true;
}

bool anypi_mpir_find_nodes(MPIR_Comm *comm, const anyp_shape **nodes)
{
    struct anypi_mpir_comm *anyp = comm->coll.anyp;
    if (!anyp->asked_nodes) {
        int *node_of_rank = anypi_realloc(NULL, (size_t) comm->local_size * sizeof *node_of_rank);
        const bool known = node_of_rank && find(comm, node_of_rank);
        if (known)
            anyp->nodes = anypi_shape_make(node_of_rank, comm->local_size);
        anyp->asked_nodes = node_of_rank && (!known || anyp->nodes);
        anypi_free(node_of_rank);
    }
    *nodes = anyp->nodes;
    return anyp->asked_nodes;
}
