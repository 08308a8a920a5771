/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/circulant/scatter.h"

#include "algorithms/circulant/skips.h"
#include "algorithms/shared/lists.h"
#include "schedule/ranks.h"
#include "schedule/schedule.h"

/* R[i] receives an operand in the rounds that are longer than i. So the partial results are runs of
 * neighbours with equal numbers of received operands, more the lower i is, and a new run begins
 * where a round's length differed from all before. The number determines the buffer: 0: the input;
 * else one of two buffers in turn, since the result of a reduction is where its right operand was,
 * and that is the operand received last.
 *
 * The families' rounds have fewer different lengths than a list can have. */
enum { MAXIMUM_RUNS = ANYPI_MAXIMUM_LIST + 1 };

/* R[.. end-1], after the previous run. */
typedef struct run {
    int end;
    int times;                  /* number of received operands */
} run;

/* The state before a round that goes from skip `above` to skip `skip`. */
typedef struct state {
    const anyp_call *call;
    int rounds;
    int above, skip;
    int count;
    run runs[MAXIMUM_RUNS];        /* the last one ends at `above` */
} state;

/* A piece of a round's message: its blocks begin .. end-1, kept by the receiver as R[begin ..],
 * sent as R[skip + begin ..]; and the indices of their runs. */
typedef struct piece {
    int begin, end;
    int kept, sent;
} piece;

/* The buffer of a block after that number of received operands. */
static int buffer_of(const state *s, int times)
{
    const anyp_call *call = s->call;
    if (call->collective == ANYP_ALLREDUCE) {
        if (times == 0)
            return call->in_place ? ANYP_OUT : ANYP_IN;
        return (s->rounds - times) % 2 ? ANYP_SCRATCH : ANYP_OUT;
    }
    if (times == 0)
        return ANYP_IN;
    return times == s->rounds && !call->in_place ? ANYP_OUT : ANYP_SCRATCH + (times - 1) % 2;
}

/* R[i .. i+length-1] in a buffer. In the caller's buffers indices wrap at the vector's end. */
static anyp_slice part(const state *s, int buffer, int i, int length)
{
    const int first = s->call->rank + i;
    const int begin = buffer < ANYP_SCRATCH ? first % s->call->p : first;
    return anypi_slice(buffer, begin, begin + length);
}

/* The next piece of the round's message to rank `to`; false after the last. *at is all 0 before
 * the first. Sender and receiver cut in the same way: at the ends of the runs of both, and of the
 * vector. */
static bool next_piece(const state *s, int to, piece *at)
{
    const int length = s->above - s->skip, wrap = s->call->p - to;
    at->begin = at->end;
    if (at->begin >= length)
        return false;
    while (s->runs[at->kept].end <= at->begin)
        at->kept++;
    while (s->runs[at->sent].end <= s->skip + at->begin)
        at->sent++;
    at->end = anypi_min(length, anypi_min(s->runs[at->kept].end,
                                      s->runs[at->sent].end - s->skip));
    /* IN wraps, scratch does not */
    if (s->call->collective == ANYP_ALLREDUCE || s->runs[at->sent].times == 0)
        at->end = wrap > at->begin ? anypi_min(at->end, wrap) : at->end;
    return true;
}

static void do_round(const state *s, anyp_schedule *schedule)
{
    const anyp_call *call = s->call;
    const int p = call->p, rank = call->rank, skip = s->skip;
    const int to = (rank + skip) % p, from = anypi_mod(rank - skip, p);

    anypi_round(schedule);
    for (piece at = { 0 }; next_piece(s, to, &at);)
        anypi_send(schedule, to, part(s, buffer_of(s, s->runs[at.sent].times),
                                      skip + at.begin, at.end - at.begin));
    for (int pass = 0; pass < 2; pass++) {
        for (piece at = { 0 }; next_piece(s, rank, &at);) {
            const int times = s->runs[at.kept].times, length = at.end - at.begin;
            const int before = buffer_of(s, times), after = buffer_of(s, times + 1);
            /* in place, the first may have to keep its buffer */
            const int lands = before == after ? ANYP_SCRATCH : after;
            const anyp_slice operand = part(s, lands, at.begin, length);
            if (pass == 0)
                anypi_recv(schedule, from, operand);
            else if (before == after)
                anypi_reduce(schedule, operand, part(s, after, at.begin, length));
            else
                anypi_reduce(schedule, part(s, before, at.begin, length), operand);
        }
    }
}

/* Updates the state for the next round. */
static void end_round(state *s)
{
    const int length = s->above - s->skip, old_count = s->count;
    run old[MAXIMUM_RUNS];
    for (int i = 0; i < old_count; i++)
        old[i] = s->runs[i];
    s->count = 0;
    for (int i = 0, begin = 0; i < old_count && begin < s->skip; begin = old[i++].end) {
        const int end = anypi_min(old[i].end, s->skip);
        if (begin < length)
            s->runs[s->count++] = (run) { anypi_min(end, length), old[i].times + 1 };
        if (end > length)
            s->runs[s->count++] = (run) { end, old[i].times };
    }
    s->above = s->skip;
}

void anypi_circulant_scatter(const anyp_call *call, int skips, anyp_schedule *schedule)
{
    state s = { .call = call, .rounds = anypi_skips_count(call->p, skips), .above = call->p,
                .count = 1, .runs = { { call->p, 0 } } };
    for (int k = 1; k <= s.rounds; k++) {
        s.skip = anypi_skip(call->p, skips, k);
        do_round(&s, schedule);
        end_round(&s);
    }
    const int last = buffer_of(&s, s.rounds);
    if (last != ANYP_OUT)
        anypi_copy(schedule, part(&s, last, 0, 1), part(&s, ANYP_OUT, 0, 1));
}
