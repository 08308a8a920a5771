/* SPDX-License-Identifier: BSD-3-Clause
 *
 * balance.h - a reduce-scatter of blocks of very different sizes by intervals of about equal bytes.
 * First every rank reduces an interval, as in a reduce-scatter of equal blocks. Then it sends the
 * parts of the interval to the ranks whose blocks they are.
 *
 *   p = 3, rank 1's block is the largest        blocks     0 0 1 1 1 1 1 1 1 2
 *                                               intervals  0 0 0 0 1 1 1 2 2 2
 *   the last round: 0 sends to 1, 2 sends to 1
 *
 * Each rank's block is cut into parts, which are the blocks of the schedule. The schedule depends
 * on the starts of the call's blocks, which are the same on all ranks.
 */
#ifndef ANYPI_BALANCE_H_INCLUDED
#define ANYPI_BALANCE_H_INCLUDED

#include "anyp.h"

/* Returns the number of parts into which each rank's block is cut. */
int anypi_balance_parts(const anyp_call *call);

/* Returns the call whose schedule reduces the intervals: of equal blocks, and not in place. */
anyp_call anypi_balance_call(const anyp_call *call);

/* Adds the steps of such a schedule, and the last round, to the schedule of `call`. Such a schedule
 * uses one scratch buffer less than the maximum. Fails without memory. */
void anypi_balance(const anyp_call *call, const anyp_schedule *intervals, anyp_schedule *schedule);

#endif
