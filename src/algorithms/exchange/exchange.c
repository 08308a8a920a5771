/* SPDX-License-Identifier: BSD-3-Clause
 *
 * exchange - recursive multiplying (also called recursive exchange) for any number of processes.
 *
 * Groups of neighbouring ranks join as in recursive doubling, but k at a time, and of any sizes, in
 * a tree with ceil(log_k p) levels (tree.h). In a dividing level, each of the s ranks of the joined
 * group gets its own of s equal intervals of the vector: it receives the operands for it from their
 * owners in each child, one or two in each, and reduces them in the order of the children. In a
 * replicating level, a rank receives its interval from one rank of each other child, and reduces as
 * well. The lower levels divide, the upper ones replicate; then the dividing levels, in reverse
 * order, gather the result. So a short vector takes one round per level, and a long one nearly the
 * least volume.
 *
 * Elsewhere, recursive multiplying folds surplus ranks first where p is no power of k. Here no rank
 * is folded: any p takes as many rounds as the next power of k, any operator is applied in rank
 * order, all elements have one bracketing, at any length, and the volume is nearly the least. We
 * know of no algorithm with all of these.
 *
 *    p = 13, k = 4, both levels divide. The children of the top are ranks 0-3, 4-6, 7-9, 10-12.
 *
 *    rank      0      1      2      3   |    4     5     6   |    7     8     9   |   10 ...
 *    owns first the whole vector, and after level 0
 *            [0,1/4)  ..2/4  ..3/4  ..1 | [0,1/3) ..2/3  ..1 | [0,1/3) ..2/3  ..1 | [0,1/3) ...
 *    after level 1 interval j of 13, with j =
 *              0      4      8     12   |    1     5     9   |    2     6    10   |    3 ...
 *
 *    rank 5, level 0: sends [0,1/3) to 4 and [2/3,1) to 6, receives [1/3,2/3) from both
 *            level 1: receives interval 5 from 1, 8 and 11; sends the rest of interval 4 to 1,
 *                     intervals 6 and 7 to 8 and 11, and the beginning of interval 8 to 2
 *
 * Each interval is within the one that the rank owned before, because larger children come first.
 * It has 1 to 8 whole blocks, of at least `threshold` bytes each: with fewer blocks there are fewer
 * messages, but the intervals of lower levels are less even.
 *
 * Where upper levels replicate, the groups below them, the owner groups, all have the same
 * intervals, as many as the smallest of them has ranks. A larger one has one surplus rank, which
 * shares the interval of another rank and sends it to nobody (plan.h).
 *
 * On nodes (groups=nodes), the ranks of each node exchange first, by a tree of their own, then
 * nodes exchange, in lanes (lanes.h). If one level joins all n nodes, of any sizes, the network
 * card of a node carries 2(1 - 1/n)m, the minimum, otherwise nearly that. With several segments,
 * nodes exchange one while their ranks exchange the next (segments.h).
 *
 * Cost: a level whose groups have k children, and ranks intervals of m' bytes after it, takes
 * alpha + (k-1)m'(beta + gamma), and if it divides alpha + (k-1)m'*beta again when the result is
 * gathered. If all L levels divide and all groups of each height are of one size, that is
 * 2L*alpha + (1-1/p)m(2*beta + gamma), the minimum volume; else cost.c takes the maximum of all
 * ranks in each level. p = 13, k = 4: 4 rounds; a rank sends 1.904 m at most (1.846 m is the lower
 * bound), and the critical path has 2.02 m, as different levels have different slowest ranks.
 * Messages of a rank in a round: k - 1; up to twice as many where sizes differ, and one more for
 * each other child with a surplus rank. Each rank waits for its whole group in each round, so
 * pacing has no benefit (test_exchange.c, late_ranks).
 * Plain copies: a rank of the last child copies its operand in its first level, unless the operator
 * commutes and no other rank reduces the same blocks. In place, some ranks copy their last interval
 * instead. For reproducible results, the right operand of a pair is copied if it is in IN. A
 * reduce-scatter of several levels, or in place, copies all blocks into scratch, and perhaps the
 * result.
 * Scratch: the operands of one level, and an interval of the first level, twice in a reduce.
 * A reduce sends only what is on a path to the root. A reduce-scatter always divides, in whole
 * blocks; or, if the largest block has more than `threshold` bytes above the average one, in
 * intervals of about equal bytes, whose parts it sends to their owners in a last round
 * (shared/balance.h): the largest block travels once more, instead of k - 1 times in each level.
 *
 * Restrictions: nodes whose ranks are not consecutive need an operator that commutes. The
 * bracketing depends on p, radix and, with nodes, node_radix. For reproducible results it is the
 * tree of schedule/bracketing.h at any radix 2^i: the children of a group are its nodes i halvings
 * below, and operands are reduced in pairs, not from the right. Nodes are ignored then.
 * Source: Rabenseifner & Träff 2004, section 2. There groups are of equal size, and one of three is
 * eliminated where their number is odd. Relatives: MPICH's recexch folds; Kolmakov & Zhang 2020
 * (arXiv 2004.09362) take any p, in cyclic order. The limits of one message at a time are in
 * one-port.md.
 */
