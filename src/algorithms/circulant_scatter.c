/* SPDX-License-Identifier: BSD-3-Clause
 *
 * circulant_scatter.c - which partial result lies where, and into which pieces messages are cut.
 *
 * R[i] is received onto in the rounds that are longer than i. So the partial results are runs of
 * neighbours that were received onto equally often, more often the lower i is, and a new run begins
 * where a round's length was unlike all before. How often says where a block lies: never: in the
 * input; else in one of two buffers in turn, since the result of a reduction lies where its right
 * operand was, and that is what came last.
 */
#include "algorithms/circulant_scatter.h"

#include "algorithms/lists.h"
#include "algorithms/skips.h"

#include "schedule/ranks.h"
#include "schedule/schedule.h"

/* The families' rounds have fewer different lengths than a list can have. */
enum { MOST_RUNS = ANYPI_LONGEST_LIST + 1 };

/* R[.. end-1], behind the run before. */
typedef struct run {
    int end;
    int times;                  /* received onto */
} run;

/* The state before a round that goes from skip `above` to skip `skip`. */
struct state {
    const anyp_call *call;
    int rounds;
    int above, skip;
    int count;
    run runs[MOST_RUNS];        /* the last one ends at `above` */
};

/* A piece of a round's message: its blocks begin .. end-1, kept by the receiver as R[begin ..],
 * sent as R[skip + begin ..]; and the runs that they are in. */
typedef struct piece {
    int begin, end;
    int kept, sent;
} piece;

/* The buffer that has a block after it was received onto so many times. */
static int place(const struct state *state, int times)
{
    const anyp_call *call = state->call;
    if (call->collective == ANYP_ALLREDUCE) {
        if (times == 0)
            return call->in_place ? ANYP_OUT : ANYP_IN;
        return (state->rounds - times) % 2 ? ANYP_SCRATCH : ANYP_OUT;
    }
    if (times == 0)
        return ANYP_IN;
    return times == state->rounds && !call->in_place ? ANYP_OUT : ANYP_SCRATCH + (times - 1) % 2;
}

/* R[i .. i+length-1] in a buffer. The caller's begin anew at the vector's end, scratch goes on. */
static anyp_slice part(const struct state *state, int buffer, int i, int length)
{
    const int first = state->call->rank + i;
    const int begin = buffer < ANYP_SCRATCH ? first % state->call->p : first;
    return anypi_slice(buffer, begin, begin + length);
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* The next piece of the round's message to rank `to`; false behind the last. The first comes after
 * one that is all 0. Sender and receiver cut alike: where a run of either ends, and the vector. */
static bool next_piece(const struct state *state, int to, piece *at)
{
    const int length = state->above - state->skip, wrap = state->call->p - to;
    at->begin = at->end;
    if (at->begin >= length)
        return false;
    while (state->runs[at->kept].end <= at->begin)
        at->kept++;
    while (state->runs[at->sent].end <= state->skip + at->begin)
        at->sent++;
    at->end = least(length, least(state->runs[at->kept].end,
                                  state->runs[at->sent].end - state->skip));
    /* IN wraps, scratch does not */
    if (state->call->collective == ANYP_ALLREDUCE || state->runs[at->sent].times == 0)
        at->end = wrap > at->begin ? least(at->end, wrap) : at->end;
    return true;
}

static void do_round(const struct state *state, anyp_schedule *schedule)
{
    const anyp_call *call = state->call;
    const int p = call->p, rank = call->rank, skip = state->skip;
    const int to = (rank + skip) % p, from = anypi_mod(rank - skip, p);

    anypi_round(schedule);
    for (piece at = { 0 }; next_piece(state, to, &at);)
        anypi_send(schedule, to, part(state, place(state, state->runs[at.sent].times),
                                      skip + at.begin, at.end - at.begin));
    for (int pass = 0; pass < 2; pass++) {
        for (piece at = { 0 }; next_piece(state, rank, &at);) {
            const int times = state->runs[at.kept].times, length = at.end - at.begin;
            const int before = place(state, times), after = place(state, times + 1);
            /* in place, the first may have to stay where it is */
            const int lands = before == after ? ANYP_SCRATCH : after;
            const anyp_slice operand = part(state, lands, at.begin, length);
            if (pass == 0)
                anypi_recv(schedule, from, operand);
            else if (before == after)
                anypi_reduce(schedule, operand, part(state, after, at.begin, length));
            else
                anypi_reduce(schedule, part(state, before, at.begin, length), operand);
        }
    }
}

/* What the round has changed, for the next one. */
static void pass_round(struct state *state)
{
    const int length = state->above - state->skip, old_count = state->count;
    run old[MOST_RUNS];
    for (int i = 0; i < old_count; i++)
        old[i] = state->runs[i];
    state->count = 0;
    for (int i = 0, begin = 0; i < old_count && begin < state->skip; begin = old[i++].end) {
        const int end = least(old[i].end, state->skip);
        if (begin < length)
            state->runs[state->count++] = (run) { least(end, length), old[i].times + 1 };
        if (end > length)
            state->runs[state->count++] = (run) { end, old[i].times };
    }
    state->above = state->skip;
}

void anypi_circulant_scatter(const anyp_call *call, int skips, anyp_schedule *schedule)
{
    struct state state = { .call = call, .rounds = anypi_skips_count(call->p, skips),
                           .above = call->p, .count = 1, .runs = { { call->p, 0 } } };
    for (int k = 1; k <= state.rounds; k++) {
        state.skip = anypi_skip(call->p, skips, k);
        do_round(&state, schedule);
        pass_round(&state);
    }
    const int last = place(&state, state.rounds);
    if (last != ANYP_OUT)
        anypi_copy(schedule, part(&state, last, 0, 1), part(&state, ANYP_OUT, 0, 1));
}
