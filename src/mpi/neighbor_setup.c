/* SPDX-License-Identifier: BSD-3-Clause
 *
 * neighbor_setup.c - learns the edges of a communicator's ranks, and makes the plan of this rank.
 *
 * MPI does not tell a rank which block of the sender becomes which one of its own, and libraries
 * differ where the same rank is a neighbour twice. So the library's MPI_Neighbor_alltoall tells it:
 * each rank sends the name of each edge along it. Blocks without a sender stay as they were. In
 * MPICH 4.0, MPI_Neighbor_alltoallv has another order in grids of width 2. AnyP then runs none.
 *
 * Before each stage with messages, all ranks agree that they have the memory for it.
 */
#include "mpi/neighbors.h"

#include "algorithms/network.h"
#include "schedule/memory.h"
#include "schedule/shape.h"

/* What is known so far. */
typedef struct learning {
    anypi_state *state;
    anypi_neighbor_node node;
    anypi_neighbor_list *lists;
    int own;                    /* index of this rank in the node */
    int *positions;
    int kind, out, in;          /* of the topology, and the number of blocks */
    int *edges;                 /* out + 2 * in: to[] and from[] of this rank */
    int *names;                 /* 2 * out: of the edges; before that, senders and weights */
    int *checks;                /* 2 * in: as from[], and counts and displacements */
    bool differs;               /* an alltoallv has another order */
    int *counts;                /* out and in of each rank of the node */
    size_t *first;              /* size + 1: where the edges of each rank begin, */
    int *all;                   /* in these */
    MPI_Request *requests;      /* 2 * partners */
} learning;

static void *allocate(size_t count, size_t size)
{
    return anypi_realloc(NULL, (count + 1) * size);
}

/* ---- this rank's edges ---- */

/* Sets the number of blocks. Returns false if there is no topology. */
static bool find_degrees(learning *its)
{
    const MPI_Comm comm = its->state->user;
    int dims, weighted;
    if (anypi_mpi.Topo_test(comm, &its->kind))
        return false;
    switch (its->kind) {
        case MPI_CART:
            if (anypi_mpi.Cartdim_get(comm, &dims))
                return false;
            its->out = its->in = 2 * dims;
            return true;
        case MPI_GRAPH:
            if (anypi_mpi.Graph_neighbors_count(comm, its->state->rank, &its->out))
                return false;
            its->in = its->out;
            return true;
        case MPI_DIST_GRAPH:
            return !anypi_mpi.Dist_graph_neighbors_count(comm, &its->in, &its->out, &weighted);
        default:
            return false;
    }
}

/* Sets to[]. */
static bool find_receivers(learning *its)
{
    const MPI_Comm comm = its->state->user;
    bool good = true;
    if (its->kind == MPI_DIST_GRAPH)
        return !anypi_mpi.Dist_graph_neighbors(comm, its->in, its->names, its->names + its->in,
                                               its->out, its->edges, its->names + 2 * its->in);
    if (its->kind == MPI_GRAPH)
        return !anypi_mpi.Graph_neighbors(comm, its->state->rank, its->out, its->edges);
    for (int i = 0; i < its->out; i += 2)
        good = good && !anypi_mpi.Cart_shift(comm, i / 2, 1, &its->edges[i], &its->edges[i + 1]);
    return good;
}

/* Sets from[], by the MPI library. */
static bool find_senders(learning *its)
{
    int *const from = its->edges + its->out;
    MPI_Errhandler handler;
    for (int i = 0; i < its->out; i++) {
        its->names[2 * i] = its->state->rank;
        its->names[2 * i + 1] = i;
    }
    for (int i = 0; i < 2 * its->in; i++)
        from[i] = -1;
    int *const checks = its->checks, *const counts = checks + 2 * its->in;
    const int most = its->out > its->in ? its->out : its->in;
    for (int i = 0; i < most; i++) {
        counts[i] = 2;
        counts[most + i] = 2 * i;
    }
    memcpy(checks, from, 2 * (size_t) its->in * sizeof *from);
    const bool silenced = anypi_silence_errors(its->state->user, &handler);
    const bool good = !anypi_mpi.Neighbor_alltoall(its->names, 2, MPI_INT, from, 2, MPI_INT,
                                                   its->state->user) &&
        !anypi_mpi.Neighbor_alltoallv(its->names, counts, counts + most, MPI_INT, checks, counts,
                                      counts + most, MPI_INT, its->state->user);
    if (silenced)
        anypi_restore_errors(its->state->user, &handler);
    its->differs = memcmp(checks, from, 2 * (size_t) its->in * sizeof *from) != 0;
    return good;
}

