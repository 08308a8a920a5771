/* SPDX-License-Identifier: BSD-3-Clause
 *
 * eager.h - the simulator's clock for networks that send every message immediately.
 */
#ifndef ANYPI_EAGER_H_INCLUDED
#define ANYPI_EAGER_H_INCLUDED

#include "schedule/layout.h"

/* Computes the time of set[0 .. p-1] by the rules that simulate.h gives for model->eager. Statuses
 * as anypi_simulate(). An event is the beginning or the end of the flow of a message. An event
 * takes O(log n), and time proportional to the number of messages that share ports with it,
 * directly or through others. The simulation ends at the first event after `limit`, with *time
 * INFINITY. */
anyp_status anypi_eager(const anyp_schedule *set, int p, const anypi_layout *layout,
                        int64_t type_size, const anyp_model *model, double limit, double *time);

#endif
