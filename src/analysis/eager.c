/* SPDX-License-Identifier: BSD-3-Clause
 *
 * eager.c - simulates networks that send every message immediately. The engine finds the messages;
 * then their flows are simulated, event by event.
 *
 * Work is counted in seconds of a whole port, beta times bytes, so that a port's rate is 1. Rates
 * change only when a flow begins or ends, and only for flows that share a port with it, directly or
 * through others. Events at the same moment change the rates once. The link that joins a group to
 * the others is a pair of ports, like a card's, with another rate.
 */
#include "analysis/eager.h"

#include "analysis/heap.h"
#include "analysis/pieces.h"
#include "schedule/early.h"
#include "schedule/memory.h"
#include "schedule/shape.h"
#include "schedule/ranks.h"

#include <math.h>
#include <stdlib.h>

/* The ports that a flow uses: a port of its sender and one of its receiver. At each height at which
 * the flow leaves a group with a link, also the sender's link upwards and the receiver's
 * downwards. */
enum { SENDER, RECEIVER, CARDS };

/* A message: one SEND. Its time in the heap is the time at which it begins to flow. Once it flows,
 * it is the time at which it ends at its current rate. */
typedef struct flow {
    anypi_piece piece;
    bool flows;
    double rate;                /* since time `since` */
    double since;
    double rest;                /* work that was left at that time */
    unsigned pass;              /* the last pass that set its rate */
    int meets;                  /* the lowest height at which its ranks are in one group */
    int ends;                   /* number of ports that it uses */
} flow;

/* The neighbours of a flow in the list of one of its ports. */
typedef struct beside {
    size_t next, previous;
} beside;

/* The links of one height. */
typedef struct links {
    int height, groups;
    size_t first;               /* port of the links upwards; those downwards follow */
} links;

/* Card k has port k for what it sends and port `cards` + k for what it receives; after them the
 * links of each height, in the same order. */
typedef struct port {
    int end;                    /* which end of its flows uses it */
    double rate;                /* relative to a card's */
    size_t first;               /* of its flows */
    unsigned pass;              /* the last pass that affected it */
    double rest;                /* rate left for flows without a rate in this pass */
    int without;                /* the number of these flows */
} port;

typedef struct round_state {
    int awaited;                /* messages that have not arrived */
    int early;                  /* messages that arrived before the rank entered the round */
} round_state;

typedef struct process {
    int card;                   /* the card that the rank uses; without nodes, its own */
    size_t first_round;         /* of all rounds of all ranks */
    size_t next;                /* the first message of its remaining rounds */
    int begun;                  /* rounds whose messages are sent */
    int round;
    double free;                /* when it has done all that it can do so far */
} process;

typedef struct clock {
    const anyp_schedule *set;
    int p;
    const anypi_layout *layout;
    int64_t type_size;
    anyp_model model;           /* with `group` and `taper` as a height above nodes of one rank */
    flow *flows;                /* by sender and step */
    size_t flows_count;
    process *processes;
    round_state *rounds;        /* of all ranks */
    int heights;                /* the nodes, and those above */
    int *places;                /* places[h * p + rank]: the group of height h with the rank */
    int cards;                  /* of all nodes */
    links links[ANYP_MODEL_HEIGHTS];
    int linked;                 /* the number of heights that have links */
    int ends;                   /* the largest number of ports of a flow */
    beside *beside;             /* those of flow f start at f * ends */
    port *ports;
    size_t *affected;           /* ports of this pass */
    size_t affected_count;
    unsigned pass;
    anypi_heap events;          /* flows */
    anypi_heap shares;          /* ports by the share of each flow without a rate */
} clock;

static const size_t none = SIZE_MAX;

/* ---- rates ---- */

static int place(const clock *c, int height, int rank)
{
    return c->places[(size_t) height * (size_t) c->p + (size_t) rank];
}

static size_t port_of(const clock *c, const flow *f, int end)
{
    const bool receives = end % 2 == RECEIVER;
    const int rank = receives ? f->piece.to : f->piece.from;
    if (end < CARDS)
        return (size_t) (receives * c->cards + c->processes[rank].card);
    const links *l = &c->links[(end - CARDS) / 2];
    return l->first + (size_t) (receives * l->groups + place(c, l->height, rank));
}

static beside *beside_of(const clock *c, size_t number, int end)
{
    return &c->beside[number * (size_t) c->ends + (size_t) end];
}

