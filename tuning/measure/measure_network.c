/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Measures alpha, beta, gamma and overhead of a communicator as its collectives use them: all ranks
 * send, receive and reduce at the same time. This is accurate enough to find hopeless candidates.
 */
#include "measure/command.h"

#include "measure/budget.h"
#include "measure/clock.h"
#include "algorithms/cost_model.h"
#include "tuner/model_fit.h"
#include "tuner/node_shapes.h"
#include "schedule/ranks.h"
#include "schedule/shape.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Relative. If times differ by less, the clock is a simulator's; times of a machine differ by
 * more. */
static const double rounding = 1e-6;
/* Many messages at a time take more time than their latency. A short round is repeated until a
 * clock can measure it. */
enum { REPEATS = 5, SHORT_CALLS = 20, LONG_CALLS = 2, MAX_PEERS = 16 };

typedef struct probe {
    anypi_work *work;
    MPI_Comm comm;
    int bytes, peers;
    bool commutative;
    int repeats;
    bool together;              /* all ranks begin at the same time: clocks are the same */
    int to, from;               /* of across() */
} probe;

/* Each rank sends to `to`, which may be MPI_PROC_NULL. */
static void across(const probe *p)
{
    MPI_Sendrecv(p->work->send, p->bytes, MPI_BYTE, p->to, 0, p->work->receive, p->bytes, MPI_BYTE,
                 p->from, 0, p->comm, MPI_STATUS_IGNORE);
}

/* Each rank sends to the next `peers` ranks. */
static void shift(const probe *p)
{
    MPI_Request requests[2 * MAX_PEERS];
    MPI_Status statuses[2 * MAX_PEERS];
    int rank, size;
    MPI_Comm_rank(p->comm, &rank);
    MPI_Comm_size(p->comm, &size);
    for (int i = 0; i < p->peers; i++) {
        MPI_Irecv(p->work->receive + i * p->bytes, p->bytes, MPI_BYTE,
                  (rank + size - 1 - i) % size, 0, p->comm, &requests[2 * i]);
        MPI_Isend(p->work->send, p->bytes, MPI_BYTE, (rank + 1 + i) % size, 0, p->comm,
                  &requests[2 * i + 1]);
    }
    MPI_Waitall(2 * p->peers, requests, statuses);
}

static void reduce(const probe *p)
{
    if (p->commutative)
        MPI_Reduce_local(p->work->send, p->work->receive, p->bytes / ANYPI_SUM_SIZE, MPI_DOUBLE,
                         MPI_SUM);
    else
        MPI_Reduce_local(p->work->send, p->work->receive, p->bytes / ANYPI_MATRIX_SIZE,
                         p->work->matrix, p->work->product);
}

/* Returns the seconds of a call on the slowest rank, in the fastest repeat; *longest (NULL: not
 * wanted): in the slowest repeat. On rank 0. */
static double seconds(const probe *p, void (*call)(const probe *), int calls, double *longest)
{
    double fastest = INFINITY, most = 0;
    call(p);
    for (int i = 0; i < p->repeats; i++) {
        double own, slowest = 0;
        if (!p->together)
            MPI_Barrier(p->comm);
        own = p->together ? anypi_wait_until(anypi_agree_moment(p->comm)) : MPI_Wtime();
        for (int k = 0; k < calls; k++)
            call(p);
        own = (MPI_Wtime() - own) / calls;
        MPI_Reduce(&own, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, p->comm);
        fastest = fmin(fastest, slowest);
        most = fmax(most, slowest);
    }
    if (longest)
        *longest = most;
    return fastest;
}

/* Is this a simulator? Its clock is the same on all ranks, and its times repeat exactly except for
 * rounding. */
