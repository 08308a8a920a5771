/* SPDX-License-Identifier: BSD-3-Clause
 *
 * First calls the candidates with the best closed forms. Then it starts from the best setting of
 * each algorithm that is not far behind, and calls its neighbours in the grid, as long as this
 * helps (from several starts if there are several parameters). This also finds effects that closed
 * forms do not contain, such as messages of different rounds in flight together.
 */
#include "measure/search.h"

#include "measure/budget.h"
#include "measure/command.h"
#include "tuner/noise.h"

#include "algorithms/registry.h"
#include "schedule/collectives.h"

#include <math.h>

/* The model is also exact, except for messages that overlap: with short vectors, a tree of many
 * messages may take a third of its closed form. */
static const anypi_selection of_one_node = { .max = 5, .hopeless = 2, .close = 1, .fine = true };
/* On nodes AnyP's own simulator has found the candidates, and its times are equally exact. */
static const anypi_selection of_nodes = { .max = 2, .hopeless = 1.05, .close = 1.02 };

/* The largest ratio to the best of all at which neighbours are called, of a setting's time or of an
 * algorithm's best (1.1: 10 % slower). One step in the grid usually gains at most 30 %. A start
 * that is not the best of its algorithm, and a wider neighbourhood, cost more calls and gain
 * less. */
static const double far_behind = 1.3;   /* of the best of an algorithm */
static const double behind = 1.1;       /* of a start that is not the best of its algorithm */
static const double alike = 1.1;        /* for a wider neighbourhood */
static const double promising = 1.2;    /* of the expected time of a start ... */
static const double possible = 2;       /* ... if calls are left at the end */
static const double helps = 0.999;      /* a step that gains less is the last */
static const double hopeless = 4;       /* the largest error of a closed form */
/* Steps of a climb, enough to cross a coarse grid; parameters in which a neighbour may differ. */
enum { STEPS = 8, MOVED = 2 };
/* The calls of a cell after the first ones cost as much as CALLS calls of SMALL_P ranks, since a
 * simulator's time grows with the ranks. There are at least a few, and more of short vectors, which
 * cost less. If the root has all data there are ROOTED times as many, since there are few
 * messages. */
enum { CALLS = 8, SMALL_P = 24, MIN_CALLS = 4, MIN_SHORT_CALLS = 8, MAX_CALLS = 20,
       ROOTED = 24, SHORT = 1 << 14 };

/* Returns the number of values in the grid between two values of a parameter. */
static int between(const anypi_candidates *candidates, const anyp_algorithm *algorithm,
                   int parameter, int low, int high)
{
    int values[ANYPI_MAX_LIST], count = 0;
    for (int c = 0; c < candidates->count && count < ANYPI_MAX_LIST; c++) {
        const int value = candidates->list[c].parameters[parameter];
        bool found = candidates->list[c].algorithm != algorithm || value <= low || value >= high;
        for (int i = 0; i < count && !found; i++)
            found = values[i] == value;
        if (!found)
            values[count++] = value;
    }
    return count;
}

/* Do two settings of an algorithm differ in at most `max` parameters, and in these by at most
 * `reach` values of the grid (of names: any)? */
static bool adjacent(const anypi_candidates *candidates, int one, int other, int max, int reach)
{
    const anypi_candidate *a = &candidates->list[one], *b = &candidates->list[other];
    int moved = 0;
    if (a->algorithm != b->algorithm)
        return false;
    for (int i = 0; i < a->algorithm->parameters_count; i++) {
        const int low = a->parameters[i] < b->parameters[i] ? a->parameters[i] : b->parameters[i];
        const int high = a->parameters[i] + b->parameters[i] - low;
        if (low == high)
            continue;
        if (++moved > max)
            return false;
        if (!a->algorithm->parameters[i].values &&
            between(candidates, a->algorithm, i, low, high) >= reach)
            return false;
    }
    return moved;
}

typedef struct search {
    anypi_session *session;
    anypi_cell *cell;
    const anypi_candidates *candidates;
    uint64_t hashes[ANYPI_MAX_CANDIDATES];      /* of those that were compared; otherwise 0 */
    double forms[ANYPI_MAX_CANDIDATES];         /* closed forms; INFINITY: it does not serve */
    double best_form;                   /* the shortest of them */
    int left;                           /* number of calls that are left */
} search;

static void compute_forms(search *s)
{
    const anyp_model *model = &s->session->models[!s->cell->commutative];
    s->best_form = INFINITY;
    for (int c = 0; c < s->cell->candidates; c++) {
        const anypi_candidate *candidate = &s->candidates->list[c];
        s->forms[c] = !candidate->algorithm || s->cell->trials[c].state == ANYPI_NOT_APPLICABLE
            ? INFINITY : anyp_cost_time(anypi_closed_form(s->cell, candidate), model);
        s->best_form = fmin(s->best_form, s->forms[c]);
    }
}

