/* SPDX-License-Identifier: BSD-3-Clause
 *
 * comm.c - makes what a communicator keeps, and finds which ranks share a node and a switch. MPICH
 * knows the node of each rank, and the switch from its file of coordinates. Both are the same on
 * all ranks (agree.c compares the coordinates), so no message is needed. MPICH does not know the
 * nodes of processes of another world. If a communicator contains such a process, each rank detects
 * this, and the nodes are unknown. The log shows the result:
 *
 *   anyp: shape: 5x(8x4),(5x4), from MPICH and FILE
 */
#include "mpir/internal.h"

#include "node/node_memory.h"
#include "schedule/shape.h"

bool anypi_mpir_comm_make(MPIR_Comm *comm)
{
    if (comm->coll.anyp)
        return true;
    struct anypi_mpir_comm *anyp = anypi_realloc(NULL, sizeof *anyp);
    if (anyp)
        *anyp = (struct anypi_mpir_comm) { .workspace.cache.holds = anypi_my_node.lanes };
    comm->coll.anyp = anyp;
    return anyp;
}

void anypi_mpir_comm_free(MPIR_Comm *comm)
{
    anypi_mpir_comm_forget(comm);
    if (!comm->coll.anyp)
        return;
    anypi_workspace_free(&comm->coll.anyp->workspace);
    anypi_shape_free(comm->coll.anyp->nodes);
    anypi_free(comm->coll.anyp->logged.lines);
    anypi_free(comm->coll.anyp);
    comm->coll.anyp = NULL;
}

/* Sets the node of each rank. Returns false if a node is unknown. */
static bool find_nodes(MPIR_Comm *comm, int *node_of_rank)
{
    for (int rank = 0; rank < comm->local_size; rank++)
        if (MPID_Get_node_id(comm, rank, &node_of_rank[rank]) != MPI_SUCCESS ||
            node_of_rank[rank] < 0)
            return false;
    return true;
}

/* Sets places[] to the switch of each rank, followed by the group of switches of each rank. Returns
 * false if they are unknown, with the reason in *why ("": there is no file). */
static bool find_switches(MPIR_Comm *comm, int *places, char *why, size_t size)
{
    const int *coordinates = ANYPI_COORDINATES;
    const char *fault = anypi_mpir_coordinates_fault();
    snprintf(why, size, "%s", fault ? fault : "");
    if (fault || !coordinates)
        return false;
    for (int rank = 0; rank < comm->local_size; rank++) {
        const int64_t place = anypi_world_rank(comm, rank);
        const bool known = place >= 0 && place < MPIR_Process.size;
        const int *at = known ? coordinates + place * ANYPI_DIMENSIONS : NULL;
        if (!known || at[ANYPI_SWITCH] < 0 || at[ANYPI_GROUP] < 0) {
            snprintf(why, size, "%s: rank %lld has no group or no switch", ANYPI_COORDINATES_FILE,
                     (long long) place);
            return false;
        }
        places[rank] = at[ANYPI_SWITCH];
        places[comm->local_size + rank] = at[ANYPI_GROUP];
    }
    return true;
}

/* Sets *shape, or sets it to NULL if nodes are unknown. Returns false if there is no memory. */
static bool find(MPIR_Comm *comm, anyp_shape **shape)
{
    enum { NODE, SWITCH, GROUP, HEIGHTS };
    char from[1024] = "MPICH", why[512];
    const int p = comm->local_size;
    int heights = SWITCH;
    int *places = anypi_realloc(NULL, HEIGHTS * (size_t) p * sizeof *places);
    *shape = NULL;
    if (!places)
        return false;
    const bool known = find_nodes(comm, places);
    if (known && find_switches(comm, places + SWITCH * p, why, sizeof why)) {
        heights = HEIGHTS;
        snprintf(from, sizeof from, "MPICH and %s", ANYPI_COORDINATES_FILE);
    }
    if (known)
        *shape = anypi_shape_make(places, heights, p);
    anypi_free(places);
    if (*shape && MPIR_CVAR_ANYP_VERBOSE && comm->rank == 0 && ((*shape)->count > 1 || *why))
        anypi_log_shape((unsigned) MPIR_CVAR_ANYP_VERBOSE, *shape, from, why);
    return !known || *shape;
}

bool anypi_mpir_find_nodes(MPIR_Comm *comm, const anyp_shape **nodes)
{
    struct anypi_mpir_comm *anyp = comm->coll.anyp;
    if (!anyp->asked_nodes)
        anyp->asked_nodes = find(comm, &anyp->nodes);
    *nodes = anyp->nodes;
    return anyp->asked_nodes;
}
