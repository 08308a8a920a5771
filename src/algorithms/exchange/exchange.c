/* SPDX-License-Identifier: BSD-3-Clause
 *
 * exchange - groups of neighbouring ranks join, k at a time, whatever their sizes are.
 *
 * A tree of groups (tree.h) has ceil(log_k p) levels. In a level that divides, each rank of a group
 * of s ranks comes to own one of s equal intervals of the vector: it receives the operands for it
 * from those who owned it in each child, one or two in each, and reduces them in the order of the
 * children. In a level that keeps, a rank keeps its interval, and receives it from one rank of each
 * other child. The lower levels divide, the upper ones keep; the dividing levels, turned round, then
 * gather the result. So vectors that are short take one round for each level and no second phase,
 * and long ones nearly the least volume, by the same tree and bracketing.
 *
 *   p = 13, k = 4, both levels divide. The children of the top are ranks 0-3, 4-6, 7-9, 10-12.
 *
 *   rank      0      1      2      3   |    4     5     6   |    7     8     9   |   10 ...
 *   owns first the whole vector, and after level 0
 *           [0,1/4)  ..2/4  ..3/4  ..1 | [0,1/3) ..2/3  ..1 | [0,1/3) ..2/3  ..1 | [0,1/3) ...
 *   after level 1 the j-th of 13 parts, j being
 *             0      4      8     12   |    1     5     9   |    2     6    10   |    3 ...
 *
 *   rank 5, level 0: gives [0,1/3) to 4 and [2/3,1) to 6, gets [1/3,2/3) from both
 *           level 1: has [1/3,2/3); keeps part 5, which it gets from 1, 8 and 11; gives the rest of
 *                    part 4 to 1, part 6 to 8, part 7 to 11, and the beginning of part 8 to 2
 *
 * Each part lies in the interval that the rank had before, as larger children come first. Intervals
 * begin at whole blocks: a position has up to 8 of them, or one, where more would be shorter than
 * `threshold`; then there are fewer messages, but lower intervals are less even.
 *
 * Where upper levels keep, all units (the groups that the last dividing level makes) divide the
 * vector into the same intervals, as many as the smallest unit has ranks. A unit has one rank more at
 * most: this extra rank also owns what another one of its unit owns, and gives it to nobody. In a
 * level that keeps, children that have a rank more than others have extra ranks in the same way.
 *
 * Cost with L levels of k(t) children, m(t) bytes of the largest interval after level t: a level that
 * divides takes alpha + (k(t)-1)m(t)*(2*beta + gamma) in both phases together, and alpha again; one
 * that keeps alpha + (k(t)-1)m(t)*(beta + gamma). If all groups of each height are of one size and
 * all levels divide that is 2L*alpha + (1-1/p)m*(2*beta + gamma), the least volume; p = 13, k = 4:
 * 4*alpha and 1.904 m*beta, 1.846 m being the least. Messages: k - 1 in each round, up to twice as
 * many where sizes differ, one more where there are extra ranks. cost.c has it all.
 * Plain copies: what the last child's rank reduces in its first level, unless the operator commutes
 * and nobody else reduces the same; in place the last interval instead. A reduce-scatter copies
 * all blocks into scratch, those of an interval side by side, and the result, as butterfly does.
 * Scratch: the operands of one level, and an interval of the first, twice in a reduce.
 * A reduce sends of this what is on a path to the root. A reduce-scatter always divides, in whole
 * blocks.
 *
 * Restrictions: none; any p, operator and root. For one p and radix all elements are bracketed
 * alike, whatever the length, threshold and root are.
 * Source: Rabenseifner & Träff 2004, section 2. There groups are of equal size and one of three is
 * eliminated where their number is odd; here groups of any size exchange directly, k at a time,
 * and a rank owns an interval of the vector instead of a half. What one message at a time cannot do
 * is in one-port.md.
 */
#include "algorithms/exchange/plan.h"
#include "algorithms/registry.h"

#include "core/ranks.h"
#include "core/schedule.h"
#include "core/set.h"

#include <limits.h>

static int blocks(const anyp_call *call, const int *parameters)
{
    anypi_exchange e;
    anypi_exchange_make(&e, call, parameters);
    return e.blocks;
}

/* ---- one rank in the tree ---- */

enum { NOBODY = -1 };

