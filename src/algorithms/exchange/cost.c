/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cost.c - the predicted time of `exchange`, as a closed form: for each level, the maximum of all
 * ranks. Groups of a height have one of two sizes, so that a few numbers are sufficient.
 */
#include "algorithms/exchange/cost.h"

#include "algorithms/automatic.h"
#include "algorithms/exchange/lanes.h"
#include "algorithms/shared/bytes.h"

#include "schedule/ranks.h"
#include "schedule/collectives.h"

#include <limits.h>

/* Sizes of the groups of a height: the smallest, at least 1, and the largest. */
static int smallest(const anypi_exchange *e, int height)
{
    return e->tree.smallest[height] > 1 ? e->tree.smallest[height] : 1;
}

static int largest(const anypi_exchange *e, int height)
{
    int64_t groups = 1;
    for (int t = e->tree.levels - 1; t >= height && groups < e->tree.p; t--)
        groups *= e->tree.radix[t];
    return groups < e->tree.p ? (int) ((e->tree.p + groups - 1) / groups) : 1;
}

/* The number of intervals into which a group of `size` ranks divides the vector. */
static int intervals(const anypi_exchange *e, int height, int size)
{
    return height >= e->dividing ? e->intervals : anypi_tree_owners(&e->tree, size);
}

/* Does an owner group have a surplus rank that owns something? */
static bool has_surplus(const anypi_exchange *e)
{
    return e->dividing > 0 && e->call.collective != ANYP_REDUCE &&
        largest(e, e->dividing) > e->intervals;
}

/* Blocks of the largest interval of a rank in groups of that height that have `ranks` ranks or
 * more, and of the smallest. */
static int widest_of(const anypi_exchange *e, int height, int ranks)
{
    const int size = smallest(e, height);
    const int owners = intervals(e, height, size > ranks ? size : ranks);
    return (int) anypi_divide_up(e->blocks, owners);
}

static int widest(const anypi_exchange *e, int height)
{
    return widest_of(e, height, 1);
}

static int narrowest(const anypi_exchange *e, int height)
{
    return e->blocks / intervals(e, height, largest(e, height));
}

/* The maximum bytes of that many neighbouring blocks; in a reduce-scatter of any blocks. */
static double bytes_of(const anypi_exchange *e, int64_t blocks)
{
    const anyp_call *call = &e->call;
    const int n = e->blocks;
    const int64_t rest = call->count % n, larger = blocks < rest ? blocks : rest;
    if (!anypi_scatters(call))
        return anypi_blocks_bytes(call, blocks, n);
    return (double) (blocks * (call->count / n) + larger) * (double) call->type_size;
}

/* The minimum bytes of that many neighbouring blocks. */
static double minimum_bytes_of(const anypi_exchange *e, int64_t blocks)
{
    const anyp_call *call = &e->call;
    const int64_t n = e->blocks, rest = anypi_scatters(call) ? 0 : call->count % n;
    return (double) (blocks * (call->count / n) + blocks * rest / n) * (double) call->type_size;
}

/* Messages, bytes and reduced bytes of one rank in one level. */
typedef struct load {
    double messages, bytes, reduced;
} load;

/* The number of blocks by which an interval may extend beyond the one below: an owner group with a
 * surplus rank is divided like a smaller one. */
static int blocks_outside(const anypi_exchange *e, int t)
{
    const int size = largest(e, t + 1), k = anypi_tree_children(&e->tree, t, size);
    if (t == 0 || t + 1 != e->dividing || size == e->intervals)
        return 0;
    const int below = e->intervals / k + 1, reach = below - k + e->intervals % k;
    const int interval = widest_of(e, t + 1, 2);
    return reach <= 0 ? 0 : reach >= below ? interval
        : (int) ((int64_t) interval * reach / below) + 1;
}

/* The maximum number of intervals of `width` or more blocks that overlap `blocks` blocks, which
 * begin anywhere. */
static int overlaps(int blocks, int width)
{
    return blocks < 2 ? blocks : (blocks - 2) / width + 2;
}

