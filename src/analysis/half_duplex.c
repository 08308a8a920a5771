/* SPDX-License-Identifier: BSD-3-Clause
 *
 * half_duplex.c - first the engine finds the messages, then they are served in the order of time.
 */
#include "analysis/half_duplex.h"

#include "analysis/heap.h"
#include "analysis/pieces.h"
#include "schedule/memory.h"

#include <stdlib.h>

/* All pieces from one rank in one round to another. Which message it is says its place among the
 * messages, sorted by sender, the sender's round and receiver. */
typedef struct message {
    anypi_piece sum;            /* of its pieces */
    double ready;               /* since when both ends are in their rounds */
    bool one_end_there;
} message;

typedef struct process {
    size_t first_round;         /* of all rounds of all ranks */
    int round;
    int unserved;               /* messages of this round */
    double ready;               /* since when it is in its round */
    double served;              /* when the last message of the round was there */
    double port_free;           /* since when, or from when on */
} process;

typedef struct clock {
    const anyp_schedule *set;
    int p;
    const anypi_layout *layout;
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

/* Fills first_end and ends by counting. */
static void find_ends(clock *c)
{
    for (size_t round = 0; round < c->rounds + 2; round++)
        c->first_end[round] = 0;
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
            elements += anypi_slice_elements(c->layout, schedule->steps[i].to);
    here->ready = later(here->ready, here->served) +
        c->model->gamma * (double) (elements * c->type_size);
}

/* The rank is in its round: messages whose other end is there, too, wait for their ports. */
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

anyp_status anypi_half_duplex(const anyp_schedule *set, int p, const anypi_layout *layout,
                              int64_t type_size, const anyp_model *model, double *time)
{
    clock c = { .set = set, .p = p, .layout = layout, .type_size = type_size, .model = model };
    anyp_status status = ANYP_ERR_MEMORY;
    size_t pieces_count;
    c.processes = anypi_realloc(NULL, (size_t) p * sizeof *c.processes);
    if (!c.processes)
        goto done;
    for (int rank = 0; rank < p; rank++) {
        c.processes[rank] = (process) { .first_round = c.rounds,
                                           .ready = anypi_entry(model, rank) };
        c.rounds += (size_t) set[rank].rounds;
    }
    status = anypi_pieces_of(set, p, layout, type_size, &c.pieces, &pieces_count);
    if (status != ANYP_SUCCESS)
        goto done;
    status = ANYP_ERR_MEMORY;
    c.messages = anypi_realloc(NULL, pieces_count * sizeof *c.messages);
    if (!c.messages)
        goto done;
    join_pieces(&c, pieces_count);
    c.first_end = anypi_realloc(NULL, (c.rounds + 2) * sizeof *c.first_end);
    c.ends = anypi_realloc(NULL, 2 * c.messages_count * sizeof *c.ends);
    if (!c.first_end || !c.ends ||
        anypi_heap_init(&c.waiting, c.messages_count) != ANYP_SUCCESS)
        goto done;
    find_ends(&c);
    *time = play(&c);
    status = ANYP_SUCCESS;

  done:
    anypi_heap_free(&c.waiting);
    anypi_free(c.ends);
    anypi_free(c.first_end);
    anypi_free(c.processes);
    anypi_free(c.messages);
    anypi_free(c.pieces);
    return status;
}