#include "algorithms/exchange/cost.h"
#include "algorithms/exchange/lanes.h"
#include "algorithms/exchange/segments.h"
#include "algorithms/registry.h"
#include "algorithms/shared/balance.h"

#include "schedule/bracketing.h"
#include "schedule/memory.h"
#include "schedule/collectives.h"
#include "schedule/schedule.h"

#include <limits.h>

static int blocks(const anyp_call *call, const int *parameters)
{
    if (anypi_exchange_balances(call, parameters))
        return call->p * anypi_balance_parts(call);
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

typedef enum exchange_scope {
    INSIDE, ACROSS              /* nodes */
} exchange_scope;

/* The state of one rank. */
typedef struct state {
    anypi_lanes l;
    anypi_member inside, across;
    exchange_scope scope;       /* of the exchange that is generated now, */
    const anypi_member *m;      /* and the rank's member of it */
    int base;                   /* the first block of the lane, across nodes */
    int *starts;                /* see anypi_lanes_order() */
    anypi_accumulator sum;
    int receive_buffer;         /* for all operands but the rank's own and one more */
    anypi_segment_rounds rounds;
    anyp_schedule *schedule;
} state;

static void select_scope(state *s, exchange_scope scope)
{
    s->scope = scope;
    s->m = scope == ACROSS ? &s->across : &s->inside;
}

/* Selects the rank's i-th lane; false if it does not own that many. Inside there is one. */
static bool select_lane(state *s, int i)
{
    const int lane = s->scope == ACROSS ? s->l.first + i : i;
    const bool has = lane < (s->scope == ACROSS ? s->l.end : 1);
    if (has)
        s->base = lane * s->l.width;
    return has;
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

/* The blocks of the schedule for those of an exchange. */
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

/* A part of the operand of child c. */
static anyp_slice operand(const state *s, const level *l, int c, anypi_range range)
{
    if (c == l->own && !l->moves)
        return part(s, l->copies ? l->sum : l->at, range);
    if (c == l->direct)
        return part(s, l->sum, range);
    const bool one_direct = l->direct != ANYPI_NOBODY;
    const int index = c == l->own ? l->children - 1 - one_direct
        : c - (c > l->own) - (one_direct && c > l->direct);
    const int before = index * s->schedule->blocks;
    range = range_of(s, range);
    return anypi_slice(s->receive_buffer, range.first + before, range.end + before);
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

/* The levels of an exchange after which the rank's sum must be in another buffer. */
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

/* Reduces the operands of level t from the right: o(0) (+) (o(1) (+) ...). The sum moves to its
 * buffer as soon as one of its operands is there. */
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
static int rank_of(state *s, int peer)
{
    anypi_lanes *l = &s->l;
    if (s->scope == INSIDE)
        return anypi_lanes_rank(l, l->node, peer);
    return anypi_lanes_rank(l, peer, l->replicas ? anypi_lanes_source(l, peer)
                            : anypi_lanes_owner(l, peer, s->base / l->width));
}

/* Sends a part of each of the rank's lanes. */
static void send_range(state *s, int peer, anypi_range range)
{
    anypi_lanes *l = &s->l;
    const bool one = s->scope == INSIDE || !l->replicas || l->reduces;
    if (!l->nodes) {            /* for speed, here and below: one lane */
        anypi_send(s->schedule, peer, part(s, s->sum.at, range));
        return;
    }
    for (int i = 0; select_lane(s, i); i++) {
        const anyp_slice slice = part(s, s->sum.at, range);
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
static void receive_operand(state *s, const level *l, int c, int peer, anypi_range range)
{
    if (!s->l.nodes)
        anypi_recv(s->schedule, peer, operand(s, l, c, range));
    else
        for (int i = 0; select_lane(s, i); i++)
            anypi_recv(s->schedule, rank_of(s, peer), operand(s, l, c, range));
}

/* Receives a part of the result, for each of the rank's lanes. */
static void receive_result(state *s, int peer, anypi_range range)
{
    if (!s->l.nodes)
        anypi_recv(s->schedule, peer, part(s, s->sum.at, range));
    else
        for (int i = 0; select_lane(s, i); i++)
            anypi_recv(s->schedule, rank_of(s, peer), part(s, s->sum.at, range));
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
static void send_to_root(state *s, int t)
{
    const anypi_member *m = s->m;
    if (m->needing[t] == m->rank && m->needing[t + 1] != m->rank)
        send_range(s, m->needing[t + 1], m->own[t]);
}

/* A replicating level: the rank sends what it owns, and receives the same blocks from each other
 * child. */
static void replicate(state *s, int t)
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
    if (!sums_in(m, t))
        return;
    const level l = level_of(s, t);
    for (int i = children - 1; i > 0; i--) {
        const int c = child_after(m, t, i);
        receive_operand(s, &l, c, anypi_member_source(m, t, c, own), l.result);
    }
    for (int i = 0; select_lane(s, i); i++)
        add_up(s, t, &l);
    s->sum.at = l.sum;
}

/* A dividing level: each rank sends the group's new owners what they will own, and receives the
 * operands of what it will own. */
static void divide(state *s, int t)
{
    const anypi_member *m = s->m;
    anypi_owners to = anypi_owners_after(m, t, true);
    anypi_range range;
    int peer;
    while (anypi_owners_next(&to, &peer, &range))
        send_range(s, peer, range);
    if (!sums_in(m, t))
        return;
    const level l = level_of(s, t);
    for (int i = l.children - 1; i >= 0; i--) {
        const int c = child_after(m, t, i);
        anypi_owners from = anypi_owners_before(m, t, c);
        while (anypi_owners_next(&from, &peer, &range))
            receive_operand(s, &l, c, peer, range);
    }
    for (int i = 0; select_lane(s, i); i++)
        add_up(s, t, &l);
    s->sum.at = l.sum;
}

/* A dividing level, reversed: ranks that owned some of a rank's blocks before get their result;
 * in a reduce only ranks of the root's child, and finally the root. */
static void gather(state *s, int t)
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

/* ---- exchanges ---- */

/* A round, which some ranks may leave empty. */
static void begin_round(state *s)
{
    anypi_round(s->schedule);
    s->rounds.first[s->rounds.count++] = s->schedule->steps_count;
}

/* Empty rounds for levels that only other ranks have. */
static void empty_rounds(state *s, int rounds)
{
    while (rounds-- > 0)
        begin_round(s);
}

/* The levels of an exchange, upwards. */
static void reduce_phase(state *s, exchange_scope scope)
{
    select_scope(s, scope);
    for (int t = 0; t < s->m->e.tree.levels; t++) {
        begin_round(s);
        if (anypi_member_joins(s->m, t))
            (anypi_member_divides(s->m, t) ? divide : replicate)(s, t);
    }
}

/* The dividing levels, downwards. */
static void gather_phase(state *s, exchange_scope scope)
{
    select_scope(s, scope);
    for (int t = s->m->e.dividing - 1; t >= 0; t--) {
        begin_round(s);
        if (anypi_member_joins(s->m, t))
            gather(s, t);
    }
}

/* Extends `window` by the blocks that the rank reduces in an exchange. */
static void extend_window(state *s, exchange_scope scope, anypi_range *window)
{
    select_scope(s, scope);
    const anypi_member *m = s->m;
    for (int i = 0; select_lane(s, i); i++)
        for (int t = 0; t < m->e.tree.levels; t++) {
            const anypi_range range = range_of(s, m->own[t + 1]);
            if (!sums_in(m, t) || anypi_range_empty(range))
                continue;
            window->first = range.first < window->first ? range.first : window->first;
            window->end = range.end > window->end ? range.end : window->end;
        }
}

/* The receive buffer has only the blocks that the rank reduces. */
static void set_window(state *s)
{
    anypi_range window = { INT_MAX, 0 };
    extend_window(s, INSIDE, &window);
    extend_window(s, ACROSS, &window);
    if (!anypi_range_empty(window))
        anypi_scratch_window(s->schedule, s->receive_buffer, window.first, window.end);
}

/* Copies what the rank has reduced to `buffer`, if it is not there. */
static void finish(state *s, int buffer)
{
    const anypi_range own = s->across.own[s->across.e.tree.levels];
    select_scope(s, ACROSS);
    for (int i = 0; s->sum.at != buffer && select_lane(s, i); i++)
        anypi_copy(s->schedule, part(s, s->sum.at, own), part(s, buffer, own));
    s->sum.at = buffer;
}

/* ---- the whole ---- */

static bool is_natural(const int *order, int blocks)
{
    int i = 0;
    while (i < blocks && order[i] == i)
        i++;
    return i == blocks;
}

/* Each rank gets its own block: first, copies make the blocks of each interval adjacent, unless
 * they are in IN, and OUT does not overwrite it. */
static void scatter(state *s, const anyp_call *call)
{
    if (s->schedule->p == 1) {
        finish(s, ANYP_OUT);
        return;
    }
    const int packed = s->l.lanes * s->l.count;
    int *order = anypi_schedule_order(s->schedule);
    if (!order)
        return;
    if (!anypi_lanes_even(&s->l)) {
        s->starts = anypi_realloc(NULL, ((size_t) packed + 1) * sizeof *s->starts);
        if (!s->starts) {
            anypi_schedule_fail(s->schedule, ANYP_ERR_MEMORY);
            return;
        }
    }
    anypi_lanes_order(&s->l, &s->across.e.tree, order, s->starts);
    if (!call->in_place && is_natural(order, s->schedule->blocks))
        s->schedule->order = NULL;      /* intervals are where they are in IN */
    set_window(s);
    if (s->schedule->order)
        anypi_accumulator_pack(&s->sum, s->schedule);
    reduce_phase(s, INSIDE);
    reduce_phase(s, ACROSS);
    finish(s, ANYP_OUT);
    anypi_free(s->starts);
}

static void generate(const anyp_call *call, const int *parameters, anyp_schedule *schedule)
{
    if (anypi_exchange_balances(call, parameters)) {
        const anyp_call even = anypi_balance_call(call);
        anyp_schedule intervals;
        anyp_schedule_init(&intervals);
        anypi_schedule_begin(&intervals, call->p, call->rank, call->p);
        generate(&even, parameters, &intervals);
        const anyp_status status = anypi_schedule_end(&intervals);
        if (status == ANYP_SUCCESS)
            anypi_balance(call, &intervals, schedule);
        else
            anypi_schedule_fail(schedule, status);
        anyp_schedule_free(&intervals);
        return;
    }
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
    s.receive_buffer = s.sum.temporary + 1;
    if (anypi_scatters(call)) {
        scatter(&s, call);
        return;
    }
    set_window(&s);
    empty_rounds(&s, s.l.levels - s.inside.e.tree.levels);
    reduce_phase(&s, INSIDE);
    if (lanes)
        reduce_phase(&s, ACROSS);
    else
        empty_rounds(&s, s.across.e.tree.levels);
    if (call->collective == ANYP_ALLREDUCE || call->rank == call->root)
        finish(&s, s.sum.result);
    if (lanes)
        gather_phase(&s, ACROSS);
    else
        empty_rounds(&s, s.across.e.dividing);
    if (call->collective == ANYP_ALLREDUCE || s.l.node == s.l.root_node)
        gather_phase(&s, INSIDE);
    if (s.l.segments > 1) {
        s.rounds.width = s.l.width;
        s.rounds.first[s.rounds.count] = schedule->steps_count;
        anypi_exchange_repeat(schedule, &s.rounds, s.l.segments);
    }
}

const anyp_algorithm_code anypi_exchange_code = {
    .summary = "recursive multiplying for any p, operator and length: nearly the least volume",
    .source = "Rabenseifner & Träff 2004, section 2, with groups of any size that exchange "
              "directly",
    .blocks = blocks,
    .refusal = refusal,
    .cost = anypi_exchange_cost,
    .time = anypi_exchange_time,
    .tries = anypi_exchange_tries,
    .generate = generate,
};
