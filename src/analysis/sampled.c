/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/sampled.h"

#include "analysis/picks.h"
#include "schedule/collectives.h"
#include "schedule/layout.h"
#include "schedule/memory.h"
#include "schedule/set.h"
#include "schedule/shape.h"

#include <time.h>

/* What the sampled ranks of a node exchange with other nodes. */
typedef struct node {
    int ranks;
    int64_t sent, received;
} node;

typedef struct sample {
    const anyp_call *call;
    anypi_picks picks;          /* the ranks to count, in this order */
    int wanted;
    int *node_of_rank;          /* NULL: there are no nodes */
    node *nodes;
    anypi_peer_marks peers;
    int64_t *starts;            /* of the layout */
    anypi_layout layout;
} sample;

/* All ranks of a node. */
static void add_node(sample *s, const anyp_shape *nodes, int index, int limit)
{
    if (anypi_shape_size(nodes, index) <= limit - s->picks.count)
        for (int i = anypi_shape_first(nodes, index); i < anypi_shape_first(nodes, index + 1); i++)
            anypi_picks_add(&s->picks, anypi_shape_rank(nodes, i), limit);
}

static void add_nodes(sample *s, const anyp_shape *nodes, int limit)
{
    enum { RANDOM = 4 };
    const int count = nodes->count;
    int largest = 0, smallest = 0;
    for (int i = 1; i < count; i++) {
        largest = anypi_shape_size(nodes, i) > anypi_shape_size(nodes, largest) ? i : largest;
        smallest = anypi_shape_size(nodes, i) < anypi_shape_size(nodes, smallest) ? i : smallest;
    }
    const int some[] = { s->node_of_rank[s->call->root], 0, count - 1, count / 2, largest,
                         smallest, 1 % count };
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        add_node(s, nodes, some[i], limit);
    for (int i = 0; i < RANDOM; i++)
        add_node(s, nodes, anypi_picks_draw(&s->picks, count), limit);
}

/* Adds the ranks with which the sample begins; there is room for as many peers. */
static void begin(sample *s)
{
    const int p = s->call->p;
    anypi_picks_add_ends(&s->picks, s->call->root, s->wanted);
    if (s->node_of_rank)
        add_nodes(s, s->call->nodes, s->wanted / 2);
    anypi_picks_add_powers(&s->picks, s->wanted / 2);
    for (int i = 0; i < s->wanted / 4; i++)
        anypi_picks_add(&s->picks, anypi_picks_draw(&s->picks, p), s->wanted * 3 / 4);
    for (int rank = 0; rank < p && p <= s->wanted; rank++)
        anypi_picks_add(&s->picks, rank, p);
}

/* Adds what the rank sends to other nodes and receives from them. */
static void count_node(sample *s, const anyp_schedule *schedule, int64_t type_size)
{
    const int here = s->node_of_rank[schedule->rank];
    s->nodes[here].ranks++;
    for (int i = 0; i < schedule->steps_count; i++) {
        const anyp_step *step = &schedule->steps[i];
        const bool sends = step->kind == ANYP_SEND;
        if ((!sends && step->kind != ANYP_RECV) || s->node_of_rank[step->peer] == here)
            continue;
        const int64_t bytes =
            anypi_slice_elements(&s->layout, sends ? step->from : step->to) * type_size;
        *(sends ? &s->nodes[here].sent : &s->nodes[here].received) += bytes;
    }
}

static void add_peers(sample *s, const anyp_schedule *schedule)
{
    enum { MOST = 64 };         /* steps of a rank that are followed */
    for (int i = 0; i < schedule->steps_count && i < MOST; i++)
        if (schedule->steps[i].kind == ANYP_SEND || schedule->steps[i].kind == ANYP_RECV)
            anypi_picks_add(&s->picks, schedule->steps[i].peer, s->wanted);
}

/* Do the rank's bytes fit the counters? A block may be one element larger than the average. */
static bool countable(const anyp_call *call, const anyp_schedule *schedule)
{
    double blocks = 0;
    for (int i = 0; i < schedule->steps_count; i++) {
        const anyp_step *step = &schedule->steps[i];
        const anyp_slice slice = step->kind == ANYP_SEND ? step->from : step->to;
        blocks += slice.end - slice.first;
    }
    const double elements = call->largest > 0 ? (double) call->p * (double) call->largest
        : (double) call->count;
    return blocks * (elements / schedule->blocks + 1) * (double) call->type_size <
        (double) INT64_MAX / 2;
}

