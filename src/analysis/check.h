/* SPDX-License-Identifier: BSD-3-Clause
 *
 * check.h - the first part of the verifier: checks the schedule of one rank by itself, and sets
 * whose messages have no data. verify.h lists the checks.
 */
#ifndef ANYPI_ANALYSIS_CHECK_H_INCLUDED
#define ANYPI_ANALYSIS_CHECK_H_INCLUDED

#include "anyp.h"

/* The block indices that each buffer of a rank holds: first .. end-1. */
typedef struct anypi_extents {
    int first[ANYP_BUFFERS], end[ANYP_BUFFERS];
    int blocks;                 /* of the vector */
    int gap[ANYP_BUFFERS];      /* blocks of each period that a scratch buffer leaves out */
    int period[ANYP_BUFFERS];   /* if there is a gap: blocks of the vector, or a part of it; */
    int window[ANYP_BUFFERS];   /* and the first block of a period that the buffer has */
} anypi_extents;

/* Returns the position of block index i in a buffer, from 0. */
static inline size_t anypi_index_in(const anypi_extents *extents, int buffer, int i)
{
    const int first = extents->first[buffer], gap = extents->gap[buffer];
    const int window = extents->window[buffer], n = extents->period[buffer];
    const int periods = gap ? (i - window) / n - (first - window) / n : 0;
    return (size_t) (i - first) - (size_t) periods * (size_t) gap;
}

/* Returns the number of blocks that a buffer holds. */
static inline size_t anypi_size_of(const anypi_extents *extents, int buffer)
{
    const int first = extents->first[buffer], end = extents->end[buffer];
    return first == end ? 0 : anypi_index_in(extents, buffer, end - 1) + 1;
}

/* The state of the checks. */
typedef struct anypi_set_checker {
    const anyp_call *call;      /* its rank does not matter */
    int blocks;                 /* the number that all ranks must have */
    const int *order;           /* the order that all ranks must have */
    uint64_t *bits;             /* a bit per block of OUT and scratch, 0 at first: what the current
                                 * round receives */
    char *reason;               /* receives the error */
    size_t size;
} anypi_set_checker;

/* The position of a step, for error messages; step -1: the whole round; round -1: the rank. */
typedef struct anypi_step_position {
    int rank, round, step;
} anypi_step_position;

/* Writes checker->reason and returns ANYP_ERR_SCHEDULE. */
anyp_status anypi_wrong(const anypi_set_checker *checker, anypi_step_position at,
                        const char *format, ...)
    __attribute__ ((format(printf, 3, 4)));
#define anypi_wrong_rank(checker, rank, ...)                                                       \
    anypi_wrong(checker, (anypi_step_position) { rank, -1, -1 }, __VA_ARGS__)

/* Returns "IN", "OUT" or "scratch". */
const char *anypi_buffer_name(int buffer);

/* Are these the same blocks of the vector, possibly of different copies of it? */
bool anypi_same_blocks(const anypi_set_checker *checker, anyp_slice a, anyp_slice b);

/* Stage 1: checks that the schedule is consistent and belongs to this rank. Needs no bits. */
anyp_status anypi_check_shape(anypi_set_checker *checker, const anyp_schedule *schedule, int rank);

/* Stage 2, once: checks that the order of all ranks is a permutation. Needs a bit per block. */
anyp_status anypi_check_order(anypi_set_checker *checker);

/* Stage 3: sets what the rank's buffers hold. Returns the number of blocks of OUT and scratch. */
size_t anypi_extents_of(const anypi_set_checker *checker, const anyp_schedule *schedule,
                        anypi_extents *extents);

/* Stage 4: checks the rank's steps, one after the other and the steps of each round together. */
anyp_status anypi_check_steps(anypi_set_checker *checker, const anyp_schedule *schedule,
                              const anypi_extents *extents);

/* Proves that a set is a barrier. ANYP_ERR_SCHEDULE: a rank may end before it has heard, directly
 * or through others, that every rank has begun. ANYP_ERR_MEMORY. */
anyp_status anypi_check_barrier(anypi_set_checker *checker, const anyp_schedule *set);

#endif
