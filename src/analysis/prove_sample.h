/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prove_sample.h - checks of a sample of ranks at large p, with one schedule in memory at a time.
 *
 * The sample contains rank 0, the root, the last ranks, the ranks in the middle and around powers
 * of two, the ends of some nodes, and random ranks with a fixed seed. For each rank it checks:
 * - its schedule is valid by itself, as verify.h says under "Each rank by itself";
 * - it and a partner have the same number of messages for each other, and the k-th SEND of one
 *   and the k-th RECV of the other hold the same blocks, and are the same piece of a message. (In
 *   an alltoall, whose scratch buffers have places instead of blocks: as many blocks.)
 *
 * This does not prove results. Only verify.h proves that all ranks together compute them, and that
 * no rank waits forever. A message that exists at one end only is found if this end is in the
 * sample.
 */
#ifndef ANYPI_PROVE_SAMPLE_H_INCLUDED
#define ANYPI_PROVE_SAMPLE_H_INCLUDED

#include "anyp.h"

/* If a rank has at most ANYPI_ALL_PARTNERS partners, it is compared with all of them, in random
 * order, until it has used its part of the time. Otherwise it is compared with a few of them. In
 * any case it is compared with ANYPI_FEW_PARTNERS. */
enum { ANYPI_ALL_PARTNERS = 256, ANYPI_FEW_PARTNERS = 4 };

/* This many messages of a rank are compared with their other ends; the rest is only counted. */
enum { ANYPI_COMPARED_MESSAGES = 1 << 18 };

typedef struct anypi_sample_proof {
    int ranks;                  /* number of checked ranks */
    int64_t partners;           /* the sum of their partners */
    int64_t compared_partners;  /* the sum of the partners that they were compared with */
    int64_t messages;           /* steps: messages to and from compared partners */
    int64_t compared_messages;  /* how many of these were compared one by one */
} anypi_sample_proof;

/* Returns the schedule of a rank, valid until the next call; NULL with another status. */
typedef const anyp_schedule *(*anypi_schedule_source)(void *state, int rank, anyp_status *status);

/* Checks a sample of at most `wanted` ranks of a call. The call's rank is ignored, and in_place is
 * as in anypi_set_generate(). The sample is smaller (at least one rank) if it would take more than
 * `seconds` of processor time. The call's collective must not have local sizes.
 * ANYP_ERR_SCHEDULE with a reason that names rank, round and step; ANYP_ERR_MEMORY; or another
 * status of the source (reason empty). */
anyp_status anypi_prove_sample_of(anypi_schedule_source source, void *state, const anyp_call *call,
                                  int wanted, double seconds, anypi_sample_proof *proof,
                                  char *reason, size_t size);

/* As above, for the schedules that an algorithm generates. Also returns anyp_generate()'s
 * errors. */
anyp_status anypi_prove_sample(const anyp_algorithm *algorithm, const anyp_call *call,
                               const int *parameters, int wanted, double seconds,
                               anypi_sample_proof *proof, char *reason, size_t size);

#endif
