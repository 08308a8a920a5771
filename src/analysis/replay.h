/* SPDX-License-Identifier: BSD-3-Clause
 *
 * replay.h - replays a whole set of schedules without data, clock or MPI. The verifier and the
 * simulator are visitors of this engine.
 *
 * Every rank runs its rounds in order. A message moves when both ends are in the rounds that
 * contain it, so nothing depends on the buffering of an MPI library. When all messages of a round
 * have moved, the rank runs the local steps of the round and enters its next round. The result of a
 * correct set does not depend on the order in which the engine moves messages.
 */
#ifndef ANYPI_REPLAY_H_INCLUDED
#define ANYPI_REPLAY_H_INCLUDED

#include "anyp.h"

/* A SEND and its RECV. Messages from one rank to another match in the order of their steps. Several
 * in one round are the pieces of one message; both ends must have the same pieces. */
typedef struct anypi_message {
    int from, to;               /* ranks */
    int from_round, to_round;
    int from_step, to_step;     /* indices into set[from].steps and set[to].steps */
    anyp_slice sent, received;  /* of these steps */
    int piece;                  /* its index in the message */
} anypi_message;

/* The functions of a visitor. Any status but ANYP_SUCCESS ends the replay and is returned. */
typedef struct anypi_visitor {
    void *state;                /* for the functions */
    /* Both ends are in their rounds; the pieces of a message come in no particular order. */
    anyp_status (*moved)(void *state, const anypi_message *message);
    /* All messages of this rank's round have moved; its local steps follow. Called for every round,
     * also without local steps or messages. NULL: it is not called. */
    anyp_status (*finished)(void *state, int rank, int round);
} anypi_visitor;

/* Replays set[0 .. p-1]. Slices are not checked. Time is proportional to p and the number of steps,
 * memory to p and the number of messages that wait at one end.
 * ANYP_ERR_SCHEDULE with the reason: a peer does not exist, a message has no counterpart or another
 * number of pieces there, or ranks wait for each other forever. ANYP_ERR_MEMORY (reason empty).
 * Otherwise the status of the visitor. */
anyp_status anypi_replay(const anyp_schedule *set, int p, const anypi_visitor *visitor,
                         char *reason, size_t size);

#endif
