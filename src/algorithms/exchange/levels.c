/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/exchange/levels.h"

#include "schedule/bracketing.h"

void anypi_levels_select(anypi_levels *s, anypi_levels_scope scope)
{
    s->scope = scope;
    s->m = scope == ACROSS ? &s->across : &s->inside;
}

/* ---- operands and sums ---- */

/* One level of a rank that reduces in it. */
typedef struct level {
    int children, own;          /* the rank's child */
    anypi_range result;         /* the blocks that it reduces */
    int at, sum;                /* the buffers of its operand and of the sum */
    int last;                   /* the child whose operand is the last one */
    bool copies;                /* its operand is copied to the buffer of the sum first, */
    bool moves;                 /* or to the end of the receive buffer */
    int direct;                 /* the child whose operand is received into the buffer of the sum,
                                 * or ANYPI_NOBODY */
} level;

/* A part of the operand of child c. */
static anyp_slice operand(const anypi_levels *s, const level *l, int c, anypi_range range)
{
    if (c == l->own && !l->moves)
        return anypi_levels_part(s, l->copies ? l->sum : l->at, range);
    if (c == l->direct)
        return anypi_levels_part(s, l->sum, range);
    const bool one_direct = l->direct != ANYPI_NOBODY;
    const int index = c == l->own ? l->children - 1 - one_direct
        : c - (c > l->own) - (one_direct && c > l->direct);
    const int before = index * s->schedule->blocks;
    range = anypi_levels_range(s, range);
    return anypi_slice(s->receive_buffer, range.first + before, range.end + before);
}

bool anypi_levels_sums(const anypi_member *m, int t)
{
    if (!anypi_member_joins(m, t))
        return false;
    return anypi_member_divides(m, t) ? !anypi_range_empty(m->own[t + 1])
        : !m->reduces || m->needing[t + 1] == m->rank;
}

/* Operands may be exchanged if the operator commutes and no other rank reduces the same blocks. */
static bool may_exchange(const anypi_member *m, int t)
{
    const bool shared = t + 1 == m->e.dividing &&
        anypi_tree_owners(&m->e.tree, m->groups[t + 1].size) > m->e.intervals;
    return m->e.call.commutative && (m->reduces || (anypi_member_divides(m, t) && !shared));
}

/* The child whose operand is the last one. */
static int last_child(const anypi_member *m, int t)
{
    const int size = m->groups[t + 1].size;
    return anypi_tree_from_left(&m->e.tree, t, size,
                                anypi_tree_children(&m->e.tree, t, size) - 1);
}

static bool is_last(const anypi_member *m, int t)
{
    return m->child[t] == last_child(m, t);
}

int anypi_levels_changes(const anypi_member *m)
{
    int changes = 0;
    for (int t = 0; t < m->e.tree.levels; t++)
        changes += anypi_levels_sums(m, t) && !may_exchange(m, t) && !is_last(m, t);
    return changes;
}

static level level_of(anypi_levels *s, int t)
{
    const anypi_member *m = s->m;
    const bool last = is_last(m, t), exchanges = may_exchange(m, t);
    const bool ends = t == m->e.tree.levels - 1 && (s->scope == ACROSS || s->l.count == 1);
    const int at = s->sum.at;
    const anypi_step_buffers buffers = anypi_accumulator_next(&s->sum, !last, exchanges);
    level l = { .children = anypi_tree_children(&m->e.tree, t, m->groups[t + 1].size),
                .own = m->child[t], .result = m->own[t + 1], .at = at, .sum = buffers.sum,
                .last = last_child(m, t), .copies = buffers.copies, .direct = ANYPI_NOBODY };
    const int from_left = anypi_tree_from_left(&m->e.tree, t, m->groups[t + 1].size, l.own);
    l.moves = m->e.call.reproducible && !last && at == ANYP_IN &&
        anypi_bracketing_is_right(l.children, from_left);
    if (m->scatters && ends && (!last || exchanges))
        l.sum = ANYP_OUT;
    if (l.sum != at && !l.copies)
        l.direct = last ? l.children - 2 : l.last;
    return l;
}