/* What is the same for all rounds of a rank. */
typedef struct self {
    anypi_exchange e;
    const anyp_call *call;
    int rank;
    bool reduces, scatters;     /* the collective */
    anypi_group groups[ANYPI_TREE_LEVELS + 1];  /* the rank's, per height, ... */
    int places[ANYPI_TREE_LEVELS + 1];          /* its places there, */
    int child[ANYPI_TREE_LEVELS];               /* and which child of the next one each is */
    anypi_range own[ANYPI_TREE_LEVELS + 1];     /* what it owns, per height */
    int needing[ANYPI_TREE_LEVELS + 1];         /* a reduce: the rank of its group that needs what
                                                 * the rank's position owns, per height from
                                                 * `dividing` on */
    anypi_accumulator sum;
    int changes;                /* levels to come that have to change the buffer of the sum */
    int cells;                  /* the buffer of operands that lie neither there nor at the goal */
} self;

static bool is_extra(const self *s, int height, anypi_group group, int place)
{
    return height == s->e.dividing && height > 0 && place == s->e.positions &&
        group.size > s->e.positions;
}

/* The position that an extra place of a unit shares: the units that one level joins differ. */
static int shared_position(const self *s, anypi_group unit)
{
    anypi_group group = anypi_tree_all(&s->e.tree);
    int sum = 0;
    for (int t = s->e.tree.levels - 1; t >= s->e.dividing; t--) {
        const int c = anypi_tree_child_of(&s->e.tree, t, group, unit.first);
        group = anypi_tree_child(&s->e.tree, t, group, c);
        sum += c;
    }
    return s->e.positions - 1 - sum % s->e.shareable;
}

/* What the rank at a place of a group of that height owns. */
static anypi_range owned(const self *s, int height, anypi_group group, int place)
{
    const anypi_division division = anypi_exchange_division(&s->e, height, group.size);
    if (is_extra(s, height, group, place)) {
        if (s->reduces)
            return (anypi_range) { 0, 0 };
        place = shared_position(s, group);
    }
    return anypi_exchange_interval(&s->e, division, place);
}

/* Does the rank own what the extra rank of its unit owns? */
static bool shares(const self *s, int t, anypi_group group)
{
    const anypi_range extra = owned(s, t + 1, group, s->e.positions);
    return s->own[t + 1].first == extra.first;
}

static anypi_range common(anypi_range a, anypi_range b)
{
    const anypi_range range = { a.first > b.first ? a.first : b.first,
                                a.end < b.end ? a.end : b.end };
    return range.first < range.end ? range : (anypi_range) { 0, 0 };
}

static bool is_empty(anypi_range range)
{
    return range.first >= range.end;
}

/* ---- keeping levels: who serves whom ---- */

/* Where a rank is in a child of level t: in which unit of it, and at which position. */
typedef struct seat {
    int child, unit, position;
    bool extra;                 /* it only shares the position */
} seat;

/* A group of height t as units: if no level divides, it is one unit, whose positions are all its
 * ranks but the last one of a larger group. */
static seat seat_of(const self *s, int t, anypi_group group, int rank)
{
    const anypi_tree *tree = &s->e.tree;
    seat at = { .child = anypi_tree_child_of(tree, t, group, rank) };
    const int children = anypi_tree_children(tree, t, group.size), least = group.size / children;
    group = anypi_tree_child(tree, t, group, at.child);
    if (s->e.dividing == 0) {
        at.position = rank - group.first;
        at.extra = at.position == least;
        if (at.extra)
            at.position = at.child % least;
        return at;
    }
    for (int below = t - 1; below >= s->e.dividing; below--) {
        const int c = anypi_tree_child_of(tree, below, group, rank);
        group = anypi_tree_child(tree, below, group, c);
        at.unit = at.unit * tree->radix[below] + c;
    }
    int place = 0, unit_of = 1;
    anypi_group inside = group;
    for (int below = s->e.dividing - 1; below >= 0 && inside.size > 1; below--) {
        const int k = anypi_tree_children(tree, below, inside.size);
        const int c = anypi_tree_child_of(tree, below, inside, rank);
        place += c * unit_of;
        unit_of *= k;
        inside = anypi_tree_child(tree, below, inside, c);
    }
    at.position = place;
    at.extra = place == s->e.positions;
    if (at.extra)
        at.position = shared_position(s, group);
    return at;
}

/* The rank of child c that has the same unit and position, or in that unit the extra one, NOBODY if
 * there is none. */
