/* SPDX-License-Identifier: BSD-3-Clause
 *
 * exchange - groups of neighbouring ranks join, k at a time, for any sizes.
 *
 * A tree of groups (tree.h) has ceil(log_k p) levels. In a level that divides, each rank of a group
 * of s ranks gets one of s equal intervals of the vector: it receives the operands for it from the
 * ranks that owned it in each child, one or two in each, and reduces them in the order of the
 * children. In a level that keeps, a rank keeps its interval, and receives it from one rank of each
 * other child. The lower levels divide, the upper ones keep; the dividing levels, in reverse
 * order, then gather the result. So short vectors take one round for each level and no second
 * phase, and long ones nearly the minimum volume, with the same tree and bracketing.
 *
 *   p = 13, k = 4, both levels divide. The children of the top are ranks 0-3, 4-6, 7-9, 10-12.
 *
 *   rank      0      1      2      3   |    4     5     6   |    7     8     9   |   10 ...
 *   owns first the whole vector, and after level 0
 *           [0,1/4)  ..2/4  ..3/4  ..1 | [0,1/3) ..2/3  ..1 | [0,1/3) ..2/3  ..1 | [0,1/3) ...
 *   after level 1 the j-th of 13 parts, with j =
 *             0      4      8     12   |    1     5     9   |    2     6    10   |    3 ...
 *
 *   rank 5, level 0: sends [0,1/3) to 4 and [2/3,1) to 6, receives [1/3,2/3) from both
 *           level 1: has [1/3,2/3); keeps part 5, and receives it from 1, 8 and 11; sends the rest
 *                    of part 4 to 1, part 6 to 8, part 7 to 11, and the beginning of part 8 to 2
 *
 * Each part is in the interval that the rank had before, because larger children come first.
 * Intervals begin at whole blocks. A position has 1 to 8 of them, of at least `threshold` bytes
 * each: with fewer blocks there are fewer messages, but the intervals of lower levels are less
 * even.
 *
 * Where upper levels keep, all units (the groups that the last dividing level makes) divide the
 * vector into the same intervals, as many as the smallest unit has ranks. A unit has at most one
 * rank more: this extra rank owns the interval of another rank of its unit, too, and sends it to
 * no other rank. In a level that keeps, children with one rank more than others have extra ranks in
 * the same way.
 *
 * Cost: a level whose groups have k children, and ranks intervals of m' bytes after it, takes
 * alpha + (k-1)m'(beta + gamma), and if it divides alpha + (k-1)m'*beta again when the result is
 * gathered. If all groups of each height are of one size and all of L levels divide, that is
 * 2L*alpha + (1-1/p)m(2*beta + gamma), the minimum volume. Otherwise cost.c computes the maximum of
 * all ranks for each level. p = 13, k = 4: 4 rounds; the maximum that a rank sends is 1.904 m
 * (1.846 m is the lower bound), and the critical path has 2.02 m, as different ranks are the
 * slowest of different levels.
 * Messages of a rank in a round: k - 1, up to twice as many where sizes differ, and at most one
 * more for each other child, to its extra rank.
 * Plain copies: a rank of the last child copies its operand in its first level, unless the operator
 * commutes and no other rank reduces the same blocks. In place, some ranks copy their last interval
 * instead. A reduce-scatter copies all blocks into scratch, those of an interval side by side, and
 * perhaps the result.
 * Scratch: the operands of one level, and an interval of the first level, twice in a reduce.
 * A reduce sends only what is on a path to the root. A reduce-scatter always divides, in whole
 * blocks.
 * Late ranks, networks without rendezvous: in each round a rank waits for ranks of its whole group,
 * so no rank is early by more than a round, and pacing has no benefit (test_exchange.c,
 * late_ranks).
 *
 * Restrictions: none; any p, operator and root. For one p and radix the bracketing of all
 * elements is the same, for any length, threshold and root.
 * Source: Rabenseifner & Träff 2004, section 2. There groups are of equal size and one of three is
 * eliminated where their number is odd; here groups of any size exchange directly, k at a time, and
 * a rank owns an interval of the vector instead of a half. The limits of one message at a time
 * are in one-port.md.
 */
