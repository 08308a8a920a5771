/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pairs.h - alltoallv, gatherv and scatterv for test/sim/time.c: buffers, calls and their results.
 */
#ifndef SIM_PAIRS_H
#define SIM_PAIRS_H

#include "analysis/sizes.h"
#include "anyp.h"

#include <mpi.h>
#include <stdbool.h>

/* Prepares calls in which each pair of ranks has its bytes of src/analysis/sizes.h; the root is
 * rank 0. What was prepared before is freed. */
void pairs_prepare(anyp_collective collective, anypi_sizes kind, int64_t mean);

/* Fills the buffers anew, and clears what is received. */
void pairs_fill(void);

/* Makes the call; returns its error. */
int pairs_call(MPI_Comm comm);

/* Did this rank receive what belongs to it, and nothing more? */
bool pairs_right(void);

#endif
