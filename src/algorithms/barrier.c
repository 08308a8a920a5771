/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/barrier.h"

#include "schedule/schedule.h"

anyp_call anypi_barrier_forward(const anyp_call *barrier)
{
    return (anyp_call) { .collective = ANYP_ALLREDUCE, .p = barrier->p, .rank = barrier->rank,
                         .count = 1, .commutative = true, .nodes = barrier->nodes };
}

anyp_status anypi_barrier_make(const anyp_schedule *forward, anyp_schedule *schedule)
{
    anypi_schedule_begin(schedule, forward->p, forward->rank, 1);
    for (int round = 0; round < forward->rounds; round++) {
        anypi_round(schedule);
        for (int i = forward->round_start[round]; i < forward->round_start[round + 1]; i++) {
            const anyp_step *step = &forward->steps[i];
            if (step->kind == ANYP_SEND || step->kind == ANYP_RECV)
                anypi_signal(schedule, step->kind, step->peer);
        }
    }
    return anypi_schedule_end(schedule);
}