/* Was it called, or will it be called next? */
static bool is_called(const search *s, int c)
{
    const anypi_trial_state state = s->cell->trials[c].state;
    return state == ANYPI_RUNNING || state == ANYPI_FAILED;
}

/* Chooses a candidate to be called next, unless it is the same as another one. */
static void choose(search *s, int c, bool *chosen)
{
    anypi_trial *trial = &s->cell->trials[c];
    if (trial->state == ANYPI_SAME || is_called(s, c) || s->left <= 0 ||
        anypi_trial_same(s->cell, s->candidates, c, s->hashes))
        return;
    trial->state = ANYPI_RUNNING;
    chosen[c] = true;
    s->left--;
}

/* Returns the time of AnyP's fastest candidate; INFINITY: there is none. */
static double fastest(const search *s)
{
    const int c = anypi_fastest_of(s->session->plan, s->cell, NULL);
    return c ? anypi_time(s->cell, c) : INFINITY;
}

/* Calls those neighbours of a candidate that were not called yet. Returns the best of the candidate
 * and all its neighbours. */
static int best_neighbour(search *s, int at, int max, int reach)
{
    anypi_cell *cell = s->cell;
    bool next[ANYPI_MAX_CANDIDATES] = { false }, near[ANYPI_MAX_CANDIDATES] = { false };
    int best = at;
    for (int c = 1; c < cell->candidates; c++) {
        near[c] = s->forms[c] < INFINITY && s->forms[c] <= hopeless * s->best_form &&
            adjacent(s->candidates, at, c, max, reach);
        if (near[c])
            choose(s, c, next);
    }
    anypi_command_try(s->session, cell, next);
    for (int c = 1; c < cell->candidates; c++)
        if (near[c] && anypi_time(cell, c) < anypi_time(cell, best))
            best = c;
    return best;
}

/* Climbs from a candidate that is at most `limit` times as slow as the best to its best neighbour,
 * and so on. If changing one parameter does not help, changes two together. */
static void climb(search *s, int at, int reach, double limit)
{
    for (int step = 0; step < STEPS; step++) {
        if (!(anypi_time(s->cell, at) <= limit * anypi_shortest_of_all(s->cell)))
            return;
        int next = at;
        for (int moved = 1; moved <= MOVED && next == at; moved++) {
            const int best_there = best_neighbour(s, at, moved, reach);
            if (anypi_time(s->cell, best_there) < helps * anypi_time(s->cell, at))
                next = best_there;
        }
        if (next == at)
            return;
        at = next;
    }
}

/* Returns the expected time of a candidate: its closed form, corrected by the ratio of time and
 * closed form of its algorithm's fastest candidate. */
static double expected(const search *s, int c)
{
    const int best = anypi_fastest_of(s->session->plan, s->cell, s->candidates->list[c].algorithm);
    return !best ? INFINITY : s->forms[c] * anypi_time(s->cell, best) / s->forms[best];
}

/* Returns the setting with this value of one parameter and the best closed form; -1: none is
 * left. */
static int best_with(const search *s, const anyp_algorithm *algorithm, int parameter, int value,
                     double limit)
{
    int best = -1;
    for (int c = 1; c < s->cell->candidates; c++) {
        const anypi_candidate *candidate = &s->candidates->list[c];
        if (candidate->algorithm == algorithm && candidate->parameters[parameter] == value &&
            s->forms[c] < INFINITY && s->cell->trials[c].state != ANYPI_SAME &&
            (best < 0 || s->forms[c] < s->forms[best]))
            best = c;
    }
    return best < 0 || is_called(s, best) || !(expected(s, best) <= limit) ? -1 : best;
}

/* If there are several parameters: for each value of those that are not bytes, calls a start, if it
 * is expected to be at most `far` times as slow as the best so far. */
static void try_starts(search *s, double far, bool *chosen)
{
    const double limit = far * fastest(s);
    for (int c = 1; c < s->cell->candidates; c++) {
        const anypi_candidate *candidate = &s->candidates->list[c];
        const anyp_algorithm *algorithm = candidate->algorithm;
        if (!algorithm || algorithm->parameters_count < 2 || s->forms[c] == INFINITY)
            continue;
        for (int i = 0; i < algorithm->parameters_count; i++) {
            if (algorithm->parameters[i].values || algorithm->parameters[i].bytes)
                continue;
            const int best = best_with(s, algorithm, i, candidate->parameters[i], limit);
            if (best >= 0)
                choose(s, best, chosen);
        }
    }
    anypi_command_try(s->session, s->cell, chosen);
}

