/* SPDX-License-Identifier: BSD-3-Clause
 *
 * accumulate.h - the partial result of one rank, to which slices of partners are added one by one.
 *
 * MPI's local reduction leaves the result where its right operand was. So if a rank is the left
 * operand, its partial result moves to the buffer into which it received. The partial result is
 * first in the input, and then in one of two buffers, the result buffer and a temporary one. If
 * there is a choice, it uses the buffer from which the remaining changes lead to the result buffer.
 * Plain copies are needed only if a rank's input is the right operand (which must not be written),
 * or if the last sum is not in the result buffer.
 */
#ifndef ANYPI_ACCUMULATE_H_INCLUDED
#define ANYPI_ACCUMULATE_H_INCLUDED

#include "anyp.h"

typedef struct anypi_range {
    int first, end;             /* block indices */
} anypi_range;

/* Returns a range of a buffer as a slice. */
static inline anyp_slice anypi_part(int buffer, anypi_range range)
{
    return (anyp_slice) { buffer, range.first, range.end };
}

/* One rank's part in one round; a peer is -1 if there is none. */
typedef struct anypi_move {
    int to, from;
    anypi_range gives, keeps;   /* sent to `to`; received from `from` and reduced */
    bool left;                  /* this rank's operand is the left one */
    bool may_exchange;          /* operands may be exchanged: the operator commutes, and no other
                                 * rank computes the same blocks */
} anypi_move;

typedef struct anypi_accumulator {
    int at;                     /* the buffer that holds the partial result */
    int result, temporary;      /* the buffers that may be written */
    int changes;                /* how often it must still change the buffer */
} anypi_accumulator;

/* Must this move change the buffer of the partial result? */
static inline bool anypi_must_change(const anypi_move *move)
{
    return move->from >= 0 && move->left && !move->may_exchange;
}

/* Begins with the rank's input. The result buffer is OUT or, on a rank without OUT, scratch 0; the
 * temporary one is the next scratch buffer. `changes` is the number of coming moves with
 * anypi_must_change(); it affects only copies. */
anypi_accumulator anypi_accumulator_begin(const anyp_call *call, int changes);

/* For a reduce-scatter whose schedule has an order: first copies the input to the result buffer in
 * this order. */
void anypi_accumulator_pack(anypi_accumulator *accumulator, anyp_schedule *schedule);

/* The buffers of the operands and of the sum of the next step. */
typedef struct anypi_step_buffers {
    int sum;                    /* the buffer that will hold the sum */
    int received;               /* the buffer of the received operand (the last of several) */
    bool copies;                /* the own operand must be copied to `sum` first */
} anypi_step_buffers;

/* Returns the buffers of a step in which this rank's operand is left of a received one if `left`,
 * otherwise the last; see anypi_move. Counts the change. */
anypi_step_buffers anypi_accumulator_next(anypi_accumulator *accumulator, bool left,
                                          bool may_exchange);

/* Adds one round, with the move. Its ranges are blocks of the vector, in every buffer. */
void anypi_accumulate(anypi_accumulator *accumulator, const anypi_move *move,
                      anyp_schedule *schedule);

/* As above in the open round, which may have more messages. */
void anypi_accumulate_here(anypi_accumulator *accumulator, const anypi_move *move,
                           anyp_schedule *schedule);

/* Copies the sum, blocks of `range`, to the result buffer if it is not there, as a local step of
 * the open round. */
void anypi_accumulator_end(anypi_accumulator *accumulator, anypi_range range,
                           anyp_schedule *schedule);

#endif
