/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/exchange/member.h"

#include "schedule/set.h"

static bool is_extra(const anypi_member *m, int height, anypi_group group, int place)
{
    return height == m->e.dividing && height > 0 && place == m->e.positions &&
        anypi_tree_places(&m->e.tree, group.size) > m->e.positions;
}

/* The position that an extra place of a unit shares: a different one in units that a level joins.
 * */
static int shared_position(const anypi_member *m, anypi_group unit)
{
    anypi_group group = anypi_tree_all(&m->e.tree);
    int sum = 0;
    for (int t = m->e.tree.levels - 1; t >= m->e.dividing; t--) {
        const int c = anypi_tree_child_of(&m->e.tree, t, group, unit.first);
        group = anypi_tree_child(&m->e.tree, t, group, c);
        sum += c;
    }
    return m->e.positions - 1 - sum % m->e.shareable;
}

/* What the rank at a place of a group of that height owns. */
static anypi_range owned(const anypi_member *m, int height, anypi_group group, int place)
{
    const anypi_division division = anypi_exchange_division(&m->e, height, group.size);
    const bool extra = is_extra(m, height, group, place);
    if (place == ANYPI_NOBODY || (extra && m->reduces))
        return (anypi_range) { 0, 0 };
    if (extra)
        place = shared_position(m, group);
    return anypi_exchange_interval(&m->e, division, place);
}

static anypi_range common(anypi_range a, anypi_range b)
{
    const anypi_range range = { a.first > b.first ? a.first : b.first,
                                a.end < b.end ? a.end : b.end };
    return range.first < range.end ? range : (anypi_range) { 0, 0 };
}

/* ---- levels that keep: which ranks send to which ---- */

/* A group of height t as units: if no level divides, it is one unit, whose positions are all its
 * ranks but the last one of a larger group. */
static anypi_seat seat_of(const anypi_member *m, int t, anypi_group group, int rank)
{
    const anypi_tree *tree = &m->e.tree;
    anypi_seat at = { .child = anypi_tree_child_of(tree, t, group, rank) };
    const int children = anypi_tree_children(tree, t, group.size), smaller = group.size / children;
    group = anypi_tree_child(tree, t, group, at.child);
    if (m->e.dividing == 0) {
        at.position = rank - group.first;
        at.extra = at.position == smaller;
        if (at.extra)
            at.position = at.child % smaller;
        return at;
    }
    for (int below = t - 1; below >= m->e.dividing; below--) {
        const int c = anypi_tree_child_of(tree, below, group, rank);
        group = anypi_tree_child(tree, below, group, c);
        at.unit = at.unit * tree->radix[below] + c;
    }
    at.position = anypi_tree_place(tree, m->e.dividing, group, rank);
    at.extra = at.position == m->e.positions;
    if (at.extra)
        at.position = shared_position(m, group);
    return at;
}

/* The rank of child c that has the same unit and position, or in that unit the extra one, or
 * ANYPI_NOBODY if there is none. */
static int rank_of_seat(const anypi_member *m, int t, anypi_group group, int c, anypi_seat at,
                        bool extra)
{
    const anypi_tree *tree = &m->e.tree;
    const int smaller = group.size / anypi_tree_children(tree, t, group.size);
    group = anypi_tree_child(tree, t, group, c);
    if (m->e.dividing == 0)
        return !extra ? group.first + at.position : group.size > smaller ? group.first + smaller
            : ANYPI_NOBODY;
    int units = 1;
    for (int below = m->e.dividing; below < t; below++)
        units *= tree->radix[below];
    for (int below = t - 1; below >= m->e.dividing; below--) {
        units /= tree->radix[below];
        group = anypi_tree_child(tree, below, group, at.unit / units % tree->radix[below]);
    }
    if (extra && group.size == m->e.positions)
        return ANYPI_NOBODY;
    return anypi_tree_rank(tree, m->e.dividing, group, extra ? m->e.positions : at.position);
}

anypi_seat anypi_member_seat(const anypi_member *m, int t)
{
    return seat_of(m, t, m->groups[t + 1], m->rank);
}

int anypi_member_server(const anypi_member *m, int t, int c, anypi_seat own)
{
    return rank_of_seat(m, t, m->groups[t + 1], c, own, false);
}

int anypi_member_served(const anypi_member *m, int t, int c, anypi_seat own, int ranks[2])
{
    const anypi_group group = m->groups[t + 1];
    if (own.extra)
        return 0;
    ranks[0] = rank_of_seat(m, t, group, c, own, false);
    ranks[1] = rank_of_seat(m, t, group, c, own, true);
    return 1 + (ranks[1] != ANYPI_NOBODY &&
                seat_of(m, t, group, ranks[1]).position == own.position);
}

/* ---- levels that divide: owners ---- */

int anypi_member_extra(const anypi_member *m, int t)
{
    const anypi_group group = m->groups[t + 1];
    return is_extra(m, t + 1, group, m->e.positions)
        ? anypi_tree_rank(&m->e.tree, t + 1, group, m->e.positions) : ANYPI_NOBODY;
}

