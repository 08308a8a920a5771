/* SPDX-License-Identifier: BSD-3-Clause
 *
 * four.h - the four collectives, called and checked: for programs that test what else the plug-in
 * does.
 */
#ifndef ANYPI_TEST_FOUR_H_INCLUDED
#define ANYPI_TEST_FOUR_H_INCLUDED

#include "anyp.h"

#include <mpi.h>

/* The first error code of four calls on the communicator (intracommunicators only), sums of `count`
 * elements per rank; -1 if all returned MPI_SUCCESS and a result is wrong. */
int four_calls(MPI_Comm comm, int count);

/* What ran the collective last, "circulant"; "own" for the MPI library's; "none" where there is no
 * plug-in. */
const char *four_ran(anyp_collective collective);

#endif
