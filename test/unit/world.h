/* SPDX-License-Identifier: BSD-3-Clause
 *
 * world.h - a call of all ranks in one process, on data: the program of each rank stops where its
 * messages are not complete and continues later, in random turns, as nonblocking collectives do.
 */
#ifndef UNIT_WORLD_H_INCLUDED
#define UNIT_WORLD_H_INCLUDED

#include "anyp.h"

enum { WORLD_RANKS = 32 };

/* The call of one rank of a set for `call` (its rank is ignored, its in_place as in
 * anypi_set_generate()). */
anyp_call world_call(const anyp_call *call, int rank);

/* Runs the schedules set[0 .. p-1] of these calls, p <= WORLD_RANKS, which the verifier accepts, on
 * buffers of just the size that they need, and checks the result against a loop over the ranks.
 * Elements are sums, or products of matrices if the operator does not commute, and a number that
 * depends on the brackets: `properties` are what the algorithm claims about these. *random is the
 * state of the turns. False: something is wrong, in one line. */
bool world_run(const anyp_schedule *set, const anyp_call *calls, unsigned properties,
               uint64_t *random, char *fault, size_t size);

#endif