bool anypi_member_shares(const anypi_member *m, int t)
{
    const anypi_range extra = owned(m, t + 1, m->groups[t + 1], m->e.positions);
    return m->own[t + 1].first == extra.first;
}

static anypi_owners owners_of(const anypi_member *m, int t, anypi_group group, bool joined,
                              anypi_range range, bool with_extra)
{
    const int height = t + joined;
    anypi_owners o = { .m = m, .t = t, .group = group, .joined = joined, .range = range,
                 .division = anypi_exchange_division(&m->e, height, group.size) };
    if (anypi_range_empty(range))
        return o;
    o.first = anypi_exchange_owner(&m->e, o.division, range.first);
    o.count = anypi_exchange_owner(&m->e, o.division, range.end - 1) + 1 - o.first;
    o.with_extra = with_extra && is_extra(m, height, group, m->e.positions);
    const int own = joined ? m->places[t + 1] - o.first : ANYPI_NOBODY;
    o.next = own >= 0 && own < o.count ? own + 1 : 0;
    o.count += o.with_extra;
    o.left = o.count;
    return o;
}

/* In groups of the same size, a place has the same distance from the first rank. */
static int rank_like_own(const anypi_member *m, int t, anypi_group child, int place)
{
    return place == m->places[t] && child.size == m->groups[t].size
        ? child.first + m->rank - m->groups[t].first
        : anypi_tree_rank(&m->e.tree, t, child, place);
}

static int owner_at(const anypi_owners *o, int place)
{
    const anypi_member *m = o->m;
    if (!o->joined)
        return rank_like_own(m, o->t, o->group, place);
    if (o->group.size > m->e.tree.limit)
        return anypi_tree_rank(&m->e.tree, o->t + 1, o->group, place);
    const int k = anypi_tree_children(&m->e.tree, o->t, o->group.size);
    const int c = place - (m->places[o->t + 1] - m->child[o->t]);
    const bool beside = c >= 0 && c < k;
    const anypi_group child =
        anypi_tree_child(&m->e.tree, o->t, o->group, beside ? c : place % k);
    return rank_like_own(m, o->t, child, beside ? m->places[o->t] : place / k);
}

anypi_owners anypi_owners_after(const anypi_member *m, int t, bool with_extra)
{
    return owners_of(m, t, m->groups[t + 1], true, m->own[t], with_extra);
}

anypi_owners anypi_owners_before(const anypi_member *m, int t, int c)
{
    return owners_of(m, t, anypi_tree_child(&m->e.tree, t, m->groups[t + 1], c), false,
                     m->own[t + 1], false);
}

bool anypi_owners_next(anypi_owners *o, int *peer, anypi_range *piece)
{
    const anypi_member *m = o->m;
    while (o->left-- > 0) {
        const int i = o->next < o->count ? o->next : 0;
        const bool is_last = i == o->count - 1 && o->with_extra;
        const int place = is_last ? m->e.positions : o->first + i;
        o->next = i + 1;
        *peer = owner_at(o, place);
        *piece = common(o->range, is_last ? owned(m, o->t + o->joined, o->group, place)
                        : anypi_exchange_interval(&m->e, o->division, place));
        if (*peer != m->rank && !anypi_range_empty(*piece))
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
    m->places[0] = 0;
    const int levels = tree->levels, keeps = m->e.dividing;
    m->groups[levels] = anypi_tree_all(tree);
    for (int t = levels - 1; t >= 0; t--) {
        m->child[t] = anypi_tree_child_of(tree, t, m->groups[t + 1], m->rank);
        m->groups[t] = anypi_tree_child(tree, t, m->groups[t + 1], m->child[t]);
    }
    m->own[0] = (anypi_range) { 0, m->e.blocks };
    for (int t = 0; t < levels; t++) {
        m->places[t + 1] =
            anypi_tree_join(tree, t, m->groups[t + 1].size, m->child[t], m->places[t]);
        m->own[t + 1] = !anypi_member_divides(m, t) ? m->own[t]
            : owned(m, t + 1, m->groups[t + 1], m->places[t + 1]);
    }
    if (!m->reduces)
        return;
    /* a reduce: the result goes to the root's unit, and there to the rank's position */
    anypi_group unit = m->groups[levels];
    for (int t = levels - 1; t >= keeps; t--)
        unit = anypi_tree_child(tree, t, unit, anypi_tree_child_of(tree, t, unit, call->root));
    const int place = m->places[keeps];
    const bool takes_part = place != ANYPI_NOBODY && !is_extra(m, keeps, m->groups[keeps], place);
    int needing = !takes_part ? ANYPI_NOBODY : keeps == 0 ? call->root
        : anypi_tree_rank(tree, keeps, unit, place);
    m->needing[levels] = needing;
    for (int t = levels - 1; t >= keeps; t--) {
        const anypi_group group = m->groups[t + 1];
        if (needing != ANYPI_NOBODY && anypi_tree_child_of(tree, t, group, needing) != m->child[t])
            needing = rank_of_seat(m, t, group, m->child[t], seat_of(m, t, group, needing), false);
        m->needing[t] = needing;
    }
}