static int rank_of_seat(const self *s, int t, anypi_group group, int c, seat at, bool extra)
{
    const anypi_tree *tree = &s->e.tree;
    const int least = group.size / anypi_tree_children(tree, t, group.size);
    group = anypi_tree_child(tree, t, group, c);
    if (s->e.dividing == 0)
        return !extra ? group.first + at.position : group.size > least ? group.first + least
            : NOBODY;
    int units = 1;
    for (int below = s->e.dividing; below < t; below++)
        units *= tree->radix[below];
    for (int below = t - 1; below >= s->e.dividing; below--) {
        units /= tree->radix[below];
        group = anypi_tree_child(tree, below, group, at.unit / units % tree->radix[below]);
    }
    return !extra ? anypi_tree_rank(tree, s->e.dividing, group, at.position)
        : group.size > s->e.positions
        ? anypi_tree_rank(tree, s->e.dividing, group, s->e.positions) : NOBODY;
}

/* ---- operands and sums ---- */

/* One level of a rank that reduces in it. */
typedef struct level {
    int t, children, own;       /* the rank's child */
    anypi_range result;         /* the blocks that it reduces */
    bool may_exchange;          /* operands may change places */
    int at, goal;               /* the buffers of its operand and of the sum */
    bool copies;                /* its operand is copied to the goal first */
    int lands;                  /* the child whose operand is received at the goal, or NOBODY */
} level;

/* Blocks of a buffer, of which a reduce-scatter's OUT has one. */
static anyp_slice part(const self *s, int buffer, anypi_range range)
{
    if (buffer == ANYP_OUT && s->scatters)
        return anypi_slice(ANYP_OUT, s->rank, s->rank + 1);
    return anypi_slice(buffer, range.first, range.end);
}

/* Where a piece of the operand of child c lies. */
static anyp_slice operand(const self *s, const level *l, int c, anypi_range piece)
{
    if (c == l->own)
        return part(s, l->copies ? l->goal : l->at, piece);
    if (c == l->lands)
        return part(s, l->goal, piece);
    const int cell = c - (c > l->own) - (l->lands != NOBODY && c > l->lands);
    return anypi_slice(s->cells, piece.first + cell * s->e.blocks,
                       piece.end + cell * s->e.blocks);
}

static bool divides(const self *s, int t)
{
    return t < s->e.dividing;
}

/* Does the rank reduce in level t? */
static bool sums_in(const self *s, int t)
{
    if (s->groups[t].size == s->groups[t + 1].size)
        return false;           /* nobody to join */
    return divides(s, t) ? !is_empty(s->own[t + 1]) :
        !s->reduces || s->needing[t + 1] == s->rank;
}

/* Operands may change places if the operator commutes and no other rank reduces the same blocks. */
static bool may_exchange(const self *s, int t)
{
    if (!s->call->commutative)
        return false;
    const bool shared = t + 1 == s->e.dividing && s->groups[t + 1].size > s->e.positions;
    return s->reduces || (divides(s, t) && !shared);
}

/* Must the sum of level t go to another buffer than the operand? */
static bool must_change(const self *s, int t)
{
    const int children = anypi_tree_children(&s->e.tree, t, s->groups[t + 1].size);
    return sums_in(s, t) && !may_exchange(s, t) && s->child[t] < children - 1;
}

static level level_of(self *s, int t)
{
    const int at = s->sum.at, other = at == s->sum.home ? s->sum.spare : s->sum.home;
    level l = { .t = t, .own = s->child[t], .result = s->own[t + 1], .at = at,
                .may_exchange = may_exchange(s, t), .lands = NOBODY,
                .children = anypi_tree_children(&s->e.tree, t, s->groups[t + 1].size) };
    const bool last = l.own == l.children - 1;
    s->changes -= must_change(s, t);
    if (s->scatters && t == s->e.tree.levels - 1 && (!last || l.may_exchange))
        l.goal = ANYP_OUT;
    else if (at == ANYP_IN || l.may_exchange)
        l.goal = s->changes % 2 ? s->sum.spare : s->sum.home;
    else
        l.goal = last ? at : other;
    l.copies = at == ANYP_IN && last && !l.may_exchange;
    if (l.goal != at && !l.copies)
        l.lands = l.children - 1 - last;
    return l;
}

