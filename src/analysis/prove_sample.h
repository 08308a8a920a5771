/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prove_sample.h - checks of a sample of ranks at large p, with one schedule in memory at a time.
 *
 * The sample has rank 0, the root, the last ranks, those in the middle and around powers of two,
 * the ends of some nodes, and random ranks with a fixed seed. Of each of them:
 * - its schedule is valid by itself, as verify.h says under "each rank by itself";
 * - it and a partner have the same number of messages for each other, and the k-th SEND of one
 *   and the k-th RECV of the other hold the same blocks, and are the same piece of a message. (In
 *   an alltoall, whose scratch buffers have places instead of blocks: as many blocks.)
 *
 * This is no proof of results: that all ranks together make them, and that none waits forever, only
 * verify.h proves. A message that exists at one end only is found if this end is in the sample.
 */
#ifndef ANYPI_PROVE_SAMPLE_H_INCLUDED
#define ANYPI_PROVE_SAMPLE_H_INCLUDED

#include "anyp.h"

/* A rank is compared with all its partners, in random order, if they are not more than this, and
 * until it has taken its part of the time; else with a few of them, and in any case with these. */
enum { ANYPI_ALL_PARTNERS = 256, ANYPI_FEW_PARTNERS = 4 };

/* So many messages of a rank are compared with their other ends; the rest are counted. */
enum { ANYPI_COMPARED_MESSAGES = 1 << 18 };

typedef struct anypi_sample_proof {
    int ranks;                  /* that were checked */
    int64_t partners;           /* the sum of their partners, */
    int64_t compared_partners;  /* and that of those that they were compared with; */
    int64_t messages;           /* what they send these and receive from them, in steps, */
    int64_t compared_messages;  /* and how many of these were compared one by one */
} anypi_sample_proof;

/* The schedule of a rank, valid until the next call; NULL with another status. */
typedef const anyp_schedule *(*anypi_schedule_source)(void *state, int rank, anyp_status *status);

/* Checks a sample of at most `wanted` ranks of a call (whose rank is ignored, and in_place meant as
 * in anypi_set_generate()); fewer (at least one), if they take longer than so many seconds of
 * processor time. The call's collective has no local sizes. ANYP_ERR_SCHEDULE with a reason that
 * names rank, round and step; ANYP_ERR_MEMORY; or another status of the source (reason empty). */
anyp_status anypi_prove_sample_of(anypi_schedule_source source, void *state, const anyp_call *call,
                                  int wanted, double seconds, anypi_sample_proof *proof,
                                  char *reason, size_t size);

/* The same for what an algorithm generates. Statuses also those of anyp_generate(). */
anyp_status anypi_prove_sample(const anyp_algorithm *algorithm, const anyp_call *call,
                               const int *parameters, int wanted, double seconds,
                               anypi_sample_proof *proof, char *reason, size_t size);

#endif
