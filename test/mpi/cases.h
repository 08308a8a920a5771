/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cases.h - the block sizes of the tests' calls; which calls AnyP serves, and which cannot be
 * tested.
 */
#ifndef ANYPI_TEST_CASES_H_INCLUDED
#define ANYPI_TEST_CASES_H_INCLUDED

#include "call.h"

/* Does the candidate serve the call? */
bool call_is_served(const test_call *t);

/* MPICH 4.0.2's own reduce-scatters are wrong in place where a block is longer than what is in
 * front of it (a memcpy that overlaps: it aborts), and for an operator that does not commute if the
 * type has gaps and p is a power of two (true extent for extent). Its allgatherv fails with some
 * counts if ranks describe blocks by different types; its gather, scatter and alltoall in place, if
 * types have gaps. Its persistent gather and scatter are right once only, and like its allgather
 * release communicator or types each time. Open MPI 4.1.4's own allreduce of long vectors writes
 * past the end of its buffer if the type has gaps. Those calls are not tested. */
bool library_goes_wrong(const test_call *t);

/* Block sizes of a vector of `count` elements; returns their name. `shape` from 0 on; NULL: no
 * more. Equal blocks are rounded up. */
const char *block_counts(const test_call *t, int shape, int64_t count, int *counts);
/* Where blocks begin in the output of data that are moved; with gaps, in reverse order, on some
 * ranks in shape 3. */
void set_places(const test_call *t, int shape, int *displs);
int64_t total(const int *counts, int p);

#endif