/* Reduces the operands from the right: o(0) (+) (o(1) (+) ...). The sum moves to the goal as soon as
 * one of its operands is there. */
static void add_up(self *s, const level *l, anyp_schedule *schedule)
{
    anyp_slice sum = operand(s, l, l->children - 1, l->result);
    if (l->copies)
        anypi_copy(schedule, part(s, l->at, l->result), part(s, l->goal, l->result));
    for (int c = l->children - 2; c >= 0; c--) {
        const anyp_slice left = operand(s, l, c, l->result);
        if (left.buffer == l->goal) {
            anypi_reduce(schedule, sum, left);
            sum = left;
        } else {
            anypi_reduce(schedule, left, sum);
        }
    }
    s->sum.at = l->goal;
}

/* ---- rounds ---- */

/* A keeping level: the rank gives what it owns to the ranks that it serves, and receives the same
 * from each other child. */
static void keep(self *s, int t, anyp_schedule *schedule)
{
    const anypi_tree *tree = &s->e.tree;
    const anypi_group group = s->groups[t + 1];
    const int children = anypi_tree_children(tree, t, group.size);
    const seat own = seat_of(s, t, group, s->rank);
    const anyp_slice mine = part(s, s->sum.at, s->own[t]);
    anypi_round(schedule);
    if (s->reduces && s->needing[t] == s->rank && s->needing[t + 1] != s->rank)
        anypi_send(schedule, s->needing[t + 1], mine);
    for (int i = 1; i < children && !s->reduces && !own.extra; i++) {
        const int c = anypi_mod(own.child + i - children, children);
        const int extra = rank_of_seat(s, t, group, c, own, true);
        anypi_send(schedule, rank_of_seat(s, t, group, c, own, false), mine);
        if (extra != NOBODY && seat_of(s, t, group, extra).position == own.position)
            anypi_send(schedule, extra, mine);
    }
    if (!sums_in(s, t))
        return;
    const level l = level_of(s, t);
    for (int i = 1; i < children; i++) {
        const int c = anypi_mod(own.child - i, children);
        anypi_recv(schedule, rank_of_seat(s, t, group, c, own, false),
                   operand(s, &l, c, l.result));
    }
    add_up(s, &l, schedule);
}

/* The extra rank of a group of that height, if it is a unit that has one; else NOBODY. */
static int extra_of(const self *s, int height, anypi_group group)
{
    return is_extra(s, height, group, s->e.positions)
        ? anypi_tree_rank(&s->e.tree, height, group, s->e.positions) : NOBODY;
}

/* The owners of some blocks in the group that level t makes, or in one of its children, one after
 * the other, but for the rank itself. */
typedef struct owners {
    const self *s;
    int t;
    anypi_group group;
    bool joined;                /* the group that level t makes */
    anypi_range range;
    anypi_division division;
    int first, count, next, left;
    bool with_extra;            /* the extra rank is behind the others */
} owners;

/* They begin behind the rank's own place, if that is one of them, so that all ranks begin with
 * different ones. */
static owners owners_of(const self *s, int t, anypi_group group, bool joined, anypi_range range,
                        bool with_extra)
{
    const int height = t + joined;
    owners o = { .s = s, .t = t, .group = group, .joined = joined, .range = range,
                 .division = anypi_exchange_division(&s->e, height, group.size) };
    if (is_empty(range))
        return o;
    const int near = joined ? s->places[t + 1] - s->child[t] : s->places[t];
    o.first = anypi_exchange_owner(&s->e, o.division, range.first, near);
    o.count = anypi_exchange_owner(&s->e, o.division, range.end - 1, o.first) + 1 - o.first;
    o.with_extra = with_extra && is_extra(s, height, group, s->e.positions);
    const int own = joined ? s->places[t + 1] - o.first : NOBODY;
    o.next = own >= 0 && own < o.count ? own + 1 : 0;
    o.count += o.with_extra;
    o.left = o.count;
    return o;
}

/* Groups of the same size look alike: the same place is as far from the first rank. */
static int rank_like_own(const self *s, int t, anypi_group child, int place)
{
    return place == s->places[t] && child.size == s->groups[t].size
        ? child.first + s->rank - s->groups[t].first
        : anypi_tree_rank(&s->e.tree, t, child, place);
}

