/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/exchange/height.h"

#include "algorithms/shared/bytes.h"

#include "schedule/collectives.h"
#include "schedule/ranks.h"

#include <limits.h>
#include <math.h>

int anypi_height_smallest(const anypi_height *e, int t)
{
    return e->tree->smallest[t] > 1 ? e->tree->smallest[t] : 1;
}

int anypi_height_largest(const anypi_height *e, int t)
{
    int64_t parts = 1;
    for (int i = e->tree->levels - 1; i >= t && parts < e->tree->p; i--)
        parts *= e->tree->radix[i];
    return parts < e->tree->p ? (int) ((e->tree->p + parts - 1) / parts) : 1;
}

int anypi_height_intervals(const anypi_height *e, int t, int size)
{
    return anypi_tree_owners(e->tree,
                             t >= e->dividing ? anypi_height_smallest(e, e->dividing) : size);
}

bool anypi_height_surplus(const anypi_height *e)
{
    return e->dividing > 0 &&
        anypi_height_largest(e, e->dividing) > anypi_height_smallest(e, e->dividing);
}

int anypi_height_widest(const anypi_height *e, int t, int least)
{
    const int size = anypi_max(anypi_height_smallest(e, t), least);
    const double parts = anypi_height_intervals(e, t, size);
    return (int) anypi_fmin(e->blocks, ceil(e->blocks * e->widest / parts - 1e-9) + !e->even);
}

int anypi_height_narrowest(const anypi_height *e, int t)
{
    const int parts = anypi_height_intervals(e, t, anypi_height_largest(e, t));
    return anypi_max(1, (int) (e->blocks * e->narrowest / parts + 1e-9) -
                     !e->even);
}

double anypi_height_bytes(const anypi_height *e, int64_t blocks)
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
static double minimum_bytes_of(const anypi_height *e, int64_t blocks)
{
    const int64_t n = e->blocks, rest = anypi_scatters(e->call) ? 0 : e->count % n;
    return (double) (blocks * (e->count / n) + blocks * rest / n) * (double) e->call->type_size;
}

/* Messages, bytes and reduced bytes of one rank in one level; and those reduced on the way back. */
typedef struct load {
    double messages, bytes, reduced, added;
} load;

int anypi_height_reductions(const anypi_height *e, int t, int k)
{
    const bool all = e->all && t + 1 == e->dividing;
    if (!anypi_is_prefix(e->call->collective) || !all)
        return k - 1;
    return k - 2 + (e->call->collective == ANYP_SCAN && anypi_height_smallest(e, t) == 1);
}

int anypi_height_additions(const anypi_height *e, int t, int k)
{
    return anypi_is_prefix(e->call->collective) && !(e->all && t + 1 == e->dividing) ? k : 0;
}

int anypi_height_overlaps(int blocks, int width)
{
    return blocks < 2 ? blocks : (blocks - 2) / width + 2;
}

/* The number of blocks by which an interval may extend beyond the one below: a base with a surplus
 * rank is divided like a smaller one. */
static int blocks_outside(const anypi_height *e, int t)
{
    const int size = anypi_height_largest(e, t + 1), k = anypi_tree_children(e->tree, t, size);
    const int owners = anypi_height_intervals(e, t + 1, size);
    if (t == 0 || t + 1 != e->dividing || size == owners)
        return 0;
    const int below = owners / k + 1, reach = below - k + owners % k;
    const int interval = anypi_height_widest(e, t + 1, 2);
    return reach <= 0 ? 0 : reach >= below ? interval
        : (int) ((int64_t) interval * reach / below) + 1;
}

/* The maximum number of intervals after level t that overlap the interval of one rank before it. */
static int maximum_overlaps(const anypi_height *e, int t)
{
    const int small = anypi_height_smallest(e, t + 1), large = anypi_height_largest(e, t + 1);
    const int k = anypi_tree_children(e->tree, t, large);
    const int of_some = large <= k ? 0
        : anypi_height_overlaps(anypi_height_widest(e, t, 2), anypi_height_narrowest(e, t + 1));
    /* the interval of a child that is alone overlaps all */
    const int of_all = small >= 2 * k ? 0
        : anypi_height_intervals(e, t + 1, large < 2 * k ? large : small);
    return anypi_max(of_some, of_all);
}

