/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/exchange/prefix.h"

#include "schedule/collectives.h"
#include "schedule/ranks.h"

/* Scratch buffers: of the lowest dividing level, whose intervals are the longest; of the others;
 * and of the rounds across bases. */
enum { LOWEST = ANYP_SCRATCH, UPPER, ACROSS };

typedef struct prefix {
    anypi_levels *s;
    bool inclusive;             /* a scan */
    int top, count;             /* the rank's dividing levels: s->level[top .. count-1] */
    anypi_vector input;
} prefix;

/* Where a dividing level keeps I(c), and behind those of all children its team's X. */
static anypi_vector place_of(const prefix *x, int i, int c)
{
    int before = 0;
    if (i == x->count - 1)
        return (anypi_vector) { LOWEST, c };
    for (int k = x->top; k < i; k++)
        before += x->s->level[k].children + 1;
    return (anypi_vector) { UPPER, before + c };
}

static anypi_vector team_x(const prefix *x, int i)
{
    return place_of(x, i, x->s->level[i].children);
}

/* Where the X of the rank's child in a level is received. */
static anypi_vector child_x(const prefix *x, int i)
{
    if (i + 1 < x->count)
        return team_x(x, i + 1);
    return (anypi_vector) { .buffer = ANYP_OUT };
}

/* The T of the rank's child. */
static anypi_vector child_t(const prefix *x, int i)
{
    return i == x->count - 1 ? x->input : place_of(x, i + 1, x->s->level[i + 1].children - 1);
}

static void add(const prefix *x, anypi_vector from, anypi_vector to, anypi_range range)
{
    anypi_reduce(x->s->schedule, anypi_levels_part(x->s, from, range),
                 anypi_levels_part(x->s, to, range));
}

static void copy(const prefix *x, anypi_vector from, anypi_vector to, anypi_range range)
{
    anypi_copy(x->s->schedule, anypi_levels_part(x->s, from, range),
               anypi_levels_part(x->s, to, range));
}

static bool begins_at_0(const prefix *x, const anypi_team *team)
{
    int first, end;
    anypi_team_positions(x->s->m, team, &first, &end);
    return first == 0;
}

static bool is_rank(const prefix *x, const anypi_level *l, int c)
{
    return anypi_team_child(x->s->m, &l->team, c).height == 0;
}

/* Children of a level whose T is needed. */
static int needed(const prefix *x, const anypi_level *l)
{
    int first, end;
    anypi_team_positions(x->s->m, &l->team, &first, &end);
    const bool last = end == x->s->call->p;
    return l->children - (last && !(x->inclusive && is_rank(x, l, l->children - 1)));
}

/* The last child whose T is in what child c gets; -1: none. */
static int last_for(const prefix *x, const anypi_level *l, int c)
{
    return x->inclusive && is_rank(x, l, c) ? c : c - 1;
}

/* ---- up ---- */

static void go_up(const prefix *x, int i)
{
    anypi_levels *s = x->s;
    const anypi_level *l = &s->level[i];
    const anypi_owners joined = anypi_owners_of(&s->lists, &l->team);
    const int count = needed(x, l);
    const anypi_vector own = child_t(x, i);
    if (l->child < count)
        anypi_levels_send(s, &joined, l->before, anypi_owner_with(&joined, s->position), own);
    if (anypi_range_empty(l->after))
        return;
    for (int k = l->children - 1; k >= 0; k--) {
        const int c = anypi_level_after(l, k);
        if (c < count) {
            const anypi_owners before = anypi_levels_child(s, l, c);
            anypi_levels_receive(s, &before, l->after, ANYPI_NOBODY, place_of(x, i, c));
        }
    }
    if (l->child < count)
        copy(x, own, place_of(x, i, l->child), anypi_range_common(l->before, l->after));
    for (int c = 1; c < count; c++)
        add(x, place_of(x, i, c - 1), place_of(x, i, c), l->after);
}

/* ---- across bases ---- */

anypi_tree anypi_prefix_rounds(const anypi_machine *m)
{
    anypi_machine copy = *m;
    const anypi_team all = anypi_team_all(&copy);
    anypi_tree rounds;
    int first, bases;
    anypi_team_bases(&copy, &all, &first, &bases);
    anypi_tree_make(&rounds, bases, m->radix[m->heights], false);
    return rounds;
}

/* The sums of a rank. */
typedef struct sums {
    anypi_vector at, w;          /* W; where it is once it was changed */
    anypi_vector before;         /* X */
    bool keeps_x, has_x;
    bool overwrites;            /* X is where W is at first */
} sums;

static sums sums_of(const prefix *x)
{
    const anypi_vector out = { .buffer = ANYP_OUT }, scratch = { .buffer = ACROSS };
    if (x->top < x->count) {
        const anypi_level *l = &x->s->level[x->top];
        const int last = l->children - 1;
        const anypi_vector t = place_of(x, x->top, last);
        return (sums) { .at = t, .w = last_for(x, l, last) == last ? scratch : t,
                        .before = team_x(x, x->top), .keeps_x = true };
    }
    return (sums) { .at = x->input, .w = x->inclusive ? out : scratch, .before = out,
                    .keeps_x = !x->inclusive, .overwrites = x->input.buffer == ANYP_OUT };
}

static bool same_place(anypi_vector a, anypi_vector b)
{
    return a.buffer == b.buffer && a.copy == b.copy;
}

/* Where the sum of base b - jD is received. */
static anypi_vector received_at(const sums *u, int j)
{
    if (j == 1 && u->keeps_x && !u->has_x && !u->overwrites)
        return u->before;
    return (anypi_vector) { ACROSS, j };
}