/* Sets where a flow's ranks meet, and the number of ports that it passes: none inside a node. */
static void set_way(const clock *c, flow *f)
{
    while (f->meets < c->heights &&
           place(c, f->meets, f->piece.from) != place(c, f->meets, f->piece.to))
        f->meets++;
    f->ends = f->meets > 0 ? CARDS : 0;
    for (int i = 0; i < c->linked && c->links[i].height < f->meets; i++)
        f->ends += 2;
}

static double alpha_of(const clock *c, const flow *f)
{
    return f->meets == 0 ? c->model.inside_alpha : f->meets == 1 ? c->model.alpha
        : c->model.above[f->meets - 2].alpha;
}

/* Notes that the rates of the port's flows may change. */
static void mark_affected(clock *c, size_t number)
{
    if (c->ports[number].pass != c->pass) {
        c->ports[number].pass = c->pass;
        c->affected[c->affected_count++] = number;
    }
}

static void link_flow(clock *c, size_t number)
{
    const flow *f = &c->flows[number];
    for (int end = 0; end < f->ends; end++) {
        const size_t at = port_of(c, f, end), first = c->ports[at].first;
        *beside_of(c, number, end) = (beside) { .next = first, .previous = none };
        if (first != none)
            beside_of(c, first, end)->previous = number;
        c->ports[at].first = number;
        mark_affected(c, at);
    }
}

static void unlink_flow(clock *c, size_t number)
{
    const flow *f = &c->flows[number];
    for (int end = 0; end < f->ends; end++) {
        const size_t at = port_of(c, f, end);
        const beside *b = beside_of(c, number, end);
        if (b->previous == none)
            c->ports[at].first = b->next;
        else
            beside_of(c, b->previous, end)->next = b->next;
        if (b->next != none)
            beside_of(c, b->next, end)->previous = b->previous;
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
             number = beside_of(c, number, here->end)->next) {
            here->without++;
            for (int end = 0; end < c->flows[number].ends; end++)
                mark_affected(c, port_of(c, &c->flows[number], end));
        }
    }
}

/* One of the port's flows has received its rate. */
static void take_share(clock *c, size_t at, double rate)
{
    port *here = &c->ports[at];
    here->rest -= rate;
    if (--here->without > 0)
        anypi_heap_put(&c->shares, at, (anypi_when) { .time = here->rest / here->without });
}

/* Max-min fairness: the port with the smallest share for each of its flows sets the rates of these
 * flows. Then the next such port follows, and so on. */
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
             number = beside_of(c, number, c->ports[at].end)->next) {
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
    return c->model.gamma * (double) (elements * c->type_size);
}

/* The rank sends the messages of the next round. */
static void send_messages(clock *c, int rank)
{
    process *here = &c->processes[rank];
    const flow *f = &c->flows[here->next], *const end = &c->flows[c->flows_count];
    for (; f < end && f->piece.from == rank && f->piece.from_round == here->begun; f++) {
        here->free += c->model.overhead;
        const anypi_when leaves = { .time = here->free + alpha_of(c, f) };
        anypi_heap_put(&c->events, here->next++, leaves);
    }
    here->begun++;
}

/* May the next round begin? If the schedule's rounds overlap, while others are under way that it
 * does not depend on. */
static bool begins(const clock *c, int rank)
{
    const anyp_schedule *s = &c->set[rank];
    const process *here = &c->processes[rank];
    bool good = here->begun < s->rounds && here->begun <= here->round + s->overlap;
    for (int other = here->round; good && other < here->begun; other++)
        good = anypi_begins_early(s, other, here->begun, false, false);
    return good;
}

