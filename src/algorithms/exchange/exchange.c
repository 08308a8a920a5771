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
 * With groups=nodes, where nodes are known, the ranks of a node exchange first, by a tree of their
 * own, then nodes exchange, in lanes: lanes.h. The volume through a node's network card is then the
 * minimum that one card for each node allows, 2(1 - 1/n)m for n nodes, if one level joins all nodes,
 * and nearly so otherwise, also for nodes of different sizes. Nodes whose ranks are not consecutive
 * change the order of operands, so the operator must commute there. Several segments of the
 * vector, one after the other, hide the phases inside nodes behind those between them: segments.h.
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
 * Restrictions: none but the one on nodes; any p, operator and root. For one p, radix and, with
 * nodes, node_radix, the bracketing of all elements is the same, for any length, threshold, root and
 * number of lanes and segments. For reproducible results it is the tree of schedule/bracketing.h, at
 * any radix: the children of a group are its nodes log2 k halvings below, and the operands of a level
 * are reduced in pairs, not from the right. Nodes are ignored then. The operand of a rank may be the
 * right one of a pair, and is copied if it is in IN.
 * Source: Rabenseifner & Träff 2004, section 2. There groups are of equal size and one of three is
 * eliminated where their number is odd; here groups of any size exchange directly, k at a time, and
 * a rank owns an interval of the vector instead of a half. The limits of one message at a time
 * are in one-port.md.
 */
#include "algorithms/exchange/cost.h"
#include "algorithms/exchange/lanes.h"
#include "algorithms/exchange/segments.h"
#include "algorithms/registry.h"

#include "schedule/bracketing.h"
#include "schedule/memory.h"
#include "schedule/set.h"
#include "schedule/schedule.h"

#include <limits.h>

static int blocks(const anyp_call *call, const int *parameters)
{
    anypi_lanes l;
    anypi_exchange across;
    anypi_lanes_make(&l, call, parameters, &across);
    return anypi_scatters(call) ? call->p : l.segments * l.lanes * l.width;
}

static const char *refusal(const anyp_call *call, const int *parameters)
{
    return parameters[ANYPI_EXCHANGE_GROUPS] && call->nodes && call->nodes->rank &&
        !call->commutative && !call->reproducible
        ? "with groups=nodes, it needs nodes with consecutive ranks or an operator that commutes"
        : NULL;
}

/* The state of one rank. */
typedef struct state {
    anypi_lanes l;
    anypi_member inside, across;
    const anypi_member *m;      /* that of the phase */
    int base;                   /* the first block of the lane, in `across` */
    int *starts;                /* see anypi_lanes_order() */
    anypi_accumulator sum;
    int cells;                  /* the buffer of all other operands */
    anypi_segment_rounds rounds;
    anyp_schedule *schedule;
} state;

/* Selects a lane of the phase, from 0 on; false if the rank does not have so many. */
static bool select_lane(state *s, int i)
{
    const int lane = s->m == &s->across ? s->l.first + i : i;
    const bool has = lane < (s->m == &s->across ? s->l.end : 1);
    if (has)
        s->base = lane * s->l.width;
    return has;
}

/* ---- operands and sums ---- */

/* One level of a rank that reduces in it. */
typedef struct level {
    int children, own;          /* the rank's child */
    anypi_range result;         /* the blocks that it reduces */
    int at, goal;               /* the buffers of its operand and of the sum */
    int last;                   /* the child whose operand is the last one */
    bool copies;                /* its operand is copied to the goal first, */
    bool moves;                 /* or to the cell behind those of the others */
    int lands;                  /* the child whose operand is received at the goal, or
                                 * ANYPI_NOBODY */
} level;

/* The blocks of the schedule for those of a phase. */
static anypi_range range_of(const state *s, anypi_range range)
{
    range.first += s->base;
    range.end += s->base;
    return !s->starts ? range : (anypi_range) { s->starts[range.first], s->starts[range.end] };
}

/* Blocks of a buffer; the OUT of a reduce-scatter has only one. */
static anyp_slice part(const state *s, int buffer, anypi_range range)
{
    range = range_of(s, range);
    if (buffer == ANYP_OUT && s->m->scatters && !anypi_range_empty(range))
        return anypi_slice(ANYP_OUT, s->schedule->rank, s->schedule->rank + 1);
    return anypi_slice(buffer, range.first, range.end);
}

