/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cost.c - the closed form of `exchange`: for each level of each height, the maximum time of all
 * ranks. If groups are the same inside, each of their intervals is an exchange of its own, whose
 * parts have one of two sizes in a level, so a few numbers are sufficient. Otherwise intervals may
 * be anywhere, and the bounds are loose.
 */
#include "algorithms/exchange/cost.h"

#include "algorithms/cost_model.h"
#include "algorithms/exchange/prefix.h"
#include "algorithms/fitted.h"
#include "algorithms/shared/bytes.h"

#include "schedule/collectives.h"
#include "schedule/ranks.h"

#include <math.h>

/* The levels of groups of one height that have so many children. */
typedef struct height {
    const anyp_call *call;
    const anypi_tree *tree;
    int dividing;               /* levels */
    bool all;                   /* they are all ranks, and all levels divide */
    bool even;                  /* the children are the same; else what follows is of all heights */
    int64_t count;              /* elements of an interval that they exchange, */
    int blocks;                 /* and its blocks */
    double widest, narrowest;   /* the intervals of children, as parts of that one */
    double bases;               /* the largest number of bases in a child for each in another */
} height;

/* Sizes of the parts of a height of the tree: the smallest, at least 1, and the largest. */
static int smallest(const height *e, int t)
{
    return e->tree->smallest[t] > 1 ? e->tree->smallest[t] : 1;
}

static int largest(const height *e, int t)
{
    int64_t parts = 1;
    for (int i = e->tree->levels - 1; i >= t && parts < e->tree->p; i--)
        parts *= e->tree->radix[i];
    return parts < e->tree->p ? (int) ((e->tree->p + parts - 1) / parts) : 1;
}

/* The number of intervals into which a part of `size` children divides its own. */
static int intervals(const height *e, int t, int size)
{
    return anypi_tree_owners(e->tree, t >= e->dividing ? smallest(e, e->dividing) : size);
}

/* Does a base have a rank that owns nothing, since others are smaller? */
static bool has_surplus(const height *e)
{
    return e->dividing > 0 && largest(e, e->dividing) > smallest(e, e->dividing);
}

/* Blocks of the largest interval of parts with `least` children or more, and of the smallest. */
static int widest_of(const height *e, int t, int least)
{
    const double parts = intervals(e, t, anypi_max(smallest(e, t), least));
    return (int) anypi_fmin(e->blocks, ceil(e->blocks * e->widest / parts - 1e-9) + !e->even);
}

static int narrowest(const height *e, int t)
{
    return anypi_max(1, (int) (e->blocks * e->narrowest / intervals(e, t, largest(e, t)) + 1e-9) -
                     !e->even);
}

/* The maximum bytes of that many neighbouring blocks; in a reduce-scatter of any blocks. */
static double bytes_of(const height *e, int64_t blocks)
{
    const anyp_call *call = e->call;
    const int n = e->blocks;
    const int64_t rest = e->count % n, larger = blocks < rest ? blocks : rest;
    anyp_call part = *call;
    part.count = e->count;
    if (!anypi_scatters(call))
        return anypi_blocks_bytes(&part, blocks, n);
    return (double) (blocks * (e->count / n) + larger) * (double) call->type_size;
}

/* The minimum bytes of that many neighbouring blocks. */
static double minimum_bytes_of(const height *e, int64_t blocks)
{
    const int64_t n = e->blocks, rest = anypi_scatters(e->call) ? 0 : e->count % n;
    return (double) (blocks * (e->count / n) + blocks * rest / n) * (double) e->call->type_size;
}

/* Messages, bytes and reduced bytes of one rank in one level; and those reduced on the way back. */
typedef struct load {
    double messages, bytes, reduced, added;
} load;

/* How often a rank reduces its interval in level t of k children, a dividing one. If the level of a
 * scan makes all, nobody needs the last child's sum, but the last rank of a scan itself. */
static int reductions(const height *e, int t, int k)
{
    const bool all = e->all && t + 1 == e->dividing;
    if (!anypi_is_prefix(e->call->collective) || !all)
        return k - 1;
    return k - 2 + (e->call->collective == ANYP_SCAN && smallest(e, t) == 1);
}

/* How often it does so on the way back: in a scan, the sum of all ranks before the group is added
 * to what each child gets, unless there are none. */
static int additions(const height *e, int t, int k)
{
    return anypi_is_prefix(e->call->collective) && !(e->all && t + 1 == e->dividing) ? k : 0;
}