/* After the messages of a round: the sums of bases b - D to b - got * D are there. */
static void take_in(const prefix *x, sums *u, int got, bool needs_w, anypi_range range)
{
    const anypi_vector sum = received_at(u, 1);
    for (int j = got; j > 1; j--)
        add(x, received_at(u, j), received_at(u, j - 1), range);
    if (needs_w) {
        if (!same_place(u->at, u->w))
            copy(x, u->at, u->w, range);
        add(x, sum, u->w, range);
        u->at = u->w;
    }
    if (u->keeps_x && u->has_x)
        add(x, sum, u->before, range);
    else if (u->keeps_x && !same_place(sum, u->before))
        copy(x, sum, u->before, range);
    u->has_x = u->keeps_x;
}

/* One round of the given radix. */
static void double_distance(const prefix *x, sums *u, int radix, int64_t distance, int bases,
                            anypi_range range)
{
    anypi_levels *s = x->s;
    int got = 0;
    for (int j = 1; j < radix && s->base + j * distance < bases; j++) {
        const anypi_owners to = anypi_levels_base(s, (int) (s->base + j * distance));
        anypi_levels_send(s, &to, range, ANYPI_NOBODY, u->at);
    }
    for (int j = 1; j < radix && s->base - j * distance >= 0; j++) {
        const anypi_owners from = anypi_levels_base(s, (int) (s->base - j * distance));
        anypi_levels_receive(s, &from, range, ANYPI_NOBODY, received_at(u, j));
        got = j;
    }
    if (got > 0)                /* W is sent again, or is the result */
        take_in(x, u, got, !u->keeps_x || s->base + radix * distance < bases, range);
}

/* ---- down ---- */

/* Adds X of the team to the sums that children get. */
static void add_x(const prefix *x, int i)
{
    const anypi_level *l = &x->s->level[i];
    if (begins_at_0(x, &l->team) || anypi_range_empty(l->after))
        return;
    for (int c = 0, done = -1; c < l->children; c++) {
        const int last = last_for(x, l, c);
        if (last > done)
            add(x, team_x(x, i), place_of(x, i, last), l->after);
        done = anypi_max(done, last);
    }
}

static void go_down(const prefix *x, int i)
{
    anypi_levels *s = x->s;
    const anypi_level *l = &s->level[i];
    for (int k = 1; k <= l->children; k++) {
        const int c = anypi_level_after(l, k % l->children), last = last_for(x, l, c);
        const anypi_team child = anypi_team_child(s->m, &l->team, c);
        const anypi_vector sum = last < 0 ? team_x(x, i) : place_of(x, i, last);
        if (begins_at_0(x, &child))
            continue;
        const anypi_owners before = anypi_levels_child(s, l, c);
        anypi_levels_send(s, &before, l->after, ANYPI_NOBODY, sum);
    }
    const anypi_team own = anypi_team_child(s->m, &l->team, l->child);
    if (begins_at_0(x, &own))
        return;
    const anypi_owners joined = anypi_owners_of(&s->lists, &l->team);
    anypi_levels_receive(s, &joined, l->before, anypi_owner_with(&joined, s->position),
                         child_x(x, i));
    const int last = last_for(x, l, l->child);
    copy(x, last < 0 ? team_x(x, i) : place_of(x, i, last), child_x(x, i),
         anypi_range_common(l->before, l->after));
    if (i + 1 < x->count)
        add_x(x, i + 1);
}

/* ---- the whole ---- */

static bool divides(const prefix *x, int i)
{
    return i >= x->top && i < x->count;
}

void anypi_exchange_prefix(anypi_levels *s, anypi_segment_rounds *rounds)
{
    prefix x = { .s = s, .inclusive = s->call->collective == ANYP_SCAN, .count = s->count,
                 .input = { .buffer = s->call->in_place ? ANYP_OUT : ANYP_IN } };
    while (x.top < x.count && !s->level[x.top].divides)
        x.top++;
    if (x.top < x.count) {
        anypi_levels_window(s, x.count - 1, x.count, LOWEST);
        anypi_levels_window(s, x.top, x.count - 1, UPPER);
        anypi_levels_window(s, x.top, x.top + 1, ACROSS);
    }
    for (int i = s->m->depth - 1; i >= 0; i--) {
        anypi_exchange_round(rounds, s->schedule);
        if (divides(&x, i))
            go_up(&x, i);
    }
    const anypi_tree across = anypi_prefix_rounds(s->m);
    const anypi_range whole = { 0, s->m->blocks };
    const anypi_range range = x.top < x.count ? s->level[x.top].after : whole;
    sums u = sums_of(&x);
    int64_t distance = 1;
    for (int t = 0; t < across.levels; distance *= across.radix[t++]) {
        anypi_exchange_round(rounds, s->schedule);
        if (!anypi_range_empty(range))
            double_distance(&x, &u, across.radix[t], distance, across.p, range);
    }
    if (x.top < x.count)
        add_x(&x, x.top);
    for (int i = 0; i < s->m->depth; i++) {
        anypi_exchange_round(rounds, s->schedule);
        if (divides(&x, i))
            go_down(&x, i);
    }
    if (x.inclusive && s->call->rank == 0 && !s->call->in_place)
        anypi_copy(s->schedule, anypi_levels_part(s, x.input, whole),
                   anypi_levels_part(s, (anypi_vector) { .buffer = ANYP_OUT }, whole));
}
