/* SPDX-License-Identifier: BSD-3-Clause
 *
 * binomial - reduce or gather by a tree whose order is that of the ranks; an allreduce sends the
 * result back.
 *
 * Before round j, groups of k^j neighbours (k is the radix) have reduced their vectors at their
 * leader: the root if it is in the group, else the lowest rank. In round j, k neighbouring groups
 * become one: their leaders send their sums to the leader of the new group. That leader adds its
 * own sum between the sums of lower and of higher groups. So any root receives the sum in rank
 * order, in as few rounds as rank 0. The allreduce reduces to rank 0 and uses the same tree
 * downwards. A gather sends the blocks of a group instead of its sum. Since they are neighbours,
 * each message is one piece.
 *
 *   p = 5, root 2, k = 2:   round 1: 1 to 0, 3 to 2    round 2: 0 to 2    round 3: 4 to 2
 *                           rank 2 has ((0+1) + (2+3)) + 4
 *
 * On nodes (groups=nodes), the ranks of each node join first, in groups of k^j, and then nodes do.
 * With groups=switches, or one rank on each node, the lowest switches are the nodes.
 *
 * Cost with R = ceil(log_k p) rounds, in all of which M = (k-1)(R-1) + ceil(p / k^(R-1)) - 1
 * messages come to a leader: R*alpha + M*m*(beta + gamma); allreduce 2R*alpha + M*m*(2*beta +
 * gamma). Reached for every p and root. A gather takes R*alpha + p - 1 blocks of m/p bytes; at most
 * k^(R-1)*ceil(p / k^(R-1)) - 1 if the root is in a last group that is not full. On nodes the sum
 * of both trees, at most. The vector is not cut into segments: this is for short vectors.
 * Plain copies: none if the operator commutes. Otherwise the root may copy m. Not in place, it does
 * if its first partners are all lower, since its input is the right operand then. In place, it does
 * if it has higher partners in an odd number of rounds (for k > 2: in exactly one). In a gather
 * each leader copies its block. Scratch: k m at most; in a gather the blocks of a group, but none
 * at the root.
 * Restrictions: none, any p, root and operator; groups=nodes needs nodes with consecutive ranks.
 * Source: Lowery & Langou 2013, section IV (binomial), for k = 2; there the root is rank 0. With
 * the usual tree, an operator that does not commute reduces to rank 0, which sends the result on,
 * and the groups of a gather are not neighbours.
 */
#include "algorithms/cost_model.h"
#include "algorithms/registry.h"
#include "algorithms/shared/bytes.h"
#include "algorithms/shared/groups.h"
#include "algorithms/shared/radix.h"
#include "algorithms/shared/rooted.h"

#include "schedule/ranks.h"
#include "schedule/schedule.h"

enum { RADIX, GROUPS };         /* indices of the parameters */

enum { MAXIMUM_RADIX = 64, INPUT = -1 };

/* The tree of a call. Without nodes each rank is one, and no level is inside. */
typedef struct tree {
    const anyp_call *call;
    int radix;
    const anyp_shape *nodes;    /* or NULL */
    int count;                  /* nodes */
    int largest;                /* ranks of one */
    double others;              /* mean ranks of those without the root */
    int inside, levels;         /* levels inside nodes, and all */
} tree;

/* The groups that join in a level: first .. end-1, `own` that of the call's rank. Group g has
 * `width` units from g * width on, which are ranks of the node, or nodes. */
typedef struct family {
    int64_t width;
    int first, end, own;
    int leader;                 /* the rank that receives the sums of all */
    int units;                  /* of the node, or of all */
    int base;                   /* the first rank of the node; -1: units are nodes */
} family;

/* A rank's sum. Cells are buffers of one vector; the first is OUT if the rank has one. */
typedef struct sum {
    const tree *tree;
    const anyp_call *call;
    int at;                     /* its cell, or INPUT */
    int changes;                /* coming rounds in which it must change the cell */
} sum;

static tree tree_of(const anyp_call *call, const int *parameters)
{
    tree t = { .call = call, .radix = parameters[RADIX], .count = call->p, .largest = 1,
               .others = 1 };
    int messages;
    t.nodes = anypi_groups_of(call, parameters[GROUPS]);
    if (t.nodes) {
        t.count = t.nodes->count;
        t.largest = anypi_shape_largest(t.nodes);
        if (t.count > 1)
            t.others = (call->p - anypi_shape_size(t.nodes, anypi_shape_at(t.nodes, call->root))) /
                (t.count - 1.0);
    }
    t.inside = anypi_radix_rounds(t.largest, t.radix, &messages);
    t.levels = t.inside + anypi_radix_rounds(t.count, t.radix, &messages);
    return t;
}