#include "algorithms/exchange/member.h"
#include "algorithms/registry.h"

#include "schedule/schedule.h"

#include <limits.h>

static int blocks(const anyp_call *call, const int *parameters)
{
    anypi_exchange e;
    anypi_exchange_make(&e, call, parameters);
    return e.blocks;
}

/* The state of one rank. */
typedef struct state {
    anypi_member m;
    anypi_accumulator sum;
    int cells;                  /* the buffer of all other operands */
    anyp_schedule *schedule;
} state;

/* ---- operands and sums ---- */

/* One level of a rank that reduces in it. */
typedef struct level {
    int children, own;          /* the rank's child */
    anypi_range result;         /* the blocks that it reduces */
    int at, goal;               /* the buffers of its operand and of the sum */
    bool copies;                /* its operand is copied to the goal first */
    int lands;                  /* the child whose operand is received at the goal, or
                                 * ANYPI_NOBODY */
} level;

/* Blocks of a buffer; the OUT of a reduce-scatter has only one. */
static anyp_slice part(const state *s, int buffer, anypi_range range)
{
    if (buffer == ANYP_OUT && s->m.scatters)
        return anypi_slice(ANYP_OUT, s->m.rank, s->m.rank + 1);
    return anypi_slice(buffer, range.first, range.end);
}

/* The slice of a piece of the operand of child c. */
static anyp_slice operand(const state *s, const level *l, int c, anypi_range piece)
{
    if (c == l->own)
        return part(s, l->copies ? l->goal : l->at, piece);
    if (c == l->lands)
        return part(s, l->goal, piece);
    const int cell = c - (c > l->own) - (l->lands != ANYPI_NOBODY && c > l->lands);
    return anypi_slice(s->cells, piece.first + cell * s->m.e.blocks,
                       piece.end + cell * s->m.e.blocks);
}

/* Does the rank reduce in level t? */
static bool sums_in(const anypi_member *m, int t)
{
    if (!anypi_member_joins(m, t))
        return false;
    return anypi_member_divides(m, t) ? !anypi_range_empty(m->own[t + 1])
        : !m->reduces || m->needing[t + 1] == m->rank;
}

/* Operands may be exchanged if the operator commutes and no other rank reduces the same blocks. */
static bool may_exchange(const anypi_member *m, int t)
{
    const bool shared = t + 1 == m->e.dividing && m->groups[t + 1].size > m->e.positions;
    return m->e.call->commutative && (m->reduces || (anypi_member_divides(m, t) && !shared));
}

/* Is the rank in the last child? Then its operand is the last one. */
static bool is_last(const anypi_member *m, int t)
{
    return m->child[t] == anypi_tree_children(&m->e.tree, t, m->groups[t + 1].size) - 1;
}

/* Must the sum of level t go to another buffer than the operand? */
static bool must_change(const anypi_member *m, int t)
{
    return sums_in(m, t) && !may_exchange(m, t) && !is_last(m, t);
}

static level level_of(state *s, int t)
{
    const anypi_member *m = &s->m;
    const bool last = is_last(m, t), exchanges = may_exchange(m, t);
    const int at = s->sum.at;
    const anypi_landing landing = anypi_accumulator_lands(&s->sum, !last, exchanges);
    level l = { .children = anypi_tree_children(&m->e.tree, t, m->groups[t + 1].size),
                .own = m->child[t], .result = m->own[t + 1], .at = at, .goal = landing.goal,
                .copies = landing.copies, .lands = ANYPI_NOBODY };
    if (m->scatters && t == m->e.tree.levels - 1 && (!last || exchanges))
        l.goal = ANYP_OUT;
    if (l.goal != at && !l.copies)
        l.lands = l.children - 1 - last;
    return l;
}