static bool find_edges(learning *its)
{
    bool good = find_degrees(its);
    if (good) {
        its->edges = allocate((size_t) its->out + 2 * (size_t) its->in, sizeof *its->edges);
        its->names = allocate(2 * ((size_t) its->out + (size_t) its->in), sizeof *its->names);
        its->checks = allocate(2 * (size_t) its->out + 4 * (size_t) its->in, sizeof *its->checks);
        good = its->edges && its->names && its->checks && find_receivers(its);
    }
    for (int i = 0; i < its->out && good; i++)
        if (its->edges[i] < 0 || its->edges[i] >= its->state->p)
            its->edges[i] = -1;         /* MPI_PROC_NULL */
    return anypi_all_ranks(its->state->user, good) &&
        anypi_all_ranks(its->state->user, find_senders(its));
}

/* ---- the edges of the node ---- */

static int rank_at(const learning *its, int local)
{
    const anyp_shape *shape = its->node.shape;
    return anypi_shape_rank(shape, anypi_shape_first(shape, its->node.node) + local);
}

/* Finds the node of this rank. Returns false if there is no memory. */
static bool find_node(learning *its)
{
    anypi_neighbor_node *node = &its->node;
    const anyp_shape *shape = node->shape;
    const int position = anypi_shape_position(shape, its->state->rank);
    node->node = anypi_shape_at(shape, position);
    node->size = anypi_shape_size(shape, node->node);
    its->own = position - anypi_shape_first(shape, node->node);
    const size_t size = (size_t) node->size;
    its->positions = shape->rank ? anypi_shape_positions(shape) : NULL;
    its->counts = allocate(2 * size, sizeof *its->counts);
    its->first = allocate(size, sizeof *its->first);
    its->lists = allocate(size, sizeof *its->lists);
    node->positions = its->positions;
    node->lists = its->lists;
    return (its->positions || !shape->rank) && its->counts && its->first && its->lists;
}

/* Lets each rank of the node send its numbers to all others. Those of rank i are at first[i] of
 * all[], also this rank's own. */
static bool exchange(const learning *its, int *all, const size_t *first)
{
    const anypi_channel *channel = &its->state->channel;
    const int size = its->node.size, own = its->own;
    bool good = true;
    for (int i = 1; i < size; i++) {
        const int to = (own + i) % size, from = (own + size - i) % size;
        good &= !anypi_mpi.Sendrecv(all + first[own], (int) (first[own + 1] - first[own]), MPI_INT,
                                    anypi_channel_peer(channel, rank_at(its, to)), channel->tag,
                                    all + first[from], (int) (first[from + 1] - first[from]),
                                    MPI_INT, anypi_channel_peer(channel, rank_at(its, from)),
                                    channel->tag, channel->comm, MPI_STATUS_IGNORE);
    }
    return good;
}

static bool share_counts(learning *its)
{
    for (int i = 0; i <= its->node.size; i++)
        its->first[i] = 2 * (size_t) i;
    its->counts[2 * its->own] = its->out;
    its->counts[2 * its->own + 1] = its->in;
    bool good = exchange(its, its->counts, its->first);
    for (int i = 0; i < its->node.size; i++)
        its->first[i + 1] = its->first[i] + (size_t) its->counts[2 * i] +
            2 * (size_t) its->counts[2 * i + 1];
    its->all = allocate(its->first[its->node.size], sizeof *its->all);
    return good && its->all;
}

static bool share_edges(learning *its)
{
    memcpy(its->all + its->first[its->own], its->edges,
           ((size_t) its->out + 2 * (size_t) its->in) * sizeof *its->all);
    const bool good = exchange(its, its->all, its->first);
    for (int i = 0; i < its->node.size; i++) {
        const int *edges = its->all + its->first[i];
        const int out = its->counts[2 * i], in = its->counts[2 * i + 1];
        its->lists[i] = (anypi_neighbor_list) { rank_at(its, i), out, in, edges, edges + out };
    }
    if (!good || anypi_neighbor_partners(&its->node) != ANYP_SUCCESS)
        return false;
    its->requests = allocate(2 * (size_t) its->node.partners, sizeof *its->requests);
    return its->requests;
}