static int first_of_node(const tree *t, int node)
{
    return t->nodes ? anypi_shape_first(t->nodes, node) : node;
}

static int64_t power(int radix, int exponent)
{
    int64_t width = 1;
    for (int i = 0; i < exponent; i++)
        width *= radix;
    return width;
}

/* The first rank of a group, or of the one after the last. */
static int start_of(const tree *t, const family *f, int64_t group)
{
    const int64_t unit = group * f->width < f->units ? group * f->width : f->units;
    return f->base < 0 ? first_of_node(t, (int) unit) : f->base + (int) unit;
}

static int leader_of(const tree *t, const family *f, int64_t first, int64_t end)
{
    const int lowest = start_of(t, f, first), root = t->call->root;
    return root >= lowest && root < start_of(t, f, end) ? root : lowest;
}

static family family_of(const tree *t, int level)
{
    const int node = t->nodes ? anypi_shape_at(t->nodes, t->call->rank) : t->call->rank;
    const bool inside = level < t->inside;
    family f = { .width = power(t->radix, inside ? level : level - t->inside),
                 .units = t->count, .base = -1 };
    int64_t own = node;
    if (inside) {
        f.base = first_of_node(t, node);
        f.units = first_of_node(t, node + 1) - f.base;
        own = t->call->rank - f.base;
    }
    const int64_t groups = (f.units + f.width - 1) / f.width;
    const int64_t parent = own / f.width / t->radix;
    f.own = (int) (own / f.width);
    f.first = (int) (parent * t->radix);
    f.end = (int) (f.first + t->radix < groups ? f.first + t->radix : groups);
    f.leader = leader_of(t, &f, f.first, f.end);
    return f;
}

/* The leader of one of a family's groups. */
static int leader_of_group(const tree *t, const family *f, int group)
{
    return leader_of(t, f, group, (int64_t) group + 1);
}

/* Its own sum is the left operand of higher ones: their buffers get the result. */
static sum begin_sum(const tree *t)
{
    sum s = { .tree = t, .call = t->call, .at = t->call->in_place ? 0 : INPUT };
    bool input = s.at == INPUT;
    for (int level = 0; level < t->levels; level++) {
        const family f = family_of(t, level);
        if (f.leader != t->call->rank)
            break;
        s.changes += f.own < f.end - 1 || (input && f.first < f.own);
        input = input && f.end - f.first == 1;
    }
    return s;
}

static const char *refusal(const anyp_call *call, const int *parameters)
{
    const anyp_shape *nodes = anypi_groups_of(call, parameters[GROUPS]);
    return nodes && nodes->rank ? "with groups=nodes, it needs nodes with consecutive ranks" : NULL;
}

/* The part of the levels that join that many units, each of `ranks` ranks. */
static anyp_cost cost_of(const anyp_call *call, int radix, int units, int ranks)
{
    const bool gathers = call->collective == ANYP_GATHER;
    const double bytes = anypi_block_bytes(call, gathers ? call->p : 1);
    const double phases = call->collective == ANYP_ALLREDUCE ? 2 : 1;
    int messages;
    const int rounds = anypi_radix_rounds(units, radix, &messages);
    const int64_t last = rounds > 0 ? power(radix, rounds - 1) : 1;
    /* units that come to a leader: when full groups are done, to the root all but its own group */
    int64_t most = (units + last - 1) / last * last - 1;
    if (units == call->p) {
        const int64_t first = call->root / last * last;
        most = last - 1 + units - (first + last < units ? last : units - first);
    }
    const double vectors = gathers ? (double) most * ranks : messages;
    return (anyp_cost) { .latencies = phases * rounds,
                         .bytes_sent = phases * vectors * bytes,
                         .bytes_reduced = gathers ? 0 : messages * bytes,
                         .overheads = 2 * phases * messages };
}

static anyp_cost cost(const anyp_call *call, const int *parameters)
{
    const tree t = tree_of(call, parameters);
    return anypi_cost_sum(cost_of(call, t.radix, t.largest, 1),
                          cost_of(call, t.radix, t.count, t.largest));
}