/* The maximum number of intervals of `width` or more blocks that overlap `blocks` blocks, which
 * begin anywhere. */
static int overlaps(int blocks, int width)
{
    return blocks < 2 ? blocks : (blocks - 2) / width + 2;
}

/* The number of blocks by which an interval may extend beyond the one below: a base with a surplus
 * rank is divided like a smaller one. */
static int blocks_outside(const height *e, int t)
{
    const int size = largest(e, t + 1), k = anypi_tree_children(e->tree, t, size);
    const int owners = intervals(e, t + 1, size);
    if (t == 0 || t + 1 != e->dividing || size == owners)
        return 0;
    const int below = owners / k + 1, reach = below - k + owners % k;
    const int interval = widest_of(e, t + 1, 2);
    return reach <= 0 ? 0 : reach >= below ? interval
        : (int) ((int64_t) interval * reach / below) + 1;
}

/* The maximum number of intervals after level t that overlap the interval of one rank before it. */
static int maximum_overlaps(const height *e, int t)
{
    const int small = smallest(e, t + 1), large = largest(e, t + 1);
    const int k = anypi_tree_children(e->tree, t, large);
    const int of_some = large <= k ? 0 : overlaps(widest_of(e, t, 2), narrowest(e, t + 1));
    /* the interval of a child that is alone overlaps all */
    const int of_all = small >= 2 * k ? 0 : intervals(e, t + 1, large < 2 * k ? large : small);
    return anypi_max(of_some, of_all);
}

/* Of a rank in a part of `size` children, at least two. */
static load of_dividing_part(const height *e, int t, int size)
{
    const int k = anypi_tree_children(e->tree, t, size), child = size / k;
    const bool even = t == 0 || (smallest(e, t + 1) == largest(e, t + 1) && size % k == 0);
    const int owners = intervals(e, t + 1, size), below = intervals(e, t, child);
    const int interval = (int) anypi_divide_up(e->blocks, owners);
    const int before = t == 0 ? e->blocks : (int) anypi_divide_up(e->blocks, below);
    const double result = bytes_of(e, interval);
    const int reach = blocks_outside(e, t);
    const bool surplus = t + 1 == e->dividing && has_surplus(e);
    const double outside = reach > 0 ? bytes_of(e, reach) : 0;
    const double received = (k - 1) * result + outside;
    const double sent = bytes_of(e, before) - minimum_bytes_of(e, e->blocks / owners) +
        outside + (surplus ? result : 0);
    const int sends = maximum_overlaps(e, t) - (reach <= 0) + surplus;
    const int receives = overlaps(interval, narrowest(e, t)) * (k - 1) + 2 * (reach > 0);
    return (load) { .messages = even ? k - 1 : anypi_fmax(sends, receives),
                    .bytes = anypi_fmax(received, sent), .reduced = reductions(e, t, k) * result,
                    .added = additions(e, t, k) * result };
}

/* Of any rank where intervals may be anywhere, or not all children have owners. */
static load of_dividing_anywhere(const height *e, int t)
{
    const int k = anypi_tree_children(e->tree, t, largest(e, t + 1));
    const int interval = widest_of(e, t + 1, 1);
    const int before = widest_of(e, t, 1);
    const int sends = overlaps(before, narrowest(e, t + 1));
    const int receives = k * overlaps(interval, narrowest(e, t));
    const double result = bytes_of(e, interval);
    return (load) { .messages = anypi_max(sends, receives),
                    .bytes = anypi_fmax(k * result, bytes_of(e, before)),
                    .reduced = reductions(e, t, k) * result,
                    .added = additions(e, t, k) * result };
}

static load of_dividing(const height *e, int t)
{
    const int small = smallest(e, t + 1), large = largest(e, t + 1);
    const bool by_lanes = e->dividing == e->tree->levels && e->tree->limit < e->tree->p;
    if (!e->even || by_lanes)
        return of_dividing_anywhere(e, t);
    const load a = of_dividing_part(e, t, small > 1 ? small : large);
    if (small == large)
        return a;
    const load b = of_dividing_part(e, t, large);
    return (load) { anypi_fmax(a.messages, b.messages), anypi_fmax(a.bytes, b.bytes),
                    anypi_fmax(a.reduced, b.reduced), anypi_fmax(a.added, b.added) };
}

