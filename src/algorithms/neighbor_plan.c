/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/neighbor_plan.h"

#include "algorithms/cost_model.h"
#include "schedule/memory.h"
#include "schedule/ranks.h"
#include "schedule/shape.h"

#include <stdlib.h>
#include <string.h>

/* An edge that leaves or enters the node. */
typedef struct edge {
    int partner;                /* index */
    int from, number;           /* its name */
    int local, block;           /* which rank of the node has it, as which of its blocks */
} edge;

static int compare(int a, int b)
{
    return (a > b) - (a < b);
}

static int by_name(const void *a, const void *b)
{
    const edge *x = a, *y = b;
    return x->partner != y->partner ? compare(x->partner, y->partner)
        : x->from != y->from ? compare(x->from, y->from) : compare(x->number, y->number);
}

static int by_value(const void *a, const void *b)
{
    return compare(*(const int *) a, *(const int *) b);
}

/* Returns the node of a rank, or that of the list for no neighbour. */
static int node_of(const anypi_neighbor_node *node, int rank)
{
    if (rank < 0)
        return node->node;
    return anypi_shape_at(node->shape, node->positions ? node->positions[rank] : rank);
}

/* ---- partners ---- */

anyp_status anypi_neighbor_partners(anypi_neighbor_node *node)
{
    int *found = NULL, count = 0, room = 0;
    node->partner = node->carrier = NULL;
    node->partners = 0;
    for (int i = 0; i < node->size; i++) {
        const anypi_neighbor_list *list = &node->lists[i];
        for (int k = 0; k < list->out + list->in; k++) {
            const int other = node_of(node, k < list->out ? list->to[k]
                                      : list->from[2 * (k - list->out)]);
            if (other == node->node || (count > 0 && found[count - 1] == other))
                continue;
            int *const more = anypi_grow(found, &room, count, sizeof *found);
            if (!more) {
                anypi_free(found);
                return ANYP_ERR_MEMORY;
            }
            found = more;
            found[count++] = other;
        }
    }
    if (count > 0)
        qsort(found, (size_t) count, sizeof *found, by_value);
    for (int i = 0; i < count; i++)
        if (i == 0 || found[i] != found[node->partners - 1])
            found[node->partners++] = found[i];
    node->partner = found;
    node->carrier = anypi_realloc(NULL, (size_t) (node->partners + 1) * sizeof *node->carrier);
    return node->carrier ? ANYP_SUCCESS : ANYP_ERR_MEMORY;
}

/* Returns the index of the partner that is this node. */
static int partner_index(const anypi_neighbor_node *node, int other)
{
    const int *at = bsearch(&other, node->partner, (size_t) node->partners, sizeof other, by_value);
    return (int) (at - node->partner);
}

/* ---- edges ---- */

/* Returns the edges that leave the node or enter it, sorted by name. Sets *count. NULL: no
 * memory. */
static edge *edges_of(const anypi_neighbor_node *node, bool leave, int *count)
{
    int64_t most = 1;
    for (int i = 0; i < node->size; i++)
        most += leave ? node->lists[i].out : node->lists[i].in;
    edge *edges = anypi_realloc(NULL, (size_t) most * sizeof *edges);
    *count = 0;
    if (!edges)
        return NULL;
    for (int i = 0; i < node->size; i++) {
        const anypi_neighbor_list *list = &node->lists[i];
        for (int k = 0; k < (leave ? list->out : list->in); k++) {
            const int other = node_of(node, leave ? list->to[k] : list->from[2 * k]);
            if (other == node->node)
                continue;
            edges[(*count)++] = (edge) {
                partner_index(node, other), leave ? list->rank : list->from[2 * k],
                leave ? k : list->from[2 * k + 1], i, k,
            };
        }
    }
    qsort(edges, (size_t) *count, sizeof *edges, by_name);
    return edges;
}

/* ---- the plan ---- */

