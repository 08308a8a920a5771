/* SPDX-License-Identifier: BSD-3-Clause
 *
 * direct.h - alltoall by direct exchange: each block in a message of its own. The messages follow
 * each other in windows, of which two are under way: more of them would overflow the queues of
 * switches.
 */
#ifndef ANYPI_DIRECT_H_INCLUDED
#define ANYPI_DIRECT_H_INCLUDED

#include "algorithms/cost_model.h"

#include "schedule/schedule.h"

/* Returns the number of messages of a window in each direction, which depends only on p and on the
 * bytes of a block. */
int anypi_direct_ports(const anyp_call *call);

/* Returns the time of windows, whose number is that of the cost's latencies: one's latency is
 * hidden behind the messages of the other. */
double anypi_direct_time(anyp_cost all, const anyp_model *model);

/* Generates the exchange, with so many messages in a window. */
void anypi_direct_exchange(const anyp_call *call, int ports, anyp_schedule *schedule);

#endif
