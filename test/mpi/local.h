/* SPDX-License-Identifier: BSD-3-Clause
 *
 * local.h - for call.c: the blocks of a call in which only sender and receiver know a block's
 * size. Their sizes are drawn. Each rank describes them by another datatype, and in an alltoallw
 * each block by another, and has them anywhere in its memory; arguments that MPI ignores are wrong.
 */
#ifndef ANYPI_TEST_LOCAL_H_INCLUDED
#define ANYPI_TEST_LOCAL_H_INCLUDED

#include "call.h"

#include "measure/calls.h"

/* Opens the buffers, and sets the input. */
void local_open(const test_call *t, test_run *r);
void local_close(test_run *r);
/* Sets what is in the output before the call, and what must be in it after. */
void local_prepare(const test_call *t, test_run *r);
/* The call's arguments. */
void local_give(const test_call *t, const test_run *r, anypi_mpi_call *c);

#endif
