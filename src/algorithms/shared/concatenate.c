/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/shared/concatenate.h"

#include "schedule/memory.h"
#include "schedule/shape.h"
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
    const anyp_shape *nodes;    /* of equal size, or NULL */
    int width;                  /* ranks of each node, or 1 */
    int position;               /* of this rank in the order of nodes */
    item *items;                /* of each distance */
    int *first, *last;          /* the distances at the ends of each R[i], or NONE */
    int *moving;                /* the distances of a message */
    int arrived;                /* blocks that have been received in scratch */
    anyp_slice from, to;        /* copies that have not been written, since more may follow them */
} state;

/* The rank at a distance from this one; with sign -1, from which this one is at that distance. */
static int rank_at(const state *s, int distance, int sign)
{
    const int64_t p = s->call->p, width = s->width, own = s->position;
    const int64_t node = (own / width + p / width + sign * (distance / width)) % (p / width);
    const int64_t place = (own % width + width + sign * (distance % width)) % width;
    const int position = (int) (node * width + place);
    return s->nodes ? anypi_shape_rank(s->nodes, position) : position;
}

/* How much a hop takes off each of its indices. */
static int offset_of(const state *s, const anypi_hop *hop)
{
    return hop->inside ? hop->first : hop->first * s->width;
}

static int indices_of(const state *s, const anypi_hop *hop)
{
    return (hop->end - hop->first) * (hop->inside ? s->call->p / s->width : 1);
}

/* The k-th index of a hop. */
static int index_of(const state *s, const anypi_hop *hop, int k)
{
    const int length = hop->end - hop->first;
    return hop->inside ? k / length * s->width + hop->first + k % length
        : (hop->first + k) * s->width;
}

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
    return anypi_block(ANYP_OUT, rank_at(s, distance, -1));
}

/* Sets moving[] to the distances in all R[i] of a hop, those of its message; returns their
 * number. */
static int find_moving(state *s, const anypi_hop *hop)
{
    int count = 0;
    for (int k = 0; k < indices_of(s, hop); k++)
        for (int d = s->first[index_of(s, hop, k)]; d != NONE; d = s->items[d].next)
            s->moving[count++] = d;
    return count;
}

/* Appends each R[i] of a hop to the one that it reaches. */
static void shift(state *s, const anypi_hop *hop)
{
    for (int k = 0; k < indices_of(s, hop); k++) {
        const int i = index_of(s, hop, k), to = i - offset_of(s, hop);
        s->items[s->last[to]].next = s->first[i];
        s->last[to] = s->last[i];
    }
}

/* Do the blocks of a message follow each other? */
static bool is_run(const state *s, int count)
{
    const anyp_slice first = s->items[s->moving[0]].at;
    for (int i = 1; i < count; i++) {
        const anyp_slice at = s->items[s->moving[i]].at;
        if (at.buffer != first.buffer || at.first != first.first + i)
            return false;
    }
    return true;
}

/* Copies the blocks of a message that cannot be sent from where they are. */
static void stage(state *s, const anypi_hop *hop, int *staged)
{
    const int count = find_moving(s, hop);
    const bool stays = is_run(s, count);
    for (int i = 0; i < count && !stays; i++, ++*staged) {
        item *its = &s->items[s->moving[i]];
        const anyp_slice to = anypi_block(STAGED, *staged);
        copy(s, its->at, to);
        its->at = to;
    }
}

static void exchange(state *s, const anypi_hop *hop)
{
    const int count = find_moving(s, hop), offset = offset_of(s, hop);
    const anyp_slice sent = s->items[s->moving[0]].at;
    const bool arrives = count == 1 && indices_of(s, hop) == 1;
    const anyp_slice received = arrives ? output_of(s, s->moving[0])
        : anypi_slice(ARRIVED, s->arrived, s->arrived + count);
    anypi_send(s->schedule, rank_at(s, offset, 1),
               anypi_slice(sent.buffer, sent.first, sent.first + count));
    anypi_recv(s->schedule, rank_at(s, offset, -1), received);
    for (int i = 0; i < count; i++)
        s->items[s->moving[i]].at = anypi_block(received.buffer, received.first + i);
    s->arrived += arrives ? 0 : count;
}

/* Copies what has arrived by a hop to OUT. */
static void deliver(state *s, const anypi_hop *hop)
{
    for (int d = s->first[offset_of(s, hop)]; d != NONE; d = s->items[d].next)
        if (s->items[d].at.buffer != ANYP_OUT)
            copy(s, s->items[d].at, output_of(s, d));
}

/* The round whose hops are those from `first` on. Returns the first hop of the next one. */
static int do_round(state *s, anypi_hop (*hop)(const void *state, int k), const void *hops,
                    int first)
{
    const int rank = s->call->rank, round = hop(hops, first).round;
    int staged = 0, end = first;
    anypi_hop one;
    for (; one = hop(hops, end), one.end > 0 && one.round == round; end++)
        stage(s, &one, &staged);        /* in the local steps of the round before */
    flush(s);
    anypi_round(s->schedule);
    for (int k = first; k < end; k++) {
        one = hop(hops, k);
        exchange(s, &one);
    }
    if (first == 0)             /* after the first messages have begun */
        copy(s, anypi_block(ANYP_IN, rank), output_of(s, 0));
    for (int k = first; k < end; k++) {
        one = hop(hops, k);
        deliver(s, &one);
        shift(s, &one);
    }
    return end;
}

void anypi_concatenate(const anyp_call *call, const anyp_shape *nodes,
                       anypi_hop (*hop)(const void *state, int k), const void *hops,
                       anyp_schedule *schedule)
{
    const int p = call->p;
    state s = { .call = call, .schedule = schedule, .nodes = nodes,
                .width = nodes ? anypi_shape_size(nodes, 0) : 1,
                .position = nodes ? anypi_shape_position(nodes, call->rank) : call->rank };
    s.items = anypi_realloc(NULL, (size_t) p * (sizeof *s.items + 3 * sizeof *s.first));
    if (!s.items) {
        anypi_schedule_fail(schedule, ANYP_ERR_MEMORY);
        return;
    }
    s.first = (int *) &s.items[p];
    s.last = s.first + p;
    s.moving = s.last + p;
    for (int d = 0; d < p; d++) {
        s.items[d] = (item) { anypi_block(ANYP_IN, rank_at(&s, d, 1)), NONE };
        s.first[d] = s.last[d] = d;
    }
    for (int k = 0; hop(hops, k).end > 0;)
        k = do_round(&s, hop, hops, k);
    if (p == 1)
        copy(&s, anypi_block(ANYP_IN, 0), anypi_block(ANYP_OUT, 0));
    flush(&s);
    anypi_free(s.items);
}