/* A plan that is being made. */
typedef struct maker {
    anypi_neighbor_plan *plan;
    const anypi_neighbor_node *node;
    int own;
    int count;                  /* of messages */
    edge *leaving, *entering;
    int leaving_count, entering_count;
    int *leaving_slot, *entering_slot;  /* of the edges that this rank carries */
    bool failed;                /* no memory */
} maker;

static void begin_message(maker *its, int peer, int first)
{
    anypi_neighbor_message *more = anypi_grow(its->plan->messages, &its->plan->messages_room,
                                              its->count, sizeof *more);
    if (!more) {
        its->failed = true;
        return;
    }
    its->plan->messages = more;
    more[its->count++] = (anypi_neighbor_message) { .peer = peer, .first = first };
}

/* Removes the last message if it has no block. */
static void end_message(maker *its)
{
    if (!its->failed && its->plan->messages[its->count - 1].count == 0)
        its->count--;
}

/* Adds a block to the last message, a receive. Returns its slot. */
static int receive_block(maker *its)
{
    if (!its->failed)
        its->plan->messages[its->count - 1].count++;
    return its->plan->slots++;
}

/* Adds a slot to the last message, a send. */
static void send_slot(maker *its, int slot)
{
    anypi_neighbor_plan *plan = its->plan;
    int *more = its->failed ? NULL
        : anypi_grow(plan->order, &plan->order_room, plan->order_count, sizeof *more);
    if (!more) {
        its->failed = true;
        return;
    }
    plan->order = more;
    more[plan->order_count++] = slot;
    plan->messages[its->count - 1].count++;
}

static bool carries(const maker *its, int local, const edge *one)
{
    return anypi_neighbor_carrier(its->node, one->partner) == local;
}

/* Receives, from rank i of the node, the blocks that this rank carries for it. */
static void collect(maker *its, int i)
{
    begin_message(its, its->node->lists[i].rank, its->plan->slots);
    for (int e = 0; e < its->leaving_count; e++)
        if (its->leaving[e].local == i && carries(its, its->own, &its->leaving[e]))
            its->leaving_slot[e] = receive_block(its);
    end_message(its);
}

/* Sends, to rank i of the node, the blocks that it carries for this one. */
static void hand_over(maker *its, int i)
{
    begin_message(its, its->node->lists[i].rank, its->plan->order_count);
    for (int e = 0; e < its->leaving_count; e++)
        if (its->leaving[e].local == its->own && carries(its, i, &its->leaving[e]))
            send_slot(its, its->leaving[e].block);
    end_message(its);
}

static void receive_across(maker *its, int partner)
{
    begin_message(its, its->node->carrier[partner], its->plan->slots);
    for (int e = 0; e < its->entering_count; e++)
        if (its->entering[e].partner == partner)
            its->entering_slot[e] = receive_block(its);
    end_message(its);
}

static void send_across(maker *its, int partner)
{
    begin_message(its, its->node->carrier[partner], its->plan->order_count);
    for (int e = 0; e < its->leaving_count; e++)
        if (its->leaving[e].partner == partner)
            send_slot(its, its->leaving[e].local == its->own ? its->leaving[e].block
                      : its->leaving_slot[e]);
    end_message(its);
}

/* Receives, from rank i of the node, the blocks that have arrived there. */
static void take(maker *its, int i)
{
    begin_message(its, its->node->lists[i].rank, its->plan->slots);
    for (int e = 0; e < its->entering_count; e++)
        if (its->entering[e].local == its->own && carries(its, i, &its->entering[e]))
            its->plan->slot[its->entering[e].block] = receive_block(its);
    end_message(its);
}

static void distribute(maker *its, int i)
{
    begin_message(its, its->node->lists[i].rank, its->plan->order_count);
    for (int e = 0; e < its->entering_count; e++)
        if (its->entering[e].local == i && carries(its, its->own, &its->entering[e]))
            send_slot(its, its->entering_slot[e]);
    end_message(its);
}

