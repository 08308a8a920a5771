/* SPDX-License-Identifier: BSD-3-Clause
 *
 * eager.c - first the engine finds the messages; then they flow, event by event.
 *
 * Work is counted in seconds of a whole port, beta times bytes, so that a port's rate is 1. The
 * rates of flows change only when one begins or ends, and only those of flows that share a port
 * with it, directly or through others. Whatever happens at one moment changes them once.
 */
#include "analysis/eager.h"

#include "analysis/heap.h"
#include "analysis/pieces.h"
#include "schedule/memory.h"

#include <stdlib.h>

/* A message: one SEND. In the heap it has the time when it begins to flow, and from then on the
 * time when it ends at its present rate. */
typedef struct flow {
    anypi_piece piece;
    bool flows;
    double rate;                /* since when ... */
    double since;
    double rest;                /* ... there was so much work left */
    unsigned look;              /* the last look at rates that gave it one */
    size_t next[2], previous[2];        /* flows of its sender's port, of its receiver's */
} flow;

/* Rank r has port r for what it sends and port p + r for what it receives. */
typedef struct port {
    size_t first;               /* of its flows */
    unsigned look;              /* the last look at rates that had to do with it */
    double rest;                /* of its rate, for its ... */
    int without;                /* ... flows that have no rate in this look yet */
} port;

typedef struct round_state {
    int awaited;                /* messages that have not arrived */
    int early;                  /* that arrived before the rank had come to the round */
} round_state;

typedef struct process {
    size_t first_round;         /* of all rounds of all ranks */
    size_t next;                /* the first message of its rounds to come */
    int round;
    double free;                /* when it has done all that it can do so far */
} process;

typedef struct clock {
    const anyp_schedule *set;
    int p;
    const anypi_layout *layout;
    int64_t type_size;
    const anyp_model *model;
    flow *flows;                /* by sender and step */
    size_t flows_count;
    process *processes;
    round_state *rounds;        /* of all ranks */
    port *ports;
    size_t *looked_at;          /* ports of this look */
    size_t looked_at_count;
    unsigned look;
    anypi_heap events;          /* flows */
    anypi_heap shares;          /* ports by what each flow without a rate could have of them */
} clock;

static const size_t none = SIZE_MAX;

static double later(double a, double b)
{
    return a > b ? a : b;
}

/* ---- rates ---- */

static size_t port_of(const clock *c, const flow *f, int end)
{
    return (size_t) (end ? c->p + f->piece.to : f->piece.from);
}

/* The port's flows may have other rates from now on. */
static void look_at(clock *c, size_t number)
{
    if (c->ports[number].look != c->look) {
        c->ports[number].look = c->look;
        c->looked_at[c->looked_at_count++] = number;
    }
}

static void link_flow(clock *c, size_t number)
{
    flow *f = &c->flows[number];
    for (int end = 0; end < 2; end++) {
        const size_t at = port_of(c, f, end), first = c->ports[at].first;
        f->next[end] = first;
        f->previous[end] = none;
        if (first != none)
            c->flows[first].previous[end] = number;
        c->ports[at].first = number;
        look_at(c, at);
    }
}

static void unlink_flow(clock *c, const flow *f)
{
    for (int end = 0; end < 2; end++) {
        const size_t at = port_of(c, f, end);
        if (f->previous[end] == none)
            c->ports[at].first = f->next[end];
        else
            c->flows[f->previous[end]].next[end] = f->next[end];
        if (f->next[end] != none)
            c->flows[f->next[end]].previous[end] = f->previous[end];
        look_at(c, at);
    }
}

static void set_rate(clock *c, size_t number, double rate, double now)
{
    flow *f = &c->flows[number];
    f->look = c->look;
    if (f->rate == rate)
        return;
    f->rest = later(0, f->rest - f->rate * (now - f->since));
    f->since = now;
    f->rate = rate;
    anypi_heap_put(&c->events, number, (anypi_when) { .time = now + f->rest / rate });
}

