/* SPDX-License-Identifier: BSD-3-Clause
 *
 * check_barrier.h - proves that a barrier is one.
 */
#ifndef ANYPI_CHECK_BARRIER_H_INCLUDED
#define ANYPI_CHECK_BARRIER_H_INCLUDED

#include "analysis/check.h"

/* Replays a set whose messages have no data. ANYP_ERR_SCHEDULE, with the reason in the checker: a
 * rank may end before it has heard, directly or through others, that every rank has begun.
 * ANYP_ERR_MEMORY. */
anyp_status anypi_check_barrier(anypi_set_checker *checker, const anyp_schedule *set);

#endif
