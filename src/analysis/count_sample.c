/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/count_sample.h"

#include "analysis/rank_sample.h"
#include "schedule/memory.h"
#include "schedule/shape.h"

#include <string.h>

/* What the sampled ranks of a node exchange with other nodes. */
typedef struct node {
    int ranks;
    int64_t sent, received;
} node;

typedef struct counter {
    anypi_rank_sample sample;
    int *node_of_rank;          /* NULL: there are no nodes */
    node *nodes;
    anypi_peer_marks peers;
    int64_t *starts;            /* of the layout */
    anypi_layout layout;
} counter;

/* Adds what the rank sends to other nodes and receives from them. */
static void count_node(counter *c, const anyp_schedule *schedule)
{
    const int here = c->node_of_rank[schedule->rank];
    c->nodes[here].ranks++;
    for (int i = 0; i < schedule->steps_count; i++) {
        const anyp_step *step = &schedule->steps[i];
        const bool sends = step->kind == ANYP_SEND;
        if ((!sends && step->kind != ANYP_RECV) || c->node_of_rank[step->peer] == here)
            continue;
        *(sends ? &c->nodes[here].sent : &c->nodes[here].received) +=
            anypi_slice_elements(&c->layout, sends ? step->from : step->to) *
            c->sample.call->type_size;
    }
}

static void add_peers(counter *c, const anyp_schedule *schedule)
{
    enum { MOST = 64 };         /* steps of a rank that are followed */
    for (int i = 0; i < schedule->steps_count && i < MOST; i++)
        if (schedule->steps[i].kind == ANYP_SEND || schedule->steps[i].kind == ANYP_RECV)
            anypi_sample_add(&c->sample, schedule->steps[i].peer);
}

static anyp_status make_layout(counter *c, const anyp_schedule *schedule)
{
    const anypi_partition partition = anypi_partition_for(c->sample.call, schedule->blocks);
    if (anypi_layout_needs_starts(schedule, &partition)) {
        c->starts = anypi_realloc(NULL, ((size_t) schedule->blocks + 1) * sizeof *c->starts);
        if (!c->starts)
            return ANYP_ERR_MEMORY;
    }
    c->layout = anypi_layout_of(schedule, &partition, c->starts);
    return ANYP_SUCCESS;
}

static anyp_status count_ranks(counter *c, anypi_sample_counts *counts)
{
    anyp_status status;
    anypi_counts total = { 0 };
    const anyp_schedule *schedule;
    while ((schedule = anypi_sample_next(&c->sample, &status))) {
        if (!anypi_countable(c->sample.call, schedule, 1))
            return ANYP_ERR_ARGUMENT;
        if (counts->ranks == 0 && make_layout(c, schedule) != ANYP_SUCCESS)
            return ANYP_ERR_MEMORY;
        const anypi_counts one = anypi_count_with(&c->peers, schedule, &c->layout,
                                                  c->sample.call->type_size);
        anypi_counts_add(&one, &counts->most, &total);
        if (c->node_of_rank)
            count_node(c, schedule);
        add_peers(c, schedule);
        counts->ranks++;
    }
    return status;
}

static anyp_status allocate(counter *c, const anyp_shape *nodes, int p)
{
    if (!anypi_peers_begin(&c->peers, p))
        return ANYP_ERR_MEMORY;
    if (!nodes)
        return ANYP_SUCCESS;
    const size_t places = (size_t) anypi_shape_length(nodes) * (size_t) p;
    c->node_of_rank = anypi_realloc(NULL, places * sizeof *c->node_of_rank);
    c->nodes = anypi_realloc(NULL, (size_t) nodes->count * sizeof *c->nodes);
    if (!c->node_of_rank || !c->nodes)
        return ANYP_ERR_MEMORY;
    anypi_shape_places(nodes, c->node_of_rank);
    memset(c->nodes, 0, (size_t) nodes->count * sizeof *c->nodes);
    return ANYP_SUCCESS;
}

anyp_status anypi_count_sample(const anyp_algorithm *algorithm, const anyp_call *call,
                               const int *parameters, int wanted, double seconds,
                               anypi_sample_counts *counts)
{
    counter c = { .starts = NULL };
    *counts = (anypi_sample_counts) { .card_bytes = -1 };
    anyp_status status = anypi_sample_begin(&c.sample, algorithm, call, parameters, wanted,
                                            wanted / 4, seconds);
    if (status == ANYP_SUCCESS)
        status = allocate(&c, call->nodes, call->p);
    if (status == ANYP_SUCCESS)
        status = count_ranks(&c, counts);
    for (int i = 0; c.nodes && status == ANYP_SUCCESS && i < call->nodes->count; i++) {
        const node *one = &c.nodes[i];
        const int64_t most = one->sent > one->received ? one->sent : one->received;
        if (one->ranks == anypi_shape_size(call->nodes, i) && most > counts->card_bytes)
            counts->card_bytes = most;
    }
    anypi_free(c.starts);
    anypi_free(c.nodes);
    anypi_free(c.node_of_rank);
    anypi_peers_end(&c.peers);
    anypi_sample_free(&c.sample);
    return status;
}