/* The rank enters its round, and continues until it has to wait for a message. */
static void enter(clock *c, int rank)
{
    process *here = &c->processes[rank];
    for (; here->round < c->set[rank].rounds; here->round++) {
        const round_state *state = &c->rounds[here->first_round + (size_t) here->round];
        while (begins(c, rank))
            send_messages(c, rank);
        here->free += state->early * c->model.overhead;
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
    here->free = anypi_fmax(here->free, now) + c->model.overhead;
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
    if (f->flows || f->rest == 0) {
        if (f->flows)
            unlink_flow(c, number);
        arrive(c, &f->piece, now);
        return;
    }
    f->flows = true;
    f->since = now;
    if (f->ends == 0)
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

/* Makes flows of the pieces that have bytes; each rank begins with its first round. */
static void begin(clock *c, anypi_piece *pieces, size_t count)
{
    if (count > 0)
        qsort(pieces, count, sizeof *pieces, compare);
    for (size_t i = 0; i < count; i++) {
        if (pieces[i].bytes == 0)
            continue;
        flow *f = &c->flows[c->flows_count++];
        *f = (flow) { .piece = pieces[i] };
        set_way(c, f);
        f->rest = (f->ends ? c->model.beta : c->model.inside_beta) * (double) f->piece.bytes;
        c->rounds[c->processes[pieces[i].to].first_round + (size_t) pieces[i].to_round].awaited++;
    }
    size_t next = 0;
    for (int rank = 0; rank < c->p; rank++) {
        c->processes[rank].next = next;
        while (next < c->flows_count && c->flows[next].piece.from == rank)
            next++;
    }
}

/* Sets the place of each rank, and its card. */
static void place_ranks(clock *c)
{
    const anyp_shape *nodes = c->model.nodes;
    for (int rank = 0; !nodes && rank < c->p; rank++) {
        c->processes[rank].card = c->places[rank] = rank;
        if (c->heights > 1)
            c->places[c->p + rank] = rank / c->model.group;
    }
    if (nodes)
        anypi_shape_places(nodes, c->places);
    for (int node = 0; nodes && node < nodes->count; node++)
        for (int i = 0; i < anypi_shape_size(nodes, node); i++)
            c->processes[anypi_shape_rank(nodes, anypi_shape_first(nodes, node) + i)].card =
                node * c->model.cards + i % c->model.cards;
}

/* Returns the number of groups at a height above the nodes. */
static int groups_of(const clock *c, int height)
{
    const anyp_shape *shape = c->model.nodes;
    while (shape && height-- > 0)
        shape = shape->above;
    return shape ? shape->count : (c->p - 1) / c->model.group + 1;
}

/* Counts ports, and sets those of links. */
static size_t set_links(clock *c)
{
    size_t ports = CARDS * (size_t) c->cards;
    for (int h = 1; h < c->heights; h++)
        if (c->model.above[h - 1].beta > 0) {
            links *l = &c->links[c->linked++];
            *l = (links) { .height = h, .groups = groups_of(c, h), .first = ports };
            ports += 2 * (size_t) l->groups;
        }
    c->ends = CARDS + 2 * c->linked;
    return ports;
}

static void make_ports(clock *c)
{
    for (int i = 0; i < CARDS * c->cards; i++)
        c->ports[i] = (port) { .first = none, .end = i / c->cards, .rate = 1 };
    for (int k = 0; k < c->linked; k++) {
        const links *l = &c->links[k];
        for (int i = 0; i < 2 * l->groups; i++)
            c->ports[l->first + (size_t) i] = (port) {
                .first = none, .end = CARDS + 2 * k + i / l->groups,
                .rate = c->model.beta / c->model.above[l->height - 1].beta };
    }
}

static anyp_status allocate(clock *c, size_t pieces)
{
    const anyp_shape *nodes = c->model.nodes;
    c->heights = nodes ? anypi_shape_length(nodes) : 1 + (c->model.group > 0);
    c->cards = nodes ? nodes->count * c->model.cards : c->p;
    const size_t ports = set_links(c), p = (size_t) c->p;
    size_t rounds = 0;
    c->processes = anypi_realloc(NULL, p * sizeof *c->processes);
    c->places = anypi_realloc(NULL, (size_t) c->heights * p * sizeof *c->places);
    c->ports = anypi_realloc(NULL, ports * sizeof *c->ports);
    c->affected = anypi_realloc(NULL, ports * sizeof *c->affected);
    c->flows = anypi_realloc(NULL, pieces * sizeof *c->flows);
    c->beside = anypi_realloc(NULL, pieces * (size_t) c->ends * sizeof *c->beside);
    if (!c->processes || !c->places || !c->ports || !c->affected || !c->flows || !c->beside ||
        anypi_heap_init(&c->events, pieces) != ANYP_SUCCESS ||
        anypi_heap_init(&c->shares, ports) != ANYP_SUCCESS)
        return ANYP_ERR_MEMORY;
    make_ports(c);
    for (int rank = 0; rank < c->p; rank++) {
        c->processes[rank] = (process) { .first_round = rounds,
                                            .free = anypi_entry(&c->model, rank) };
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
    clock c = { .set = set, .p = p, .layout = layout, .type_size = type_size, .model = *model,
                .pass = 1 };
    if (!model->nodes && model->group > 0) {
        c.model.above[0].alpha = model->alpha;
        c.model.above[0].beta = model->beta * model->taper / model->group;
    }
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
    anypi_free(c.beside);
    anypi_free(c.places);
    anypi_free(c.affected);
    anypi_free(c.ports);
    anypi_free(c.processes);
    anypi_free(pieces);
    return status;
}
