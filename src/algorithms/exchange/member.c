/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/exchange/member.h"

#include "schedule/collectives.h"

static bool is_surplus(const anypi_member *m, int height, anypi_group group, int group_rank)
{
    return height == m->e.dividing && height > 0 && group_rank == m->e.intervals &&
        anypi_tree_owners(&m->e.tree, group.size) > m->e.intervals;
}

/* The interval that the surplus rank of an owner group shares: a different one in owner groups that
 * a level joins. */
static int shared_interval(const anypi_member *m, anypi_group owner_group)
{
    anypi_group group = anypi_tree_all(&m->e.tree);
    int sum = 0;
    for (int t = m->e.tree.levels - 1; t >= m->e.dividing; t--) {
        const int c = anypi_tree_child_of(&m->e.tree, t, group, owner_group.first);
        group = anypi_tree_child(&m->e.tree, t, group, c);
        sum += c;
    }
    return m->e.intervals - 1 - sum % m->e.shareable;
}

/* What the rank with a group rank in a group of that height owns. */
static anypi_range owned(const anypi_member *m, int height, anypi_group group, int group_rank)
{
    const anypi_division division = anypi_exchange_division(&m->e, height, group.size);
    const bool surplus = is_surplus(m, height, group, group_rank);
    if (group_rank == ANYPI_NOBODY || (surplus && m->reduces))
        return (anypi_range) { 0, 0 };
    if (surplus)
        group_rank = shared_interval(m, group);
    return anypi_exchange_interval(&m->e, division, group_rank);
}

static anypi_range common(anypi_range a, anypi_range b)
{
    const anypi_range range = { a.first > b.first ? a.first : b.first,
                                a.end < b.end ? a.end : b.end };
    return range.first < range.end ? range : (anypi_range) { 0, 0 };
}

/* ---- replicating levels: which ranks send to which ---- */

/* If no level divides, the last rank of a larger child is a surplus rank. */
static anypi_coordinates coordinates_of(const anypi_member *m, int t, anypi_group group, int rank)
{
    const anypi_tree *tree = &m->e.tree;
    anypi_coordinates at = { .child = anypi_tree_child_of(tree, t, group, rank) };
    const int children = anypi_tree_children(tree, t, group.size), smaller = group.size / children;
    group = anypi_tree_child(tree, t, group, at.child);
    if (m->e.dividing == 0) {
        at.index = rank - group.first;
        at.surplus = at.index == smaller;
        if (at.surplus)
            at.index = at.child % smaller;
        return at;
    }
    for (int below = t - 1; below >= m->e.dividing; below--) {
        const int c = anypi_tree_child_of(tree, below, group, rank);
        group = anypi_tree_child(tree, below, group, c);
        at.group = at.group * tree->radix[below] + c;
    }
    at.index = anypi_tree_group_rank(tree, m->e.dividing, group, rank);
    at.surplus = at.index == m->e.intervals;
    if (at.surplus)
        at.index = shared_interval(m, group);
    return at;
}

/* The rank of child c that has the same owner group and index, or the surplus rank of that owner
 * group; ANYPI_NOBODY if there is none. */
static int rank_at(const anypi_member *m, int t, anypi_group group, int c, anypi_coordinates at,
                   bool surplus)
{
    const anypi_tree *tree = &m->e.tree;
    const int smaller = group.size / anypi_tree_children(tree, t, group.size);
    group = anypi_tree_child(tree, t, group, c);
    if (m->e.dividing == 0)
        return !surplus ? group.first + at.index : group.size > smaller ? group.first + smaller
            : ANYPI_NOBODY;
    int groups = 1;
    for (int below = m->e.dividing; below < t; below++)
        groups *= tree->radix[below];
    for (int below = t - 1; below >= m->e.dividing; below--) {
        groups /= tree->radix[below];
        group = anypi_tree_child(tree, below, group, at.group / groups % tree->radix[below]);
    }
    if (surplus && group.size == m->e.intervals)
        return ANYPI_NOBODY;
    return anypi_tree_rank(tree, m->e.dividing, group, surplus ? m->e.intervals : at.index);
}

anypi_coordinates anypi_member_coordinates(const anypi_member *m, int t)
{
    return coordinates_of(m, t, m->groups[t + 1], m->rank);
}

int anypi_member_source(const anypi_member *m, int t, int c, anypi_coordinates own)
{
    return rank_at(m, t, m->groups[t + 1], c, own, false);
}

int anypi_member_destinations(const anypi_member *m, int t, int c, anypi_coordinates own,
                              int ranks[2])
{
    const anypi_group group = m->groups[t + 1];
    if (own.surplus)
        return 0;
    ranks[0] = rank_at(m, t, group, c, own, false);
    ranks[1] = rank_at(m, t, group, c, own, true);
    return 1 + (ranks[1] != ANYPI_NOBODY &&
                coordinates_of(m, t, group, ranks[1]).index == own.index);
}

/* ---- dividing levels: owners ---- */

int anypi_member_surplus(const anypi_member *m, int t)
{
    const anypi_group group = m->groups[t + 1];
    return is_surplus(m, t + 1, group, m->e.intervals)
        ? anypi_tree_rank(&m->e.tree, t + 1, group, m->e.intervals) : ANYPI_NOBODY;
}

bool anypi_member_shares(const anypi_member *m, int t)
{
    const anypi_range surplus = owned(m, t + 1, m->groups[t + 1], m->e.intervals);
    return m->own[t + 1].first == surplus.first;
}

