/* SPDX-License-Identifier: BSD-3-Clause
 *
 * switch.c - cells from port to port; see switch.h.
 *
 * Three kinds of events, found by looking at all ports, which are few: a port begins to send a
 * cell; a cell's head arrives; a port begins to receive a cell, or has received a packet's last.
 */
#include "switch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Cells per latency: flows can take turns this many times while a head is under way. */
enum { CELLS_PER_LATENCY = 16, LEAST_CELL = 512, MOST_READS = 4 };

/* The queues that a packet is in: at most one of each, and both while a long one is under way. */
typedef enum side { SENDING, RECEIVING, SIDES } side;

typedef struct packet {
    struct packet *next[SIDES];
    int from, to;
    int size;
    int sent, arrived, received;        /* bytes whose cells have begun to be */
    bool lost;
    unsigned char data[];
} packet;

/* Packets of one flow, in order, and the flow's place among those that take turns at a port. */
typedef struct queue {
    packet *first, *last;
    struct queue *turn;
} queue;

typedef struct cell {
    packet *packet;
    int bytes;
    int64_t arrival;
} cell;

/* One direction of a port: flows that have something for it, in a ring whose tail is `last`. */
typedef struct lane {
    side side;
    queue *last;
    int64_t free;                       /* when it can begin with the next cell */
} lane;

struct netlab_switch {
    int ports;
    const int *devices;
    uint32_t base;
    int64_t latency;
    double nanoseconds;                 /* per byte */
    int cell;
    lane out[NETLAB_MOST_PORTS], in[NETLAB_MOST_PORTS];
    int64_t room[NETLAB_MOST_PORTS];    /* for bytes that arrive at a port before it receives */
    queue *flows[SIDES];                /* of from * ports + to */
    packet *done[NETLAB_MOST_PORTS];    /* of which a port receives the last cell ... */
    int64_t due[NETLAB_MOST_PORTS];     /* ... until then */
    cell *line;                         /* under way; a ring, in order of arrival */
    size_t line_size, line_first, line_count;
    netlab_counters counters[NETLAB_MOST_PORTS];
    packet *spare;
};

int64_t netlab_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

netlab_switch *netlab_switch_new(const int *devices, int ports, uint32_t base, int64_t latency,
                                 double rate, int64_t room)
{
    netlab_switch *n = calloc(1, sizeof *n);
    if (!n)
        return NULL;
    *n = (netlab_switch) { .ports = ports, .devices = devices, .base = base, .latency = latency,
                           .nanoseconds = 1e9 / rate, .line_size = 1024 };
    n->cell = (int) (rate * 1e-9 * (double) latency / CELLS_PER_LATENCY);
    if (n->cell < LEAST_CELL)
        n->cell = LEAST_CELL;
    for (int i = 0; i < SIDES; i++)
        n->flows[i] = calloc((size_t) (ports * ports), sizeof *n->flows[i]);
    for (int i = 0; i < ports; i++) {
        n->in[i].side = RECEIVING;
        n->room[i] = room;
    }
    n->line = malloc(n->line_size * sizeof *n->line);
    if (!n->flows[SENDING] || !n->flows[RECEIVING] || !n->line) {
        netlab_switch_free(n);
        return NULL;
    }
    return n;
}

/* Packets under way are lost when the process ends. */
void netlab_switch_free(netlab_switch *n)
{
    if (!n)
        return;
    for (int i = 0; i < SIDES; i++)
        free(n->flows[i]);
    free(n->line);
    free(n);
}

const netlab_counters *netlab_switch_counters(const netlab_switch *n, int port)
{
    return &n->counters[port];
}

static void *need(void *memory)
{
    if (!memory) {
        fputs("netlab: no memory for the packets under way\n", stderr);
        _exit(1);
    }
    return memory;
}

/* ---- queues and turns ---- */

/* Adds a packet to a flow; a flow that had none gets the last turn. */
static void enqueue(lane *at, queue *flow, packet *p, int64_t now)
{
    p->next[at->side] = NULL;
    if (flow->first) {
        flow->last->next[at->side] = p;
        flow->last = p;
        return;
    }
    flow->first = flow->last = p;
    if (!at->last) {
        flow->turn = flow;
        at->free = at->free > now ? at->free : now;
    } else {
        flow->turn = at->last->turn;
        at->last->turn = flow;
    }
    at->last = flow;
}

/* The flow whose turn it is has sent a cell; `whole`: its first packet is complete. */
static void next_turn(lane *at, bool whole)
{
    queue *flow = at->last->turn;
    if (whole)
        flow->first = flow->first->next[at->side];
    if (flow->first)
        at->last = flow;
    else if (flow == at->last)
        at->last = NULL;
    else
        at->last->turn = flow->turn;
}

/* ---- events ---- */

/* How long that many bytes take. */
static int64_t duration(const netlab_switch *n, int bytes)
{
    return (int64_t) (bytes * n->nanoseconds);
}

static int cell_of(const netlab_switch *n, int left)
{
    return left < n->cell ? left : n->cell;
}

static void send_cell(netlab_switch *n, int port)
{
    lane *at = &n->out[port];
    packet *p = at->last->turn->first;
    const int bytes = cell_of(n, p->size - p->sent);
    if (n->line_count == n->line_size) {
        cell *larger = need(malloc(2 * n->line_size * sizeof *larger));
        for (size_t i = 0; i < n->line_count; i++)
            larger[i] = n->line[(n->line_first + i) % n->line_size];
        free(n->line);
        n->line = larger;
        n->line_first = 0;
        n->line_size *= 2;
    }
    n->line[(n->line_first + n->line_count++) % n->line_size] =
        (cell) { p, bytes, at->free + n->latency };
    p->sent += bytes;
    at->free += duration(n, bytes);
    next_turn(at, p->sent == p->size);
}