/* ---- carriers ---- */

/* Lets the first ranks of partners tell each other who carries. */
static bool ask_partners(const learning *its)
{
    const anypi_channel *channel = &its->state->channel;
    const anypi_neighbor_node *node = &its->node;
    int *const own = its->counts;       /* its numbers are in the lists */
    bool good = true;
    for (int i = 0; i < node->size; i++)
        own[i] = node->lists[i].rank;
    for (int i = 0; i < node->partners; i++) {
        const int first = anypi_shape_first(node->shape, node->partner[i]);
        const int peer = anypi_channel_peer(channel, anypi_shape_rank(node->shape, first));
        MPI_Request *const two = &its->requests[2 * i];
        two[0] = two[1] = MPI_REQUEST_NULL;
        good &= !anypi_mpi.Irecv(&node->carrier[i], 1, MPI_INT, peer, channel->tag, channel->comm,
                                 &two[0]);
        good &= !anypi_mpi.Isend(&own[anypi_neighbor_carrier(node, i)], 1, MPI_INT, peer,
                                 channel->tag, channel->comm, &two[1]);
    }
    for (int i = 0; i < 2 * node->partners; i++)
        good &= !anypi_mpi.Wait(&its->requests[i], MPI_STATUS_IGNORE);
    return good;
}

static bool find_carriers(const learning *its)
{
    const anypi_channel *channel = &its->state->channel;
    const anypi_neighbor_node *node = &its->node;
    bool good = true;
    if (its->own > 0)
        return !anypi_mpi.Recv(node->carrier, node->partners, MPI_INT,
                               anypi_channel_peer(channel, rank_at(its, 0)), channel->tag,
                               channel->comm, MPI_STATUS_IGNORE);
    good = ask_partners(its);
    for (int i = 1; i < node->size; i++)
        good &= !anypi_mpi.Send(node->carrier, node->partners, MPI_INT,
                                anypi_channel_peer(channel, rank_at(its, i)), channel->tag,
                                channel->comm);
    return good;
}

/* ---- the plan ---- */

/* Allocates the memory of calls. Returns false if there is not enough. */
static bool make_room(anypi_neighbors *made, size_t request_size)
{
    const anypi_neighbor_plan *plan = &made->plan;
    const size_t out = (size_t) plan->out, in = (size_t) plan->in, slots = (size_t) plan->slots;
    size_t sent = 0, arrived = 0;
    for (int round = 0; round < ANYPI_NEIGHBOR_ROUNDS; round++) {
        size_t sum = 0;
        for (int i = plan->receives[round]; i < plan->ends[round]; i++)
            *(i < plan->sends[round] ? &arrived : &sum) +=
                anypi_neighbors_room(made->limit, plan->messages[i].count);
        sent = sum > sent ? sum : sent;
    }
    const size_t messages = (size_t) plan->ends[ANYPI_NEIGHBOR_ROUNDS - 1];
    made->given = allocate(out, sizeof *made->given);
    made->got = allocate(in, sizeof *made->got);
    made->sizes = allocate(slots, sizeof *made->sizes);
    made->at = allocate(slots, sizeof *made->at);
    made->sent = allocate(sent, 1);
    made->arrived = allocate(arrived, 1);
    made->requests = allocate(messages + out + in, request_size);
    if (!made->given || !made->got || !made->sizes || !made->at || !made->sent || !made->arrived ||
        !made->requests)
        return false;
    memset(made->arrived, 0, arrived);
    return true;
}

/* Agrees on the limit, and sets *limit to it, and its->differs on all ranks. Returns false if a
 * rank has no plan. */