static bool is_exact(probe small, probe large)
{
    int *global, found = 0, exact;
    double longest[2];
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &global, &found);
    exact = found && *global;
    if (!exact)
        return false;
    small.together = large.together = true;
    const double times[2] = { seconds(&small, shift, 1, &longest[0]),
                              seconds(&large, shift, 1, &longest[1]) };
    for (int i = 0; i < 2; i++)
        exact = exact && times[i] > 0 && longest[i] - times[i] <= rounding * times[i];
    MPI_Bcast(&exact, 1, MPI_INT, 0, small.comm);
    return exact;
}

/* Returns the mean relative error of the model in rounds with other sizes and numbers of messages
 * than those that it is made from. On rank 0; 0 on the others, and for one rank. */
static double model_error(probe p, int calls, int most, const anyp_model *model)
{
    static const struct { int peers, bytes; } rounds[] = {
        { 1, 1 << 10 }, { 1, 1 << 13 }, { 1, 1 << 15 }, { 4, 1 << 10 }, { 4, 1 << 13 },
        { MAX_PEERS, 1 << 10 }, { MAX_PEERS, 1 << 13 } };
    double sum = 0;
    int count = 0, rank, size;
    MPI_Comm_rank(p.comm, &rank);
    MPI_Comm_size(p.comm, &size);
    for (size_t i = 0; i < sizeof rounds / sizeof *rounds; i++) {
        p.peers = rounds[i].peers;
        p.bytes = rounds[i].bytes;
        if (p.peers > most)
            continue;
        const double form = anypi_round_time(p.peers, p.peers * p.bytes * model->beta, model);
        sum += fabs(log(seconds(&p, shift, calls, NULL) / form));
        count++;
    }
    return rank || size == 1 ? 0 : exp(sum / count) - 1;
}

/* Returns the times of messages on a communicator, with one byte and with long ones, and the error
 * of their model. */
static anypi_probe_times probe_messages(probe small, probe large, double *error)
{
    int size;
    const int calls = small.together ? 1 : SHORT_CALLS; /* messages cost a simulator real time */
    anypi_probe_times times = { .bytes = large.bytes };
    MPI_Comm_size(small.comm, &size);
    times.short_message = seconds(&small, shift, calls, NULL);
    times.several = anypi_min(size - 1, MAX_PEERS);
    times.few = anypi_max(times.several / 2, 1);
    small.peers = times.few;
    times.few_messages = seconds(&small, shift, calls, NULL);
    small.peers = times.several;
    times.several_messages = seconds(&small, shift, calls, NULL);
    times.long_message = seconds(&large, shift, LONG_CALLS, NULL);
    const anyp_model model = anypi_model_fit(&times);
    *error = model_error(small, calls, times.several, &model);
    return times;
}

/* Some nodes that follow each other. */
typedef struct run {
    int first, count;
} run;

/* Returns the nodes of the switch that has most nodes. */
static run largest_switch(const anyp_shape *nodes)
{
    const anyp_shape *above = nodes->above;
    run largest = { 0, above ? 0 : nodes->count };
    for (int i = 0; above && i < above->spans_count; i++)
        if (above->spans[i].size > largest.count)
            largest = (run) { above->spans[i].unit, above->spans[i].size };
    return largest;
}

/* Returns the rank with the same number some nodes further, cyclically. MPI_PROC_NULL: that node
 * has fewer ranks, or the rank belongs to none of these nodes. */
static int rank_beside(const anyp_shape *nodes, run row, int node, int local, int distance)
{
    if (node < row.first || node >= row.first + row.count)
        return MPI_PROC_NULL;
    const int other = row.first + anypi_mod(node - row.first + distance, row.count);
    return local < anypi_shape_size(nodes, other)
        ? anypi_shape_rank(nodes, anypi_shape_first(nodes, other) + local) : MPI_PROC_NULL;
}

/* Returns the most ranks of a node that have a rank with their number in the next node. */
static int senders(const anyp_shape *nodes, run row)
{
    int most = 0;
    for (int i = 0; i < row.count; i++) {
        const int own = row.first + i, next = row.first + (i + 1) % row.count;
        most = anypi_max(most, anypi_min(anypi_shape_size(nodes, own),
                                         anypi_shape_size(nodes, next)));
    }
    return most;
}

