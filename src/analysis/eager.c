/* SPDX-License-Identifier: BSD-3-Clause
 *
 * eager.c - the engine finds the messages; then their flows are simulated, event by event.
 *
 * Work is counted in seconds of a whole port, beta times bytes, so that a port's rate is 1. The
 * rates of flows change only when one begins or ends, and only those of flows that share a port
 * with it, directly or through others. All events of one moment change them once. The shared link
 * of a group of ranks is a pair of ports, like a card's, with another rate.
 */
#include "analysis/eager.h"

#include "analysis/heap.h"
#include "analysis/pieces.h"
#include "schedule/memory.h"
#include "schedule/shape.h"
#include "schedule/ranks.h"

#include <math.h>
#include <stdlib.h>

/* What a flow passes: the ports of its sender and of its receiver, and if it leaves a group of
 * ranks, those of both groups' links. */
enum { SENDER, RECEIVER, UPWARD, DOWNWARD, ENDS };

/* A message: one SEND. Its time in the heap is that at which it begins to flow, and later that at
 * which it ends at its present rate. */
typedef struct flow {
    anypi_piece piece;
    bool flows;
    double rate;                /* since time `since` */
    double since;
    double rest;                /* work that was left then */
    unsigned pass;              /* the last pass that set its rate */
    int ends;                   /* 2, or 4 with links of groups */
    size_t next[ENDS], previous[ENDS];  /* flows of the same ports */
} flow;

/* Card k has port k for what it sends and port `cards` + k for what it receives; after them the
 * links of groups, in the same order. */
typedef struct port {
    int end;                    /* the end of its flows that uses it */
    double rate;                /* relative to a card's */
    size_t first;               /* of its flows */
    unsigned pass;              /* the last pass that affected it */
    double rest;                /* of its rate, for flows that have no rate in this pass yet */
    int without;                /* the number of these flows */
} port;

typedef struct round_state {
    int awaited;                /* messages that have not arrived */
    int early;                  /* that arrived before the rank entered the round */
} round_state;

typedef struct process {
    int card, node;             /* that the rank uses, on which it is; without nodes, its own */
    size_t first_round;         /* of all rounds of all ranks */
    size_t next;                /* the first message of its remaining rounds */
    int round;
    double free;                /* when it has done all that it can do yet */
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
    int cards;                  /* of all nodes */
    int groups;                 /* of ranks that share a link; 0: nothing is shared */
    port *ports;
    size_t *affected;           /* ports of this pass */
    size_t affected_count;
    unsigned pass;
    anypi_heap events;          /* flows */
    anypi_heap shares;          /* ports by the share of each flow without a rate */
} clock;

static const size_t none = SIZE_MAX;

/* ---- rates ---- */

/* Does a message stay in its node? Then it uses no port. */
static bool is_inside(const clock *c, const anypi_piece *piece)
{
    return c->processes[piece->from].node == c->processes[piece->to].node;
}

static size_t port_of(const clock *c, const flow *f, int end)
{
    const int rank = end == SENDER || end == UPWARD ? f->piece.from : f->piece.to;
    const int first[ENDS] = { 0, c->cards, 2 * c->cards, 2 * c->cards + c->groups };
    return (size_t) (first[end] + (end < UPWARD ? c->processes[rank].card
                                   : rank / c->model->group));
}

/* The number of ports that a message passes. */
static int ends_of(const clock *c, const anypi_piece *piece)
{
    const int group = c->model->group;
    return c->groups && piece->from / group != piece->to / group ? ENDS : UPWARD;
}

/* The port's flows may have other rates from now on. */
static void mark_affected(clock *c, size_t number)
{
    if (c->ports[number].pass != c->pass) {
        c->ports[number].pass = c->pass;
        c->affected[c->affected_count++] = number;
    }
}

static void link_flow(clock *c, size_t number)
{
    flow *f = &c->flows[number];
    for (int end = 0; end < f->ends; end++) {
        const size_t at = port_of(c, f, end), first = c->ports[at].first;
        f->next[end] = first;
        f->previous[end] = none;
        if (first != none)
            c->flows[first].previous[end] = number;
        c->ports[at].first = number;
        mark_affected(c, at);
    }
}

