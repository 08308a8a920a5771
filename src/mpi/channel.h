/* SPDX-License-Identifier: BSD-3-Clause
 *
 * channel.h - the communicator and tag for AnyP's messages of one of the application's
 * communicators.
 *
 * Communicators of ranks of MPI_COMM_WORLD share one duplicate of MPI_COMM_WORLD, which MPI_Init
 * makes. There each communicator has its own tag, the context. No other communicator that shares
 * two of its ranks has the same context.
 *
 * For each other communicator AnyP makes a communicator of the same ranks: for communicators of
 * sessions and of several worlds, and for those made when all contexts are in use.
 */
#ifndef ANYPI_MPI_CHANNEL_H_INCLUDED
#define ANYPI_MPI_CHANNEL_H_INCLUDED

#include "mpi/pmpi.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct anypi_channel {
    MPI_Comm comm;              /* MPI_COMM_NULL: none, or not yet */
    int tag;                    /* of all messages of blocking calls */
    int rank;                   /* of this process in comm */
    int first, stride;          /* in comm, the communicator's rank i is first + i * stride, */
    int *ranks;                 /* or, if not NULL, ranks[i] */
    bool shared;                /* comm is the duplicate of MPI_COMM_WORLD */
    int inside;                 /* 1: all ranks share memory; -1: no; 0: not known yet */
    bool failed;                /* a call has failed: some of its messages may still be under way */
    const char *missing;        /* why there is no channel (static text); NULL: no failure */
} anypi_channel;

/* Returns the rank in channel->comm of the communicator's rank i. */
static inline int anypi_channel_peer(const anypi_channel *channel, int i)
{
    return channel->ranks ? channel->ranks[i] : channel->first + i * channel->stride;
}

/* What ranks agree on to find a context. Each member is the maximum over all ranks. */
typedef struct anypi_context {
    uint64_t number;            /* the lowest number that is free on this rank; UINT64_MAX: no
                                 * context is possible */
    uint64_t unsure;            /* the maximum may be in use on this rank */
    uint64_t odd;               /* this rank is not at the place given by first and stride */
} anypi_context;

/* Makes the duplicate of MPI_COMM_WORLD, and the channel of MPI_COMM_WORLD. If this fails, each
 * communicator needs one of its own. Collective over MPI_COMM_WORLD, when that is ready. */
void anypi_channels_open(anypi_channel *of_world);

/* Sets channel->first and stride of a communicator in which this process is `rank`, and proposes a
 * context. If `shared` is false, as for a communicator of one rank, proposes none. Local. */
void anypi_channel_propose(anypi_channel *channel, MPI_Comm comm, int rank, bool shared,
                           anypi_context *proposal);

/* Takes a context, given the maxima of all ranks' proposals, and translates ranks without a
 * constant stride. If ranks find no context, *channel stays without. Returns an MPI error code.
 * Collective. */
int anypi_channel_take(anypi_channel *channel, MPI_Comm comm, int p, anypi_context *maximum);

/* Makes a communicator for the channel, unless there is a channel. If this is not possible, sets
 * channel->missing, on all ranks to the same reason. Collective. */
void anypi_channel_need(anypi_channel *channel, MPI_Comm comm);

/* Returns the number of tags that a channel has beside that of its blocking calls. */
int anypi_channels_turns(void);
/* Returns tag 1 .. anypi_channels_turns() of a channel. */
int anypi_channel_tag(const anypi_channel *channel, int turn);

/* Lets the MPI library move the program's messages. It probes for a message that nobody sends:
 * libraries do nothing else if there is one. On MPI_COMM_SELF, MPICH would do nothing. */
void anypi_channels_poll(void);

/* Frees the channel of a communicator that ends. */
void anypi_channel_free(anypi_channel *channel);

/* Frees what anypi_channels_open() has made. */
void anypi_channels_close(void);

/* Returns whether is_so is true on all ranks of a communicator. Collective. */
bool anypi_all_ranks(MPI_Comm comm, bool is_so);

/* Between these two calls, errors on the application's communicator do not call its error handler:
 * if AnyP can make no communicator, the application has made no error. The first returns false if
 * nothing was changed; the second must then not be called. */
bool anypi_silence_errors(MPI_Comm comm, MPI_Errhandler *handler);
void anypi_restore_errors(MPI_Comm comm, MPI_Errhandler *handler);

#endif