/* Finds the longest times of all nodes with several ranks, whose first ranks know them. */
static void combine(anypi_probe_times *times, int ranks, MPI_Comm comm)
{
    double *const its[] = { &times->short_message, &times->few_messages, &times->several_messages,
                            &times->long_message };
    for (size_t i = 0; i < sizeof its / sizeof *its; i++) {
        const double own = ranks == 1 ? 0 : *its[i];
        MPI_Allreduce(&own, its[i], 1, MPI_DOUBLE, MPI_MAX, comm);
    }
}

/* The positions of pairs of ranks: left + i and right + i. */
typedef struct side_by_side {
    int left, right, count;
} side_by_side;

/* Returns the rank's partner, or MPI_PROC_NULL. */
static int partner(const anyp_shape *nodes, const side_by_side *pairs, int position)
{
    const int from_left = position - pairs->left, from_right = position - pairs->right;
    return from_left >= 0 && from_left < pairs->count
        ? anypi_shape_rank(nodes, pairs->right + from_left)
        : from_right >= 0 && from_right < pairs->count
        ? anypi_shape_rank(nodes, pairs->left + from_right) : MPI_PROC_NULL;
}

/* Returns the most pairs of two groups of a height that are neighbours in a group of the next
 * height. */
static side_by_side most_pairs(const anyp_shape *nodes, int height)
{
    side_by_side most = { 0 };
    const anyp_shape *groups = nodes;
    for (int h = 0; h < height; h++)
        groups = groups->above;
    for (int i = 0; i + 1 < groups->count; i++) {
        const int left = anypi_shape_begin(nodes, height, i);
        const int right = anypi_shape_begin(nodes, height, i + 1);
        const int end = anypi_shape_begin(nodes, height, i + 2);
        const int count = anypi_min(right - left, end - right);
        const bool together = !groups->above ||
            anypi_shape_at(groups->above, i) == anypi_shape_at(groups->above, i + 1);
        if (together && count > most.count)
            most = (side_by_side) { left, right, count };
    }
    return most;
}

/* Measures the constants of the heights above the nodes; on rank 0. First one pair of ranks sends
 * across the boundary of two groups, then many pairs together, which shows the rate of a group's
 * link. */
static void probe_heights(probe small, probe large, const anyp_shape *nodes, int position,
                          anyp_model *model)
{
    const int calls = small.together ? 1 : SHORT_CALLS;
    double below = model->alpha;
    for (int h = 0; h < anypi_shape_length(nodes) - 1; h++) {
        const side_by_side many = most_pairs(nodes, h + 1);
        side_by_side one = many;
        one.count = 1;
        small.to = small.from = partner(nodes, &one, position);
        large.to = large.from = partner(nodes, &many, position);
        const double short_message = seconds(&small, across, calls, NULL);
        const double all = seconds(&large, across, LONG_CALLS, NULL);
        below = fmax(short_message - 2 * model->overhead, below);
        model->above[h].alpha = below;
        model->above[h].beta = fmax(all - short_message, 0) / many.count / large.bytes;
    }
}

/* Returns the model of nodes; on rank 0. The ranks of each node send to each other. Then, at one
 * switch, the first ranks of all nodes send to each other. Then each rank sends to the rank with
 * the same number on the next node. */