/* Do all numbers of a candidate have their maximum? It must have at least one, and no bytes. */
static bool has_maxima(const anypi_candidate *candidate)
{
    const anyp_algorithm *algorithm = candidate->algorithm;
    bool any = false;
    for (int i = 0; algorithm && i < algorithm->parameters_count; i++) {
        const anyp_parameter *parameter = &algorithm->parameters[i];
        if (parameter->values || anypi_parameter_of_nodes(parameter) ||
            anypi_parameter_of_local_sizes(parameter))
            continue;
        if (parameter->bytes || candidate->parameters[i] != parameter->maximum)
            return false;
        any = true;
    }
    return any;
}

/* Calls the settings with the maximum of a number, such as all messages together. In collectives
 * that only move data it is often the best, but too far away in the grid to climb to. */
static void try_maxima(search *s)
{
    bool chosen[ANYPI_MAX_CANDIDATES] = { false };
    const int left = s->left;
    s->left = ANYPI_MAX_CANDIDATES;     /* these do not count */
    for (int c = 1; c < s->cell->candidates; c++)
        if (has_maxima(&s->candidates->list[c]) && s->forms[c] <= hopeless * s->best_form)
            choose(s, c, chosen);
    s->left = left;
    anypi_command_try(s->session, s->cell, chosen);
}

/* Climbs from the best setting of each algorithm. The fastest comes first, since there may not be
 * enough calls for all. */
static void climb_each(search *s, int reach, double limit)
{
    int algorithms;
    const anyp_algorithm *list = anyp_algorithms(&algorithms);
    bool climbed[ANYPI_MAX_CANDIDATES] = { false };
    for (;;) {
        int next = -1, at = -1;
        for (int i = 0; i < algorithms; i++) {
            const int best = climbed[i] ? 0
                : anypi_fastest_of(s->session->plan, s->cell, &list[i]);
            if (best && (at < 0 || anypi_time(s->cell, best) < anypi_time(s->cell, at))) {
                next = i;
                at = best;
            }
        }
        if (next < 0)
            return;
        climbed[next] = true;
        climb(s, at, reach, limit);
    }
}

/* Uses the calls that are left, from the best closed form on. Pipelines whose lanes hide latencies
 * have best settings that no climb finds. */
static void try_rest(search *s)
{
    bool chosen[ANYPI_MAX_CANDIDATES] = { false }, seen[ANYPI_MAX_CANDIDATES] = { false };
    while (s->left > 0) {
        int next = -1;
        for (int c = 1; c < s->cell->candidates; c++)
            if (!seen[c] && s->forms[c] <= hopeless * s->best_form &&
                (next < 0 || s->forms[c] < s->forms[next]))
                next = c;
        if (next < 0)
            break;
        seen[next] = true;
        choose(s, next, chosen);
    }
    anypi_command_try(s->session, s->cell, chosen);
}

/* Does a root have all data? */
static bool is_rooted(const anypi_cell *cell)
{
    const anyp_call call = { .collective = cell->collective };
    return anypi_moves(cell->collective) && anypi_has_root(&call);
}

/* Returns the number of calls of a cell after the first ones. */
static int affordable(const anypi_cell *cell)
{
    const int times = is_rooted(cell) ? ROOTED : 1;
    const int calls = times * CALLS * SMALL_P / cell->p, max = times * MAX_CALLS;
    const int min = cell->bytes <= SHORT ? MIN_SHORT_CALLS : MIN_CALLS;
    return calls > max ? max : calls < min ? min : calls;
}

static void search_cell(search *s)
{
    bool first[ANYPI_MAX_CANDIDATES], starts[ANYPI_MAX_CANDIDATES] = { false };
    bool further[ANYPI_MAX_CANDIDATES] = { false };
    for (int c = 0; c < s->cell->candidates; c++)
        first[c] = s->cell->trials[c].state == ANYPI_RUNNING;
    s->left = affordable(s->cell);
    compute_forms(s);
    anypi_command_try(s->session, s->cell, first);
    if (fastest(s) == INFINITY || s->cell->nodes)
        return;                 /* with nodes, simulations have searched already */
    if (anypi_moves(s->cell->collective))
        try_maxima(s);
    climb_each(s, 1, alike);
    try_starts(s, promising, starts);
    climb_each(s, 1, far_behind);
    for (int c = 1; c < s->cell->candidates; c++)
        if (starts[c])
            climb(s, c, 1, behind);
    climb_each(s, 2, alike);
    try_starts(s, possible, further);
    for (int c = 1; c < s->cell->candidates; c++)
        if (further[c])
            climb(s, c, 1, far_behind);
    if (is_rooted(s->cell))
        try_rest(s);
}

static bool first_pass(anypi_session *session, anypi_cell *cell)
{
    search s = { .session = session, .cell = cell,
                 .candidates = &session->plan->candidates[cell->collective] };
    cell->rounds = 1;
    search_cell(&s);
    return !anypi_interrupted(session);
}

static anypi_selection selection(const anypi_session *session, const anypi_cell *cell)
{
    (void) session;
    return cell->nodes ? of_nodes : of_one_node;
}

const anypi_search anypi_search_climb = { selection, first_pass, NULL };
