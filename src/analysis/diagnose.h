/* SPDX-License-Identifier: BSD-3-Clause
 *
 * diagnose.h - explains why a set of schedules could not be played to its end.
 */
#ifndef ANYPI_DIAGNOSE_H_INCLUDED
#define ANYPI_DIAGNOSE_H_INCLUDED

#include "anyp.h"

/* Writes the reason. It is the first of these:
 * - a peer that does not exist;
 * - a message, anywhere in the set, without counterpart or with another number of pieces there;
 * - a deadlock.
 * round[rank] is the round that the rank did not complete. Returns ANYP_ERR_SCHEDULE, or
 * ANYP_ERR_MEMORY. Sorts all messages: O(n log n) for n steps. */
anyp_status anypi_diagnose(const anyp_schedule *set, int p, const int *round, char *reason,
                           size_t size);

#endif