/* The messages of a leader in the level of a gather that joins groups of `width` units to one of
 * `end` units: ranks of its node (inside), or nodes, or all ranks where nodes are ignored. */
static anypi_fan fan_of(const tree *t, const anyp_shape *nodes, int64_t width, int64_t end,
                        bool inside)
{
    const int64_t last = (end - 1) / width * width;
    const bool of_node = inside && t->nodes == t->call->nodes;
    const bool of_ranks = inside ? !of_node : !t->nodes;        /* units may share a node */
    const int64_t ranks = !nodes || !of_ranks ? 1     /* of the root's node */
        : anypi_shape_size(nodes, anypi_shape_at(nodes, t->call->root));
    const double block = (inside ? 1 : t->others) * anypi_block_bytes(t->call, t->call->p);
    int64_t near = 0;           /* units on the leader's node; ranks may be dealt round robin */
    if (end <= width)
        return (anypi_fan) { .messages = 0 };
    if (of_node || (ranks > 1 && nodes->rank && width % nodes->count == 0))
        near = end - width;
    else if (width < ranks && !nodes->rank)
        near = (end < ranks ? end : ranks) - width;
    return (anypi_fan) { .messages = (int) (last / width),
                         .bytes = (double) (end - width - near) * block,
                         .inside = (double) near * block,
                         .last = (double) (end - last) * block };
}

/* The times of a gather or scatter in groups that are full, and in the last one. */
typedef struct rooted_times {
    double full, last;
} rooted_times;

/* The time of the last group after one more level, in which it has the messages of `fan`: from full
 * groups, but for the last message. In a gather, that one may come before the others. A quarter of
 * this gain counts: with most MPI libraries and lengths, a message leaves when it is expected.
 * (Half of it chose radix 8 for 64 KiB, p = 12: 11.3 us in SMPI; with 4 it takes 9.8.) */
static double last_time(const tree *t, const anyp_model *model, rooted_times times, anypi_fan fan)
{
    if (fan.messages == 0)
        return times.last;
    anypi_fan one = { .messages = 1, .last = fan.last };
    *(fan.bytes > 0 ? &one.bytes : &one.inside) = fan.last;
    if (t->call->collective == ANYP_SCATTER) {
        const double own = fan.messages * model->overhead + times.full;
        const double all = anypi_fan_time(t->call, model, fan);
        return anypi_fmax(own, all + (fan.messages > 1 ? times.full : times.last));
    }
    const double arrives = times.last + anypi_fan_time(t->call, model, one);
    const double no_gain = times.full + anypi_fan_time(t->call, model, fan);
    double others = times.full + model->overhead;
    if (fan.messages > 1) {     /* beside these, only a part of it */
        const double after = anypi_fmax(arrives - times.full, 0);
        const double earlier = fan.last * (1 - anypi_fmin(after / (arrives - times.last), 1));
        double *bytes = fan.bytes > 0 ? &fan.bytes : &fan.inside;
        *bytes -= anypi_fmin(earlier, *bytes);
        others = times.full + anypi_fan_time(t->call, model, fan);
    }
    return (anypi_fmax(arrives, others) + 3 * no_gain) / 4;
}

/* Of a gather or scatter to or from rank 0. */
static double rooted_time(const tree *t, const anyp_model *model)
{
    rooted_times times = { .full = 0 };
    double later = 0;
    for (int level = 0; level < t->levels; level++) {
        const bool inside = level < t->inside;
        const int64_t width = power(t->radix, inside ? level : level - t->inside);
        const int64_t all = width * t->radix, units = inside ? t->largest : t->count;
        if (level == t->inside)         /* nodes are equal */
            times.full = times.last;
        anypi_fan full = fan_of(t, model->nodes, width, all, inside);
        anypi_fan last = fan_of(t, model->nodes, width, (units - 1) % all + 1, inside);
        const double bytes = (all < units ? full : last).bytes;
        if (t->call->collective == ANYP_SCATTER) {  /* no level waits: the next share the port */
            full.bytes += later;
            last.bytes += last.messages > 0 ? later : 0;
        }
        later += bytes;
        times.last = last_time(t, model, times, last);
        times.full += anypi_fan_time(t->call, model, full);
    }
    return times.last;
}