/* Reduces the operands from the right: o(0) (+) (o(1) (+) ...). The sum moves to the goal as soon
 * as one of its operands is there. */
static void add_up(state *s, const level *l)
{
    anyp_slice sum = operand(s, l, l->children - 1, l->result);
    if (l->copies)
        anypi_copy(s->schedule, part(s, l->at, l->result), part(s, l->goal, l->result));
    for (int c = l->children - 2; c >= 0; c--) {
        const anyp_slice left = operand(s, l, c, l->result);
        if (left.buffer == l->goal) {
            anypi_reduce(s->schedule, sum, left);
            sum = left;
        } else {
            anypi_reduce(s->schedule, left, sum);
        }
    }
    s->sum.at = l->goal;
}

/* ---- rounds ---- */

/* The child that is `i` children after the rank's own. */
static int child_behind(const anypi_member *m, int t, int i)
{
    const int children = anypi_tree_children(&m->e.tree, t, m->groups[t + 1].size);
    const int c = m->child[t] + i;
    return c < children ? c : c - children;
}

/* A level that keeps, in a reduce: sends the sum to the rank that needs it. */
static void give_for_root(state *s, int t)
{
    const anypi_member *m = &s->m;
    if (m->needing[t] == m->rank && m->needing[t + 1] != m->rank)
        anypi_send(s->schedule, m->needing[t + 1], part(s, s->sum.at, m->own[t]));
}

/* A level that keeps: the rank sends what it owns to the ranks that it serves, and receives the
 * same from each other child. */
static void keep(state *s, int t)
{
    const anypi_member *m = &s->m;
    const int children = anypi_tree_children(&m->e.tree, t, m->groups[t + 1].size);
    int ranks[2];
    anypi_round(s->schedule);
    if (m->reduces)
        give_for_root(s, t);
    for (int i = 1; i < children && !m->reduces; i++) {
        const int count = anypi_member_served(m, t, child_behind(m, t, i), ranks);
        for (int k = 0; k < count; k++)
            anypi_send(s->schedule, ranks[k], part(s, s->sum.at, m->own[t]));
    }
    if (!sums_in(m, t))
        return;
    const level l = level_of(s, t);
    for (int i = children - 1; i > 0; i--) {
        const int c = child_behind(m, t, i);
        anypi_recv(s->schedule, anypi_member_server(m, t, c), operand(s, &l, c, l.result));
    }
    add_up(s, &l);
}

/* A level that divides: each rank sends the group's new owners what they will own, and receives the
 * operands of what it owns. */
static void divide(state *s, int t)
{
    const anypi_member *m = &s->m;
    anypi_owners to = anypi_owners_after(m, t, true);
    anypi_range piece;
    int peer;
    anypi_round(s->schedule);
    while (anypi_owners_next(&to, &peer, &piece))
        anypi_send(s->schedule, peer, part(s, s->sum.at, piece));
    if (!sums_in(m, t))
        return;
    const level l = level_of(s, t);
    for (int i = l.children - 1; i >= 0; i--) {
        const int c = child_behind(m, t, i);
        anypi_owners from = anypi_owners_before(m, t, c);
        while (anypi_owners_next(&from, &peer, &piece))
            anypi_recv(s->schedule, peer, operand(s, &l, c, piece));
    }
    add_up(s, &l);
}

/* A level that divides, reversed: ranks that owned some of a rank's blocks before get their result;
 * in a reduce only ranks of the root's child, and finally the root. */
