/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/shared/segments.h"

#include "algorithms/shared/values.h"

int anypi_segments(const anyp_call *call, int segment, int maximum)
{
    const int64_t fit = call->type_size > 0 ? segment / call->type_size : call->count;
    const int64_t segments = anypi_divide_up(call->count, fit > 0 ? fit : 1);
    return segments < 1 ? 1 : segments < maximum ? (int) segments : maximum;
}

int anypi_segment_blocks(const anyp_call *call, const int *parameters)
{
    return anypi_segments(call, parameters[0], ANYPI_MAXIMUM_SEGMENTS);
}

void anypi_try_segments(const anyp_call *call, int *list, int *count)
{
    enum { OCTAVES = 9 };
    static const double sizes[] = { 1, 0.8408964152537145, 0.7071067811865476, 0.5946035575013605 };
    double part = (double) call->count * (double) call->type_size;
    /* one segment, also for the longest vector of this size class (settle.h) */
    anypi_try(list, count, (int64_t) (part * 1.125) + 1);
    for (int i = 0; i < OCTAVES; i++, part /= 2)
        for (int quarter = 0; quarter < 4; quarter++)
            if (part * sizes[quarter] >= 1)
                anypi_try(list, count, (int64_t) (part * sizes[quarter]));
}

static int sum_buffer(const anyp_call *call)
{
    return call->rank == call->root ? ANYP_OUT : ANYP_SCRATCH;
}

/* Where an operand is received. */
static int landing(const anyp_call *call, bool received)
{
    const bool root = call->rank == call->root;
    if (!received && !(root && call->in_place))
        return sum_buffer(call);
    return root ? ANYP_SCRATCH : ANYP_SCRATCH + 1;
}

void anypi_segment_send(const anyp_call *call, int peer, int j, bool received,
                        anyp_schedule *schedule)
{
    const int at = received ? sum_buffer(call) : anypi_segment_input(call);
    anypi_send(schedule, peer, anypi_block(at, j));
}

void anypi_segment_recv(const anyp_call *call, int peer, int j, bool received,
                        anyp_schedule *schedule)
{
    anypi_recv(schedule, peer, anypi_block(landing(call, received), j));
}

void anypi_segment_reduce(const anyp_call *call, int j, bool received, anyp_schedule *schedule)
{
    const anyp_slice operand = anypi_block(landing(call, received), j);
    const anyp_slice sum = anypi_block(sum_buffer(call), j);
    if (!received && (operand.buffer == sum.buffer || !call->commutative)) {
        anypi_reduce(schedule, anypi_block(anypi_segment_input(call), j), operand);
        if (operand.buffer != sum.buffer)
            anypi_copy(schedule, operand, sum);
    } else {
        anypi_reduce(schedule, operand, sum);
    }
}

void anypi_segment_alone(const anyp_call *call, int k, anyp_schedule *schedule)
{
    if (!call->in_place)
        anypi_copy(schedule, anypi_slice(ANYP_IN, 0, k), anypi_slice(ANYP_OUT, 0, k));
}