/* The messages of the root of a bcast, in levels that are not inside nodes. */
static double unpaced_time(const anyp_call *call, const int *parameters, const anyp_model *model)
{
    enum { LEVELS = 32 };
    const tree of_call = tree_of(call, parameters), *t = &of_call;
    const double transfer = anypi_block_bytes(call, 1) * model->beta;
    const bool by_nodes = t->nodes && t->nodes == model->nodes;
    anypi_sends rounds[2 * LEVELS];
    int count = 0;
    for (int level = t->levels - 1; level >= (by_nodes ? t->inside : 0); level--) {
        const bool inside = level < t->inside;
        const int64_t width = power(t->radix, inside ? level : level - t->inside);
        const int64_t units = inside ? t->largest : t->count;
        const int64_t groups = (units + width - 1) / width;
        rounds[count++] = (anypi_sends) { (double) (groups < t->radix ? groups : t->radix) - 1,
                                          transfer };
    }
    return anypi_unpaced_time(rounds, count, count, model);
}

/* The time of levels, in each of which a rank sends or receives. */
static double levels_time(anyp_cost levels, const anyp_model *model)
{
    return anypi_one_way_time(levels, levels.latencies, model);
}

/* The ranks of the largest node that is not the root's. */
static int largest_other(const tree *t)
{
    const int own = anypi_shape_at(t->nodes, t->call->root);
    int largest = 1;
    for (int i = 0; i < t->nodes->spans_count; i++) {
        const anyp_span *span = &t->nodes->spans[i];
        const int end = i + 1 < t->nodes->spans_count ? span[1].group : t->count;
        if (end - span->group > 1 || span->group != own)
            largest = anypi_max(largest, span->size);
    }
    return largest;
}

static double time_of(const anyp_call *call, const int *parameters, const anyp_model *model)
{
    const tree t = tree_of(call, parameters);
    if (call->collective == ANYP_GATHER || call->collective == ANYP_SCATTER)
        return rooted_time(&t, model);
    if (!model->nodes || !t.nodes)
        return levels_time(cost(call, parameters), model);
    anyp_model across = *model, inside = anypi_inside_model(model);
    across.alpha = anypi_shared_model(model, call->p).alpha;
    if (t.nodes != call->nodes)
        inside = *model;
    /* the node of the root waits for its messages to leave, others for their arrival */
    const anyp_cost nodes = cost_of(call, t.radix, t.count, t.largest);
    const double leave = anypi_fmax(nodes.overheads / 2 * model->overhead,
                                    nodes.bytes_sent * model->beta) +
        nodes.bytes_reduced * model->gamma;
    const int other = largest_other(&t);
    return anypi_fmax(leave + levels_time(cost_of(call, t.radix, t.largest, 1), &inside),
                      levels_time(nodes, &across) +
                      levels_time(cost_of(call, t.radix, other, 1), &inside));
}

static int tries(const anyp_call *call, const anyp_model *model, const int *parameters, int index,
                 int *list)
{
    int count = 0;
    (void) model;
    (void) parameters;
    if (index == GROUPS)
        return anypi_groups_tries(call, list);
    for (int k = 2; k < call->p && k <= MAXIMUM_RADIX; k += k < 16 ? 1 : k / 8)
        anypi_try(list, &count, k);
    anypi_try(list, &count, call->p <= MAXIMUM_RADIX ? anypi_max(call->p, 2) : MAXIMUM_RADIX);
    return count;
}

static anyp_slice cell(const sum *s, int index)
{
    const anyp_call *call = s->call;
    const int outs = call->collective == ANYP_ALLREDUCE || call->rank == call->root;
    if (index == INPUT)
        return anypi_block(ANYP_IN, 0);
    if (index < outs)
        return anypi_block(ANYP_OUT, 0);
    return anypi_block(ANYP_SCRATCH, index - outs);
}