static bool find_limit(learning *its, const anypi_neighbors *made, bool good, bool always,
                       int *limit)
{
    enum { COSTS = sizeof(anypi_neighbor_costs) / sizeof(int64_t), ALL = COSTS + 2 };
    int64_t own[ALL] = { 0 }, most[ALL];
    anypi_neighbor_costs costs;
    char network[512];
    if (good) {
        costs = anypi_neighbor_costs_of(&made->plan, &its->node, its->own);
        memcpy(own, &costs, sizeof costs);
    }
    own[COSTS] = !good;
    own[COSTS + 1] = its->differs;
    if (anypi_mpi.Allreduce(own, most, ALL, MPI_INT64_T, MPI_MAX, its->state->user) || most[COSTS])
        return false;
    its->differs = most[COSTS + 1];
    memcpy(&costs, most, sizeof costs);
    const anyp_call call = { .collective = ANYP_ALLTOALL, .p = its->state->p,
                             .nodes = its->node.shape };
    anyp_model model;
    *limit = anypi_network_read(anypi_network_text(network, sizeof network), &call, &model)
        ? anypi_neighbor_limit(&model, &costs, always) : 0;
    return true;
}

static void free_plan(anypi_neighbors *made)
{
    if (!made)
        return;
    anypi_neighbor_plan_free(&made->plan);
    anypi_free(made->given);
    anypi_free(made->got);
    anypi_free(made->sizes);
    anypi_free(made->at);
    anypi_free(made->sent);
    anypi_free(made->arrived);
    anypi_free(made->requests);
    anypi_free(made);
}

/* Makes the plan. Sets *made to it, or to NULL, on all ranks, and returns why. */
static const char *make_plan(learning *its, bool always, size_t request_size,
                             anypi_neighbors **made)
{
    const MPI_Comm comm = its->state->user;
    if (!find_edges(its))
        return "the MPI library does not tell the neighbors";
    if (!anypi_all_ranks(comm, find_node(its)) || !anypi_all_ranks(comm, share_counts(its)) ||
        !anypi_all_ranks(comm, share_edges(its)))
        return "there is no memory";
    anypi_neighbors *plan = find_carriers(its) ? anypi_realloc(NULL, sizeof *plan) : NULL;
    if (plan)
        *plan = (anypi_neighbors) { .limit = 0 };
    const bool good = plan &&
        anypi_neighbor_plan_make(&plan->plan, &its->node, its->own) == ANYP_SUCCESS;
    int limit = 0;
    const bool all = find_limit(its, plan, good, always, &limit);
    if (plan) {
        plan->limit = limit;
        plan->of[ANYP_ALLTOALLV].never = its->differs;
    }
    if (all && limit > 0 && anypi_all_ranks(comm, make_room(plan, request_size))) {
        *made = plan;
        return NULL;
    }
    free_plan(plan);
    return all && limit == 0 ? "direct messages are as fast" : "there is no memory";
}

static void log_plan(const anypi_state *state, const char *why)
{
    anypi_log_line line = { .age = state->age };
    anypi_log_add(&line, "anyp: neighbors p=%d -> ", state->p);
    if (why)
        anypi_log_add(&line, "the MPI library's algorithm: %s", why);
    else
        anypi_log_add(&line, "combined inside nodes: blocks of up to %d bytes",
                      state->neighbors->limit);
    anypi_log_end(&line);
}

void anypi_neighbors_learn(anypi_state *state, const anypi_settings *settings,
                           size_t request_size)
{
    const anyp_shape *shape = settings->neighbors ? anypi_state_nodes(state, settings) : NULL;
    const char *why = NULL;
    learning its = { .state = state, .node = { .shape = shape } };
    state->asked_neighbors = true;
    if (!settings->neighbors)
        return;
    if (!shape || shape->count == 1 || shape->count == state->p) {
        why = !shape ? "the nodes are unknown" : shape->count == 1 ? "there is one node"
            : "no node has several ranks";
    } else {
        anypi_channel_need(&state->channel, state->user);
        why = state->channel.missing ? state->channel.missing
            : make_plan(&its, settings->neighbors > 1, request_size, &state->neighbors);
    }
    anypi_free(its.lists);
    anypi_free(its.positions);
    anypi_free(its.edges);
    anypi_free(its.names);
    anypi_free(its.checks);
    anypi_free(its.counts);
    anypi_free(its.first);
    anypi_free(its.all);
    anypi_free(its.requests);
    anypi_free(its.node.partner);
    anypi_free(its.node.carrier);
    if (settings->verbose && state->rank == 0)
        log_plan(state, why);
}

void anypi_neighbors_forget(anypi_state *state)
{
    free_plan(state->neighbors);
    state->neighbors = NULL;
    state->asked_neighbors = false;
}
