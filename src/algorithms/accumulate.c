/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/accumulate.h"

#include "core/schedule.h"

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

/* The other one of the two buffers that may be written. */
static int other(const anypi_accumulator *a, int buffer)
{
    return buffer == a->home ? a->spare : a->home;
}

void anypi_accumulate(anypi_accumulator *a, const anypi_move *move, anyp_schedule *schedule)
{
    anypi_round(schedule);
    anypi_accumulate_here(a, move, schedule);
}

void anypi_accumulate_here(anypi_accumulator *a, const anypi_move *move, anyp_schedule *schedule)
{
    const int at = a->at;
    if (move->to >= 0)
        anypi_send(schedule, move->to, anypi_part(at, move->gives));
    if (move->from < 0)
        return;

    const bool copies = at == ANYP_IN && !move->left && !move->may_exchange;
    int goal = move->left ? other(a, at) : at;
    a->changes -= anypi_must_change(move);
    if (at == ANYP_IN || move->may_exchange)
        goal = a->changes % 2 ? a->spare : a->home;

    if (copies || goal == at) {
        const int lands = other(a, goal);
        anypi_recv(schedule, move->from, anypi_part(lands, move->keeps));
        if (copies)
            anypi_copy(schedule, anypi_part(at, move->keeps), anypi_part(goal, move->keeps));
        anypi_reduce(schedule, anypi_part(lands, move->keeps), anypi_part(goal, move->keeps));
    } else {
        anypi_recv(schedule, move->from, anypi_part(goal, move->keeps));
        anypi_reduce(schedule, anypi_part(at, move->keeps), anypi_part(goal, move->keeps));
    }
    a->at = goal;
}

void anypi_accumulator_end(anypi_accumulator *a, anypi_range range, anyp_schedule *schedule)
{
    if (a->at != a->home)
        anypi_copy(schedule, anypi_part(a->at, range), anypi_part(a->home, range));
    a->at = a->home;
}
