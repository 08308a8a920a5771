/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/shared/accumulate.h"

#include "schedule/collectives.h"
#include "schedule/schedule.h"

anypi_accumulator anypi_accumulator_begin(const anyp_call *call, int changes)
{
    const bool has_out = !anypi_scatters(call) && anypi_has_result(call, call->rank);
    const int result = has_out ? ANYP_OUT : ANYP_SCRATCH;
    return (anypi_accumulator) { .at = has_out && call->in_place ? ANYP_OUT : ANYP_IN,
                                 .result = result,
                                 .temporary = has_out ? ANYP_SCRATCH : ANYP_SCRATCH + 1,
                                 .changes = changes };
}

void anypi_accumulator_pack(anypi_accumulator *a, anyp_schedule *schedule)
{
    const int *order = schedule->order;
    for (int i = 0, end; order && i < schedule->blocks; i = end) {
        for (end = i + 1; end < schedule->blocks && order[end] == order[end - 1] + 1;)
            end++;
        anypi_copy(schedule, anypi_slice(ANYP_IN, order[i], order[end - 1] + 1),
                   anypi_slice(a->result, i, end));
    }
    a->at = a->result;
}

/* The other of the two writable buffers. */
static int other(const anypi_accumulator *a, int buffer)
{
    return buffer == a->result ? a->temporary : a->result;
}

anypi_step_buffers anypi_accumulator_next(anypi_accumulator *a, bool left, bool may_exchange)
{
    anypi_step_buffers buffers = { .sum = left ? other(a, a->at) : a->at,
                                   .copies = a->at == ANYP_IN && !left && !may_exchange };
    a->changes -= left && !may_exchange;
    if (a->at == ANYP_IN || may_exchange)
        buffers.sum = a->changes % 2 ? a->temporary : a->result;
    const bool taken = buffers.copies || buffers.sum == a->at;
    buffers.received = taken ? other(a, buffers.sum) : buffers.sum;
    return buffers;
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

    const anypi_step_buffers buffers = anypi_accumulator_next(a, move->left, move->may_exchange);
    const anyp_slice received = anypi_part(buffers.received, move->keeps);
    const anyp_slice sum = anypi_part(buffers.sum, move->keeps);
    anypi_recv(schedule, move->from, received);
    if (buffers.copies)
        anypi_copy(schedule, anypi_part(a->at, move->keeps), sum);
    if (buffers.received == buffers.sum)
        anypi_reduce(schedule, anypi_part(a->at, move->keeps), sum);
    else
        anypi_reduce(schedule, received, sum);
    a->at = buffers.sum;
}

void anypi_accumulator_end(anypi_accumulator *a, anypi_range range, anyp_schedule *schedule)
{
    if (a->at != a->result)
        anypi_copy(schedule, anypi_part(a->at, range), anypi_part(a->result, range));
    a->at = a->result;
}