static anyp_model probe_nodes(probe small, probe large, const anyp_shape *nodes, double *error)
{
    int rank, ranks;
    MPI_Comm inside, first, all = small.comm;
    anypi_probe_times between = { 0 };
    double errors[2] = { 0 };           /* inside nodes, between them */
    const run row = largest_switch(nodes);
    MPI_Comm_rank(all, &rank);
    const int position = anypi_shape_position(nodes, rank);
    const int node = anypi_shape_at(nodes, position);
    const int local = position - anypi_shape_first(nodes, node);        /* its number there */
    MPI_Comm_split(all, node, rank, &inside);
    const bool is_first = !local && node >= row.first && node < row.first + row.count;
    MPI_Comm_split(all, is_first ? 0 : MPI_UNDEFINED, node, &first);
    small.comm = large.comm = inside;
    anypi_probe_times within = probe_messages(small, large, &errors[0]);
    MPI_Comm_size(inside, &ranks);
    combine(&within, ranks, all);       /* after this no node sends inside any more */
    small.comm = large.comm = first;
    if (is_first) {
        between = probe_messages(small, large, &errors[1]);
        MPI_Comm_free(&first);
    }
    MPI_Comm_free(&inside);
    /* the first ranks are also done */
    MPI_Bcast(&between, (int) sizeof between, MPI_BYTE,
              anypi_shape_rank(nodes, anypi_shape_first(nodes, row.first)), all);
    MPI_Barrier(all);
    small.comm = large.comm = all;
    large.to = rank_beside(nodes, row, node, local, 1);
    large.from = rank_beside(nodes, row, node, local, -1);
    const double together = seconds(&large, across, LONG_CALLS, NULL);
    anyp_model model = anypi_model_fit_nodes(&between, &within, together, senders(nodes, row));
    model.nodes = nodes;
    MPI_Allreduce(MPI_IN_PLACE, errors, 2, MPI_DOUBLE, MPI_MAX, all);
    *error = fmax(errors[0], errors[1]);
    probe_heights(small, large, nodes, position, &model);
    return model;
}

static void print_model(const anypi_session *session, int p, const anyp_shape *nodes, bool exact)
{
    const anyp_model *model = &session->models[0];
    fprintf(stderr, "anyp-tune: %s: alpha %.3g us, overhead %.3g us, beta %.3g ns/B, gamma "
            "%.3g (sum), %.3g (matrix product) ns/B",
            anypi_procs_text(p, nodes).text, 1e6 * model->alpha,
            1e6 * model->overhead, 1e9 * model->beta, 1e9 * model->gamma,
            1e9 * session->models[1].gamma);
    if (nodes)
        fprintf(stderr, "; inside nodes alpha %.3g us, beta %.3g ns/B; cards of a node: %d",
                1e6 * model->inside_alpha, 1e9 * model->inside_beta, model->cards);
    for (int h = 0; h < anypi_shape_length(nodes) - 1; h++)
        fprintf(stderr, "; between groups of height %d alpha %.3g us, beta of a link %.3g ns/B",
                h + 1, 1e6 * model->above[h].alpha, 1e9 * model->above[h].beta);
    fprintf(stderr, "; mean error in other rounds %.0f %%%s\n", 100 * session->model_error,
            exact ? "; times are exact" : "");
}

void anypi_fit(anypi_session *session, MPI_Comm comm, const anyp_shape *nodes)
{
    int size;
    MPI_Comm_size(comm, &size);
    probe small = { &session->work, comm, 1, 1, true, REPEATS, false, MPI_PROC_NULL,
                    MPI_PROC_NULL };
    probe large = small;
    large.bytes = ANYPI_LONG_BYTES;
    memset(session->work.send, 0, (size_t) large.bytes);
    memset(session->work.receive, 0, (size_t) large.bytes);
    const bool exact = is_exact(small, large);
    small.together = large.together = exact;
    if (exact)
        small.repeats = large.repeats = 1;
    anyp_model model;
    if (nodes) {
        model = probe_nodes(small, large, nodes, &session->model_error);
    } else {
        const anypi_probe_times times = probe_messages(small, large, &session->model_error);
        model = anypi_model_fit(&times);
    }
    for (int operators = 0; operators < 2; operators++) {
        large.commutative = !operators;
        model.gamma = seconds(&large, reduce, LONG_CALLS, NULL) / large.bytes;
        session->models[operators] = model;
    }
    session->plan->exact = session->plan->exact && exact;
    if (session->options->verbose && !session->rank)
        print_model(session, size, nodes, exact);
}
