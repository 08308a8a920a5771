/* SPDX-License-Identifier: BSD-3-Clause
 *
 * count_sample.h - the cost of a call at large p: counts of a sample of ranks, with one schedule in
 * memory at a time.
 *
 * It is the sample of rank_sample.h, and the peers of its ranks, which lead to the busy ranks of a
 * tree. A maximum over the sample is a lower bound of the maximum over all ranks.
 */
#ifndef ANYPI_COUNT_SAMPLE_H_INCLUDED
#define ANYPI_COUNT_SAMPLE_H_INCLUDED

#include "analysis/simulate.h"

typedef struct anypi_sample_counts {
    double time;                /* for the caller */
    anypi_counts most;          /* the maximum over the sample of each member */
    int ranks;                  /* in the sample */
    int64_t card_bytes;         /* the maximum over the nodes that are completely in the sample;
                                 * -1: there is none */
} anypi_sample_counts;

/* Counts a sample of at most `wanted` ranks. The sample is smaller (at least one rank) if it would
 * take more than `seconds` of processor time. Statuses as anyp_generate(); ANYP_ERR_ARGUMENT if a
 * rank moves more bytes than 64 bits can count. */
anyp_status anypi_count_sample(const anyp_algorithm *algorithm, const anyp_call *call,
                               const int *parameters, int wanted, double seconds,
                               anypi_sample_counts *counts);

#endif
