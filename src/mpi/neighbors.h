/* SPDX-License-Identifier: BSD-3-Clause
 *
 * neighbors.h - runs blocking neighborhood collectives, except alltoallw, with messages that are
 * combined inside nodes (algorithms/neighbor_plan.h).
 *
 * The first such call on a communicator makes the plan. All ranks agree whether it can be made, and
 * up to which size of a block it is faster, the limit. This size follows from the model of the
 * machine and from maxima over all ranks, so it is the same on all ranks.
 *
 * Only the two ends of an edge know the size of its block. So combined messages begin with the
 * sizes of their blocks, and their receivers make room for blocks of the limit. A larger block goes
 * directly, after the three rounds. Since this is slow, all ranks compare the sizes in some calls
 * of each collective: the first, second, fourth, eighth ... If no rank has a block above the limit,
 * the calls until the next comparison are combined. Otherwise the MPI library runs them.
 */
#ifndef ANYPI_MPI_NEIGHBORS_H_INCLUDED
#define ANYPI_MPI_NEIGHBORS_H_INCLUDED

#include "mpi/internal.h"

#include "algorithms/neighbor_plan.h"
#include "algorithms/route.h"

/* The plan of a communicator, and memory for its calls. */
typedef struct anypi_neighbors {
    anypi_neighbor_plan plan;
    int limit;                  /* the largest block that is combined */
    struct {
        uint64_t calls;
        bool combined;          /* the calls until the next comparison */
        bool never;             /* the library's blocks have another order */
    } of[ANYP_COLLECTIVES];     /* of the neighborhood collective with the same arguments */
    int64_t *given, *got;       /* bytes of each block that is sent or received; 0: no neighbour */
    anypi_size *sizes;          /* of slots, as in messages */
    const char **at;            /* the data of slots that were received */
    char *sent, *arrived;       /* room for the messages of a round, and for all that arrive */
    void *requests;
} anypi_neighbors;

/* Returns the room of a message with so many blocks of the limit. */
static inline size_t anypi_neighbors_room(int limit, int blocks)
{
    return ((size_t) blocks * (sizeof(anypi_size) + (size_t) limit) + 15) & ~(size_t) 15;
}

/* neighbor_setup.c: sets state->neighbors to the plan; NULL: calls are forwarded. A request takes
 * `request_size` bytes. Collective. */
void anypi_neighbors_learn(anypi_state *state, const anypi_settings *settings,
                           size_t request_size);

/* Runs a call, whose arguments are those of its->collective. Returns false if the call must be
 * forwarded; otherwise sets *error. */
bool anypi_neighbors_run(const anypi_arguments *its, MPI_Comm comm, int *error);

#endif
