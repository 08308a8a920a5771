/* SPDX-License-Identifier: BSD-3-Clause
 *
 * half_duplex.c - first the engine finds the messages, then they are served in the order of time.
 */
#include "core/half_duplex.h"

#include "core/memory.h"
#include "core/run.h"

#include <stdlib.h>

/* All pieces from one rank in one round to another. Which message it is says its place among the
 * messages, sorted by sender, the sender's round and receiver. */
typedef struct message {
    int from, from_round, to, to_round;
    int64_t bytes;
    double ready;               /* since when both ends are in their rounds */
    bool one_end_there;
} message;

/* A message that waits for its ports: the heap's entry. */
typedef struct waiting {
    double start;               /* not before; ports may have become busier since it was computed */
    double ready;
    size_t message;
} waiting;

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
    message *messages;
    size_t messages_count, messages_capacity;
    process *processes;
    size_t rounds;              /* of all ranks */
    size_t *first_end;          /* per round: where its messages begin in `ends` */
    size_t *ends;               /* messages, twice each: in the rounds of sender and receiver */
    waiting *heap;
    size_t heap_count;
} clock;

/* ---- messages ---- */

static anyp_status moved(void *state, const anypi_message *piece)
{
    clock *c = state;
    if (c->messages_count == c->messages_capacity) {
        const size_t capacity = c->messages_capacity ? 2 * c->messages_capacity : 256;
        message *messages = anypi_realloc(c->messages, capacity * sizeof *messages);
        if (!messages)
            return ANYP_ERR_MEMORY;
        c->messages = messages;
        c->messages_capacity = capacity;
    }
    const anyp_slice slice = c->set[piece->from].steps[piece->from_step].from;
    c->messages[c->messages_count++] = (message) {
        .from = piece->from, .from_round = piece->from_round,
        .to = piece->to, .to_round = piece->to_round,
        .bytes = anypi_slice_elements(c->layout, slice) * c->type_size };
    return ANYP_SUCCESS;
}

static anyp_status finished(void *state, int rank, int round)
{
    (void) state;
    (void) rank;
    (void) round;
    return ANYP_SUCCESS;
}

static int compare(const void *a, const void *b)
{
    const message *x = a, *y = b;
    const int from = (x->from > y->from) - (x->from < y->from);
    const int round = (x->from_round > y->from_round) - (x->from_round < y->from_round);
    const int to = (x->to > y->to) - (x->to < y->to);
    return from ? from : round ? round : to;
}

/* Sorts the messages and makes one of the pieces of each. */
static void join_pieces(clock *c)
{
    size_t count = 0;
    if (c->messages_count > 0)
        qsort(c->messages, c->messages_count, sizeof *c->messages, compare);
    for (size_t i = 0; i < c->messages_count; i++) {
        if (i > 0 && compare(&c->messages[i], &c->messages[count - 1]) == 0)
            c->messages[count - 1].bytes += c->messages[i].bytes;
        else
            c->messages[count++] = c->messages[i];
    }
    c->messages_count = count;
}

static size_t sent_in(const clock *c, const message *m)
{
    return c->processes[m->from].first_round + (size_t) m->from_round;
}

static size_t received_in(const clock *c, const message *m)
{
    return c->processes[m->to].first_round + (size_t) m->to_round;
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

/* ---- the heap: earliest start first, then earliest ready, then sender and receiver ---- */

static bool is_before(const waiting *a, const waiting *b)
{
    if (a->start != b->start)
        return a->start < b->start;
    return a->ready != b->ready ? a->ready < b->ready : a->message < b->message;
}

static void push(clock *c, waiting new)
{
    size_t place = c->heap_count++;
    for (; place > 0 && is_before(&new, &c->heap[(place - 1) / 2]); place = (place - 1) / 2)
        c->heap[place] = c->heap[(place - 1) / 2];
    c->heap[place] = new;
}

static waiting pop(clock *c)
{
    const waiting first = c->heap[0], last = c->heap[--c->heap_count];
    size_t place = 0;
    for (size_t child = 1; child < c->heap_count; child = 2 * place + 1) {
        child += child + 1 < c->heap_count && is_before(&c->heap[child + 1], &c->heap[child]);
        if (!is_before(&c->heap[child], &last))
            break;
        c->heap[place] = c->heap[child];
        place = child;
    }
    c->heap[place] = last;
    return first;
}

/* ---- time ---- */

static double later(double a, double b)
{
    return a > b ? a : b;
}

static double start_of(const clock *c, const message *m)
{
    return later(m->ready, later(c->processes[m->from].port_free, c->processes[m->to].port_free));
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
                m->ready = later(c->processes[m->from].ready, c->processes[m->to].ready);
                push(c, (waiting) { start_of(c, m), m->ready, c->ends[i] });
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
    while (c->heap_count > 0) {
        waiting next = pop(c);
        const message *m = &c->messages[next.message];
        const double start = start_of(c, m);
        if (start > next.start) {
            next.start = start;
            push(c, next);
            continue;
        }
        const double end = start + c->model->alpha + 2 * c->model->overhead +
            c->model->beta * (double) m->bytes;
        c->processes[m->from].port_free = c->processes[m->to].port_free = end;
        arrive(c, m->from, end);
        arrive(c, m->to, end);
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
    const anypi_visitor visitor = { &c, moved, finished };
    char reason[1];
    anyp_status status = ANYP_ERR_MEMORY;
    c.processes = anypi_realloc(NULL, (size_t) p * sizeof *c.processes);
    if (!c.processes)
        goto done;
    for (int rank = 0; rank < p; rank++) {
        c.processes[rank] = (process) { .first_round = c.rounds };
        c.rounds += (size_t) set[rank].rounds;
    }
    status = anypi_run(set, p, &visitor, reason, sizeof reason);
    if (status != ANYP_SUCCESS)
        goto done;
    join_pieces(&c);
    status = ANYP_ERR_MEMORY;
    c.first_end = anypi_realloc(NULL, (c.rounds + 2) * sizeof *c.first_end);
    c.ends = anypi_realloc(NULL, 2 * c.messages_count * sizeof *c.ends);
    c.heap = anypi_realloc(NULL, c.messages_count * sizeof *c.heap);
    if (!c.first_end || !c.ends || !c.heap)
        goto done;
    find_ends(&c);
    *time = play(&c);
    status = ANYP_SUCCESS;

  done:
    anypi_free(c.heap);
    anypi_free(c.ends);
    anypi_free(c.first_end);
    anypi_free(c.processes);
    anypi_free(c.messages);
    return status;
}
