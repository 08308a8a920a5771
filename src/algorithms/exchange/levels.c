/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/exchange/levels.h"

#include "schedule/bracketing.h"
#include "schedule/collectives.h"
#include "schedule/ranks.h"

/* ---- the levels of the rank ---- */

/* Operands may be exchanged if the operator commutes and no other rank reduces the same blocks. */
static bool may_exchange(const anypi_levels *s, const anypi_level *l)
{
    return s->call->commutative && (s->reduces || l->divides);
}

/* The child that is the i-th from the left. */
static int from_left(const anypi_levels *s, const anypi_level *l, int i)
{
    const anypi_team *team = &l->team;
    return anypi_tree_from_left(anypi_machine_tree(s->m, team->height, team->size), team->t - 1,
                                team->run.size, i);
}

static bool is_last(const anypi_levels *s, const anypi_level *l)
{
    return l->child == from_left(s, l, l->children - 1);
}

/* The base that a team is. */
static int base_of(const anypi_machine *m, const anypi_team *team)
{
    int base, end;
    anypi_team_bases(m, team, &base, &end);
    return base;
}

/* Sets the levels, and the base, of the rank. */
static void find_levels(anypi_levels *s)
{
    anypi_team team = anypi_team_all(s->m);
    bool in_base = false;
    for (s->count = 0; team.height > 0; s->count++) {
        anypi_level *l = &s->level[s->count];
        l->team = team;
        l->divides = anypi_team_divides(s->m, &team);
        if (l->divides && !in_base)
            s->base = base_of(s->m, &team);
        in_base = l->divides;
        l->children = anypi_team_children(s->m, &team);
        l->child = anypi_team_child_of(s->m, &team, s->position);
        team = anypi_team_child(s->m, &team, l->child);
    }
    if (!in_base)
        s->base = base_of(s->m, &team);
}

/* Sets what the rank owns before and after each level. */
static void find_intervals(anypi_levels *s)
{
    anypi_range own = { 0, s->m->blocks };
    for (int i = s->count - 1; i >= 0; i--) {
        anypi_level *l = &s->level[i];
        l->before = own;
        if (l->divides) {
            const anypi_owners owners = anypi_owners_of(&s->lists, &l->team);
            const int which = anypi_owner_with(&owners, s->position);
            own = which == ANYPI_NOBODY ? (anypi_range) { 0, 0 }
                : (anypi_range) { anypi_owner_begin(&owners, which),
                                  anypi_owner_begin(&owners, which + 1) };
        }
        l->after = own;
    }
    s->own = own;
}

/* The bases of child c of a level. */
static void bases_of_child(const anypi_levels *s, const anypi_level *l, int c, int *first, int *end)
{
    const anypi_team child = anypi_team_child(s->m, &l->team, c);
    anypi_team_bases(s->m, &child, first, end);
}

/* The base of child c from which a base of another child of a level receives. If child c has fewer
 * bases, those that are left over in different children choose different ones. */
static int source_base(const anypi_levels *s, const anypi_level *l, int base, int child, int c)
{
    int first, end, own_first, own_end;
    bases_of_child(s, l, c, &first, &end);
    bases_of_child(s, l, child, &own_first, &own_end);
    const int own = base - own_first, count = end - first;
    return first + (own < count ? own : (int) (((int64_t) own - count + child) % count));
}

/* A reduce: sets which base needs the sum, per level. */
static void find_targets(anypi_levels *s)
{
    anypi_team team = anypi_team_all(s->m);
    while (!anypi_team_divides(s->m, &team) && team.height > 0)
        team = anypi_team_child(s->m, &team, anypi_team_child_of(s->m, &team, s->root));
    int target = base_of(s->m, &team);
    for (int i = 0; i < s->count && !s->level[i].divides; i++) {
        anypi_level *l = &s->level[i];
        l->target = target;
        const anypi_team base = anypi_machine_base(s->m, target);
        int first, end;
        anypi_team_positions(s->m, &base, &first, &end);
        const int child = anypi_team_child_of(s->m, &l->team, first);
        if (child != l->child)
            target = source_base(s, l, target, child, l->child);
    }
}

/* The target of the rank's child in a replicating level. */
static int target_below(const anypi_levels *s, int i)
{
    const anypi_level *l = &s->level[i];
    const bool is_base = i == s->count - 1 || s->level[i + 1].divides;
    return is_base ? s->base : l[1].target;
}

bool anypi_levels_begin(anypi_levels *s, const anyp_call *call, anypi_machine *m)
{
    s->call = call;
    s->m = m;
    s->reduces = call->collective == ANYP_REDUCE;
    s->scatters = anypi_scatters(call);
    s->position = anypi_machine_position(m, call->rank);
    s->root = anypi_machine_position(m, call->root);
    s->lists = (anypi_owner_lists) { .m = m };
    find_levels(s);
    find_intervals(s);
    if (s->reduces)
        find_targets(s);
    int changes = 0;
    for (int i = s->count - 1; i >= 0; i--) {
        anypi_level *l = &s->level[i];
        l->sums = !anypi_range_empty(l->after) &&
            (l->divides || !s->reduces || l->target == s->base);
        changes += l->sums && !may_exchange(s, l) && !is_last(s, l);
    }
    s->sum = anypi_accumulator_begin(call, changes);
    s->receive_buffer = s->sum.temporary + 1;
    return !s->lists.failed;
}