/* Reduces `count` operands, from the i-th one from the left on, by the tree of reproducible
 * results. The sum is where the last operand was. */
static anyp_slice add_by_halves(const anypi_levels *s, int t, const level *l, int i, int count)
{
    const int size = s->m->groups[t + 1].size;
    if (count == 1)
        return operand(s, l, anypi_tree_from_left(&s->m->e.tree, t, size, i), l->result);
    const int left = anypi_bracketing_left(count);
    const anyp_slice first = add_by_halves(s, t, l, i, left);
    const anyp_slice second = add_by_halves(s, t, l, i + left, count - left);
    anypi_reduce(s->schedule, first, second);
    return second;
}

/* Reduces the operands of level t from the right: o(0) (+) (o(1) (+) ...). The sum moves to its
 * buffer as soon as one of its operands is there. */
static void add_up(const anypi_levels *s, int t, const level *l)
{
    if (l->copies || l->moves)
        anypi_copy(s->schedule, anypi_levels_part(s, l->at, l->result),
                   operand(s, l, l->own, l->result));
    if (s->m->e.call.reproducible) {
        add_by_halves(s, t, l, 0, l->children);
        return;
    }
    anyp_slice sum = operand(s, l, l->children - 1, l->result);
    for (int c = l->children - 2; c >= 0; c--) {
        const anyp_slice left = operand(s, l, c, l->result);
        if (left.buffer == l->sum) {
            anypi_reduce(s->schedule, sum, left);
            sum = left;
        } else {
            anypi_reduce(s->schedule, left, sum);
        }
    }
}

/* ---- messages ---- */

/* The peer in the exchange as a rank of the call. */
static int rank_of(anypi_levels *s, int peer)
{
    anypi_lanes *l = &s->l;
    if (!l->nodes)              /* for speed */
        return peer;
    if (s->scope == INSIDE)
        return anypi_lanes_rank(l, l->node, peer);
    return anypi_lanes_rank(l, peer, l->replicas ? anypi_lanes_source(l, peer)
                            : anypi_lanes_owner(l, peer, s->base / l->width));
}

/* Sends a part of each of the rank's lanes. */
static void send_range(anypi_levels *s, int peer, anypi_range range)
{
    anypi_lanes *l = &s->l;
    const bool one = !l->nodes || s->scope == INSIDE || !l->replicas || l->reduces;
    for (int i = 0; anypi_levels_lane(s, i); i++) {
        const anyp_slice slice = anypi_levels_part(s, s->sum.at, range);
        if (one) {
            anypi_send(s->schedule, rank_of(s, peer), slice);
            continue;
        }
        const int size = anypi_lanes_size(l, peer), step = anypi_lanes_size(l, l->node);
        for (int local = l->local; local < size; local += step)
            anypi_send(s->schedule, anypi_lanes_rank(l, peer, local), slice);
    }
}

/* Receives a part of the operand of child c, for each of the rank's lanes. */
static void receive_operand(anypi_levels *s, const level *l, int c, int peer, anypi_range range)
{
    for (int i = 0; anypi_levels_lane(s, i); i++)
        anypi_recv(s->schedule, rank_of(s, peer), operand(s, l, c, range));
}

/* Receives a part of the result, for each of the rank's lanes. */
static void receive_result(anypi_levels *s, int peer, anypi_range range)
{
    for (int i = 0; anypi_levels_lane(s, i); i++)
        anypi_recv(s->schedule, rank_of(s, peer), anypi_levels_part(s, s->sum.at, range));
}

/* ---- rounds ---- */

/* The child that is `i` children after the rank's own. */
static int child_after(const anypi_member *m, int t, int i)
{
    const int children = anypi_tree_children(&m->e.tree, t, m->groups[t + 1].size);
    const int c = m->child[t] + i;
    return c < children ? c : c - children;
}

