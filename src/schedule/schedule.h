/* SPDX-License-Identifier: BSD-3-Clause
 *
 * schedule.h - the builder that algorithms write their schedules with.
 *
 * Open a round, add its messages, then its local steps. Empty slices and empty rounds are left
 * out, and scratch buffers grow to hold what is written to them, so algorithms need no special
 * cases for them. After an error nothing more is added, and anypi_schedule_end() returns the error.
 */
#ifndef ANYPI_SCHEDULE_H_INCLUDED
#define ANYPI_SCHEDULE_H_INCLUDED

#include "anyp.h"

static inline anyp_slice anypi_slice(int buffer, int first, int end)
{
    return (anyp_slice) { buffer, first, end };
}

static inline anyp_slice anypi_block(int buffer, int index)
{
    return (anyp_slice) { buffer, index, index + 1 };
}

/* Is the step a message? Otherwise it is local. */
static inline bool anypi_is_message(const anyp_step *step)
{
    return step->kind == ANYP_SEND || step->kind == ANYP_RECV;
}

/* Empties the schedule for a rank of p and a vector of `blocks` blocks; keeps its memory. */
void anypi_schedule_begin(anyp_schedule *schedule, int p, int rank, int blocks);
/* Before any step: from now on scratch buffers keep the vector's blocks in an order of their own,
 * the same on all ranks. Returns room for `blocks` ints, to be filled with a permutation of the
 * blocks: block index i of a scratch buffer then holds block order[i mod blocks] of the vector.
 * NULL if there is no memory; anypi_schedule_end() returns that error. */
int *anypi_schedule_order(anyp_schedule *schedule);
/* Before any step that writes to it: the scratch buffer holds blocks first .. end-1 of each copy of
 * the vector only, so that many copies of a few blocks take little memory. Each slice of it is in
 * one copy then. `end` may be after the last block, up to first + n: copies begin at `first`. */
void anypi_scratch_window(anyp_schedule *schedule, int buffer, int first, int end);
/* The same for each `period` blocks of a copy, a divisor of n, instead of each copy. */
void anypi_scratch_windows(anyp_schedule *schedule, int buffer, int first, int end, int period);
/* Sets `overlap`, the number of later rounds that begin before a round has ended: see anyp.h. */
void anypi_schedule_overlap(anyp_schedule *schedule, int rounds);
/* The next steps belong to a new round. */
void anypi_round(anyp_schedule *schedule);
void anypi_send(anyp_schedule *schedule, int peer, anyp_slice from);
void anypi_recv(anyp_schedule *schedule, int peer, anyp_slice to);
/* to = from (+) to, `from` being the left operand */
void anypi_reduce(anyp_schedule *schedule, anyp_slice from, anyp_slice to);
void anypi_copy(anyp_schedule *schedule, anyp_slice from, anyp_slice to);
/* A message without data, SEND or RECV. */
void anypi_signal(anyp_schedule *schedule, anyp_step_kind kind, int peer);
/* A step like one of another schedule; moved(state, slice) is where a slice of it is here. */
void anypi_add_moved(anyp_schedule *schedule, anyp_step step,
                     anyp_slice (*moved)(const void *state, anyp_slice slice), const void *state);
/* An algorithm failed: anypi_schedule_end() returns its error. */
void anypi_schedule_fail(anyp_schedule *schedule, anyp_status error);
/* Closes the last round. */
anyp_status anypi_schedule_end(anyp_schedule *schedule);

/* Adds two ints to a hash. */
uint64_t anypi_hash_ints(uint64_t hash, int a, int b);
/* Adds all of a schedule but p and rank to a hash. */
uint64_t anypi_schedule_hash(uint64_t hash, const anyp_schedule *schedule);
/* Bytes of a schedule's memory, including the struct. */
size_t anypi_schedule_bytes(const anyp_schedule *schedule);

#endif