static anypi_owners owners_of(const anypi_member *m, int t, anypi_group group, bool joined,
                              anypi_range range, bool with_surplus)
{
    const int height = t + joined;
    anypi_owners o = { .m = m, .t = t, .group = group, .joined = joined, .range = range,
                 .division = anypi_exchange_division(&m->e, height, group.size) };
    if (anypi_range_empty(range))
        return o;
    o.first = anypi_exchange_index(&m->e, o.division, range.first);
    o.count = anypi_exchange_index(&m->e, o.division, range.end - 1) + 1 - o.first;
    o.with_surplus = with_surplus && is_surplus(m, height, group, m->e.intervals);
    const int own = joined ? m->group_ranks[t + 1] - o.first : ANYPI_NOBODY;
    o.next = own >= 0 && own < o.count ? own + 1 : 0;
    o.count += o.with_surplus;
    o.left = o.count;
    return o;
}

/* In groups of the same size, a group rank has the same distance from the first rank. */
static int rank_like_own(const anypi_member *m, int t, anypi_group child, int group_rank)
{
    return group_rank == m->group_ranks[t] && child.size == m->groups[t].size
        ? child.first + (m->rank - m->groups[t].first)
        : anypi_tree_rank(&m->e.tree, t, child, group_rank);
}

static int owner_at(const anypi_owners *o, int group_rank)
{
    const anypi_member *m = o->m;
    if (!o->joined)
        return rank_like_own(m, o->t, o->group, group_rank);
    if (o->group.size > m->e.tree.limit)
        return anypi_tree_rank(&m->e.tree, o->t + 1, o->group, group_rank);
    const int k = anypi_tree_children(&m->e.tree, o->t, o->group.size);
    const int c = group_rank - (m->group_ranks[o->t + 1] - m->child[o->t]);
    const bool beside = c >= 0 && c < k;
    const anypi_group child =
        anypi_tree_child(&m->e.tree, o->t, o->group, beside ? c : group_rank % k);
    return rank_like_own(m, o->t, child, beside ? m->group_ranks[o->t] : group_rank / k);
}

anypi_owners anypi_owners_after(const anypi_member *m, int t, bool with_surplus)
{
    return owners_of(m, t, m->groups[t + 1], true, m->own[t], with_surplus);
}

anypi_owners anypi_owners_before(const anypi_member *m, int t, int c)
{
    return owners_of(m, t, anypi_tree_child(&m->e.tree, t, m->groups[t + 1], c), false,
                     m->own[t + 1], false);
}

bool anypi_owners_next(anypi_owners *o, int *peer, anypi_range *range)
{
    const anypi_member *m = o->m;
    while (o->left-- > 0) {
        const int i = o->next < o->count ? o->next : 0;
        const bool is_last = i == o->count - 1 && o->with_surplus;
        const int group_rank = is_last ? m->e.intervals : o->first + i;
        o->next = i + 1;
        *peer = owner_at(o, group_rank);
        *range = common(o->range, is_last ? owned(m, o->t + o->joined, o->group, group_rank)
                        : anypi_exchange_interval(&m->e, o->division, group_rank));
        if (*peer != m->rank && !anypi_range_empty(*range))
            return true;
    }
    return false;
}

/* ---- the whole ---- */

void anypi_member_make(anypi_member *m)
{
    const anypi_tree *tree = &m->e.tree;
    const anyp_call *call = &m->e.call;
    m->rank = call->rank;
    m->reduces = call->collective == ANYP_REDUCE;
    m->scatters = anypi_scatters(call);
    m->group_ranks[0] = 0;
    const int levels = tree->levels, dividing = m->e.dividing;
    m->groups[levels] = anypi_tree_all(tree);
    for (int t = levels - 1; t >= 0; t--) {
        m->child[t] = anypi_tree_child_of(tree, t, m->groups[t + 1], m->rank);
        m->groups[t] = anypi_tree_child(tree, t, m->groups[t + 1], m->child[t]);
    }
    m->own[0] = (anypi_range) { 0, m->e.blocks };
    for (int t = 0; t < levels; t++) {
        m->group_ranks[t + 1] =
            anypi_tree_join(tree, t, m->groups[t + 1].size, m->child[t], m->group_ranks[t]);
        m->own[t + 1] = !anypi_member_divides(m, t) ? m->own[t]
            : owned(m, t + 1, m->groups[t + 1], m->group_ranks[t + 1]);
    }
    if (!m->reduces)
        return;
    /* a reduce: the result goes to the root's owner group, to the owner of the interval there */
    anypi_group owner_group = m->groups[levels];
    for (int t = levels - 1; t >= dividing; t--)
        owner_group = anypi_tree_child(tree, t, owner_group,
                                       anypi_tree_child_of(tree, t, owner_group, call->root));
    const int group_rank = m->group_ranks[dividing];
    const bool takes_part = group_rank != ANYPI_NOBODY &&
        !is_surplus(m, dividing, m->groups[dividing], group_rank);
    int needing = !takes_part ? ANYPI_NOBODY : dividing == 0 ? call->root
        : anypi_tree_rank(tree, dividing, owner_group, group_rank);
    m->needing[levels] = needing;
    for (int t = levels - 1; t >= dividing; t--) {
        const anypi_group group = m->groups[t + 1];
        if (needing != ANYPI_NOBODY && anypi_tree_child_of(tree, t, group, needing) != m->child[t])
            needing =
                rank_at(m, t, group, m->child[t], coordinates_of(m, t, group, needing), false);
        m->needing[t] = needing;
    }
}