static load of_replicating(const height *e, int t)
{
    const int others = anypi_tree_children(e->tree, t, largest(e, t + 1)) - 1;
    const int sizes[] = { smallest(e, t + 1), largest(e, t + 1) };
    const int interval = widest_of(e, e->dividing, 1);
    const double slice = bytes_of(e, interval);
    int more = 0;               /* messages to bases that are left over */
    for (int i = 0; i < 2 && e->dividing == 0 && e->call->collective != ANYP_REDUCE; i++) {
        const int k = anypi_tree_children(e->tree, t, sizes[i]);
        more = anypi_max(more, (int) anypi_divide_up(sizes[i] % k, sizes[i] / k));
    }
    if (e->even)
        return (load) { .messages = others + more, .bytes = (others + more) * slice,
                        .reduced = others * slice };
    /* a child may have more bases, and in each of them several owners of a part */
    const double bases = others * (e->call->collective == ANYP_REDUCE ? 1 : ceil(e->bases) + 1);
    const double messages = bases * overlaps(interval, narrowest(e, e->dividing));
    return (load) { .messages = messages, .bytes = bases * slice, .reduced = others * slice };
}

static anyp_cost of_level(const height *e, int t)
{
    const bool divides = t < e->dividing;
    const int phases = divides && !anypi_scatters(e->call) ? 2 : 1;
    const load one = divides ? of_dividing(e, t) : of_replicating(e, t);
    return (anyp_cost) { phases, phases * one.bytes, one.reduced + one.added,
                         2 * phases * one.messages };
}

/* ---- heights ---- */

/* What is known of the groups below a height. */
typedef struct below {
    bool even;                  /* they are the same inside */
    int64_t owners;             /* in a group, if they are */
    double most, least;         /* the largest and smallest number of ranks of a group, or of parts
                                 * that a rank's interval is of the vector */
    double ranks, fewest;       /* the largest and smallest number of ranks of a group */
} below;

static void set_height(height *e, anypi_machine *m, int h, int children, const below *b)
{
    const bool divides = h <= m->base_height;
    *e = (height) { .call = m->call, .tree = anypi_machine_tree(m, h, children), .even = b->even,
                    .count = anypi_divide_up(m->call->count, m->segments), .blocks = m->blocks,
                    .widest = 1, .narrowest = 1 };
    e->dividing = !divides ? 0 : h == m->base_height && m->base_levels ? m->base_levels
        : e->tree->levels;
    e->all = h == m->heights && e->dividing == e->tree->levels;
    if (b->even) {
        e->count = anypi_divide_up(e->count, b->owners);
        e->blocks = (int) (m->blocks / b->owners);
    } else {
        e->widest = 1 / b->least;
        e->narrowest = 1 / b->most;
    }
    e->bases = h > m->base_height + 1 || m->base_levels == 0 ? b->ranks / b->fewest : 1;
}

/* Goes up one height. */
static void go_up(below *b, const anypi_machine *m, int h)
{
    const int limit = h == 1 && m->lanes > 0 ? m->lanes : INT_MAX;
    const bool weighs_ranks = anypi_scatters(m->call);
    b->ranks *= m->most[h];
    b->fewest *= m->least[h];
    if (h <= m->base_height) {
        const bool part = h == m->base_height && m->base_levels > 0;
        const double most = part ? m->trees[h].smallest[m->base_levels]
            : anypi_min(m->most[h], limit);
        b->most = weighs_ranks ? b->ranks : b->most * most;
        b->least = weighs_ranks ? b->fewest
            : b->least * (part ? most : anypi_min(m->least[h], limit));
        b->owners = (int64_t) b->most;
    }
    b->even = b->even && anypi_machine_alike(m, h);
}

/* The levels in which children join; in a scan only the dividing ones, since bases do not join in a
 * tree. */
static int levels_of(const height *e)
{
    return anypi_is_prefix(e->call->collective) ? e->dividing : e->tree->levels;
}

/* ---- a scan across bases ---- */

/* Of bases with those intervals; `e` is of their height. */
static void widen(anypi_across *i, const height *e)
{
    const bool divides = e->dividing > 0;       /* else it is a rank */
    i->widest = anypi_max(i->widest, divides ? widest_of(e, e->dividing, 1) : e->blocks);
    i->narrowest = anypi_min(i->narrowest, divides ? narrowest(e, e->dividing) : e->blocks);
    i->bytes = anypi_fmax(i->bytes, bytes_of(e, i->widest));
}

