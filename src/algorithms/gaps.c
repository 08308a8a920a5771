/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/gaps.h"

#include "schedule/collectives.h"
#include "schedule/schedule.h"

anyp_call anypi_call_without_gaps(const anyp_call *call)
{
    anyp_call plain = *call;
    plain.gaps_in = plain.gaps_out = false;
    if (anypi_transposes(call->collective))
        plain.in_place = false;
    return plain;
}

/* Does another step than one copy of the whole input name IN? */
static bool uses_in(const anyp_call *call, const anyp_schedule *plain)
{
    int reads = 0;
    bool copies = true;
    for (int i = 0; i < plain->steps_count; i++) {
        const anyp_step *step = &plain->steps[i];
        if (step->kind == ANYP_RECV || step->from.buffer != ANYP_IN)
            continue;
        const anyp_slice all = anypi_input_of(call, call->rank, plain->blocks);
        reads++;
        copies = step->kind == ANYP_COPY && step->from.first == all.first &&
            step->from.end == all.end;
    }
    return reads > 1 || !copies;
}

/* The buffers that take the places of IN and OUT. */
typedef struct places {
    int in, out;
} places;

static anyp_slice moved(const void *state, anyp_slice slice)
{
    const places *at = state;
    if (slice.buffer == ANYP_IN)
        slice.buffer = at->in;
    else if (slice.buffer == ANYP_OUT)
        slice.buffer = at->out;
    return slice;
}

/* In place, is what a step copies in OUT already? */
static bool stays(const anyp_step *step)
{
    return step->kind == ANYP_COPY && step->from.buffer == ANYP_IN &&
        step->to.buffer == ANYP_OUT && step->from.first == step->to.first;
}

/* Copies the result to OUT, but what is there in place. */
static void unpack(const anyp_call *call, int from, anyp_schedule *schedule)
{
    anyp_slice all = anypi_output_of(call, call->rank, schedule->blocks);
    if (call->in_place && anypi_gathers(call)) {
        anypi_copy(schedule, anypi_slice(from, 0, call->rank),
                   anypi_slice(ANYP_OUT, 0, call->rank));
        all.first = call->rank + 1;
    }
    anypi_copy(schedule, anypi_slice(from, all.first, all.end), all);
}

anyp_status anypi_add_gaps(const anyp_call *call, const anyp_schedule *plain,
                           anyp_schedule *schedule)
{
    const bool in_out = anypi_input_in_out(call) && anypi_transposes(call->collective);
    const bool moves_in = in_out || (call->gaps_in && uses_in(call, plain));
    places at = { ANYP_IN, ANYP_OUT };
    anypi_schedule_begin(schedule, call->p, call->rank, plain->blocks);
    anypi_schedule_overlap(schedule, plain->overlap);
    int next = ANYP_SCRATCH + plain->scratch_count;
    if (moves_in) {
        at.in = next++;
        anyp_slice from = anypi_input_of(call, call->rank, plain->blocks);
        const anyp_slice to = anypi_slice(at.in, from.first, from.end);
        from.buffer = in_out ? ANYP_OUT : ANYP_IN;
        anypi_round(schedule);
        anypi_copy(schedule, from, to);
    }
    if (call->gaps_out)
        at.out = next;
    for (int round = 0; round < plain->rounds; round++) {
        anypi_round(schedule);
        for (int i = plain->round_start[round]; i < plain->round_start[round + 1]; i++)
            if (!in_out || call->gaps_out || !stays(&plain->steps[i]))
                anypi_add_moved(schedule, plain->steps[i], moved, &at);
    }
    anypi_round(schedule);
    if (call->gaps_out)
        unpack(call, at.out, schedule);
    return anypi_schedule_end(schedule);
}
