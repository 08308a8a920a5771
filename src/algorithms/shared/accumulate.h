/* SPDX-License-Identifier: BSD-3-Clause
 *
 * accumulate.h - the partial result of one rank, which takes in a partner's slice at a time.
 *
 * MPI's local reduction leaves the result where its right operand was. So a rank that is the left
 * operand goes on in the buffer that it received into: what it has accumulated changes its buffer.
 * It lies in the input at first and then in one of two buffers, `home` and `spare`; whenever there
 * is a choice, a sum goes to where the changes to come will lead home. Plain copies are needed only
 * where a rank's input is the right operand (which must not be written) or the last sum is not at
 * home.
 */
#ifndef ANYPI_ACCUMULATE_H_INCLUDED
#define ANYPI_ACCUMULATE_H_INCLUDED

#include "anyp.h"

typedef struct anypi_range {
    int first, end;             /* block indices */
} anypi_range;

/* What a rank does in one round; the peers are -1 where there is none. */
typedef struct anypi_move {
    int to, from;
    anypi_range gives, keeps;   /* sent to `to`; received from `from` and reduced */
    bool left;                  /* this rank's operand is the left one */
    bool may_exchange;          /* operands may change places: the operator commutes, and no other
                                 * rank computes the same blocks */
} anypi_move;

typedef struct anypi_accumulator {
    int at;                     /* the buffer that holds the partial result */
    int home, spare;            /* the buffers that may be written */
    int changes;                /* times that it will still have to change the buffer */
} anypi_accumulator;

/* Must this move change the buffer of what is accumulated? */
static inline bool anypi_must_change(const anypi_move *move)
{
    return move->from >= 0 && move->left && !move->may_exchange;
}

/* The rank's input, to be accumulated into OUT or, where the call gives the rank none, scratch 0;
 * spare is the first scratch buffer behind. `changes` counts the moves to come that
 * anypi_must_change(); only copies depend on it. */
anypi_accumulator anypi_accumulator_begin(const anyp_call *call, int changes);

/* A reduce-scatter whose schedule has an order: first of all, the input goes home in that order. */
void anypi_accumulator_pack(anypi_accumulator *accumulator, anyp_schedule *schedule);

/* Where the operands and the sum of the next step lie. */
typedef struct anypi_landing {
    int goal;                   /* the buffer that will hold the sum */
    int lands;                  /* what is received (last, of several) goes there */
    bool copies;                /* first of all, the own operand must be copied to `goal` */
} anypi_landing;

/* For a step in which this rank's operand is `left` of one that it receives, or else the last one;
 * see anypi_move. Counts the change. */
anypi_landing anypi_accumulator_lands(anypi_accumulator *accumulator, bool left,
                                      bool may_exchange);

/* One round: what the move says. Its ranges are blocks of the vector, in every buffer. */
void anypi_accumulate(anypi_accumulator *accumulator, const anypi_move *move,
                      anyp_schedule *schedule);

/* The same in the round that is open, which may have more messages. */
void anypi_accumulate_here(anypi_accumulator *accumulator, const anypi_move *move,
                           anyp_schedule *schedule);

/* Brings the sum, blocks of `range`, home. Local: it belongs to the open round. */
void anypi_accumulator_end(anypi_accumulator *accumulator, anypi_range range,
                           anyp_schedule *schedule);

/* A range of a buffer. */
anyp_slice anypi_part(int buffer, anypi_range range);

#endif
