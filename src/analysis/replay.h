/* SPDX-License-Identifier: BSD-3-Clause
 *
 * replay.h - plays a whole set of schedules without data, clock or MPI. The verifier, the simulator
 * and the drawing of expressions are visitors of this one engine.
 *
 * Every rank goes through its rounds in order. A message moves when both ends have come to the
 * rounds that have it (so nothing depends on an MPI library's buffering), a rank does its round's
 * local steps when all of the round's messages have moved, and then enters its next round. What a
 * correct set computes does not depend on which of the possible orders the engine takes.
 */
#ifndef ANYPI_REPLAY_H_INCLUDED
#define ANYPI_REPLAY_H_INCLUDED

#include "anyp.h"

/* A SEND and the RECV that it belongs to. Those from one rank to another match in the order of
 * their steps; several in one round are the pieces of one message, and both ends cut it
 * alike. */
typedef struct anypi_message {
    int from, to;               /* ranks */
    int from_round, to_round;
    int from_step, to_step;     /* indices into set[from].steps and set[to].steps */
    anyp_slice sent, received;  /* of these steps */
    int piece;                  /* which piece of its message: 0, 1, ... */
} anypi_message;

/* What a visitor is told; any status but ANYP_SUCCESS ends the run and is returned. */
typedef struct anypi_visitor {
    void *state;                /* handed to the functions */
    /* Both ends are in their rounds; the pieces of a message come in no particular order. */
    anyp_status (*moved)(void *state, const anypi_message *message);
    /* All messages of this rank's round have moved: its local steps follow. Called for every round,
     * also for those without local steps or without messages. */
    anyp_status (*finished)(void *state, int rank, int round);
} anypi_visitor;

/* Plays set[0 .. p-1]. ANYP_ERR_SCHEDULE with one sentence in `reason` if a peer does not exist, a
 * message has no counterpart, its pieces differ in number, or ranks wait for each other for ever;
 * ANYP_ERR_MEMORY (reason empty); else what the visitor returned. Slices are not looked at. Time
 * is proportional to p and the number of steps; memory to p and the messages for which one end
 * waits at a time. */
anyp_status anypi_replay(const anyp_schedule *set, int p, const anypi_visitor *visitor,
                         char *reason, size_t size);

#endif
