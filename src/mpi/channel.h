/* SPDX-License-Identifier: BSD-3-Clause
 *
 * channel.h - where the messages of a communicator go. The communicators of MPI_COMM_WORLD's ranks
 * share one duplicate of it, which MPI_Init makes. There each has a tag of its own, its context,
 * that no other communicator of the same two ranks has. All others, as those of sessions, of
 * several worlds, or after the last context, have a communicator of AnyP's each.
 */
#ifndef ANYPI_MPI_CHANNEL_H_INCLUDED
#define ANYPI_MPI_CHANNEL_H_INCLUDED

#include "mpi/pmpi.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct anypi_channel {
    MPI_Comm comm;              /* MPI_COMM_NULL: none, or not yet */
    int tag;                    /* of all messages */
    int rank;                   /* of this process in comm */
    int first, stride;          /* rank i of the communicator is first + i * stride there, or */
    int *ranks;                 /* ranks[i]; NULL: no table */
    bool shared;                /* comm is the duplicate of MPI_COMM_WORLD */
    bool failed;                /* a call had an error: some of its messages may be on their way */
    const char *missing;        /* why it has none (static text); NULL: no failure */
} anypi_channel;

/* The rank in channel->comm of rank i of the communicator. */
static inline int anypi_channel_peer(const anypi_channel *channel, int i)
{
    return channel->ranks ? channel->ranks[i] : channel->first + i * channel->stride;
}

/* What ranks agree on about the context of a communicator; all members are maxima of all ranks. */
typedef struct anypi_context {
    uint64_t number;            /* the lowest that is free here; UINT64_MAX: the communicator can
                                 * have none */
    uint64_t unsure;            /* may the maximum be in use here? */
    uint64_t odd;               /* is this rank not where first and stride say? */
} anypi_context;

/* MPI_COMM_WORLD is ready, and all its ranks do this: makes the duplicate, and the channel of
 * MPI_COMM_WORLD. Without success communicators have one of their own each. */
void anypi_channels_open(anypi_channel *of_world);

/* Sets channel->first and stride of a communicator, where this is `rank`, and a proposal for its
 * context. Without `shared`, which a communicator of one rank is not, the proposal is none.
 * Local. */
void anypi_channel_propose(anypi_channel *channel, MPI_Comm comm, int rank, bool shared,
                           anypi_context *proposal);

/* Takes a context, from the maxima of all ranks' proposals, and translates ranks if they are not in
 * a straight line. If ranks have none, *channel stays without. MPI error code. Collective. */
int anypi_channel_take(anypi_channel *channel, MPI_Comm comm, int p, anypi_context *maximum);

/* If there is no channel yet, makes a communicator for it. Sets channel->missing, the same on all
 * ranks, if that is not possible. Collective. */
void anypi_channel_need(anypi_channel *channel, MPI_Comm comm);

/* The communicator ends. */
void anypi_channel_free(anypi_channel *channel);

/* MPI_COMM_WORLD ends. */
void anypi_channels_close(void);

/* Is is_so true on all ranks of a communicator? Collective. */
bool anypi_all_ranks(MPI_Comm comm, bool is_so);

/* Between these two, errors on the application's communicator do not call its error handler: that
 * AnyP can make no communicator is no error of the application. False: nothing was changed. */
bool anypi_silence_errors(MPI_Comm comm, MPI_Errhandler *handler);
void anypi_restore_errors(MPI_Comm comm, MPI_Errhandler *handler);

#endif
