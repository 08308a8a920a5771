/* SPDX-License-Identifier: BSD-3-Clause
 *
 * half_duplex.c - first the replay finds the messages, then they are served in the order of time.
 */
#include "unit/half_duplex.h"

#include "analysis/heap.h"
#include "analysis/pieces.h"
#include "schedule/layout.h"
#include "schedule/memory.h"

#include <stdlib.h>

/* All pieces from one rank in one round to another. Messages are identified by their index, sorted
 * by sender, the sender's round and receiver. */
typedef struct message {
    anypi_piece sum;            /* of its pieces */
    double ready;               /* time since which both ends are in their rounds */
    bool one_end_there;
} message;

typedef struct process {
    size_t first_round;         /* of all rounds of all ranks */
    int round;
    int unserved;               /* messages of this round */
    double ready;               /* time since which it is in its round */
    double served;              /* when the last message of the round arrived */
    double port_free;           /* since when, or from when on */
} process;

typedef struct clock {
    const anyp_schedule *set;
    int p;
    anypi_layout layout;
    int64_t type_size;
    const anyp_model *model;
    anypi_piece *pieces;
    message *messages;
    size_t messages_count;
    process *processes;
    size_t rounds;              /* of all ranks */
    size_t *first_end;          /* per round: where its messages begin in `ends` */
    size_t *ends;               /* messages, twice each: in the rounds of sender and receiver */
    anypi_heap waiting;         /* messages that wait for their ports: not before .time (ports may
                                 * have become busier since it was computed), ready .since */
} clock;

/* ---- messages ---- */

static int compare(const void *a, const void *b)
{
    const anypi_piece *x = a, *y = b;
    const int from = (x->from > y->from) - (x->from < y->from);
    const int round = (x->from_round > y->from_round) - (x->from_round < y->from_round);
    const int to = (x->to > y->to) - (x->to < y->to);
    return from ? from : round ? round : to;
}

/* Sorts the pieces and makes messages of them. There is room. */
static void join_pieces(clock *c, size_t pieces_count)
{
    if (pieces_count > 0)
        qsort(c->pieces, pieces_count, sizeof *c->pieces, compare);
    for (size_t i = 0; i < pieces_count; i++) {
        if (i > 0 && compare(&c->pieces[i], &c->pieces[i - 1]) == 0)
            c->messages[c->messages_count - 1].sum.bytes += c->pieces[i].bytes;
        else
            c->messages[c->messages_count++] = (message) { .sum = c->pieces[i] };
    }
}

static size_t sent_in(const clock *c, const message *m)
{
    return c->processes[m->sum.from].first_round + (size_t) m->sum.from_round;
}

static size_t received_in(const clock *c, const message *m)
{
    return c->processes[m->sum.to].first_round + (size_t) m->sum.to_round;
}

/* Fills first_end, which is all 0, and ends by counting. */
static void find_ends(clock *c)
{
    for (size_t i = 0; i < c->messages_count; i++) {
        c->first_end[sent_in(c, &c->messages[i]) + 2]++;
        c->first_end[received_in(c, &c->messages[i]) + 2]++;
    }
    for (size_t round = 2; round < c->rounds + 2; round++)
        c->first_end[round] += c->first_end[round - 1];
    for (size_t i = 0; i < c->messages_count; i++) {
        c->ends[c->first_end[sent_in(c, &c->messages[i]) + 1]++] = i;
        c->ends[c->first_end[received_in(c, &c->messages[i]) + 1]++] = i;
    }
}

/* ---- time ---- */

static double later(double a, double b)
{
    return a > b ? a : b;
}

static double start_of(const clock *c, const message *m)
{
    return later(m->ready, later(c->processes[m->sum.from].port_free,
                                c->processes[m->sum.to].port_free));
}

/* The local steps of the rank's round, then its next round. */
static void leave(clock *c, int rank)
{
    const anyp_schedule *schedule = &c->set[rank];
    process *here = &c->processes[rank];
    const int round = here->round++;
    int64_t elements = 0;
    for (int i = schedule->round_start[round]; i < schedule->round_start[round + 1]; i++)
        if (schedule->steps[i].kind == ANYP_REDUCE_LOCAL)
            elements += anypi_slice_elements(&c->layout, schedule->steps[i].to);
    here->ready = later(here->ready, here->served) +
        c->model->gamma * (double) (elements * c->type_size);
}