/* The sums of the other groups of a family are received and added. */
static void take_in(sum *s, const family *f, anyp_schedule *schedule)
{
    const bool commutative = s->call->commutative, input = s->at == INPUT;
    const bool higher = f->own < f->end - 1, lower_only = input && !higher;
    int goal = s->at, cells[MAXIMUM_RADIX];
    if (f->end - f->first == 1)
        return;
    if (higher || input) {
        goal = --s->changes % 2;        /* so that the last change leads to OUT */
        if (goal == s->at && !commutative)
            goal = s->tree->radix > 2 ? 2 : 1 - goal;
    }
    const int into_goal = goal == s->at ? -1 : higher ? f->end - 1
        : commutative ? f->own - 1 : -1;

    anypi_round(schedule);
    for (int group = f->first, next = 0; group < f->end; group++) {
        if (group == f->own)
            continue;
        while (next == s->at || next == goal)
            next++;
        cells[group - f->first] = group == into_goal ? goal : next++;
        anypi_recv(schedule, leader_of_group(s->tree, f, group),
                   cell(s, cells[group - f->first]));
    }

    if (lower_only)
        (commutative ? anypi_reduce : anypi_copy)(schedule, cell(s, INPUT), cell(s, goal));
    for (int group = f->own + 1, at = s->at; group < f->end; group++) {
        const int other = cells[group - f->first];
        if (goal == s->at) {    /* operands are exchanged */
            anypi_reduce(schedule, cell(s, other), cell(s, goal));
        } else {
            anypi_reduce(schedule, cell(s, at), cell(s, other));
            at = other;
        }
    }
    for (int group = f->own - 1; group >= f->first; group--)
        if (group != into_goal)
            anypi_reduce(schedule, cell(s, cells[group - f->first]), cell(s, goal));
    s->at = goal;
}

/* Sends the result down the same tree, from the last level in which the rank led. */
static void send_back(const sum *s, int level, anyp_schedule *schedule)
{
    for (; level >= 0; level--) {
        const family f = family_of(s->tree, level);
        anypi_round(schedule);
        if (f.leader != s->call->rank)
            anypi_recv(schedule, f.leader, cell(s, 0));
        for (int group = f.first; group < f.end && f.leader == s->call->rank; group++)
            if (group != f.own)
                anypi_send(schedule, leader_of_group(s->tree, &f, group), cell(s, 0));
    }
}

static void reduce(const tree *t, anyp_schedule *schedule)
{
    const anyp_call *call = t->call;
    sum s = begin_sum(t);
    int level = 0;
    for (; level < t->levels; level++) {
        const family f = family_of(t, level);
        if (f.leader != call->rank) {
            anypi_round(schedule);
            anypi_send(schedule, f.leader, cell(&s, s.at));
            break;
        }
        take_in(&s, &f, schedule);
    }
    if (call->rank == call->root && s.at != 0)
        anypi_copy(schedule, cell(&s, s.at), cell(&s, 0));
    if (call->collective == ANYP_ALLREDUCE)
        send_back(&s, level, schedule);
}

/* Leaders have their blocks in OUT or scratch, others in IN. */
static void gather(const tree *t, anyp_schedule *schedule)
{
    const anyp_call *call = t->call;
    const int rank = call->rank, to = rank == call->root ? ANYP_OUT : ANYP_SCRATCH;
    int from = call->in_place ? to : ANYP_IN;
    for (int level = 0; level < t->levels; level++) {
        const family f = family_of(t, level);
        if (f.end - f.first == 1)
            continue;
        anypi_round(schedule);
        if (f.leader != rank) {
            anypi_send(schedule, f.leader, anypi_slice(from, start_of(t, &f, f.own),
                                                       start_of(t, &f, f.own + 1)));
            return;
        }
        for (int group = f.first; group < f.end; group++)
            if (group != f.own)
                anypi_recv(schedule, leader_of_group(t, &f, group),
                           anypi_slice(to, start_of(t, &f, group), start_of(t, &f, group + 1)));
        if (from != to)
            anypi_copy(schedule, anypi_block(from, rank), anypi_block(to, rank));
        from = to;
    }
    if (from != to)
        anypi_copy(schedule, anypi_block(from, rank), anypi_block(to, rank));
}

static int blocks(const anyp_call *call, const int *parameters)
{
    (void) parameters;
    return call->collective == ANYP_GATHER ? call->p : 1;
}

static void generate(const anyp_call *call, const int *parameters, anyp_schedule *schedule)
{
    const tree t = tree_of(call, parameters);
    (call->collective == ANYP_GATHER ? gather : reduce)(&t, schedule);
}

const anyp_algorithm_code anypi_binomial_code = {
    .summary = "short vectors, any operator and root: few rounds and few messages",
    .source = "Lowery & Langou 2013, section IV",
    .blocks = blocks,
    .refusal = refusal,
    .cost = cost,
    .time = time_of,
    .unpaced_time = unpaced_time,
    .tries = tries,
    .generate = generate,
};