/* The maximum number of intervals after level t that overlap the interval of one rank before it. */
static int maximum_overlaps(const anypi_exchange *e, int t)
{
    const int small = smallest(e, t + 1), large = largest(e, t + 1);
    const int k = anypi_tree_children(&e->tree, t, large);
    const int of_some = large <= k ? 0 : overlaps(widest_of(e, t, 2), narrowest(e, t + 1));
    /* the interval of a child with a single rank overlaps all */
    const int of_all = small >= 2 * k ? 0 : intervals(e, t + 1, large < 2 * k ? large : small);
    return anypi_max(of_some, of_all);
}

/* Of a rank in a group of `size` ranks, at least two. */
static load of_dividing_group(const anypi_exchange *e, int t, int size)
{
    const int k = anypi_tree_children(&e->tree, t, size), child = size / k;
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
                    .bytes = anypi_fmax(received, sent), .reduced = (k - 1) * result };
}

static load of_dividing(const anypi_exchange *e, int t)
{
    const int small = smallest(e, t + 1), large = largest(e, t + 1);
    const load a = of_dividing_group(e, t, small > 1 ? small : large);
    if (small == large)
        return a;
    const load b = of_dividing_group(e, t, large);
    return (load) { anypi_fmax(a.messages, b.messages), anypi_fmax(a.bytes, b.bytes),
                    anypi_fmax(a.reduced, b.reduced) };
}

static load of_replicating(const anypi_exchange *e, int t)
{
    const int others = anypi_tree_children(&e->tree, t, largest(e, t + 1)) - 1;
    const double slice = bytes_of(e, widest(e, e->dividing));
    const int sizes[] = { smallest(e, t + 1), largest(e, t + 1) };
    int more = 0;               /* messages to surplus ranks */
    if (has_surplus(e))
        more = anypi_min((others + e->shareable) / e->shareable, others);
    for (int i = 0; i < 2 && e->dividing == 0 && e->call.collective != ANYP_REDUCE; i++) {
        const int k = anypi_tree_children(&e->tree, t, sizes[i]);
        more = anypi_max(more, (int) anypi_divide_up(sizes[i] % k, sizes[i] / k));
    }
    return (load) { .messages = others + more, .bytes = (others + more) * slice,
                    .reduced = others * slice };
}

/* Of any rank in a level after which not all ranks of a node are owners, or they own whole lanes:
 * intervals may be anywhere. */
static load of_dividing_by_lanes(const anypi_exchange *e, int t)
{
    const int k = anypi_tree_children(&e->tree, t, largest(e, t + 1));
    const int alignment = t + 1 == e->dividing ? e->alignment : 1;
    const int interval = widest(e, t + 1) + alignment - 1;
    const int before = t == 0 ? e->blocks : widest(e, t);
    const int least = narrowest(e, t + 1) - alignment + 1;
    const int sends = overlaps(before, least > 1 ? least : 1);
    const int receives = k * overlaps(interval, narrowest(e, t));
    const double result = bytes_of(e, interval < e->blocks ? interval : e->blocks);
    return (load) { .messages = anypi_max(sends, receives),
                    .bytes = anypi_fmax(k * result, bytes_of(e, before)),
                    .reduced = (k - 1) * result };
}

/* A level of an exchange of which each rank owns at most that many lanes. */
static anyp_cost of_level(const anypi_exchange *e, int t, int lanes)
{
    const bool by_lanes = e->tree.limit < e->tree.p || e->alignment > 1;
    const bool divides = t < e->dividing;
    const int phases = divides && !anypi_scatters(&e->call) ? 2 : 1;
    const load one = !divides ? of_replicating(e, t) : by_lanes ? of_dividing_by_lanes(e, t)
        : of_dividing(e, t);
    return (anyp_cost) { phases, phases * lanes * one.bytes, lanes * one.reduced,
                         2 * phases * lanes * one.messages };
}

static anyp_cost of_exchange(const anypi_exchange *e, int lanes)
{
    anyp_cost cost = { 0 };
    for (int t = 0; t < e->tree.levels; t++)
        cost = anypi_cost_sum(cost, of_level(e, t, lanes));
    return cost;
}

