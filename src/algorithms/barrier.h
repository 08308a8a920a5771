/* SPDX-License-Identifier: BSD-3-Clause
 *
 * barrier.h - makes a barrier of the messages of an allreduce, without data. Each result of an
 * allreduce depends on each input, so each rank ends after all have begun.
 *
 * A rank's schedule keeps its rounds and their messages; local steps are left out. So
 * gather_reduce, and exchange among ranks that replicate, are dissemination with any radix
 * (Hensgen, Finkel & Manber 1988 have radix 2), and binomial is a tree.
 */
#ifndef ANYPI_BARRIER_H_INCLUDED
#define ANYPI_BARRIER_H_INCLUDED

#include "anyp.h"

/* Returns the allreduce whose messages a barrier uses: of one element without bytes. */
anyp_call anypi_barrier_forward(const anyp_call *barrier);

/* Writes the schedule of a barrier from that of this allreduce. Statuses as anyp_generate(). */
anyp_status anypi_barrier_make(const anyp_schedule *forward, anyp_schedule *schedule);

#endif