static anyp_status count_ranks(sample *s, const anyp_algorithm *algorithm, const int *parameters,
                               double seconds, anypi_sampled *sampled)
{
    enum { TRIES = 16 };        /* to find a random rank, if all peers are in the list */
    const clock_t first = clock();
    anyp_status status = ANYP_SUCCESS;
    anyp_schedule schedule;
    anypi_counts total = { 0 };
    anyp_schedule_init(&schedule);
    for (int i = 0; i < s->picks.count && status == ANYP_SUCCESS; i++) {
        anyp_call own = *s->call;
        own.rank = s->picks.list[i];
        own.in_place = anypi_set_in_place(s->call, own.rank);
        if (i > 0 && (double) (clock() - first) > seconds * CLOCKS_PER_SEC)
            break;
        status = anyp_generate(algorithm, &own, parameters, &schedule);
        if (status == ANYP_SUCCESS && !countable(s->call, &schedule))
            status = ANYP_ERR_ARGUMENT;
        if (status != ANYP_SUCCESS)
            break;
        const anypi_partition partition = anypi_partition_for(s->call, schedule.blocks);
        if (i == 0 && anypi_layout_needs_starts(&schedule, &partition)) {
            s->starts = anypi_realloc(NULL, ((size_t) schedule.blocks + 1) * sizeof *s->starts);
            status = s->starts ? ANYP_SUCCESS : ANYP_ERR_MEMORY;
        }
        if (status == ANYP_SUCCESS) {
            if (i == 0)
                s->layout = anypi_layout_of(&schedule, &partition, s->starts);
            const anypi_counts one = anypi_count_with(&s->peers, &schedule, &s->layout,
                                                      own.type_size);
            anypi_counts_add(&one, &sampled->most, &total);
            if (s->node_of_rank)
                count_node(s, &schedule, own.type_size);
            add_peers(s, &schedule);
            for (int tries = 0; tries < TRIES && i + 1 == s->picks.count; tries++)
                anypi_picks_add(&s->picks, anypi_picks_draw(&s->picks, own.p), s->wanted);
            sampled->ranks++;
        }
    }
    anyp_schedule_free(&schedule);
    return status;
}

static anyp_status allocate(sample *s)
{
    const anyp_shape *nodes = s->call->nodes;
    const size_t p = (size_t) s->call->p;
    if (anypi_picks_begin(&s->picks, s->call->p, s->wanted) != ANYP_SUCCESS ||
        !anypi_peers_begin(&s->peers, s->call->p))
        return ANYP_ERR_MEMORY;
    if (!nodes)
        return ANYP_SUCCESS;
    s->node_of_rank = anypi_realloc(NULL, p * sizeof *s->node_of_rank);
    s->nodes = anypi_realloc(NULL, (size_t) nodes->count * sizeof *s->nodes);
    if (!s->node_of_rank || !s->nodes)
        return ANYP_ERR_MEMORY;
    for (int i = 0; i < nodes->count; i++) {
        s->nodes[i] = (node) { 0 };
        for (int at = anypi_shape_first(nodes, i); at < anypi_shape_first(nodes, i + 1); at++)
            s->node_of_rank[anypi_shape_rank(nodes, at)] = i;
    }
    return ANYP_SUCCESS;
}

anyp_status anypi_sampled_counts(const anyp_algorithm *algorithm, const anyp_call *call,
                                 const int *parameters, int wanted, double seconds,
                                 anypi_sampled *sampled)
{
    sample s = { .call = call, .wanted = wanted < call->p ? wanted : call->p };
    sampled->most = (anypi_counts) { 0 };
    sampled->ranks = 0;
    sampled->card_bytes = -1;
    anyp_status status = allocate(&s);
    if (status == ANYP_SUCCESS) {
        begin(&s);
        status = count_ranks(&s, algorithm, parameters, seconds, sampled);
    }
    for (int i = 0; s.nodes && status == ANYP_SUCCESS && i < call->nodes->count; i++) {
        const node *one = &s.nodes[i];
        const int64_t most = one->sent > one->received ? one->sent : one->received;
        if (one->ranks == anypi_shape_size(call->nodes, i) && most > sampled->card_bytes)
            sampled->card_bytes = most;
    }
    anypi_free(s.starts);
    anypi_free(s.nodes);
    anypi_free(s.node_of_rank);
    anypi_peers_end(&s.peers);
    anypi_picks_free(&s.picks);
    return status;
}
