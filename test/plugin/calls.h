/* SPDX-License-Identifier: BSD-3-Clause
 *
 * calls.h - calls and checks the reductions, for programs that test something else in the plug-in.
 */
#ifndef ANYPI_TEST_CALLS_H_INCLUDED
#define ANYPI_TEST_CALLS_H_INCLUDED

#include "anyp.h"

#include <mpi.h>

/* Calls each on the communicator (intracommunicators only), for sums of `count` elements per rank.
 * Returns the first error code; -1 if all returned MPI_SUCCESS and a result is wrong. */
int call_all(MPI_Comm comm, int count);

/* What ran the collective last, "circulant"; "own" for the MPI library's; "none" where there is no
 * plug-in. */
const char *what_ran(anyp_collective collective);

#endif
