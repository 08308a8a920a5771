/* SPDX-License-Identifier: BSD-3-Clause
 *
 * rank_sample.h - schedules of some ranks of a call, one after the other, at any p.
 *
 * The sample contains the root, the first and last ranks, ranks in the middle and around powers of
 * two from either end, ranks of some nodes, and random ranks with a fixed seed. It can have room
 * for ranks that its user adds. If it has room for all ranks, it contains all.
 */
#ifndef ANYPI_RANK_SAMPLE_H_INCLUDED
#define ANYPI_RANK_SAMPLE_H_INCLUDED

#include "anyp.h"

#include <time.h>

typedef struct anypi_rank_sample {
    const anyp_algorithm *algorithm;
    const anyp_call *call;      /* its rank is ignored, in_place is as in anypi_set_generate() */
    const int *parameters;
    const anyp_schedule *(*planted)(const void *state, int rank);   /* for tests; NULL: generate */
    const void *state;          /* for this function */
    int wanted;                 /* the largest number of ranks */
    double seconds;             /* of processor time, after which it ends; at least one rank */
    /* private */
    int *ranks, count;          /* without duplicates */
    int taken;                  /* of these, returned */
    uint64_t *listed;           /* a bit per rank */
    uint64_t random;
    clock_t begin;
    anyp_schedule schedule, other;
} anypi_rank_sample;

/* Begins a sample of at most `wanted` ranks, with room for `added` of these that the user adds.
 * ANYP_SUCCESS or ANYP_ERR_MEMORY; free it in both cases. */
anyp_status anypi_sample_begin(anypi_rank_sample *sample, const anyp_algorithm *algorithm,
                               const anyp_call *call, const int *parameters, int wanted, int added,
                               double seconds);
void anypi_sample_free(anypi_rank_sample *sample);

/* Adds a rank to the sample if it is new and there is room. */
void anypi_sample_add(anypi_rank_sample *sample, int rank);

/* Returns the schedule of the next rank, valid until the next call. NULL: with ANYP_SUCCESS, the
 * sample has ended; otherwise, a status of anyp_generate(). */
const anyp_schedule *anypi_sample_next(anypi_rank_sample *sample, anyp_status *status);

/* Returns the schedule of any rank, valid until the next call; the one of anypi_sample_next() stays
 * valid. NULL with another status. */
const anyp_schedule *anypi_sample_other(anypi_rank_sample *sample, int rank, anyp_status *status);

/* Has the sample used this part of its time? */
bool anypi_sample_used(const anypi_rank_sample *sample, double part);

/* Returns a random number from 0 to end - 1. */
int anypi_sample_draw(anypi_rank_sample *sample, int end);

/* Returns a hash of the schedules of all ranks of a call, or of a sample of ranks: differences
 * occur on many ranks. Two settings may lead to the same schedules, for example all thresholds
 * above the vector's size. 0: the algorithm does not serve the call, or there is no memory. */
uint64_t anypi_sample_hash(const anyp_algorithm *algorithm, anyp_call call, const int *parameters);

#endif
