/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prune.h - the part of an allreduce that is needed if only one rank needs the result: the
 * reference for algorithms whose reduce is their allreduce restricted to what leads to the root.
 */
#ifndef ANYPI_TEST_PRUNE_H_INCLUDED
#define ANYPI_TEST_PRUNE_H_INCLUDED

#include "anyp.h"

/* A message: blocks first .. end-1 of the vector. */
typedef struct traffic {
    int from, to;
    int first, end;
} traffic;

/* The messages of a set of p schedules without orders of their own, sorted. If `root` is a rank,
 * only those are kept of which the root's OUT depends: a message is kept if something that is
 * needed later reads a block that it wrote. To be freed with free(). */
traffic *messages_of(const anyp_schedule *set, int p, int root, int *count);

#endif
