/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sample.h - compares the schedules of two calls by comparing those of some ranks.
 */
#ifndef ANYPI_SAMPLE_H_INCLUDED
#define ANYPI_SAMPLE_H_INCLUDED

#include "anyp.h"

/* Returns a hash of the schedules of all ranks of a call, or of a sample of ranks: differences
 * occur on many ranks. Two settings may lead to the same schedules, for example all thresholds
 * above the vector's size. 0: the algorithm does not serve the call, or there is no memory. */
uint64_t anypi_sample_hash(const anyp_algorithm *algorithm, anyp_call call, const int *parameters);

#endif