/* Of a rank in a part of `size` children, at least two. */
static load of_dividing_part(const anypi_height *e, int t, int size)
{
    const int k = anypi_tree_children(e->tree, t, size), child = size / k;
    const bool same = anypi_height_smallest(e, t + 1) == anypi_height_largest(e, t + 1);
    const bool even = t == 0 || (same && size % k == 0);
    const int owners = anypi_height_intervals(e, t + 1, size);
    const int below = anypi_height_intervals(e, t, child);
    const int interval = (int) anypi_divide_up(e->blocks, owners);
    const int before = t == 0 ? e->blocks : (int) anypi_divide_up(e->blocks, below);
    const double result = anypi_height_bytes(e, interval);
    const int reach = blocks_outside(e, t);
    const bool surplus = t + 1 == e->dividing && anypi_height_surplus(e);
    const double outside = reach > 0 ? anypi_height_bytes(e, reach) : 0;
    const double received = (k - 1) * result + outside;
    const double sent = anypi_height_bytes(e, before) - minimum_bytes_of(e, e->blocks / owners) +
        outside + (surplus ? result : 0);
    const int sends = maximum_overlaps(e, t) - (reach <= 0) + surplus;
    const int receives = 2 * (reach > 0) +
        anypi_height_overlaps(interval, anypi_height_narrowest(e, t)) * (k - 1);
    return (load) { .messages = even ? k - 1 : anypi_fmax(sends, receives),
                    .bytes = anypi_fmax(received, sent),
                    .reduced = anypi_height_reductions(e, t, k) * result,
                    .added = anypi_height_additions(e, t, k) * result };
}

/* Of any rank where intervals may be anywhere, or not all children have owners. */
static load of_dividing_anywhere(const anypi_height *e, int t)
{
    const int k = anypi_tree_children(e->tree, t, anypi_height_largest(e, t + 1));
    const int interval = anypi_height_widest(e, t + 1, 1);
    const int before = anypi_height_widest(e, t, 1);
    const int sends = anypi_height_overlaps(before, anypi_height_narrowest(e, t + 1));
    const int receives = k * anypi_height_overlaps(interval, anypi_height_narrowest(e, t));
    const double result = anypi_height_bytes(e, interval);
    return (load) { .messages = anypi_max(sends, receives),
                    .bytes = anypi_fmax(k * result, anypi_height_bytes(e, before)),
                    .reduced = anypi_height_reductions(e, t, k) * result,
                    .added = anypi_height_additions(e, t, k) * result };
}

static load of_dividing(const anypi_height *e, int t)
{
    const int small = anypi_height_smallest(e, t + 1), large = anypi_height_largest(e, t + 1);
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

static load of_replicating(const anypi_height *e, int t)
{
    const int others = anypi_tree_children(e->tree, t, anypi_height_largest(e, t + 1)) - 1;
    const int sizes[] = { anypi_height_smallest(e, t + 1), anypi_height_largest(e, t + 1) };
    const int interval = anypi_height_widest(e, e->dividing, 1);
    const double slice = anypi_height_bytes(e, interval);
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
    const double messages = bases *
        anypi_height_overlaps(interval, anypi_height_narrowest(e, e->dividing));
    return (load) { .messages = messages, .bytes = bases * slice, .reduced = others * slice };
}

anyp_cost anypi_height_level(const anypi_height *e, int t)
{
    const bool divides = t < e->dividing;
    const int phases = divides && !anypi_scatters(e->call) ? 2 : 1;
    const load one = divides ? of_dividing(e, t) : of_replicating(e, t);
    return (anyp_cost) { phases, phases * one.bytes, one.reduced + one.added,
                         2 * phases * one.messages };
}

/* ---- heights ---- */

void anypi_height_set(anypi_height *e, anypi_machine *m, int h, int children, const anypi_below *b)
{
    const bool divides = h <= m->base_height;
    *e = (anypi_height) { .call = m->call, .tree = anypi_machine_tree(m, h, children),
                          .even = b->even, .blocks = m->blocks, .widest = 1, .narrowest = 1,
                          .count = anypi_divide_up(m->call->count, m->segments) };
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

void anypi_height_up(anypi_below *b, const anypi_machine *m, int h)
{
    const int limit = h == 1 && m->lanes > 0 ? m->lanes : INT_MAX;
    const bool weighs_ranks = anypi_scatters(m->call);
    b->ranks *= m->most[h];
    b->fewest *= m->least[h];
    b->mean = (double) m->call->p / m->count[h];
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

int anypi_height_levels(const anypi_height *e)
{
    return anypi_is_prefix(e->call->collective) ? e->dividing : e->tree->levels;
}
