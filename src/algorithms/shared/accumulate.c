/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/shared/accumulate.h"

#include "schedule/schedule.h"

anyp_slice anypi_part(int buffer, anypi_range range)
{
    return anypi_slice(buffer, range.first, range.end);
}

anypi_accumulator anypi_accumulator_begin(const anyp_call *call, int changes)
{
    const bool has_out = call->collective == ANYP_ALLREDUCE ||
        (call->collective == ANYP_REDUCE && call->rank == call->root);
    const int home = has_out ? ANYP_OUT : ANYP_SCRATCH;
    return (anypi_accumulator) { .at = has_out && call->in_place ? ANYP_OUT : ANYP_IN,
                                 .home = home,
                                 .spare = has_out ? ANYP_SCRATCH : ANYP_SCRATCH + 1,
                                 .changes = changes };
}

void anypi_accumulator_pack(anypi_accumulator *a, anyp_schedule *schedule)
{
    const int *order = schedule->order;
    for (int i = 0, end; order && i < schedule->blocks; i = end) {
        for (end = i + 1; end < schedule->blocks && order[end] == order[end - 1] + 1;)
            end++;
        anypi_copy(schedule, anypi_slice(ANYP_IN, order[i], order[end - 1] + 1),
                   anypi_slice(a->home, i, end));
    }
    a->at = a->home;
}

/* The other of the two writable buffers. */
static int other(const anypi_accumulator *a, int buffer)
{
    return buffer == a->home ? a->spare : a->home;
}

anypi_landing anypi_accumulator_lands(anypi_accumulator *a, bool left, bool may_exchange)
{
    anypi_landing landing = { .goal = left ? other(a, a->at) : a->at,
                              .copies = a->at == ANYP_IN && !left && !may_exchange };
    a->changes -= left && !may_exchange;
    if (a->at == ANYP_IN || may_exchange)
        landing.goal = a->changes % 2 ? a->spare : a->home;
    const bool taken = landing.copies || landing.goal == a->at;
    landing.lands = taken ? other(a, landing.goal) : landing.goal;
    return landing;
}

void anypi_accumulate(anypi_accumulator *a, const anypi_move *move, anyp_schedule *schedule)
{
    anypi_round(schedule);
    anypi_accumulate_here(a, move, schedule);
}

void anypi_accumulate_here(anypi_accumulator *a, const anypi_move *move, anyp_schedule *schedule)
{
    if (move->to >= 0)
        anypi_send(schedule, move->to, anypi_part(a->at, move->gives));
    if (move->from < 0)
        return;

    const anypi_landing landing = anypi_accumulator_lands(a, move->left, move->may_exchange);
    const anyp_slice received = anypi_part(landing.lands, move->keeps);
    const anyp_slice sum = anypi_part(landing.goal, move->keeps);
    anypi_recv(schedule, move->from, received);
    if (landing.copies)
        anypi_copy(schedule, anypi_part(a->at, move->keeps), sum);
    if (landing.lands == landing.goal)
        anypi_reduce(schedule, anypi_part(a->at, move->keeps), sum);
    else
        anypi_reduce(schedule, received, sum);
    a->at = landing.goal;
}

void anypi_accumulator_end(anypi_accumulator *a, anypi_range range, anyp_schedule *schedule)
{
    if (a->at != a->home)
        anypi_copy(schedule, anypi_part(a->at, range), anypi_part(a->home, range));
    a->at = a->home;
}