/* Calls a function for all other ranks of the node, beginning behind this one, so that not all
 * ranks send to the same one first. */
static void each_other(maker *its, void (*function)(maker *, int))
{
    for (int i = 1; i < its->node->size && !its->failed; i++)
        function(its, (its->own + i) % its->node->size);
}

static void each_partner(maker *its, void (*function)(maker *, int))
{
    for (int i = its->own; i < its->node->partners && !its->failed; i += its->node->size)
        function(its, i);
}

static void make_rounds(maker *its)
{
    static const struct {
        void (*each)(maker *, void (*)(maker *, int));
        void (*receive)(maker *, int), (*send)(maker *, int);
    } rounds[ANYPI_NEIGHBOR_ROUNDS] = {
        { each_other, collect, hand_over }, { each_partner, receive_across, send_across },
        { each_other, take, distribute },
    };
    for (int round = 0; round < ANYPI_NEIGHBOR_ROUNDS; round++) {
        its->plan->receives[round] = its->count;
        rounds[round].each(its, rounds[round].receive);
        its->plan->sends[round] = its->count;
        rounds[round].each(its, rounds[round].send);
        its->plan->ends[round] = its->count;
    }
    for (int e = 0; e < its->entering_count; e++)
        if (its->entering[e].local == its->own && carries(its, its->own, &its->entering[e]))
            its->plan->slot[its->entering[e].block] = its->entering_slot[e];
}

/* A block of the rank, by the name of its edge. */
typedef struct arrival {
    int from, number, block;
} arrival;

static int by_sender(const void *a, const void *b)
{
    const arrival *x = a, *y = b;
    return x->from != y->from ? compare(x->from, y->from) : compare(x->number, y->number);
}

/* Copies the rank's list to the plan, and sorts what arrives. Returns false if there is no
 * memory. */
static bool copy_list(anypi_neighbor_plan *plan, const anypi_neighbor_node *node, int own)
{
    const anypi_neighbor_list *list = &node->lists[own];
    const size_t out = (size_t) list->out, in = (size_t) list->in;
    plan->out = list->out;
    plan->in = list->in;
    plan->slots = list->out;
    plan->to = anypi_realloc(NULL, (out + 1) * sizeof *plan->to);
    plan->leaves = anypi_realloc(NULL, (out + 1) * sizeof *plan->leaves);
    plan->from = anypi_realloc(NULL, (2 * in + 1) * sizeof *plan->from);
    plan->slot = anypi_realloc(NULL, (in + 1) * sizeof *plan->slot);
    plan->arrivals = anypi_realloc(NULL, (in + 1) * sizeof *plan->arrivals);
    arrival *const sorted = anypi_realloc(NULL, (in + 1) * sizeof *sorted);
    const bool good = plan->to && plan->leaves && plan->from && plan->slot && plan->arrivals &&
        sorted;
    for (int k = 0; k < list->out && good; k++) {
        plan->to[k] = list->to[k];
        plan->leaves[k] = node_of(node, list->to[k]) != node->node;
    }
    for (int k = 0; k < list->in && good; k++) {
        const int from = plan->from[2 * k] = list->from[2 * k];
        plan->from[2 * k + 1] = list->from[2 * k + 1];
        plan->slot[k] = from < 0 ? ANYPI_NEIGHBOR_NONE : ANYPI_NEIGHBOR_INSIDE;
        sorted[k] = (arrival) { from, list->from[2 * k + 1], k };
    }
    if (good)
        qsort(sorted, in, sizeof *sorted, by_sender);
    for (int k = 0; k < list->in && good; k++)
        plan->arrivals[k] = sorted[k].block;
    anypi_free(sorted);
    return good;
}