void anypi_levels_window(anypi_levels *s, int first, int end, int buffer)
{
    anypi_range window = { s->m->blocks, 0 };
    for (int i = first; i < end; i++)
        if (s->level[i].sums) {
            window.first = anypi_min(window.first, s->level[i].after.first);
            window.end = anypi_max(window.end, s->level[i].after.end);
        }
    if (!anypi_range_empty(window))
        anypi_scratch_window(s->schedule, buffer, window.first, window.end);
}

/* ---- operands and sums ---- */

/* The operands of a level. */
typedef struct operands {
    const anypi_level *level;
    int at, sum;                /* the buffers of the rank's operand and of the sum */
    int last;                   /* the child whose operand is the last one */
    bool copies;                /* the rank's operand is copied to the buffer of the sum first, */
    bool moves;                 /* or to the end of the receive buffer */
    int direct;                 /* the child whose operand is received into the buffer of the sum,
                                 * or ANYPI_NOBODY */
} operands;

static anypi_vector sum_place(const anypi_levels *s)
{
    return (anypi_vector) { .buffer = s->sum.at };
}

/* Where the operand of child c is. */
static anypi_vector operand(const anypi_levels *s, const operands *o, int c)
{
    const int own = o->level->child;
    if (c == own && !o->moves)
        return (anypi_vector) { .buffer = o->copies ? o->sum : o->at };
    if (c == o->direct)
        return (anypi_vector) { .buffer = o->sum };
    const bool one_direct = o->direct != ANYPI_NOBODY;
    const int index = c == own ? o->level->children - 1 - one_direct
        : c - (c > own) - (one_direct && c > o->direct);
    return (anypi_vector) { s->receive_buffer, index };
}

/* What the rank reduces of the operand of child c. */
static anyp_slice reduced(const anypi_levels *s, const operands *o, int c)
{
    return anypi_levels_part(s, operand(s, o, c), o->level->after);
}

static operands operands_of(anypi_levels *s, int i)
{
    const anypi_level *l = &s->level[i];
    const bool last = is_last(s, l), exchanges = may_exchange(s, l);
    const int at = s->sum.at;
    const anypi_step_buffers buffers = anypi_accumulator_next(&s->sum, !last, exchanges);
    operands o = { .level = l, .at = at, .sum = buffers.sum,
                   .last = from_left(s, l, l->children - 1), .copies = buffers.copies,
                   .direct = ANYPI_NOBODY };
    o.moves = s->call->reproducible && !last && at == ANYP_IN &&
        anypi_bracketing_is_right(l->children, from_left(s, l, l->child));
    /* others have a part of the operand, which cannot be received into IN */
    const anypi_range own = anypi_range_common(l->after, l->before);
    o.moves = o.moves || (at == ANYP_IN && !o.copies &&
                          own.end - own.first < l->after.end - l->after.first);
    if (s->scatters && i == 0 && (!last || exchanges))
        o.sum = ANYP_OUT;
    if (o.sum != at && !o.copies)
        o.direct = last ? l->children - 2 : o.last;
    return o;
}

/* Reduces `count` operands, from the i-th one from the left on, by the tree of reproducible
 * results. The sum is where the last operand was. */
static anyp_slice add_by_halves(const anypi_levels *s, const operands *o, int i, int count)
{
    if (count == 1)
        return reduced(s, o, from_left(s, o->level, i));
    const int left = anypi_bracketing_left(count);
    const anyp_slice first = add_by_halves(s, o, i, left);
    const anyp_slice second = add_by_halves(s, o, i + left, count - left);
    anypi_reduce(s->schedule, first, second);
    return second;
}

/* Reduces the operands of a level from the right: o(0) (+) (o(1) (+) ...). The sum moves to its
 * buffer as soon as one of its operands is there. */
static void add_up(anypi_levels *s, const operands *o)
{
    const anypi_level *l = o->level;
    const anypi_range own = anypi_range_common(l->after, l->before);
    if (o->copies || o->moves)
        anypi_copy(s->schedule, anypi_levels_part(s, (anypi_vector) { .buffer = o->at }, own),
                   anypi_levels_part(s, operand(s, o, l->child), own));
    s->sum.at = o->sum;
    if (s->call->reproducible) {
        add_by_halves(s, o, 0, l->children);
        return;
    }
    anyp_slice sum = reduced(s, o, l->children - 1);
    for (int c = l->children - 2; c >= 0; c--) {
        const anyp_slice left = reduced(s, o, c);
        if (left.buffer == o->sum) {
            anypi_reduce(s->schedule, sum, left);
            sum = left;
        } else {
            anypi_reduce(s->schedule, left, sum);
        }
    }
}

/* ---- messages ---- */

