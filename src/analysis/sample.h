/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sample.h - compares the schedules of calls by those of some ranks.
 */
#ifndef ANYPI_SAMPLE_H_INCLUDED
#define ANYPI_SAMPLE_H_INCLUDED

#include "anyp.h"

/* A hash of the schedules of all ranks of a call, or of a sample of them: differences occur on many
 * ranks. Two settings may make the same schedules: all thresholds above the vector's size do. 0:
 * the algorithm does not serve the call, or there is no memory. */
uint64_t anypi_sample_hash(const anyp_algorithm *algorithm, anyp_call call, const int *parameters);

#endif
