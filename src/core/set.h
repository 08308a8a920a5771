/* SPDX-License-Identifier: BSD-3-Clause
 *
 * set.h - the schedules of all ranks of one call, for the verifier, the simulator and the tools.
 */
#ifndef ANYPI_SET_H_INCLUDED
#define ANYPI_SET_H_INCLUDED

#include "anyp.h"

/* Generates the schedules of all ranks of `call` (its rank is ignored, its in_place holds for every
 * rank) into a new array of call->p schedules. Statuses as anyp_generate(). */
anyp_status anypi_set_generate(const anyp_algorithm *algorithm, const anyp_call *call,
                               const int *parameters, anyp_schedule **set);
/* Frees a set of p schedules; NULL is allowed. */
void anypi_set_free(anyp_schedule *set, int p);

#endif