anyp_status anypi_neighbor_plan_make(anypi_neighbor_plan *plan, const anypi_neighbor_node *node,
                                     int own)
{
    maker its = { .plan = plan, .node = node, .own = own };
    memset(plan, 0, sizeof *plan);
    bool good = copy_list(plan, node, own);
    its.leaving = edges_of(node, true, &its.leaving_count);
    its.entering = edges_of(node, false, &its.entering_count);
    its.leaving_slot = anypi_realloc(NULL, (size_t) (its.leaving_count + 1) * sizeof(int));
    its.entering_slot = anypi_realloc(NULL, (size_t) (its.entering_count + 1) * sizeof(int));
    good = good && its.leaving && its.entering && its.leaving_slot && its.entering_slot;
    if (good)
        make_rounds(&its);
    anypi_free(its.leaving);
    anypi_free(its.entering);
    anypi_free(its.leaving_slot);
    anypi_free(its.entering_slot);
    return good && !its.failed ? ANYP_SUCCESS : ANYP_ERR_MEMORY;
}

void anypi_neighbor_plan_free(anypi_neighbor_plan *plan)
{
    anypi_free(plan->to);
    anypi_free(plan->leaves);
    anypi_free(plan->from);
    anypi_free(plan->slot);
    anypi_free(plan->arrivals);
    anypi_free(plan->messages);
    anypi_free(plan->order);
    memset(plan, 0, sizeof *plan);
}

/* ---- what it costs ---- */

anypi_neighbor_costs anypi_neighbor_costs_of(const anypi_neighbor_plan *plan,
                                             const anypi_neighbor_node *node, int own)
{
    anypi_neighbor_costs costs = { .slots = plan->slots };
    const int rank = node->lists[own].rank;
    int64_t leave = 0, enter = 0;
    for (int k = 0; k < plan->out; k++) {
        const bool is_message = plan->to[k] >= 0 && plan->to[k] != rank;
        costs.direct += is_message;
        costs.inside += is_message && !plan->leaves[k];
    }
    for (int k = 0; k < plan->in; k++) {
        const bool is_message = plan->from[2 * k] >= 0 && plan->from[2 * k] != rank;
        costs.direct += is_message;
        costs.inside += is_message && plan->slot[k] == ANYPI_NEIGHBOR_INSIDE;
    }
    for (int round = 0; round < ANYPI_NEIGHBOR_ROUNDS; round++) {
        const int first = plan->receives[round], end = plan->ends[round];
        *(round == 1 ? &costs.across : &costs.inside) += end - first;
        for (int i = first; i < end && round != 1; i++)
            costs.moved += plan->messages[i].count;
    }
    for (int i = 0; i < node->size; i++) {
        const anypi_neighbor_list *list = &node->lists[i];
        for (int k = 0; k < list->out; k++)
            leave += node_of(node, list->to[k]) != node->node;
        for (int k = 0; k < list->in; k++)
            enter += node_of(node, list->from[2 * k]) != node->node;
    }
    costs.leaving = leave > enter ? leave : enter;
    return costs;
}

/* The maximum bytes of all blocks that a rank handles. */
static const int64_t most_memory = INT64_C(1) << 22;

int anypi_neighbor_limit(const anyp_model *model, const anypi_neighbor_costs *most, bool always)
{
    /* a node's cards move the same bytes either way */
    const double port = model->beta * (double) most->leaving / anypi_max(model->cards, 1);
    int bytes = model->nodes && most->leaving > 0 ? ANYPI_NEIGHBOR_LARGEST : 0;
    for (; bytes > 0; bytes /= 2) {
        const double direct = model->alpha +
            anypi_overlapped(0, model->overhead * (double) most->direct, port * bytes);
        const double inside = 2 * model->inside_alpha + model->overhead * (double) most->inside +
            model->inside_beta * (double) most->moved * bytes;
        const double across = model->alpha +
            anypi_overlapped(0, model->overhead * (double) most->across, port * bytes);
        if (bytes * most->slots <= most_memory && (always || inside + across < direct))
            break;
    }
    return bytes;
}
