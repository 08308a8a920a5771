/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prove_sample.h - checks of a sample of ranks at large p (rank_sample.h), with two schedules in
 * memory at a time. For each rank of the sample it checks:
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

#include "analysis/rank_sample.h"

/* If a rank has at most ANYPI_ALL_PARTNERS partners, it is compared with all of them, in random
 * order, until it has used its part of the time. Otherwise it is compared with a few of them. In
 * any case it is compared with ANYPI_FEW_PARTNERS. */
enum { ANYPI_ALL_PARTNERS = 256, ANYPI_FEW_PARTNERS = 4 };

typedef struct anypi_sample_proof {
    int ranks;                  /* number of checked ranks */
    int64_t partners;           /* the sum of their partners */
    int64_t compared_partners;  /* the sum of the partners that they were compared with */
    int64_t messages;           /* steps: messages to and from compared partners */
} anypi_sample_proof;

/* Checks a sample that has just begun. The call's collective must not have local sizes.
 * ANYP_ERR_SCHEDULE with a reason that names rank, round and step; ANYP_ERR_MEMORY; or another
 * status of anyp_generate() (reason empty). */
anyp_status anypi_prove_sample(anypi_rank_sample *sample, anypi_sample_proof *proof, char *reason,
                               size_t size);

#endif