/* All ports that share flows with those that are looked at, through however many others. */
static void spread(clock *c)
{
    for (size_t i = 0; i < c->looked_at_count; i++) {
        port *here = &c->ports[c->looked_at[i]];
        const int end = c->looked_at[i] >= (size_t) c->p;
        here->rest = 1;
        here->without = 0;
        for (size_t number = here->first; number != none; number = c->flows[number].next[end]) {
            here->without++;
            look_at(c, port_of(c, &c->flows[number], !end));
        }
    }
}

/* Max-min fairness: the port that has least for each of its flows gives it to them, and so on. */
static void share(clock *c, double now)
{
    double least = 0;
    spread(c);
    for (size_t i = 0; i < c->looked_at_count; i++) {
        const port *here = &c->ports[c->looked_at[i]];
        if (here->without > 0)
            anypi_heap_put(&c->shares, c->looked_at[i],
                           (anypi_when) { .time = here->rest / here->without });
    }
    while (c->shares.count > 0) {
        const size_t at = anypi_heap_take(&c->shares);
        const int end = at >= (size_t) c->p;
        if (c->ports[at].without == 0)
            continue;
        least = later(least, c->shares.when[at].time);  /* it is no less, but for rounding */
        for (size_t number = c->ports[at].first; number != none;
             number = c->flows[number].next[end]) {
            if (c->flows[number].look == c->look)
                continue;
            set_rate(c, number, least, now);
            const size_t other_at = port_of(c, &c->flows[number], !end);
            port *other = &c->ports[other_at];
            other->rest -= least;
            if (--other->without > 0)
                anypi_heap_put(&c->shares, other_at,
                               (anypi_when) { .time = other->rest / other->without });
        }
    }
    c->looked_at_count = 0;
    c->look++;
}

/* ---- ranks ---- */

static double reduction_time(const clock *c, int rank, int round)
{
    const anyp_schedule *schedule = &c->set[rank];
    int64_t elements = 0;
    for (int i = schedule->round_start[round]; i < schedule->round_start[round + 1]; i++)
        if (schedule->steps[i].kind == ANYP_REDUCE_LOCAL)
            elements += anypi_slice_elements(c->layout, schedule->steps[i].to);
    return c->model->gamma * (double) (elements * c->type_size);
}

/* The rank comes to its round, and goes on until it has to wait for a message. */
static void enter(clock *c, int rank)
{
    process *here = &c->processes[rank];
    for (; here->round < c->set[rank].rounds; here->round++) {
        const round_state *state = &c->rounds[here->first_round + (size_t) here->round];
        for (; here->next < c->flows_count; here->next++) {
            const anypi_piece *piece = &c->flows[here->next].piece;
            if (piece->from != rank || piece->from_round != here->round)
                break;
            here->free += c->model->overhead;
            anypi_heap_put(&c->events, here->next,
                           (anypi_when) { .time = here->free + c->model->alpha });
        }
        here->free += state->early * c->model->overhead;
        if (state->awaited > 0)
            return;
        here->free += reduction_time(c, rank, here->round);
    }
}

static void arrive(clock *c, const anypi_piece *piece, double now)
{
    process *here = &c->processes[piece->to];
    round_state *state = &c->rounds[here->first_round + (size_t) piece->to_round];
    state->awaited--;
    if (piece->to_round > here->round) {
        state->early++;
        return;
    }
    here->free = later(here->free, now) + c->model->overhead;
    if (state->awaited == 0) {
        here->free += reduction_time(c, piece->to, here->round++);
        enter(c, piece->to);
    }
}

/* ---- time ---- */

/* The flow whose turn it is begins or ends. */
static void turn(clock *c, size_t number, double now)
{
    flow *f = &c->flows[number];
    if (f->flows) {
        unlink_flow(c, f);
        arrive(c, &f->piece, now);
    } else if (f->rest == 0) {
        arrive(c, &f->piece, now);
    } else {
        f->flows = true;
        f->since = now;
        link_flow(c, number);
    }
}

