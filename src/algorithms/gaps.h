/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gaps.h - the schedules of gather and alltoall if the caller's memory has gaps, or if the input of
 * an alltoall is in place.
 *
 * Algorithms write the schedule of a call without gaps. Then every step that names IN or OUT uses a
 * scratch buffer instead. It is copied from the input before the first message (packed), or to OUT
 * after the last (unpacked). If a schedule only copies IN, this copy packs. The messages are the
 * same, so other ranks need not know. (backwards.h does this for the collectives that run
 * backwards.)
 */
#ifndef ANYPI_GAPS_H_INCLUDED
#define ANYPI_GAPS_H_INCLUDED

#include "anyp.h"

/* Returns the call for which algorithms write the schedule: equal to `call` if it has no gaps. */
anyp_call anypi_call_without_gaps(const anyp_call *call);

/* Writes the schedule of `call` from that of anypi_call_without_gaps(call). Statuses as
 * anyp_generate(). */
anyp_status anypi_add_gaps(const anyp_call *call, const anyp_schedule *plain,
                           anyp_schedule *schedule);

#endif
