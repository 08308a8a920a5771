/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which ranks of the world share a node: MPI knows it, or a variable says so.
 */
#include "measure/session.h"

#include "measure/steer.h"
#include "plan/shapes.h"
#include "schedule/memory.h"
#include "schedule/nodes.h"
#include "schedule/schedule.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Those that rank 0's variable says, the same on all ranks; NULL: none. */
static anyp_nodes *given_nodes(const anypi_session *session, int p)
{
    char text[1024] = "";
    const char *reason, *own = anypi_steer.nodes ? getenv(anypi_steer.nodes) : NULL;
    if (!session->rank && own && strlen(own) < sizeof text)
        strcpy(text, own);
    MPI_Bcast(text, sizeof text, MPI_CHAR, 0, session->world);
    return *text ? anypi_nodes_read(text, p, &reason) : NULL;
}

/* A number for the rank's node. Libraries that use no shared memory, as MPICH's ch3:sock, have one rank
 * in each of MPI's shared memory domains: there it follows from the name of the node. */
static int node_number(MPI_Comm world, int rank)
{
    MPI_Comm node;
    char name[MPI_MAX_PROCESSOR_NAME];
    int ranks, most, length, number = rank;
    MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
    MPI_Bcast(&number, 1, MPI_INT, 0, node);
    MPI_Comm_size(node, &ranks);
    MPI_Comm_free(&node);
    MPI_Allreduce(&ranks, &most, 1, MPI_INT, MPI_MAX, world);
    if (most > 1)
        return number;
    uint64_t hash = 1;
    MPI_Get_processor_name(name, &length);
    for (int i = 0; i < length; i++)
        hash = anypi_hash_ints(hash, name[i], i);
    return (int) (hash & INT_MAX);
}

/* Those that MPI knows; NULL: no memory. */
static anyp_nodes *known_nodes(MPI_Comm world, int rank, int p)
{
    int *node_of_rank = malloc((size_t) p * sizeof *node_of_rank);
    int good = node_of_rank != NULL;
    const int number = node_number(world, rank);
    MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, world);
    if (good)
        MPI_Allgather(&number, 1, MPI_INT, node_of_rank, 1, MPI_INT, world);
    anyp_nodes *nodes = good ? anypi_nodes_make(node_of_rank, p) : NULL;
    free(node_of_rank);
    return nodes;
}

/* Do all ranks have it? */
static bool all_have(const anypi_session *session, bool own)
{
    int have = own;
    MPI_Allreduce(MPI_IN_PLACE, &have, 1, MPI_INT, MPI_MIN, session->world);
    return have;
}

bool anypi_find_nodes(anypi_session *session)
{
    int p;
    MPI_Comm_size(session->world, &p);
    session->position = session->rank;
    anyp_nodes *nodes = given_nodes(session, p);
    session->nodes_given = all_have(session, nodes != NULL);
    if (!session->nodes_given) {
        anypi_nodes_free(nodes);
        nodes = known_nodes(session->world, session->rank, p);
    }
    if (!all_have(session, nodes != NULL)) {
        anypi_nodes_free(nodes);
        return false;
    }
    session->node_ranks = nodes->first[1];
    char *text = anypi_nodes_text(nodes);
    const bool named = all_have(session, text != NULL);
    anypi_free(text);
    if (!named && !session->rank)
        fprintf(stderr, "anyp-tune: ranks are neither node by node nor dealt round robin, so that "
                "rules cannot name their nodes; it measures as if nodes did not matter\n");
    if (!named || nodes->count == 1 || anypi_nodes_mean(nodes) == 1) {
        anypi_nodes_free(nodes);
        nodes = NULL;
    }
    for (int i = 0; nodes && nodes->rank && i < p; i++)
        if (nodes->rank[i] == session->rank)
            session->position = i;
    session->nodes = nodes;
    return true;
}