static void unlink_flow(clock *c, const flow *f)
{
    for (int end = 0; end < f->ends; end++) {
        const size_t at = port_of(c, f, end);
        if (f->previous[end] == none)
            c->ports[at].first = f->next[end];
        else
            c->flows[f->previous[end]].next[end] = f->next[end];
        if (f->next[end] != none)
            c->flows[f->next[end]].previous[end] = f->previous[end];
        mark_affected(c, at);
    }
}

static void set_rate(clock *c, size_t number, double rate, double now)
{
    flow *f = &c->flows[number];
    f->pass = c->pass;
    if (f->rate == rate)
        return;
    f->rest = anypi_fmax(0, f->rest - f->rate * (now - f->since));
    f->since = now;
    f->rate = rate;
    anypi_heap_put(&c->events, number, (anypi_when) { .time = now + f->rest / rate });
}

/* Adds all ports that share flows with affected ones, directly or through others. */
static void spread(clock *c)
{
    for (size_t i = 0; i < c->affected_count; i++) {
        port *here = &c->ports[c->affected[i]];
        here->rest = here->rate;
        here->without = 0;
        for (size_t number = here->first; number != none;
             number = c->flows[number].next[here->end]) {
            here->without++;
            for (int end = 0; end < c->flows[number].ends; end++)
                mark_affected(c, port_of(c, &c->flows[number], end));
        }
    }
}

/* One of the port's flows has its rate. */
static void take_share(clock *c, size_t at, double rate)
{
    port *here = &c->ports[at];
    here->rest -= rate;
    if (--here->without > 0)
        anypi_heap_put(&c->shares, at, (anypi_when) { .time = here->rest / here->without });
}

/* Max-min fairness: the port with the smallest share for each of its flows sets their rates, and so
 * on. */
static void share(clock *c, double now)
{
    double smallest = 0;
    spread(c);
    for (size_t i = 0; i < c->affected_count; i++) {
        const port *here = &c->ports[c->affected[i]];
        if (here->without > 0)
            anypi_heap_put(&c->shares, c->affected[i],
                           (anypi_when) { .time = here->rest / here->without });
    }
    while (c->shares.count > 0) {
        const size_t at = anypi_heap_take(&c->shares);
        if (c->ports[at].without == 0)
            continue;
        smallest = anypi_fmax(smallest, c->shares.when[at].time);  /* smaller by rounding only */
        for (size_t number = c->ports[at].first; number != none;
             number = c->flows[number].next[c->ports[at].end]) {
            if (c->flows[number].pass == c->pass)
                continue;
            set_rate(c, number, smallest, now);
            for (int end = 0; end < c->flows[number].ends; end++)
                if (end != c->ports[at].end)
                    take_share(c, port_of(c, &c->flows[number], end), smallest);
        }
    }
    c->affected_count = 0;
    c->pass++;
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

/* The rank enters its round, and continues until it has to wait for a message. */
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
            const double alpha =
                is_inside(c, piece) ? c->model->inside_alpha : c->model->alpha;
            anypi_heap_put(&c->events, here->next,
                           (anypi_when) { .time = here->free + alpha });
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
    here->free = anypi_fmax(here->free, now) + c->model->overhead;
    if (state->awaited == 0) {
        here->free += reduction_time(c, piece->to, here->round++);
        enter(c, piece->to);
    }
}

/* ---- time ---- */

/* The flow of the event begins or ends. */
static void handle_event(clock *c, size_t number, double now)
{
    flow *f = &c->flows[number];
    const bool inside = is_inside(c, &f->piece);
    if (f->flows || f->rest == 0) {
        if (f->flows && !inside)
            unlink_flow(c, f);
        arrive(c, &f->piece, now);
        return;
    }
    f->flows = true;
    f->since = now;
    if (inside)
        anypi_heap_put(&c->events, number, (anypi_when) { .time = now + f->rest });
    else
        link_flow(c, number);
}