/* Its memory is used again. */
static void forget(netlab_switch *n, packet *p)
{
    p->next[SENDING] = n->spare;
    n->spare = p;
}

/* A packet whose arrived cells have all been received is in no queue until its next cell
 * arrives. */
static void arrive(netlab_switch *n)
{
    const cell c = n->line[n->line_first];
    packet *p = c.packet;
    n->line_first = (n->line_first + 1) % n->line_size;
    n->line_count--;
    if (p->arrived == 0 && n->room[p->to] < p->size) {
        p->lost = true;
        n->counters[p->to].lost++;
    } else if (p->arrived == 0) {
        n->room[p->to] -= p->size;
    }
    if (p->lost) {
        p->arrived += c.bytes;
        if (p->arrived == p->size)
            forget(n, p);
        return;
    }
    if (p->received == p->arrived)
        enqueue(&n->in[p->to], &n->flows[RECEIVING][p->from * n->ports + p->to], p, c.arrival);
    p->arrived += c.bytes;
}

static void receive_cell(netlab_switch *n, int port)
{
    lane *at = &n->in[port];
    packet *p = at->last->turn->first;
    const int bytes = cell_of(n, p->size - p->received);
    p->received += bytes;
    n->room[port] += bytes;
    at->free += duration(n, bytes);
    next_turn(at, p->received == p->arrived);
    if (p->received == p->size) {
        n->done[port] = p;
        n->due[port] = at->free;
    }
}

static void deliver(netlab_switch *n, int port, int64_t now)
{
    packet *p = n->done[port];
    netlab_counters *counters = &n->counters[port];
    n->done[port] = NULL;
    if (write(n->devices[port], p->data, (size_t) p->size) != p->size)
        perror("netlab: a packet was not taken");
    const int64_t late = now - n->due[port];
    counters->packets++;
    counters->bytes += (uint64_t) p->size;
    counters->lateness += late;
    if (late > counters->latest)
        counters->latest = late;
    forget(n, p);
}

typedef enum event_kind { NONE, SEND, ARRIVE, RECEIVE, DELIVER } event_kind;

/* The next event until `limit`, and its port. */
static event_kind next_event(const netlab_switch *n, int64_t limit, int *port)
{
    event_kind kind = NONE;
    if (n->line_count && n->line[n->line_first].arrival <= limit) {
        limit = n->line[n->line_first].arrival - 1;
        kind = ARRIVE;
    }
    for (int i = 0; i < n->ports; i++) {
        if (n->done[i] && n->due[i] <= limit) {
            limit = n->due[i] - 1;
            kind = DELIVER;
            *port = i;
        } else if (!n->done[i] && n->in[i].last && n->in[i].free <= limit) {
            limit = n->in[i].free - 1;
            kind = RECEIVE;
            *port = i;
        }
        if (n->out[i].last && n->out[i].free <= limit) {
            limit = n->out[i].free - 1;
            kind = SEND;
            *port = i;
        }
    }
    return kind;
}

void netlab_switch_advance(netlab_switch *n, int64_t now)
{
    for (int port = 0;;) {
        switch (next_event(n, now, &port)) {
        case NONE: return;
        case SEND: send_cell(n, port); break;
        case ARRIVE: arrive(n); break;
        case RECEIVE: receive_cell(n, port); break;
        case DELIVER: deliver(n, port, netlab_now()); break;
        }
    }
}

void netlab_switch_read(netlab_switch *n, int port, int64_t now)
{
    for (int i = 0; i < MOST_READS; i++) {
        packet *p = n->spare;
        if (p)
            n->spare = p->next[SENDING];
        else
            p = need(malloc(sizeof *p + NETLAB_LARGEST_PACKET));
        const ssize_t size = read(n->devices[port], p->data, NETLAB_LARGEST_PACKET);
        uint32_t to = 0;
        if (size >= 20 && p->data[0] >> 4 == 4)         /* IPv4: the destination */
            to = (uint32_t) p->data[16] << 24 | (uint32_t) p->data[17] << 16 |
                (uint32_t) p->data[18] << 8 | (uint32_t) p->data[19];
        const bool known = to - n->base < (uint32_t) n->ports && (int) (to - n->base) != port;
        if (!known) {
            forget(n, p);
            if (size <= 0)
                return;
            n->counters[port].strays++;
            continue;
        }
        p->from = port;
        p->to = (int) (to - n->base);
        p->size = (int) size;
        p->sent = p->arrived = p->received = 0;
        p->lost = false;
        enqueue(&n->out[port], &n->flows[SENDING][port * n->ports + p->to], p, now);
    }
}

int64_t netlab_switch_next(const netlab_switch *n, int64_t now)
{
    int64_t next = INT64_MAX;
    for (int i = 0; i < n->ports; i++) {
        const queue *last = n->in[i].last;
        for (const queue *flow = last; flow; flow = flow->turn == last ? NULL : flow->turn) {
            const int left = flow->first->size - flow->first->received;
            const int64_t end = n->in[i].free + duration(n, left);
            next = end < next ? end : next;
        }
        if (n->done[i] && n->due[i] < next)
            next = n->due[i];
        if (n->out[i].last && now + n->latency / 2 < next)      /* nothing arrives before */
            next = now + n->latency / 2;
    }
    for (size_t i = 0; i < n->line_count; i++) {
        const cell *c = &n->line[(n->line_first + i) % n->line_size];
        if (c->arrival >= next)
            break;
        const int64_t end = c->arrival + duration(n, c->packet->size - c->packet->arrived);
        next = end < next ? end : next;
    }
    return next;
}