static int owner_at(const owners *o, int place)
{
    const self *s = o->s;
    if (!o->joined)
        return rank_like_own(s, o->t, o->group, place);
    const int k = anypi_tree_children(&s->e.tree, o->t, o->group.size);
    const int c = place - (s->places[o->t + 1] - s->child[o->t]);
    const bool beside = c >= 0 && c < k;
    return rank_like_own(s, o->t, anypi_tree_child(&s->e.tree, o->t, o->group, beside ? c : place % k),
                         beside ? s->places[o->t] : place / k);
}

static bool next_owner(owners *o, int *peer, anypi_range *piece)
{
    const self *s = o->s;
    while (o->left-- > 0) {
        const int i = o->next < o->count ? o->next : 0;
        const bool is_last = i == o->count - 1 && o->with_extra;
        const int place = is_last ? s->e.positions : o->first + i;
        o->next = i + 1;
        *peer = owner_at(o, place);
        *piece = common(o->range, is_last ? owned(s, o->t + o->joined, o->group, place)
                        : anypi_exchange_interval(&s->e, o->division, place));
        if (*peer != s->rank && !is_empty(*piece))
            return true;
    }
    return false;
}

/* A dividing level: each rank gives to the group's new owners what they will own, and receives the
 * operands of what it owns. */
static void divide(self *s, int t, anyp_schedule *schedule)
{
    const anypi_group group = s->groups[t + 1];
    owners to = owners_of(s, t, group, true, s->own[t], true);
    anypi_range piece;
    int peer;
    anypi_round(schedule);
    while (next_owner(&to, &peer, &piece))
        anypi_send(schedule, peer, part(s, s->sum.at, piece));
    if (!sums_in(s, t))
        return;
    const level l = level_of(s, t);
    for (int i = 1; i <= l.children; i++) {
        const int c = anypi_mod(l.own - i, l.children);
        const anypi_group child = anypi_tree_child(&s->e.tree, t, group, c);
        owners from = owners_of(s, t, child, false, l.result, false);
        while (next_owner(&from, &peer, &piece))
            anypi_recv(schedule, peer, operand(s, &l, c, piece));
    }
    add_up(s, &l, schedule);
}

/* A dividing level turned round: who owned some of a rank's blocks before gets their result; in a
 * reduce only ranks of the root's child, and so at last the root. */
static void gather(const self *s, int t, anyp_schedule *schedule)
{
    const anypi_tree *tree = &s->e.tree;
    const anypi_group group = s->groups[t + 1];
    const int root = s->call->root, extra = extra_of(s, t + 1, group);
    const int children = anypi_tree_children(tree, t, group.size);
    anypi_range piece;
    int peer, wanted = NOBODY;          /* the child, if not all */
    if (s->reduces && (root < group.first || root >= group.first + group.size))
        return;
    if (s->reduces)
        wanted = anypi_tree_child_of(tree, t, group, root);
    anypi_round(schedule);
    for (int i = 1; i <= children && extra != s->rank; i++) {
        const int c = anypi_mod(s->child[t] + i - children, children);
        const anypi_group child = anypi_tree_child(tree, t, group, c);
        owners to = owners_of(s, t, child, false, s->own[t + 1], false);
        while ((wanted == NOBODY || wanted == c) && next_owner(&to, &peer, &piece))
            if (peer != extra || s->reduces || !shares(s, t, group))
                anypi_send(schedule, peer, part(s, s->sum.at, piece));
    }
    owners from = owners_of(s, t, group, true, s->own[t], false);
    while ((wanted == NOBODY || wanted == s->child[t]) && next_owner(&from, &peer, &piece))
        if (is_empty(common(piece, s->own[t + 1])))
            anypi_recv(schedule, peer, part(s, s->sum.at, piece));
}

/* ---- the whole ---- */

