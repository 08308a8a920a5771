/* SPDX-License-Identifier: BSD-3-Clause
 *
 * backwards.h - runs the schedules of reductions backwards, which moves data: reduce becomes bcast,
 * reduce_scatter_block allgather, and reduce_scatter allgatherv. Gather becomes scatter.
 *
 * Rounds and messages of a rank's schedule are taken in reverse order, and sends become receives.
 * - All slices become the same blocks of OUT, each block once in a message. If the blocks of a
 *   message do not follow each other in the vector, it becomes several pieces.
 * - Local steps are left out, but an allgather copies the rank's own block from IN to OUT, unless
 *   it is in place.
 * - Both ends of a message do the same, so each rank can do this alone. A rank has received
 *   everything that it sends backwards, since forwards it sent the sum of what it received.
 * - In a scatter a rank that forwards blocks has them in scratch. The others receive their blocks
 *   in OUT, and the root sends from IN.
 * - If the caller's input has gaps, it is copied before the first message (packed). If the output
 *   has gaps, all messages use a scratch buffer, which is copied after the last message (unpacked).
 *   The messages are the same, so other ranks need not know.
 * - No message goes to the root of a bcast, which has everything, and no piece of a message repeats
 *   the blocks of another: both ends know this. Other blocks may arrive where they are already,
 *   since forwards a rank sends a part of a sum to a rank that has another part.
 *
 * The closed form of the reduction, without its local steps, is an upper bound.
 *
 * A barrier is not run backwards: it has the rounds and messages of an allreduce, without data and
 * local steps. Each result of an allreduce depends on each input, so each rank ends after all have
 * begun. So gather_reduce, and exchange among ranks that replicate, are dissemination with any
 * radix, and binomial is a tree.
 * Sources: Träff 2024, sections 1, 2.1 and 4, for his graph; Bar-Noy & Kipnis 1992 describe the way
 * back of postal. Hensgen, Finkel & Manber 1988 have the barrier of radix 2.
 */
#ifndef ANYPI_BACKWARDS_H_INCLUDED
#define ANYPI_BACKWARDS_H_INCLUDED

#include "anyp.h"

/* Returns the reduction whose schedules, run backwards, execute the call. For a barrier, returns
 * the allreduce with the same messages, of one element without bytes; for a reduction, the call
 * itself. */
anyp_call anypi_forward_call(const anyp_call *call);

/* Writes the schedule of `call` from that of anypi_forward_call(call). Statuses as
 * anyp_generate(). */
anyp_status anypi_run_backwards(const anyp_call *call, const anyp_schedule *forward,
                                anyp_schedule *schedule);

/* Writes the schedule of a barrier from that of its allreduce. Statuses as anyp_generate(). */
anyp_status anypi_barrier_make(const anyp_schedule *forward, anyp_schedule *schedule);

#endif