void anypi_levels_send(anypi_levels *s, const anypi_owners *owners, anypi_range range, int after,
                       anypi_vector from)
{
    anypi_overlaps to = anypi_overlaps_of(owners, range, after);
    for (int peer; anypi_overlaps_next(&to, &peer, &range);)
        if (peer != s->position)
            anypi_send(s->schedule, anypi_machine_rank(s->m, peer),
                       anypi_levels_part(s, from, range));
}

void anypi_levels_receive(anypi_levels *s, const anypi_owners *owners, anypi_range range, int after,
                          anypi_vector to)
{
    anypi_overlaps from = anypi_overlaps_of(owners, range, after);
    for (int peer; anypi_overlaps_next(&from, &peer, &range);)
        if (peer != s->position)
            anypi_recv(s->schedule, anypi_machine_rank(s->m, peer),
                       anypi_levels_part(s, to, range));
}

anypi_owners anypi_levels_child(anypi_levels *s, const anypi_level *l, int c)
{
    const anypi_team child = anypi_team_child(s->m, &l->team, c);
    return anypi_owners_of(&s->lists, &child);
}

anypi_owners anypi_levels_base(anypi_levels *s, int base)
{
    const anypi_team team = anypi_machine_base(s->m, base);
    return anypi_owners_of(&s->lists, &team);
}

/* A replicating level: sends the rank's part to the bases of child c that receive from its own. */
static void send_to_child(anypi_levels *s, const anypi_level *l, int c)
{
    int first, end, own_first, own_end;
    bases_of_child(s, l, c, &first, &end);
    bases_of_child(s, l, l->child, &own_first, &own_end);
    const int own = s->base - own_first, count = own_end - own_first;
    const int left_over = count + (own - c % count + count) % count;
    /* the one with the same number, then those left over that choose it */
    for (int b = own; first + b < end; b = b < count ? left_over : b + count) {
        const anypi_owners owners = anypi_levels_base(s, first + b);
        anypi_levels_send(s, &owners, l->after, ANYPI_NOBODY, sum_place(s));
    }
}

/* A replicating level: the rank sends what it owns, and receives the same blocks from a base of
 * each other child. In a reduce only the target receives. */
static void replicate(anypi_levels *s, int i)
{
    const anypi_level *l = &s->level[i];
    if (anypi_range_empty(l->after))
        return;
    if (s->reduces && target_below(s, i) == s->base && l->target != s->base) {
        const anypi_owners owners = anypi_levels_base(s, l->target);
        anypi_levels_send(s, &owners, l->after, ANYPI_NOBODY, sum_place(s));
    }
    for (int k = 1; k < l->children && !s->reduces; k++)
        send_to_child(s, l, anypi_level_after(l, k));
    if (!l->sums)
        return;
    const operands o = operands_of(s, i);
    for (int k = l->children - 1; k > 0; k--) {
        const int c = anypi_level_after(l, k);
        const anypi_owners owners = anypi_levels_base(s, source_base(s, l, s->base, l->child, c));
        anypi_levels_receive(s, &owners, l->after, ANYPI_NOBODY, operand(s, &o, c));
    }
    add_up(s, &o);
}

/* A dividing level: each rank sends the part's new owners what they will own, and receives the
 * operands of what it will own. */
static void divide(anypi_levels *s, int i)
{
    const anypi_level *l = &s->level[i];
    const anypi_owners joined = anypi_owners_of(&s->lists, &l->team);
    anypi_levels_send(s, &joined, l->before, anypi_owner_with(&joined, s->position),
                      sum_place(s));
    if (!l->sums)
        return;
    const operands o = operands_of(s, i);
    for (int k = l->children - 1; k >= 0; k--) {
        const int c = anypi_level_after(l, k);
        const anypi_owners before = anypi_levels_child(s, l, c);
        anypi_levels_receive(s, &before, l->after, ANYPI_NOBODY, operand(s, &o, c));
    }
    add_up(s, &o);
}

void anypi_levels_reduce(anypi_levels *s, int i)
{
    (s->level[i].divides ? divide : replicate)(s, i);
}

void anypi_levels_gather(anypi_levels *s, int i)
{
    const anypi_level *l = &s->level[i];
    int first, end, wanted = ANYPI_NOBODY;      /* the child, if not all */
    anypi_team_positions(s->m, &l->team, &first, &end);
    if (s->reduces && (s->root < first || s->root >= end))
        return;
    if (s->reduces)
        wanted = anypi_team_child_of(s->m, &l->team, s->root);
    for (int k = 1; k <= l->children; k++) {
        const int c = anypi_level_after(l, k % l->children);
        if (wanted == ANYPI_NOBODY || wanted == c) {
            const anypi_owners before = anypi_levels_child(s, l, c);
            anypi_levels_send(s, &before, l->after, ANYPI_NOBODY, sum_place(s));
        }
    }
    if (wanted == ANYPI_NOBODY || wanted == l->child) {
        const anypi_owners joined = anypi_owners_of(&s->lists, &l->team);
        anypi_levels_receive(s, &joined, l->before, anypi_owner_with(&joined, s->position),
                             sum_place(s));
    }
}
