/* SPDX-License-Identifier: BSD-3-Clause
 *
 * half_duplex.h - the simulator's clock for processes that send or receive, not both at a time.
 */
#ifndef ANYPI_HALF_DUPLEX_H_INCLUDED
#define ANYPI_HALF_DUPLEX_H_INCLUDED

#include "schedule/layout.h"

/* The time of set[0 .. p-1] by the rules that simulate.h gives for model->half_duplex. Statuses as
 * anypi_simulate(). Messages are served in the order of time, from a heap: O(n log n) for n of them
 * if a rank has few in a round; k at one port are looked at up to k times each. */
anyp_status anypi_half_duplex(const anyp_schedule *set, int p, const anypi_layout *layout,
                              int64_t type_size, const anyp_model *model, double *time);

#endif
