/* SPDX-License-Identifier: BSD-3-Clause
 *
 * barrier.h - the messages of an allreduce, without data, are a barrier: as each result depends on
 * each input, each rank ends after all have begun.
 *
 * A rank's schedule keeps its rounds and their messages. Local steps are left out. So exchange
 * among ranks that replicate, and gather_reduce, are dissemination with any radix (Hensgen, Finkel
 * & Manber 1988 have radix 2), and binomial is a tree.
 */
#ifndef ANYPI_BARRIER_H_INCLUDED
#define ANYPI_BARRIER_H_INCLUDED

#include "anyp.h"

/* The allreduce whose messages a barrier has: of one element without bytes. */
anyp_call anypi_barrier_forward(const anyp_call *barrier);

/* Writes the schedule of a barrier from that of this allreduce. Statuses as anyp_generate(). */
anyp_status anypi_barrier_make(const anyp_schedule *forward, anyp_schedule *schedule);

#endif
