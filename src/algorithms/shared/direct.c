/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/shared/direct.h"

#include "algorithms/shared/bytes.h"
#include "schedule/ranks.h"

#include <math.h>

/* A window of so many bytes keeps a port busy while the other one begins. Where queues are short,
 * few packets are lost (test/netlab/run --queues). */
enum { WINDOW_BYTES = 49152, LEAST = 3, MOST = 64 };

int anypi_direct_ports(const anyp_call *call)
{
    const double messages = WINDOW_BYTES / anypi_fmax(anypi_block_bytes(call, call->p), 1);
    return (int) fmin(fmin(fmax(messages, LEAST), MOST), anypi_max(call->p - 1, 1));
}

double anypi_direct_time(anyp_cost all, const anyp_model *model)
{
    const double waits = ceil(all.latencies / 2) * model->alpha;
    all.latencies = fmin(all.latencies, 1);
    return anypi_fmax(anypi_expected_time(all, model), waits);
}

void anypi_direct_exchange(const anyp_call *call, int ports, anyp_schedule *schedule)
{
    const int p = call->p, rank = call->rank;
    anypi_schedule_overlap(schedule, 1);
    for (int stride = 1; stride < p; stride++) {
        const int to = anypi_mod(rank + stride - p, p), from = anypi_mod(rank - stride, p);
        if (stride % ports == 1 % ports)
            anypi_round(schedule);
        anypi_send(schedule, to, anypi_block(ANYP_IN, to));
        anypi_recv(schedule, from, anypi_block(ANYP_OUT, from));
    }
    anypi_copy(schedule, anypi_block(ANYP_IN, rank), anypi_block(ANYP_OUT, rank));
}