/* Adds the levels of all heights. */
static anyp_cost of_machine(anypi_machine *m)
{
    anyp_cost cost = { 0 };
    anypi_across across = { .pieces = 1, .narrowest = INT_MAX };
    below b = { .even = true, .owners = 1, .most = 1, .least = 1, .ranks = 1, .fewest = 1 };
    for (int h = 1; h <= m->heights; go_up(&b, m, h++)) {
        anyp_cost levels[ANYPI_TREE_LEVELS] = { 0 };
        for (int more = 0; more <= m->most[h] - m->least[h]; more++) {
            height e;
            set_height(&e, m, h, m->least[h] + more, &b);
            if (h == m->base_height)
                widen(&across, &e);
            for (int t = 0; t < levels_of(&e); t++) {
                /* counted from the top, as those of the same round */
                anyp_cost *most = &levels[m->trees[h].levels - e.tree->levels + t];
                const anyp_cost one = of_level(&e, t);
                *most = (anyp_cost) { anypi_fmax(most->latencies, one.latencies),
                                      anypi_fmax(most->bytes_sent, one.bytes_sent),
                                      anypi_fmax(most->bytes_reduced, one.bytes_reduced),
                                      anypi_fmax(most->overheads, one.overheads) };
            }
        }
        for (int t = 0; t < m->trees[h].levels; t++)
            cost = anypi_cost_sum(cost, levels[t]);
        if (h == m->base_height && (!b.even || m->most[h] > m->least[h]))
            across.pieces = overlaps(across.widest, across.narrowest);
    }
    if (m->base_height == 0)    /* a base is a rank, which has the whole segment */
        across.bytes = (double) anypi_divide_up(m->call->count, m->segments) *
            (double) m->call->type_size;
    return anypi_is_prefix(m->call->collective)
        ? anypi_cost_sum(cost, anypi_across_cost(m, &across, NULL)) : cost;
}

/* ---- the whole ---- */

bool anypi_exchange_balances(const anyp_call *call, const int *parameters)
{
    return anypi_scatters(call) && call->p > 1 &&
        anypi_excess_bytes(call) > parameters[ANYPI_EXCHANGE_THRESHOLD];
}

/* What blocks of different sizes add to the cost of equal ones (nothing if all are equal): the rank
 * with the largest block receives it from each of the others in its group; or, with intervals of
 * equal bytes, only once, in a last round, but in a message from each rank that has a part of it;
 * at most from all, with overheads at both ends. */
static anyp_cost of_excess(const anyp_call *call, const int *parameters, anyp_cost even,
                           bool at_most)
{
    const double excess = (double) anypi_excess_bytes(call), messages = even.overheads / 2;
    if (anypi_exchange_balances(call, parameters)) {
        const double parts = (double) call->largest / (double) call->count * call->p;
        const double others = call->p - 1.0;
        return (anyp_cost) { 1, excess, 0, at_most ? 2 * others : 1 + anypi_fmin(others, parts) };
    }
    return (anyp_cost) { 0, messages * excess, messages * excess, 0 };
}

anyp_cost anypi_exchange_cost(const anyp_call *call, const int *parameters)
{
    anypi_machine m;
    anypi_machine_make(&m, call, parameters);
    const anyp_cost one = of_machine(&m);
    /* at worst, one segment after the other */
    const anyp_cost all = { m.segments * one.latencies, m.segments * one.bytes_sent,
                            m.segments * one.bytes_reduced, m.segments * one.overheads };
    return anypi_cost_sum(all, of_excess(call, parameters, all, true));
}

/* How much longer the bytes of level t take because they share links: of neighbours with d ranks
 * between them, anywhere, the part d / group is in different groups. */
static double sharing(const height *e, int t, const anyp_model *model)
{
    const int children = anypi_tree_children(e->tree, t, largest(e, t + 1));
    const double distance = largest(e, t);      /* of neighbouring children */
    double far = 0;
    for (int d = 1; d < children; d++)
        far += (children - d) * anypi_fmin(1, d * distance / model->group);
    return anypi_fmax(1, model->taper * far * 2 / (children * (children - 1.0)));
}

