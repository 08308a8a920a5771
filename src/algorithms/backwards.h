/* SPDX-License-Identifier: BSD-3-Clause
 *
 * backwards.h - the schedules of reductions, run backwards, move data: reduce becomes bcast,
 * reduce_scatter_block allgather, and reduce_scatter allgatherv. Those of gather become scatter.
 *
 * Of a rank's schedule, rounds and their messages are taken in reverse order, and what was sent is
 * received. All slices become the same blocks of OUT, each block once in a message; a message whose
 * blocks do not follow each other in the vector becomes several pieces. Local steps are left out,
 * but an allgather copies the rank's own block from IN to OUT, unless it is in place. Since both
 * ends of a message do the same, each rank can do this alone. What a rank sends backwards it has
 * received before, since forwards it sent the sum of what it received.
 *
 * In a scatter a rank that passes blocks on has them in scratch; the others receive theirs in OUT,
 * and the root sends from IN.
 *
 * If the caller's memory has gaps, its input is copied before the first message (packed), and if
 * its output has, all messages use a scratch buffer, which is copied after the last one (unpacked).
 * The messages are the same, so other ranks need not know.
 *
 * No message goes to the root of a bcast, which has everything, and no piece of a message repeats
 * the blocks of another: both ends know it. Other blocks may arrive where they are already, since
 * forwards a rank sends a part of a sum to a rank that has another part. The closed form of the
 * reduction, without its local steps, holds as an upper bound.
 * Source: Träff 2024, sections 1, 2.1 and 4, for his graph; Bar-Noy & Kipnis 1992 have the way
 * back of postal.
 */
#ifndef ANYPI_BACKWARDS_H_INCLUDED
#define ANYPI_BACKWARDS_H_INCLUDED

#include "anyp.h"

/* The reduction whose schedules, run backwards, do the call; that whose messages a barrier has
 * (barrier.h); of a reduction, the call itself. */
anyp_call anypi_forward_call(const anyp_call *call);

/* Writes the schedule of `call` from that of anypi_forward_call(call). Statuses as
 * anyp_generate(). */
anyp_status anypi_run_backwards(const anyp_call *call, const anyp_schedule *forward,
                                anyp_schedule *schedule);

#endif
