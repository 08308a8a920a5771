/* SPDX-License-Identifier: BSD-3-Clause
 *
 * set.h - the schedules of all ranks of one call, for the verifier, the simulator and the tools.
 */
#ifndef ANYPI_SET_H_INCLUDED
#define ANYPI_SET_H_INCLUDED

#include "schedule/collectives.h"

/* Is `rank` in place in a set for `call`? Of ranks without input or result none is; of the others
 * all are, or none. */
static inline bool anypi_set_in_place(const anyp_call *call, int rank)
{
    const anypi_collective *its = &anypi_collectives[call->collective];
    const bool everywhere = its->input != ANYPI_AT_ROOT && its->output != ANYPI_AT_ROOT;
    return (call->in_place || anypi_has_one_buffer(call)) &&
        (everywhere || rank == call->root);
}

/* Generates the schedules of all ranks of `call` (its rank is ignored, its in_place holds for every
 * rank that can be in place) into a new array of call->p schedules, to be freed with
 * anypi_set_free(). Statuses as anyp_generate(); *set is NULL unless ANYP_SUCCESS. */
anyp_status anypi_set_generate(const anyp_algorithm *algorithm, const anyp_call *call,
                               const int *parameters, anyp_schedule **set);
/* The same, reusing the memory of an earlier set: *set is NULL and *capacity 0 at first, then *set
 * has *capacity schedules, of which the first p are the new ones. The caller owns them even if this
 * fails. */
anyp_status anypi_set_generate_again(const anyp_algorithm *algorithm, const anyp_call *call,
                                     const int *parameters, anyp_schedule **set, int *capacity);
/* Frees a set of p schedules; NULL is allowed. */
void anypi_set_free(anyp_schedule *set, int p);

#endif