/* The slice of a piece of the operand of child c. */
static anyp_slice operand(const state *s, const level *l, int c, anypi_range piece)
{
    if (c == l->own && !l->moves)
        return part(s, l->copies ? l->goal : l->at, piece);
    if (c == l->lands)
        return part(s, l->goal, piece);
    const bool one_lands = l->lands != ANYPI_NOBODY;
    const int cell = c == l->own ? l->children - 1 - one_lands
        : c - (c > l->own) - (one_lands && c > l->lands);
    const int before = cell * s->schedule->blocks;
    piece = range_of(s, piece);
    return anypi_slice(s->cells, piece.first + before, piece.end + before);
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
    const bool shared = t + 1 == m->e.dividing &&
        anypi_tree_places(&m->e.tree, m->groups[t + 1].size) > m->e.positions;
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

/* The levels of a phase after which the rank's sum must be in another buffer. */
static int changes_of(const anypi_member *m)
{
    int changes = 0;
    for (int t = 0; t < m->e.tree.levels; t++)
        changes += sums_in(m, t) && !may_exchange(m, t) && !is_last(m, t);
    return changes;
}

static level level_of(state *s, int t)
{
    const anypi_member *m = s->m;
    const bool last = is_last(m, t), exchanges = may_exchange(m, t);
    const bool ends = t == m->e.tree.levels - 1 && (m == &s->across || s->l.count == 1);
    const int at = s->sum.at;
    const anypi_step_buffers buffers = anypi_accumulator_next(&s->sum, !last, exchanges);
    level l = { .children = anypi_tree_children(&m->e.tree, t, m->groups[t + 1].size),
                .own = m->child[t], .result = m->own[t + 1], .at = at, .goal = buffers.sum,
                .last = last_child(m, t), .copies = buffers.copies, .lands = ANYPI_NOBODY };
    const int from_left = anypi_tree_from_left(&m->e.tree, t, m->groups[t + 1].size, l.own);
    l.moves = m->e.call.reproducible && !last && at == ANYP_IN &&
        anypi_bracketing_is_right(l.children, from_left);
    if (m->scatters && ends && (!last || exchanges))
        l.goal = ANYP_OUT;
    if (l.goal != at && !l.copies)
        l.lands = last ? l.children - 2 : l.last;
    return l;
}

/* Reduces `count` operands, from the i-th one from the left on, by the tree of reproducible results.
 * The sum is where the last operand was. */
static anyp_slice add_by_halves(const state *s, int t, const level *l, int i, int count)
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

/* Reduces the operands of level t from the right: o(0) (+) (o(1) (+) ...). The sum moves to the goal
 * as soon as one of its operands is there. */
static void add_up(const state *s, int t, const level *l)
{
    if (l->copies || l->moves)
        anypi_copy(s->schedule, part(s, l->at, l->result), operand(s, l, l->own, l->result));
    if (s->m->e.call.reproducible) {
        add_by_halves(s, t, l, 0, l->children);
        return;
    }
    anyp_slice sum = operand(s, l, l->children - 1, l->result);
    for (int c = l->children - 2; c >= 0; c--) {
        const anyp_slice left = operand(s, l, c, l->result);
        if (left.buffer == l->goal) {
            anypi_reduce(s->schedule, sum, left);
            sum = left;
        } else {
            anypi_reduce(s->schedule, left, sum);
        }
    }
}

/* ---- messages ---- */

/* The peer of the phase as a rank of the call. */
static int rank_of(state *s, int peer)
{
    anypi_lanes *l = &s->l;
    if (s->m == &s->inside)
        return anypi_lanes_rank(l, l->node, peer);
    return anypi_lanes_rank(l, peer, l->replicas ? anypi_lanes_server(l, peer)
                            : anypi_lanes_holder(l, peer, s->base / l->width));
}

/* Sends a piece of each of the rank's lanes. */
static void give(state *s, int peer, anypi_range piece)
{
    anypi_lanes *l = &s->l;
    const bool one = s->m == &s->inside || !l->replicas || l->reduces;
    if (!l->nodes) {            /* for speed, here and below: one lane */
        anypi_send(s->schedule, peer, part(s, s->sum.at, piece));
        return;
    }
    for (int i = 0; select_lane(s, i); i++) {
        const anyp_slice slice = part(s, s->sum.at, piece);
        if (one) {
            anypi_send(s->schedule, rank_of(s, peer), slice);
            continue;
        }
        const int size = anypi_lanes_size(l, peer), step = anypi_lanes_size(l, l->node);
        for (int local = l->local; local < size; local += step)
            anypi_send(s->schedule, anypi_lanes_rank(l, peer, local), slice);
    }
}

/* Receives the piece of the operand of child c, for each of the rank's lanes. */
static void get_operand(state *s, const level *l, int c, int peer, anypi_range piece)
{
    if (!s->l.nodes)
        anypi_recv(s->schedule, peer, operand(s, l, c, piece));
    else
        for (int i = 0; select_lane(s, i); i++)
            anypi_recv(s->schedule, rank_of(s, peer), operand(s, l, c, piece));
}

/* Receives a piece of the result, for each of the rank's lanes. */
static void get_result(state *s, int peer, anypi_range piece)
{
    if (!s->l.nodes)
        anypi_recv(s->schedule, peer, part(s, s->sum.at, piece));
    else
        for (int i = 0; select_lane(s, i); i++)
            anypi_recv(s->schedule, rank_of(s, peer), part(s, s->sum.at, piece));
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
    const anypi_member *m = s->m;
    if (m->needing[t] == m->rank && m->needing[t + 1] != m->rank)
        give(s, m->needing[t + 1], m->own[t]);
}

/* A level that keeps: the rank sends what it owns to the ranks that it serves, and receives the
 * same from each other child. */
static void keep(state *s, int t)
{
    const anypi_member *m = s->m;
    const int children = anypi_tree_children(&m->e.tree, t, m->groups[t + 1].size);
    const anypi_seat own = anypi_member_seat(m, t);
    int ranks[2];
    if (m->reduces)
        give_for_root(s, t);
    for (int i = 1; i < children && !m->reduces; i++) {
        const int count = anypi_member_served(m, t, child_behind(m, t, i), own, ranks);
        for (int k = 0; k < count; k++)
            give(s, ranks[k], m->own[t]);
    }
    if (!sums_in(m, t))
        return;
    const level l = level_of(s, t);
    for (int i = children - 1; i > 0; i--) {
        const int c = child_behind(m, t, i);
        get_operand(s, &l, c, anypi_member_server(m, t, c, own), l.result);
    }
    for (int i = 0; select_lane(s, i); i++)
        add_up(s, t, &l);
    s->sum.at = l.goal;
}

/* A level that divides: each rank sends the group's new owners what they will own, and receives the
 * operands of what it owns. */
static void divide(state *s, int t)
{
    const anypi_member *m = s->m;
    anypi_owners to = anypi_owners_after(m, t, true);
    anypi_range piece;
    int peer;
    while (anypi_owners_next(&to, &peer, &piece))
        give(s, peer, piece);
    if (!sums_in(m, t))
        return;
    const level l = level_of(s, t);
    for (int i = l.children - 1; i >= 0; i--) {
        const int c = child_behind(m, t, i);
        anypi_owners from = anypi_owners_before(m, t, c);
        while (anypi_owners_next(&from, &peer, &piece))
            get_operand(s, &l, c, peer, piece);
    }
    for (int i = 0; select_lane(s, i); i++)
        add_up(s, t, &l);
    s->sum.at = l.goal;
}

/* A level that divides, reversed: ranks that owned some of a rank's blocks before get their result;
 * in a reduce only ranks of the root's child, and finally the root. */
static void gather(state *s, int t)
{
    const anypi_member *m = s->m;
    const anypi_group group = m->groups[t + 1];
    const int root = m->e.call.root, extra = anypi_member_extra(m, t);
    const int children = anypi_tree_children(&m->e.tree, t, group.size);
    anypi_range piece;
    int peer, wanted = ANYPI_NOBODY;            /* the child, if not all */
    if (m->reduces && (root < group.first || root >= group.first + group.size))
        return;
    if (m->reduces)
        wanted = anypi_tree_child_of(&m->e.tree, t, group, root);
    for (int i = 1; i <= children && extra != m->rank; i++) {
        const int c = child_behind(m, t, i % children);
        anypi_owners to = anypi_owners_before(m, t, c);
        while ((wanted == ANYPI_NOBODY || wanted == c) && anypi_owners_next(&to, &peer, &piece))
            if (peer != extra || m->reduces || !anypi_member_shares(m, t))
                give(s, peer, piece);
    }
    anypi_owners from = anypi_owners_after(m, t, false);
    while ((wanted == ANYPI_NOBODY || wanted == m->child[t]) &&
           anypi_owners_next(&from, &peer, &piece))
        if (extra != m->rank || m->reduces || !anypi_range_within(piece, m->own[t + 1]))
            get_result(s, peer, piece);
}

/* ---- phases ---- */

/* A round, which some ranks may leave empty. */
static void begin_round(state *s)
{
    anypi_round(s->schedule);
    s->rounds.first[s->rounds.count++] = s->schedule->steps_count;
}

/* Empty rounds for levels that only other ranks have. */
static void wait(state *s, int rounds)
{
    while (rounds-- > 0)
        begin_round(s);
}

/* The levels of a phase, upwards. */
static void reduce(state *s, const anypi_member *m)
{
    s->m = m;
    for (int t = 0; t < m->e.tree.levels; t++) {
        begin_round(s);
        if (anypi_member_joins(m, t))
            (anypi_member_divides(m, t) ? divide : keep)(s, t);
    }
}

/* The levels that divide, downwards. */
static void spread(state *s, const anypi_member *m)
{
    s->m = m;
    for (int t = m->e.dividing - 1; t >= 0; t--) {
        begin_round(s);
        if (anypi_member_joins(m, t))
            gather(s, t);
    }
}

/* Extends `room` by the blocks that a rank reduces in a phase. */
static void add_room(state *s, const anypi_member *m, anypi_range *room)
{
    s->m = m;
    for (int i = 0; select_lane(s, i); i++)
        for (int t = 0; t < m->e.tree.levels; t++) {
            const anypi_range range = range_of(s, m->own[t + 1]);
            if (!sums_in(m, t) || anypi_range_empty(range))
                continue;
            room->first = range.first < room->first ? range.first : room->first;
            room->end = range.end > room->end ? range.end : room->end;
        }
}

/* Scratch for operands has only the blocks that the rank reduces. */
static void make_room(state *s)
{
    anypi_range room = { INT_MAX, 0 };
    add_room(s, &s->inside, &room);
    add_room(s, &s->across, &room);
    if (!anypi_range_empty(room))
        anypi_scratch_window(s->schedule, s->cells, room.first, room.end);
}

/* Copies what the rank has reduced to `buffer`, if it is not there. */
static void finish(state *s, int buffer)
{
    const anypi_range own = s->across.own[s->across.e.tree.levels];
    s->m = &s->across;
    for (int i = 0; s->sum.at != buffer && select_lane(s, i); i++)
        anypi_copy(s->schedule, part(s, s->sum.at, own), part(s, buffer, own));
    s->sum.at = buffer;
}

/* ---- the whole ---- */

/* Each rank gets its own block: first, copies make the blocks of each interval adjacent. */
static void scatter(state *s)
{
    if (s->schedule->p == 1) {
        finish(s, ANYP_OUT);
        return;
    }
    const int cells = s->l.lanes * s->l.count;
    int *order = anypi_schedule_order(s->schedule);
    if (!order)
        return;
    if (!anypi_lanes_even(&s->l)) {
        s->starts = anypi_realloc(NULL, ((size_t) cells + 1) * sizeof *s->starts);
        if (!s->starts) {
            anypi_schedule_fail(s->schedule, ANYP_ERR_MEMORY);
            return;
        }
    }
    anypi_lanes_order(&s->l, &s->across.e.tree, order, s->starts);
    make_room(s);
    anypi_accumulator_pack(&s->sum, s->schedule);
    reduce(s, &s->inside);
    reduce(s, &s->across);
    finish(s, ANYP_OUT);
    anypi_free(s->starts);
}

static void generate(const anyp_call *call, const int *parameters, anyp_schedule *schedule)
{
    state s;
    s.schedule = schedule;
    s.starts = NULL;
    s.base = 0;
    s.rounds.count = 0;
    anypi_lanes_make(&s.l, call, parameters, &s.across.e);
    if (s.l.segments > 1)       /* first only one */
        anypi_schedule_begin(schedule, call->p, call->rank, s.l.lanes * s.l.width);
    anypi_member_make(&s.across);
    anypi_lanes_choose(&s.l, call, &s.inside);
    const bool lanes = s.l.first < s.l.end;
    s.sum = anypi_accumulator_begin(call, changes_of(&s.inside) +
                                    (lanes ? changes_of(&s.across) : 0));
    s.cells = s.sum.temporary + 1;
    if (anypi_scatters(call)) {
        scatter(&s);
        return;
    }
    make_room(&s);
    wait(&s, s.l.levels - s.inside.e.tree.levels);
    reduce(&s, &s.inside);
    if (lanes)
        reduce(&s, &s.across);
    else
        wait(&s, s.across.e.tree.levels);
    if (call->collective == ANYP_ALLREDUCE || call->rank == call->root)
        finish(&s, s.sum.result);
    if (lanes)
        spread(&s, &s.across);
    else
        wait(&s, s.across.e.dividing);
    if (call->collective == ANYP_ALLREDUCE || s.l.node == s.l.root_node)
        spread(&s, &s.inside);
    if (s.l.segments > 1) {
        s.rounds.width = s.l.width;
        s.rounds.first[s.rounds.count] = schedule->steps_count;
        anypi_exchange_repeat(schedule, &s.rounds, s.l.segments);
    }
}

const anyp_algorithm_code anypi_exchange_code = {
    .summary = "any operator at any p and any length: few rounds, nearly the least volume",
    .source = "Rabenseifner & Träff 2004, section 2, with groups of any size that exchange "
              "directly",
    .blocks = blocks,
    .refusal = refusal,
    .cost = anypi_exchange_cost,
    .generate = generate,
};