static anyp_cost larger(anyp_cost a, anyp_cost b)
{
    return (anyp_cost) { anypi_fmax(a.latencies, b.latencies),
                         anypi_fmax(a.bytes_sent, b.bytes_sent),
                         anypi_fmax(a.bytes_reduced, b.bytes_reduced),
                         anypi_fmax(a.overheads, b.overheads) };
}

/* Inside one of the nodes of some size. */
static void make_inside(anypi_exchange *inside, anypi_lanes *l, const anyp_call *call, int node)
{
    anypi_lanes_inside(l, call, node, 0, inside);
    inside->call.count = anypi_divide_up(call->count, l->segments);
}

/* All nodes inside. With several segments, a node may wait for another in each level. */
static anyp_cost of_nodes(anypi_lanes *l, const anyp_call *call)
{
    anypi_exchange inside;
    anyp_cost cost = { 0 }, levels[ANYPI_TREE_LEVELS + 1] = { 0 };
    for (int node = 0; l->nodes && node < l->count; node++) {
        make_inside(&inside, l, call, node);
        cost = larger(cost, of_exchange(&inside, 1));
        for (int t = 0; t < inside.tree.levels; t++) {
            anyp_cost *level = &levels[l->levels - inside.tree.levels + t];
            *level = larger(*level, of_level(&inside, t, 1));
        }
    }
    for (int t = 0; t < l->levels && l->segments > 1; t++)
        cost = t ? anypi_cost_sum(cost, levels[t]) : levels[t];
    return cost;
}

/* The smallest and the largest node. */
typedef struct extremes {
    int smallest, largest;      /* nodes */
    int sizes[2];               /* their ranks */
} extremes;

static extremes extremes_of(const anypi_lanes *l)
{
    extremes e = { .sizes = { INT_MAX, 1 } };
    for (int node = 0; l->nodes && node < l->count; node++) {
        const int size = anypi_lanes_size(l, node);
        if (size < e.sizes[0]) {
            e.sizes[0] = size;
            e.smallest = node;
        }
        if (size > e.sizes[1]) {
            e.sizes[1] = size;
            e.largest = node;
        }
    }
    return e;
}

/* The maximum number of lanes that a rank owns, or of replicas that it sends to: those of a rank of
 * the smallest node. */
static int lanes_of_rank(const anypi_lanes *l, const extremes *e)
{
    const int shared = l->replicas ? e->sizes[1] : l->lanes;
    return e->sizes[0] < shared ? (shared + e->sizes[0] - 1) / e->sizes[0] : 1;
}

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
    anypi_lanes l;
    anypi_exchange across;
    anypi_lanes_make(&l, call, parameters, &across);
    const extremes e = extremes_of(&l);
    across.call.count = anypi_divide_up(call->count, l.segments * l.lanes);
    const anyp_cost one = anypi_cost_sum(of_nodes(&l, call),
                                         of_exchange(&across, lanes_of_rank(&l, &e)));
    /* at worst, one segment after the other */
    const anyp_cost all = { l.segments * one.latencies, l.segments * one.bytes_sent,
                            l.segments * one.bytes_reduced, l.segments * one.overheads };
    return anypi_cost_sum(all, of_excess(call, parameters, all, true));
}

/* How much longer the bytes of level t take because they share links: of neighbours with d ranks
 * between them, anywhere, the part d / group is in different groups. */
static double sharing(const anypi_exchange *e, int t, const anyp_model *model)
{
    const int children = anypi_tree_children(&e->tree, t, largest(e, t + 1));
    const double distance = largest(e, t);      /* of neighbouring children */
    double far = 0;
    for (int d = 1; d < children; d++)
        far += (children - d) * anypi_fmin(1, d * distance / model->group);
    return anypi_fmax(1, model->taper * far * 2 / (children * (children - 1.0)));
}