static double play(clock *c)
{
    for (int rank = 0; rank < c->p; rank++)
        enter(c, rank);
    while (c->events.count > 0) {
        const double now = c->events.when[c->events.items[0]].time;
        while (c->events.count > 0 && c->events.when[c->events.items[0]].time <= now)
            turn(c, anypi_heap_take(&c->events), now);
        share(c, now);
    }
    double time = 0;
    for (int rank = 0; rank < c->p; rank++)
        time = later(time, c->processes[rank].free);
    return time;
}

/* ---- memory ---- */

static int compare(const void *a, const void *b)
{
    const anypi_piece *x = a, *y = b;
    const int from = (x->from > y->from) - (x->from < y->from);
    return from ? from : (x->from_step > y->from_step) - (x->from_step < y->from_step);
}

/* Makes flows of the pieces that have bytes; each rank begins with its first. */
static void begin(clock *c, anypi_piece *pieces, size_t count)
{
    if (count > 0)
        qsort(pieces, count, sizeof *pieces, compare);
    for (size_t i = 0; i < count; i++) {
        if (pieces[i].bytes == 0)
            continue;
        c->flows[c->flows_count++] = (flow) {
            .piece = pieces[i], .rest = c->model->beta * (double) pieces[i].bytes };
        c->rounds[c->processes[pieces[i].to].first_round + (size_t) pieces[i].to_round].awaited++;
    }
    size_t next = 0;
    for (int rank = 0; rank < c->p; rank++) {
        c->processes[rank].next = next;
        while (next < c->flows_count && c->flows[next].piece.from == rank)
            next++;
    }
}

static anyp_status allocate(clock *c, size_t pieces)
{
    const size_t ports = 2 * (size_t) c->p;
    size_t rounds = 0;
    c->processes = anypi_realloc(NULL, (size_t) c->p * sizeof *c->processes);
    c->ports = anypi_realloc(NULL, ports * sizeof *c->ports);
    c->looked_at = anypi_realloc(NULL, ports * sizeof *c->looked_at);
    c->flows = anypi_realloc(NULL, pieces * sizeof *c->flows);
    if (!c->processes || !c->ports || !c->looked_at || !c->flows ||
        anypi_heap_init(&c->events, pieces) != ANYP_SUCCESS ||
        anypi_heap_init(&c->shares, ports) != ANYP_SUCCESS)
        return ANYP_ERR_MEMORY;
    for (size_t i = 0; i < ports; i++)
        c->ports[i] = (port) { .first = none };
    for (int rank = 0; rank < c->p; rank++) {
        c->processes[rank] = (process) { .first_round = rounds,
                                            .free = anypi_entry(c->model, rank) };
        rounds += (size_t) c->set[rank].rounds;
    }
    c->rounds = anypi_realloc(NULL, rounds * sizeof *c->rounds);
    if (!c->rounds)
        return ANYP_ERR_MEMORY;
    for (size_t i = 0; i < rounds; i++)
        c->rounds[i] = (round_state) { 0 };
    return ANYP_SUCCESS;
}

anyp_status anypi_eager(const anyp_schedule *set, int p, const anypi_layout *layout,
                        int64_t type_size, const anyp_model *model, double *time)
{
    clock c = { .set = set, .p = p, .layout = layout, .type_size = type_size, .model = model,
                .look = 1 };
    anypi_piece *pieces;
    size_t count;
    anyp_status status = anypi_pieces_of(set, p, layout, type_size, &pieces, &count);
    if (status == ANYP_SUCCESS)
        status = allocate(&c, count);
    if (status == ANYP_SUCCESS) {
        begin(&c, pieces, count);
        *time = play(&c);
    }
    anypi_heap_free(&c.shares);
    anypi_heap_free(&c.events);
    anypi_free(c.rounds);
    anypi_free(c.flows);
    anypi_free(c.looked_at);
    anypi_free(c.ports);
    anypi_free(c.processes);
    anypi_free(pieces);
    return status;
}