/* The rank is in its round: messages whose other end is also ready wait for their ports. */
static void enter(clock *c, int rank)
{
    process *here = &c->processes[rank];
    for (; here->round < c->set[rank].rounds; leave(c, rank)) {
        const size_t round = here->first_round + (size_t) here->round;
        const size_t first = c->first_end[round], end = c->first_end[round + 1];
        here->unserved = (int) (end - first);
        for (size_t i = first; i < end; i++) {
            message *m = &c->messages[c->ends[i]];
            if (m->one_end_there) {
                m->ready = later(c->processes[m->sum.from].ready, c->processes[m->sum.to].ready);
                anypi_heap_put(&c->waiting, c->ends[i],
                               (anypi_when) { start_of(c, m), m->ready });
            }
            m->one_end_there = true;
        }
        if (here->unserved > 0)
            return;
    }
}

static void arrive(clock *c, int rank, double time)
{
    process *here = &c->processes[rank];
    here->served = time;        /* of a port's messages the next is later */
    if (--here->unserved == 0) {
        leave(c, rank);
        enter(c, rank);
    }
}

static double play(clock *c)
{
    for (int rank = 0; rank < c->p; rank++)
        enter(c, rank);
    while (c->waiting.count > 0) {
        const size_t next = anypi_heap_take(&c->waiting);
        const message *m = &c->messages[next];
        const double start = start_of(c, m);
        if (start > c->waiting.when[next].time) {
            anypi_heap_put(&c->waiting, next, (anypi_when) { start, m->ready });
            continue;
        }
        const double end = start + c->model->alpha + 2 * c->model->overhead +
            c->model->beta * (double) m->sum.bytes;
        c->processes[m->sum.from].port_free = c->processes[m->sum.to].port_free = end;
        arrive(c, m->sum.from, end);
        arrive(c, m->sum.to, end);
    }
    double time = 0;
    for (int rank = 0; rank < c->p; rank++)
        time = later(time, c->processes[rank].ready);
    return time;
}

/* Room for that many and one more, so that none of it is empty. */
static void *room_for(size_t count, size_t size)
{
    void *room = calloc(count + 1, size);
    ck_assert_ptr_nonnull(room);
    return room;
}

double half_duplex_time(const anyp_schedule *set, int p, const anypi_partition *partition,
                        int64_t type_size, const anyp_model *model)
{
    clock c = { .set = set, .p = p, .type_size = type_size, .model = model };
    int64_t *starts = room_for((size_t) partition->blocks, sizeof *starts);
    size_t pieces_count;
    c.layout = anypi_layout_of(&set[0], partition, starts);
    ck_assert_int_eq(anypi_pieces_of(set, p, &c.layout, type_size, &c.pieces, &pieces_count),
                     ANYP_SUCCESS);
    c.processes = room_for((size_t) p, sizeof *c.processes);
    for (int rank = 0; rank < p; rank++) {
        c.processes[rank].first_round = c.rounds;
        c.rounds += (size_t) set[rank].rounds;
    }
    c.messages = room_for(pieces_count, sizeof *c.messages);
    join_pieces(&c, pieces_count);
    c.first_end = room_for(c.rounds + 1, sizeof *c.first_end);
    c.ends = room_for(2 * c.messages_count, sizeof *c.ends);
    ck_assert_int_eq(anypi_heap_init(&c.waiting, c.messages_count), ANYP_SUCCESS);
    find_ends(&c);
    const double time = play(&c);
    anypi_heap_free(&c.waiting);
    anypi_free(c.pieces);
    free(c.ends);
    free(c.first_end);
    free(c.messages);
    free(c.processes);
    free(starts);
    return time;
}

double half_duplex_variant(const variant *v, anyp_model model)
{
    anyp_schedule *set = variant_set(v);
    const anypi_partition partition = anypi_partition_for(&v->call, set[0].blocks);
    const double time = half_duplex_time(set, v->call.p, &partition, v->call.type_size, &model);
    anypi_set_free(set, v->call.p);
    return time;
}
