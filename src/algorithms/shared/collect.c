/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/shared/collect.h"

#include "algorithms/shared/bytes.h"
#include "schedule/shape.h"
#include "schedule/ranks.h"
#include "schedule/schedule.h"

enum { STAGED = ANYP_SCRATCH, ARRIVED = ANYP_SCRATCH + 1 };

/* A rank's node, and its place there. */
typedef struct home {
    const anyp_call *call;
    const anyp_shape *nodes;
    int node, first, size;
    int place;
} home;

static home home_of(const anyp_call *call, const anyp_shape *nodes)
{
    home h = { .call = call, .nodes = nodes };
    const int position = anypi_shape_position(nodes, call->rank);
    h.node = anypi_shape_at(nodes, position);
    h.first = anypi_shape_first(nodes, h.node);
    h.size = anypi_shape_size(nodes, h.node);
    h.place = position - h.first;
    return h;
}

/* How many positions a place of the node serves; one of them is its own. */
static int served_by(const home *h, int place)
{
    return (h->call->p - 1 - (h->first + place) % h->size) / h->size + 1;
}

/* The k-th position that a place of the node serves, in the order that begins after the node; the
 * last one is its own. */
static int position_of(const home *h, int place, int k)
{
    const int own = h->first + place, above = (h->call->p - 1 - own) / h->size;
    return k < above ? own + (k + 1) * h->size : own % h->size + (k - above) * h->size;
}

/* Inside the node: blocks for what the others serve. */
static void collect(const home *h, anyp_schedule *schedule)
{
    int staged = 0;
    for (int place = 0; place < h->size; place++)
        for (int k = 0; place != h->place && k < served_by(h, place); k++, staged++)
            anypi_copy(schedule,
                       anypi_block(ANYP_IN, anypi_shape_rank(h->nodes, position_of(h, place, k))),
                       anypi_block(STAGED, staged));
    anypi_round(schedule);
    const int own = served_by(h, h->place);
    staged = 0;
    for (int place = 0; place < h->size; place++)
        if (place != h->place) {
            const int peer = anypi_shape_rank(h->nodes, h->first + place);
            const int count = served_by(h, place);
            anypi_send(schedule, peer, anypi_slice(STAGED, staged, staged + count));
            anypi_recv(schedule, peer, anypi_slice(ARRIVED, place * own, (place + 1) * own));
            staged += count;
        }
}

/* Where the block of a place of the node is that goes to the k-th position. */
static anyp_slice arrived(const home *h, int place, int k)
{
    const int to = anypi_shape_rank(h->nodes, position_of(h, h->place, k));
    return place == h->place ? anypi_block(ANYP_IN, to)
        : anypi_block(ARRIVED, place * served_by(h, h->place) + k);
}

void anypi_collect(const anyp_call *call, const anyp_shape *nodes, anyp_schedule *schedule)
{
    const home h = home_of(call, nodes);
    const int others = served_by(&h, h.place) - 1;
    collect(&h, schedule);
    for (int k = 0; k < others; k++)
        for (int place = 0; place < h.size; place++)
            anypi_copy(schedule, arrived(&h, place, k), anypi_block(STAGED, k * h.size + place));
    for (int place = 0; place < h.size; place++)
        anypi_copy(schedule, arrived(&h, place, others),
                   anypi_block(ANYP_OUT, anypi_shape_rank(nodes, h.first + place)));
    anypi_round(schedule);
    for (int k = 0; k < others; k++)
        anypi_send(schedule, anypi_shape_rank(nodes, position_of(&h, h.place, k)),
                   anypi_slice(STAGED, k * h.size, (k + 1) * h.size));
    for (int i = 1; i < nodes->count; i++) {
        const int node = anypi_mod(h.node - i, nodes->count);
        const int first = anypi_shape_first(nodes, node);
        const int size = anypi_shape_size(nodes, node);
        const int place = anypi_mod((h.first + h.place - first) % size, size);
        anypi_recv(schedule, anypi_shape_rank(nodes, first + place),
                   anypi_slice(nodes->rank ? ARRIVED : ANYP_OUT, first, first + size));
    }
    for (int q = 0; nodes->rank && q < call->p; q++)
        if (q < h.first || q >= h.first + h.size)
            anypi_copy(schedule, anypi_block(ARRIVED, q), anypi_block(ANYP_OUT, nodes->rank[q]));
}

anyp_cost anypi_collect_cost(const anyp_call *call, const anyp_shape *nodes, bool inside)
{
    const int64_t p = call->p;
    int64_t blocks = 0, messages = inside ? anypi_shape_largest(nodes) - 1 : nodes->count - 1;
    for (int node = 0; node < nodes->count; node++) {
        const int64_t size = anypi_shape_size(nodes, node), served = anypi_divide_up(p, size);
        const int64_t received = inside ? (size - 1) * served : p - size;
        const int64_t sent = inside ? p - p / size : (served - 1) * size;
        const int64_t more = sent > received ? sent : received;
        blocks = more > blocks ? more : blocks;
        if (!inside && served - 1 > messages)
            messages = served - 1;
    }
    return (anyp_cost) { .latencies = messages > 0,
                         .bytes_sent = (double) blocks * anypi_block_bytes(call, call->p),
                         .overheads = 2 * (double) messages };
}