static void gather(state *s, int t)
{
    const anypi_member *m = &s->m;
    const anypi_group group = m->groups[t + 1];
    const int root = m->e.call->root, extra = anypi_member_extra(m, t);
    const int children = anypi_tree_children(&m->e.tree, t, group.size);
    anypi_range piece;
    int peer, wanted = ANYPI_NOBODY;            /* the child, if not all */
    if (m->reduces && (root < group.first || root >= group.first + group.size))
        return;
    if (m->reduces)
        wanted = anypi_tree_child_of(&m->e.tree, t, group, root);
    anypi_round(s->schedule);
    for (int i = 1; i <= children && extra != m->rank; i++) {
        const int c = child_behind(m, t, i % children);
        anypi_owners to = anypi_owners_before(m, t, c);
        while ((wanted == ANYPI_NOBODY || wanted == c) && anypi_owners_next(&to, &peer, &piece))
            if (peer != extra || m->reduces || !anypi_member_shares(m, t))
                anypi_send(s->schedule, peer, part(s, s->sum.at, piece));
    }
    anypi_owners from = anypi_owners_after(m, t, false);
    while ((wanted == ANYPI_NOBODY || wanted == m->child[t]) &&
           anypi_owners_next(&from, &peer, &piece))
        if (extra != m->rank || m->reduces || !anypi_range_within(piece, m->own[t + 1]))
            anypi_recv(s->schedule, peer, part(s, s->sum.at, piece));
}

/* ---- the whole ---- */

/* Scratch for operands has only the blocks that the rank reduces. */
static void make_room(const state *s)
{
    const anypi_member *m = &s->m;
    anypi_range room = { INT_MAX, 0 };
    for (int t = 0; t < m->e.tree.levels; t++) {
        if (!sums_in(m, t))
            continue;
        room.first = m->own[t + 1].first < room.first ? m->own[t + 1].first : room.first;
        room.end = m->own[t + 1].end > room.end ? m->own[t + 1].end : room.end;
    }
    if (!anypi_range_empty(room))
        anypi_scratch_window(s->schedule, s->cells, room.first, room.end);
}

static void reduce(state *s)
{
    make_room(s);
    for (int t = 0; t < s->m.e.tree.levels; t++)
        if (anypi_member_joins(&s->m, t))
            (anypi_member_divides(&s->m, t) ? divide : keep)(s, t);
}

/* Each rank gets its own block: first, copies make the blocks of each interval adjacent. */
static void scatter(state *s)
{
    const anypi_range own = s->m.own[s->m.e.tree.levels];
    if (s->m.e.call->p == 1) {
        anypi_copy(s->schedule, part(s, ANYP_IN, own), part(s, ANYP_OUT, own));
        return;
    }
    int *order = anypi_schedule_order(s->schedule);
    if (!order)
        return;
    anypi_tree_ranks(&s->m.e.tree, order);
    anypi_accumulator_pack(&s->sum, s->schedule);
    reduce(s);
    if (s->sum.at != ANYP_OUT)
        anypi_copy(s->schedule, part(s, s->sum.at, own), part(s, ANYP_OUT, own));
}

static void generate(const anyp_call *call, const int *parameters, anyp_schedule *schedule)
{
    state s;
    anypi_member_make(&s.m, call, parameters);
    s.sum = anypi_accumulator_begin(call, 0);
    for (int t = 0; t < s.m.e.tree.levels; t++)
        s.sum.changes += must_change(&s.m, t);
    s.cells = s.sum.spare + 1;
    s.schedule = schedule;
    if (s.m.scatters) {
        scatter(&s);
        return;
    }
    reduce(&s);
    if (!s.m.reduces || call->rank == call->root)
        anypi_accumulator_end(&s.sum, s.m.own[s.m.e.tree.levels], schedule);
    for (int t = s.m.e.dividing - 1; t >= 0; t--)
        if (anypi_member_joins(&s.m, t))
            gather(&s, t);
}

const anyp_algorithm_code anypi_exchange_code = {
    .summary = "any operator at any p and any length: few rounds, nearly the least volume",
    .source = "Rabenseifner & Träff 2004, section 2, with groups of any size that exchange "
              "directly",
    .blocks = blocks,
    .cost = anypi_exchange_cost,
    .generate = generate,
};