/* Everything but the accumulator. */
static void find_self(self *s, const anyp_call *call, const int *parameters)
{
    anypi_exchange_make(&s->e, call, parameters);
    const anypi_tree *tree = &s->e.tree;
    s->call = call;
    s->rank = call->rank;
    s->reduces = call->collective == ANYP_REDUCE;
    s->scatters = anypi_scatters(call);
    s->changes = 0;
    s->places[0] = 0;
    const int levels = tree->levels, keeps = s->e.dividing;
    s->groups[levels] = anypi_tree_all(tree);
    for (int t = levels - 1; t >= 0; t--) {
        s->child[t] = anypi_tree_child_of(tree, t, s->groups[t + 1], s->rank);
        s->groups[t] = anypi_tree_child(tree, t, s->groups[t + 1], s->child[t]);
    }
    s->own[0] = (anypi_range) { 0, s->e.blocks };
    for (int t = 0; t < levels; t++) {
        const int children = anypi_tree_children(tree, t, s->groups[t + 1].size);
        s->places[t + 1] = s->places[t] * children + s->child[t];
        s->own[t + 1] = divides(s, t) ? owned(s, t + 1, s->groups[t + 1], s->places[t + 1])
            : s->own[t];
    }
    if (!s->reduces)
        return;
    /* a reduce: the result goes to the root's unit, and there to the rank's position */
    anypi_group unit = s->groups[levels];
    for (int t = levels - 1; t >= keeps; t--)
        unit = anypi_tree_child(tree, t, unit, anypi_tree_child_of(tree, t, unit, s->call->root));
    const bool takes_part = !is_extra(s, keeps, s->groups[keeps], s->places[keeps]);
    int needing = !takes_part ? NOBODY : keeps == 0 ? s->call->root
        : anypi_tree_rank(tree, keeps, unit, s->places[keeps]);
    s->needing[levels] = needing;
    for (int t = levels - 1; t >= keeps; t--) {
        const anypi_group group = s->groups[t + 1];
        if (needing != NOBODY && anypi_tree_child_of(tree, t, group, needing) != s->child[t])
            needing = rank_of_seat(s, t, group, s->child[t], seat_of(s, t, group, needing), false);
        s->needing[t] = needing;
    }
}

/* Scratch for operands holds only what the rank reduces. */
static void make_room(const self *s, anyp_schedule *schedule)
{
    anypi_range room = { INT_MAX, 0 };
    for (int t = 0; t < s->e.tree.levels; t++) {
        if (!sums_in(s, t))
            continue;
        room.first = s->own[t + 1].first < room.first ? s->own[t + 1].first : room.first;
        room.end = s->own[t + 1].end > room.end ? s->own[t + 1].end : room.end;
    }
    if (!is_empty(room))
        anypi_scratch_window(schedule, s->cells, room.first, room.end);
}

static void reduce(self *s, anyp_schedule *schedule)
{
    for (int t = 0; t < s->e.tree.levels; t++)
        s->changes += must_change(s, t);
    make_room(s, schedule);
    for (int t = 0; t < s->e.tree.levels; t++) {
        if (s->groups[t].size == s->groups[t + 1].size)
            continue;
        (divides(s, t) ? divide : keep)(s, t, schedule);
    }
}

/* Each rank gets its own block: first of all, the blocks of each interval are put side by side. */
static void scatter(self *s, anyp_schedule *schedule)
{
    const int levels = s->e.tree.levels;
    int *order = s->call->p > 1 ? anypi_schedule_order(schedule) : NULL;
    if (s->call->p == 1)
        anypi_copy(schedule, part(s, ANYP_IN, s->own[0]), part(s, ANYP_OUT, s->own[0]));
    if (!order)
        return;
    anypi_tree_ranks(&s->e.tree, order);
    anypi_accumulator_pack(&s->sum, schedule);
    reduce(s, schedule);
    if (s->sum.at != ANYP_OUT)
        anypi_copy(schedule, part(s, s->sum.at, s->own[levels]),
                   part(s, ANYP_OUT, s->own[levels]));
}

static void generate(const anyp_call *call, const int *parameters, anyp_schedule *schedule)
{
    self s;
    find_self(&s, call, parameters);
    const bool has_out = !s.reduces || call->rank == call->root;
    s.sum = anypi_accumulator_begin(call, 0);
    s.cells = s.sum.spare + 1;
    if (s.scatters) {
        scatter(&s, schedule);
        return;
    }
    reduce(&s, schedule);
    if (has_out)
        anypi_accumulator_end(&s.sum, s.own[s.e.tree.levels], schedule);
    for (int t = s.e.dividing - 1; t >= 0; t--)
        if (s.groups[t].size < s.groups[t + 1].size)
            gather(&s, t, schedule);
}

const anyp_algorithm_code anypi_exchange_code = {
    .sentence = "any operator at any p and any length: few rounds, nearly the least volume",
    .source = "Rabenseifner & Träff 2004, section 2, with groups of any size that exchange directly",
    .blocks = blocks,
    .cost = anypi_exchange_cost,
    .generate = generate,
};
