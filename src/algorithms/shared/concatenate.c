/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/shared/concatenate.h"

#include "schedule/memory.h"
#include "schedule/ranks.h"
#include "schedule/schedule.h"

enum { STAGED = ANYP_SCRATCH, ARRIVED = ANYP_SCRATCH + 1, NONE = -1 };

/* The block of a distance that is at this rank at present. */
typedef struct item {
    anyp_slice at;
    int next;                   /* the next distance in the same R[i], or NONE */
} item;

typedef struct state {
    const anyp_call *call;
    anyp_schedule *schedule;
    item *items;                /* of each distance */
    int *first, *last;          /* the distances at the ends of each R[i], or NONE */
    int *moving;                /* the distances of the round's messages, one after the other */
    int arrived;                /* blocks that have been received in scratch */
    anyp_slice from, to;        /* copies that have not been written, since more may follow them */
} state;

static void flush(state *s)
{
    anypi_copy(s->schedule, s->from, s->to);
    s->from.end = s->from.first;
    s->to.end = s->to.first;
}

/* Copies blocks, together with those before if they follow these in both buffers. */
static void copy(state *s, anyp_slice from, anyp_slice to)
{
    if (from.buffer != s->from.buffer || from.first != s->from.end || to.buffer != s->to.buffer ||
        to.first != s->to.end) {
        flush(s);
        s->from = from;
        s->to = to;
    }
    s->from.end = from.end;
    s->to.end = to.end;
}

/* Where the block of a distance goes in OUT. */
static anyp_slice output_of(const state *s, int distance)
{
    const int block = anypi_mod(s->call->rank - distance, s->call->p);
    return anypi_slice(ANYP_OUT, block, block + 1);
}

/* Takes the distances of R[first .. end-1] from the lists; returns their number. */
static int take(state *s, const anypi_hop *hop, int *moving)
{
    int count = 0;
    for (int i = hop->first; i < hop->end; i++)
        for (int d = s->first[i]; d != NONE; d = s->items[d].next)
            moving[count++] = d;
    return count;
}

/* Appends R[first .. end-1] to R[0 ..]. */
static void shift(state *s, const anypi_hop *hop)
{
    for (int i = hop->first; i < hop->end; i++) {
        const int to = i - hop->first;
        s->items[s->last[to]].next = s->first[i];
        s->last[to] = s->last[i];
    }
}

/* Do the blocks of a message follow each other? */
static bool is_run(const state *s, const int *moving, int count)
{
    for (int i = 1; i < count; i++)
        if (s->items[moving[i]].at.buffer != s->items[moving[0]].at.buffer ||
            s->items[moving[i]].at.first != s->items[moving[0]].at.first + i)
            return false;
    return true;
}

/* The rounds' hops are those from k on. Returns the first hop of the next round. */
static int do_round(state *s, anypi_hop (*hop)(const void *state, int k), const void *hops, int k)
{
    const int rank = s->call->rank, p = s->call->p, first = k;
    int moved = 0, staged = 0;
    anypi_hop one;
    /* the messages of the round, in the local steps of the one before */
    for (; one = hop(hops, k), one.end > 0 && one.round == hop(hops, first).round; k++) {
        const int count = take(s, &one, s->moving + moved);
        const bool run = is_run(s, s->moving + moved, count);
        for (int i = 0; i < count && !run; i++, staged++) {
            item *its = &s->items[s->moving[moved + i]];
            copy(s, its->at, anypi_slice(STAGED, staged, staged + 1));
            its->at = anypi_slice(STAGED, staged, staged + 1);
        }
        moved += count;
    }
    flush(s);
    anypi_round(s->schedule);
    moved = 0;
    const int end = k;
    for (k = first; k < end; k++) {
        one = hop(hops, k);
        int *moving = s->moving + moved;
        const int count = take(s, &one, moving);
        const anyp_slice sent = s->items[moving[0]].at;
        const bool arrives = count == 1 && one.end == one.first + 1;
        const anyp_slice received = arrives ? output_of(s, moving[0])
            : anypi_slice(ARRIVED, s->arrived, s->arrived + count);
        anypi_send(s->schedule, (int) ((rank + (int64_t) one.first) % p),
                   anypi_slice(sent.buffer, sent.first, sent.first + count));
        anypi_recv(s->schedule, anypi_mod(rank - one.first, p), received);
        for (int i = 0; i < count; i++)
            s->items[moving[i]].at = anypi_slice(received.buffer, received.first + i,
                                                 received.first + i + 1);
        s->arrived += arrives ? 0 : count;
        moved += count;
    }
    if (first == 0)             /* after the first messages have begun */
        copy(s, anypi_slice(ANYP_IN, rank, rank + 1), output_of(s, 0));
    for (k = first, moved = 0; k < end; k++) {
        one = hop(hops, k);
        for (int i = s->first[one.first]; i != NONE; i = s->items[i].next)
            if (s->items[i].at.buffer != ANYP_OUT)
                copy(s, s->items[i].at, output_of(s, i));
    }
    for (k = first; k < end; k++) {
        one = hop(hops, k);
        shift(s, &one);
    }
    return end;
}

void anypi_concatenate(const anyp_call *call, anypi_hop (*hop)(const void *state, int k),
                       const void *hops, anyp_schedule *schedule)
{
    const int p = call->p, rank = call->rank;
    state s = { .call = call, .schedule = schedule };
    s.items = anypi_realloc(NULL, (size_t) p * sizeof *s.items);
    s.first = anypi_realloc(NULL, (size_t) p * sizeof *s.first);
    s.last = anypi_realloc(NULL, (size_t) p * sizeof *s.last);
    s.moving = anypi_realloc(NULL, (size_t) p * sizeof *s.moving);
    if (s.items && s.first && s.last && s.moving) {
        for (int d = 0; d < p; d++) {
            const int block = (int) ((rank + (int64_t) d) % p);
            s.items[d] = (item) { anypi_slice(ANYP_IN, block, block + 1), NONE };
            s.first[d] = s.last[d] = d;
        }
        for (int k = 0; hop(hops, k).end > 0;)
            k = do_round(&s, hop, hops, k);
        if (p == 1)
            copy(&s, anypi_slice(ANYP_IN, 0, 1), anypi_slice(ANYP_OUT, 0, 1));
        flush(&s);
    } else {
        anypi_schedule_fail(schedule, ANYP_ERR_MEMORY);
    }
    anypi_free(s.moving);
    anypi_free(s.last);
    anypi_free(s.first);
    anypi_free(s.items);
}
