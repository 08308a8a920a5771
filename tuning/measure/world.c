/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/world.h"

#include "measure/steer.h"
#include "schedule/shape.h"
#include "select/text.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

bool anypi_all(MPI_Comm comm, bool own)
{
    int all = own;
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, comm);
    return all;
}

/* Returns the nodes in rank 0's variable, the same on all ranks; NULL: none. */
static anyp_shape *given_nodes(MPI_Comm world, int rank, int p)
{
    char text[1024] = "";
    const char *reason, *own = anypi_steer.nodes ? getenv(anypi_steer.nodes) : NULL;
    if (!rank && own && strlen(own) < sizeof text)
        strcpy(text, own);
    MPI_Bcast(text, sizeof text, MPI_CHAR, 0, world);
    return *text ? anypi_shape_read(text, p, &reason) : NULL;
}

/* Returns a number for the rank's node. With libraries that use no shared memory, such as MPICH's
 * ch3:sock, each of MPI's shared memory domains has one rank. Then the number follows from the name
 * of the node. */
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
    MPI_Get_processor_name(name, &length);
    return (int) (anypi_hash_text(ANYPI_HASH, name) & INT_MAX);
}

/* Returns the nodes that MPI knows; NULL: no memory. */
static anyp_shape *known_nodes(MPI_Comm world, int rank, int p)
{
    int *node_of_rank = malloc((size_t) p * sizeof *node_of_rank);
    const int number = node_number(world, rank);
    const bool good = anypi_all(world, node_of_rank);
    if (good)
        MPI_Allgather(&number, 1, MPI_INT, node_of_rank, 1, MPI_INT, world);
    anyp_shape *nodes = good ? anypi_shape_make(node_of_rank, 1, p) : NULL;
    free(node_of_rank);
    return nodes;
}

anyp_shape *anypi_world_nodes(MPI_Comm world, bool *given)
{
    int rank, p;
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &p);
    anyp_shape *nodes = given_nodes(world, rank, p);
    *given = anypi_all(world, nodes != NULL);
    if (!*given) {
        anypi_shape_free(nodes);
        nodes = known_nodes(world, rank, p);
    }
    if (anypi_all(world, nodes != NULL))
        return nodes;
    anypi_shape_free(nodes);
    return NULL;
}