/* Among ranks that have ports of their own. */
static double flat_time(const anyp_call *call, const int *parameters, const anypi_lanes *l,
                        const anypi_exchange *across, const anyp_model *model)
{
    anypi_exchange e = *across;
    e.call.count = anypi_divide_up(call->count, l->segments * l->lanes);
    anyp_cost even = { 0 };
    for (int t = 0; t < e.tree.levels; t++) {
        anyp_cost level = of_level(&e, t, 1);
        if (model->group > 0)
            level.bytes_sent *= sharing(&e, t, model);
        even = anypi_cost_sum(even, level);
    }
    return anypi_expected_time(anypi_cost_sum(even, of_excess(call, parameters, even, false)),
                               model);
}

/* One level between ranks of a node, or between nodes: a rank has `messages` of them at once, which
 * occupy a port for `transfer`. Overheads and transfers overlap, and so do most overheads of
 * messages that are sent and received. The shares were found in the simulator, with 8 bytes to
 * 8 MiB: on 24 nodes of 4 ranks, 9 of 7, and 6, 11, 16, 3, 9 the settings are 3 % slower than the
 * best, in the mean. */
static double level_time(double alpha, double messages, double overhead, double transfer)
{
    const double part = 0.2, both = 1.2;
    const double overheads = (both * messages + 1) * overhead;
    const double longer = anypi_fmax(overheads, transfer);
    return alpha + longer + part * (overheads + transfer - longer);
}

/* An exchange of `bytes`, which are in `parts` that do not follow each other. Where messages of a
 * rank `share` its port one waits for another; inside nodes all are under way at once. `ports`:
 * ranks that share a port. */
static double exchange_time(const anypi_exchange *e, double bytes, int parts, double alpha,
                            double beta, const anyp_model *model, double lanes, double ports,
                            bool share)
{
    double time = 0;
    for (int t = 0; t < e->tree.levels; t++) {
        const bool divides = t < e->dividing;
        const int phases = divides && !anypi_scatters(&e->call) ? 2 : 1;
        const int others = anypi_tree_children(&e->tree, t, largest(e, t + 1)) - 1;
        const int height = divides ? t + 1 : e->dividing;
        const double piece = bytes / intervals(e, height, largest(e, height));
        const double transfer = piece * beta * (share ? others * ports : 1);
        const double messages = others * lanes * anypi_fmax(1, parts * piece / bytes);
        time += phases * level_time(alpha, messages, model->overhead, transfer) +
            others * piece * lanes * model->gamma;
    }
    return time;
}

double anypi_exchange_time(const anyp_call *call, const int *parameters, const anyp_model *model)
{
    anypi_lanes l;
    anypi_exchange across, inside;
    anypi_lanes_make(&l, call, parameters, &across);
    if (!model->nodes && !l.nodes)
        return flat_time(call, parameters, &l, &across, model);
    if (!model->nodes)
        return anypi_expected_time(anypi_exchange_cost(call, parameters), model);
    const extremes e = extremes_of(&l);
    const double bytes = (double) call->count * (double) call->type_size / l.segments;
    make_inside(&inside, &l, call, e.largest);
    /* the ranks of a node that exchange with others, and how many of them each card serves */
    const int senders = l.replicas ? l.reduces ? 1 : e.sizes[1] : l.lanes;
    const int of_card = (senders + model->cards - 1) / model->cards;
    /* a replica of a small node sends to several, but receives from one */
    const int lanes = lanes_of_rank(&l, &e);
    const double busy = !l.replicas ? lanes : l.reduces ? 1 : (1 + lanes) / 2.0;
    /* several segments are each a part of every lane */
    const double inner = exchange_time(&inside, bytes, l.segments > 1 ? l.lanes : 1,
                                       model->inside_alpha, model->inside_beta, model, 1, 1,
                                       false);
    const double outer = exchange_time(&across, bytes / l.lanes, 1, model->alpha, model->beta,
                                       model, busy, of_card, true);
    const double time = inner + outer + (l.segments - 1) * anypi_fmax(inner, outer);
    const double levels = inside.tree.levels + across.tree.levels;
    return time + anypi_expected_time(of_excess(call, parameters, (anyp_cost) {
                                          .overheads = 2 * levels }, false), model);
}