/* A replicating level, in a reduce: sends the sum to the rank that needs it. */
static void send_to_root(anypi_levels *s, int t)
{
    const anypi_member *m = s->m;
    if (m->needing[t] == m->rank && m->needing[t + 1] != m->rank)
        send_range(s, m->needing[t + 1], m->own[t]);
}

/* A replicating level: the rank sends what it owns, and receives the same blocks from each other
 * child. */
static void replicate(anypi_levels *s, int t)
{
    const anypi_member *m = s->m;
    const int children = anypi_tree_children(&m->e.tree, t, m->groups[t + 1].size);
    const anypi_coordinates own = anypi_member_coordinates(m, t);
    int ranks[2];
    if (m->reduces)
        send_to_root(s, t);
    for (int i = 1; i < children && !m->reduces; i++) {
        const int count = anypi_member_destinations(m, t, child_after(m, t, i), own, ranks);
        for (int k = 0; k < count; k++)
            send_range(s, ranks[k], m->own[t]);
    }
    if (!anypi_levels_sums(m, t))
        return;
    const level l = level_of(s, t);
    for (int i = children - 1; i > 0; i--) {
        const int c = child_after(m, t, i);
        receive_operand(s, &l, c, anypi_member_source(m, t, c, own), l.result);
    }
    for (int i = 0; anypi_levels_lane(s, i); i++)
        add_up(s, t, &l);
    s->sum.at = l.sum;
}

/* A dividing level: each rank sends the group's new owners what they will own, and receives the
 * operands of what it will own. */
static void divide(anypi_levels *s, int t)
{
    const anypi_member *m = s->m;
    anypi_owners to = anypi_owners_after(m, t, true);
    anypi_range range;
    int peer;
    while (anypi_owners_next(&to, &peer, &range))
        send_range(s, peer, range);
    if (!anypi_levels_sums(m, t))
        return;
    const level l = level_of(s, t);
    for (int i = l.children - 1; i >= 0; i--) {
        const int c = child_after(m, t, i);
        anypi_owners from = anypi_owners_before(m, t, c);
        while (anypi_owners_next(&from, &peer, &range))
            receive_operand(s, &l, c, peer, range);
    }
    for (int i = 0; anypi_levels_lane(s, i); i++)
        add_up(s, t, &l);
    s->sum.at = l.sum;
}

void anypi_levels_reduce(anypi_levels *s, int t)
{
    (anypi_member_divides(s->m, t) ? divide : replicate)(s, t);
}

void anypi_levels_gather(anypi_levels *s, int t)
{
    const anypi_member *m = s->m;
    const anypi_group group = m->groups[t + 1];
    const int root = m->e.call.root, surplus = anypi_member_surplus(m, t);
    const int children = anypi_tree_children(&m->e.tree, t, group.size);
    anypi_range range;
    int peer, wanted = ANYPI_NOBODY;            /* the child, if not all */
    if (m->reduces && (root < group.first || root >= group.first + group.size))
        return;
    if (m->reduces)
        wanted = anypi_tree_child_of(&m->e.tree, t, group, root);
    for (int i = 1; i <= children && surplus != m->rank; i++) {
        const int c = child_after(m, t, i % children);
        anypi_owners to = anypi_owners_before(m, t, c);
        while ((wanted == ANYPI_NOBODY || wanted == c) && anypi_owners_next(&to, &peer, &range))
            if (peer != surplus || m->reduces || !anypi_member_shares(m, t))
                send_range(s, peer, range);
    }
    anypi_owners from = anypi_owners_after(m, t, false);
    while ((wanted == ANYPI_NOBODY || wanted == m->child[t]) &&
           anypi_owners_next(&from, &peer, &range))
        if (surplus != m->rank || m->reduces || !anypi_range_within(range, m->own[t + 1]))
            receive_result(s, peer, range);
}