static double run(clock *c, double limit)
{
    for (int rank = 0; rank < c->p; rank++)
        enter(c, rank);
    while (c->events.count > 0) {
        const double now = c->events.when[c->events.items[0]].time;
        if (now > limit)
            return INFINITY;
        while (c->events.count > 0 && c->events.when[c->events.items[0]].time <= now)
            handle_event(c, anypi_heap_take(&c->events), now);
        share(c, now);
    }
    double time = 0;
    for (int rank = 0; rank < c->p; rank++)
        time = anypi_fmax(time, c->processes[rank].free);
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
        const double beta = is_inside(c, &pieces[i]) ? c->model->inside_beta : c->model->beta;
        c->flows[c->flows_count++] = (flow) {
            .piece = pieces[i], .rest = beta * (double) pieces[i].bytes,
            .ends = ends_of(c, &pieces[i]) };
        c->rounds[c->processes[pieces[i].to].first_round + (size_t) pieces[i].to_round].awaited++;
    }
    size_t next = 0;
    for (int rank = 0; rank < c->p; rank++) {
        c->processes[rank].next = next;
        while (next < c->flows_count && c->flows[next].piece.from == rank)
            next++;
    }
}

/* Sets the card and the node of each rank. */
static void place_ranks(clock *c)
{
    const anyp_shape *nodes = c->model->nodes;
    for (int rank = 0; rank < c->p; rank++)
        c->processes[rank].card = c->processes[rank].node = rank;
    for (int node = 0; nodes && node < nodes->count; node++)
        for (int i = nodes->first[node]; i < nodes->first[node + 1]; i++) {
            process *here = &c->processes[anypi_shape_rank(nodes, i)];
            here->node = node;
            here->card = node * c->model->cards + (i - nodes->first[node]) % c->model->cards;
        }
}

static void make_ports(clock *c)
{
    port *next = c->ports;
    const int counts[ENDS] = { c->cards, c->cards, c->groups, c->groups };
    for (int end = 0; end < ENDS; end++)
        for (int i = 0; i < counts[end]; i++)
            *next++ = (port) { .first = none, .end = end,
                .rate = end < UPWARD ? 1 : c->model->group / c->model->taper };
}

static anyp_status allocate(clock *c, size_t pieces)
{
    c->cards = c->model->nodes ? c->model->nodes->count * c->model->cards : c->p;
    c->groups = c->model->group > 0 ? (c->p - 1) / c->model->group + 1 : 0;
    const size_t ports = 2 * (size_t) c->cards + 2 * (size_t) c->groups;
    size_t rounds = 0;
    c->processes = anypi_realloc(NULL, (size_t) c->p * sizeof *c->processes);
    c->ports = anypi_realloc(NULL, ports * sizeof *c->ports);
    c->affected = anypi_realloc(NULL, ports * sizeof *c->affected);
    c->flows = anypi_realloc(NULL, pieces * sizeof *c->flows);
    if (!c->processes || !c->ports || !c->affected || !c->flows ||
        anypi_heap_init(&c->events, pieces) != ANYP_SUCCESS ||
        anypi_heap_init(&c->shares, ports) != ANYP_SUCCESS)
        return ANYP_ERR_MEMORY;
    make_ports(c);
    for (int rank = 0; rank < c->p; rank++) {
        c->processes[rank] = (process) { .first_round = rounds,
                                            .free = anypi_entry(c->model, rank) };
        rounds += (size_t) c->set[rank].rounds;
    }
    place_ranks(c);
    c->rounds = anypi_realloc(NULL, rounds * sizeof *c->rounds);
    if (!c->rounds)
        return ANYP_ERR_MEMORY;
    for (size_t i = 0; i < rounds; i++)
        c->rounds[i] = (round_state) { 0 };
    return ANYP_SUCCESS;
}

anyp_status anypi_eager(const anyp_schedule *set, int p, const anypi_layout *layout,
                        int64_t type_size, const anyp_model *model, double limit, double *time)
{
    clock c = { .set = set, .p = p, .layout = layout, .type_size = type_size, .model = model,
                .pass = 1 };
    anypi_piece *pieces;
    size_t count;
    anyp_status status = anypi_pieces_of(set, p, layout, type_size, &pieces, &count);
    if (status == ANYP_SUCCESS)
        status = allocate(&c, count);
    if (status == ANYP_SUCCESS) {
        begin(&c, pieces, count);
        *time = run(&c, limit);
    }
    anypi_heap_free(&c.shares);
    anypi_heap_free(&c.events);
    anypi_free(c.rounds);
    anypi_free(c.flows);
    anypi_free(c.affected);
    anypi_free(c.ports);
    anypi_free(c.processes);
    anypi_free(pieces);
    return status;
}