/* Among ranks that have ports of their own. */
static double flat_time(const anyp_call *call, const int *parameters, anypi_machine *m,
                        const anyp_model *model)
{
    const below ranks = { .even = true, .owners = 1, .most = 1, .least = 1, .ranks = 1,
                          .fewest = 1 };
    height e;
    set_height(&e, m, 1, call->p, &ranks);
    const bool balances = anypi_exchange_balances(call, parameters);
    double time = 0;
    for (int t = 0; t < levels_of(&e); t++) {
        anyp_cost level = of_level(&e, t);
        /* bases wait for those with surplus ranks */
        if (t >= e.dividing && has_surplus(&e) && call->collective != ANYP_REDUCE) {
            level.overheads += 2;
            level.bytes_sent += bytes_of(&e, widest_of(&e, e.dividing, 1));
        }
        if (model->group > 0)
            level.bytes_sent *= sharing(&e, t, model);
        if (!balances)
            level = anypi_cost_sum(level, of_excess(call, parameters, level, false));
        time += anypi_expected_time(level, model);
    }
    if (balances)
        time += anypi_expected_time(of_excess(call, parameters, (anyp_cost) { 0 }, false), model);
    if (anypi_is_prefix(call->collective)) {
        anypi_across across = { .pieces = 1, .narrowest = INT_MAX };
        widen(&across, &e);
        time += anypi_across_waits(m, &across, model) +
            anypi_expected_time(anypi_across_cost(m, &across, model), model);
    }
    return time;
}

/* How much longer transfers take among children of different sizes: links give equal parts to
 * messages, but those of a small child's owners are larger. */
static double unfairness(const below *b)
{
    return 1 + (b->even ? 0 : ANYPI_UNFAIR * (b->most / b->least - 1));
}

/* The time of all levels of the largest groups of height h, of one segment of `bytes`; adds the
 * overheads of the rank. */
static double height_time(anypi_machine *m, int h, const below *b, double bytes,
                          const anyp_model *model, double *busy)
{
    height e;
    set_height(&e, m, h, m->most[h], b);
    const anypi_links l = anypi_links_of(m, h, model);
    double time = 0;
    for (int t = 0; t < levels_of(&e); t++) {
        const bool divides = t < e.dividing;
        const int phases = divides && !anypi_scatters(e.call) ? 2 : 1;
        const int others = anypi_tree_children(e.tree, t, largest(&e, t + 1)) - 1;
        const int at = divides ? t + 1 : e.dividing;
        const double of_child = bytes / intervals(&e, at, largest(&e, at));
        const double piece = of_child / b->most;
        /* what leaves a child: a piece from each owner; where bases replicate, from each of them,
         * in a reduce from one */
        const bool one = divides || e.call->collective == ANYP_REDUCE;
        const double bases = one ? 1 : b->ranks / b->most;
        double transfer = piece * l.beta * (l.shares ? others : 1);
        transfer = (divides ? unfairness(b) : 1) *
            anypi_fmax(transfer, others * of_child * bases * l.of_group);
        const double messages = others * (b->even ? 1 : 1 + b->most / b->least / 4);
        const double overheads = (ANYPI_EACH_MESSAGE * messages + 1) * model->overhead;
        time += phases * anypi_overlapped(l.alpha, overheads, transfer) +
            (reductions(&e, t, others + 1) + additions(&e, t, others + 1)) * piece * model->gamma;
        *busy += phases * overheads;
    }
    return time;
}

double anypi_exchange_time(const anyp_call *call, const int *parameters, const anyp_model *model)
{
    anypi_machine m;
    anypi_machine_make(&m, call, parameters);
    if (m.heights == 1)
        return flat_time(call, parameters, &m, model);
    if (!model->nodes)
        return anypi_expected_time(anypi_exchange_cost(call, parameters), model);
    const double bytes = (double) call->count * (double) call->type_size / m.segments;
    double sum = 0, longest = 0, busy = 0;
    below b = { .even = true, .owners = 1, .most = 1, .least = 1, .ranks = 1, .fewest = 1 };
    for (int h = 1; h <= m.heights; go_up(&b, &m, h++)) {
        const double time = height_time(&m, h, &b, bytes, model, &busy);
        sum += time;
        longest = anypi_fmax(longest, time);
    }
    if (anypi_is_prefix(call->collective)) {
        const double time = anypi_across_time(&m, bytes, model, &busy);
        sum += time;
        longest = anypi_fmax(longest, time);
    }
    /* segments follow one another when the slowest height, and the rank, are done with one */
    const double time = sum + (m.segments - 1) * anypi_fmax(longest, busy);
    return time + anypi_expected_time(of_excess(call, parameters, (anyp_cost) {
                                          .overheads = 2.0 * m.depth }, false), model);
}
