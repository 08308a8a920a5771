/* SPDX-License-Identifier: BSD-3-Clause
 *
 * search_climb.c - cells where times are exact, as in a simulator: one call tells a candidate's time. What
 * the closed forms promise is called first; then, from the best setting of each algorithm that is not
 * far behind, its neighbours in the grid, as long as that helps (from several starts where there are
 * several parameters). So what closed forms do not see, as messages of different rounds that are
 * under way together, is found, too.
 */
#include "measure/measure.h"

#include "algorithms/registry.h"

#include <math.h>
#include <stdlib.h>

static const double far_behind = 1.3;   /* no look at the neighbours of what is this much slower */
static const double behind = 1.1;       /* ... of a start that is not the best of its algorithm */
static const double helps = 0.999;      /* a step that does not gain so much is the last */
static const double hopeless = 4;       /* nothing whose closed form is so much slower */
static const double promising = 1.2;    /* a start is expected to be at most so much slower than the
                                           best so far; */
static const double possible = 2;       /* ... if calls are left in the end */
static const double alike = 1.1;        /* a wider look at the neighbours of what is so close */
enum { STEPS = 8, MOVED = 2 };          /* parameters that a neighbour may differ in */
/* Calls of a cell, beyond the first ones; of short vectors, which cost less. */
enum { CALLS = 128, SMALL_P = 24, LEAST_CALLS = 12, LEAST_SHORT_CALLS = 32, SHORT = 1 << 14 };

/* How many values of the grid lie between two of a parameter. */
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

/* Do two settings of an algorithm differ in at most `most` parameters, and in these by at most
 * `reach` values of the grid (of names: any)? */
static bool adjacent(const anypi_candidates *candidates, int one, int other, int most, int reach)
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
        if (++moved > most)
            return false;
        if (!a->algorithm->parameters[i].values &&
            between(candidates, a->algorithm, i, low, high) >= reach)
            return false;
    }
    return moved;
}

/* SimGrid looks for a message that arrives among all that are under way, one after the other: a direct
 * exchange of 384 ranks takes it an hour. */
enum { MOST_UNDER_WAY = 1 << 12, FEW_OF_A_RANK = 8 };

typedef struct search {
    anypi_session *session;
    anypi_cell *cell;
    const anypi_candidates *candidates;
    anypi_sample **samples;             /* of the candidates that were looked at */
    bool *looked;                       /* measured, or the same as one that was */
    double *forms;                      /* closed forms; INFINITY: it does not serve */
    double promised;                    /* the shortest of them */
    int left;                           /* candidates that may still be called */
} search;

void anypi_exact_leave_out(anypi_cell *cell, const anypi_candidates *candidates)
{
    const anyp_call call = anypi_cell_call(cell);
    for (int c = 0; c < cell->candidates; c++) {
        const anypi_candidate *candidate = &candidates->list[c];
        if (!candidate->algorithm || cell->same[c] < 0)
            continue;
        const anyp_cost cost = candidate->algorithm->code->cost(&call, candidate->parameters);
        const double of_a_rank = cost.overheads / 2 / fmax(cost.latencies, 1);
        if (of_a_rank > FEW_OF_A_RANK && cell->p * of_a_rank > MOST_UNDER_WAY) {
            cell->alive[c] = false;
            cell->same[c] = -1;
        }
    }
}

static void compute_forms(search *s)
{
    const anyp_call call = anypi_cell_call(s->cell);
    const anyp_model *model = &s->session->models[!s->cell->commutative];
    s->promised = INFINITY;
    for (int c = 0; c < s->cell->candidates; c++) {
        const anypi_candidate *candidate = &s->candidates->list[c];
        s->forms[c] = !candidate->algorithm || s->cell->same[c] < 0 ? INFINITY
            : anyp_cost_time(candidate->algorithm->code->cost(&call, candidate->parameters), model);
        s->promised = fmin(s->promised, s->forms[c]);
    }
}

static anypi_sample *sample_of(const search *s, int c)
{
    if (!s->samples[c])
        s->samples[c] = anypi_sample_make(&s->candidates->list[c], anypi_cell_call(s->cell));
    return s->samples[c];
}

/* Is it the same as one that was measured? */
static bool known(search *s, int c)
{
    for (int other = 0; other < s->cell->candidates; other++) {
        if (s->cell->same[other] != other || !s->looked[other] ||
            s->candidates->list[other].algorithm != s->candidates->list[c].algorithm)
            continue;
        const anypi_sample *one = sample_of(s, c), *two = sample_of(s, other);
        if (one && two && anypi_sample_equal(one, two)) {
            s->cell->same[c] = other;
            s->cell->skipped[c] = false;
            return true;
        }
    }
    return false;
}

/* The fastest setting of an algorithm; -1: none was measured. */
static int best_of(const anypi_cell *cell, const anypi_candidates *candidates,
                   const anyp_algorithm *algorithm)
{
    int best = -1;
    for (int c = 0; c < cell->candidates; c++)
        if (candidates->list[c].algorithm == algorithm && cell->same[c] == c &&
            (best < 0 || anypi_time(cell, c) < anypi_time(cell, best)))
            best = c;
    return best >= 0 && anypi_time(cell, best) < INFINITY ? best : -1;
}

/* The fastest candidate of AnyP's; 0: none. */
static int best_of_all(const search *s)
{
    int best = 0;
    for (int c = 1; c < s->cell->candidates; c++)
        if (s->cell->same[c] == c && s->candidates->list[c].algorithm &&
            anypi_time(s->cell, c) < (best ? anypi_time(s->cell, best) : INFINITY))
            best = c;
    return best;
}

/* Calls the neighbours of a candidate that are not known yet; returns the best of all neighbours. */
static int look_around(search *s, int at, int most, int reach)
{
    anypi_cell *cell = s->cell;
    bool next[ANYPI_MAX_CANDIDATES] = { false }, near[ANYPI_MAX_CANDIDATES] = { false };
    int best = at;
    for (int c = 1; c < cell->candidates; c++) {
        near[c] = cell->same[c] >= 0 && s->candidates->list[c].algorithm &&
            s->forms[c] <= hopeless * s->promised && adjacent(s->candidates, at, c, most, reach);
        if (!near[c] || s->looked[c] || s->left <= 0)
            continue;
        next[c] = !known(s, c);
        s->left -= next[c];
        s->looked[c] = true;
    }
    anypi_try(s->session, cell, next);
    for (int c = 1; c < cell->candidates; c++)
        if (near[c] && anypi_time(cell, c) < anypi_time(cell, best))
            best = c;
    return best;
}

/* From a candidate that is at most `limit` times as slow as the best to the best around it, and
 * so on. Two parameters are moved at once where moving one does not help. */
static void climb(search *s, int at, int reach, double limit)
{
    for (int step = 0; step < STEPS; step++) {
        double best = INFINITY;
        for (int c = 0; c < s->cell->candidates; c++)
            best = fmin(best, anypi_time(s->cell, c));
        if (!(anypi_time(s->cell, at) <= limit * best))
            return;
        int next = at;
        for (int moved = 1; moved <= MOVED && next == at; moved++) {
            const int best_there = look_around(s, at, moved, reach);
            if (anypi_time(s->cell, best_there) < helps * anypi_time(s->cell, at))
                next = best_there;
        }
        if (next == at)
            return;
        at = next;
    }
}

/* The time that is expected of a candidate: its closed form, times how much longer than its own the
 * fastest of its algorithm takes. */
static double expected(const search *s, int c)
{
    const int best = best_of(s->cell, s->candidates, s->candidates->list[c].algorithm);
    return best < 0 ? INFINITY : s->forms[c] * anypi_time(s->cell, best) / s->forms[best];
}

/* Of the settings with a value of one parameter that which promises most; -1: none is left. */
static int best_with(const search *s, const anyp_algorithm *algorithm, int parameter, int value,
                     double limit)
{
    int best = -1;
    for (int c = 1; c < s->cell->candidates; c++) {
        const anypi_candidate *candidate = &s->candidates->list[c];
        if (candidate->algorithm == algorithm && candidate->parameters[parameter] == value &&
            s->cell->same[c] == c && (best < 0 || s->forms[c] < s->forms[best]))
            best = c;
    }
    return best < 0 || s->looked[best] || !(expected(s, best) <= limit) ? -1 : best;
}

/* Where there are several parameters, a start for each value of those that are no bytes, if it is
 * expected to be at most `far` times as slow as the best so far. Calls them. */
static void try_starts(search *s, double far, bool *chosen)
{
    const double limit = far * anypi_time(s->cell, best_of_all(s));
    for (int c = 1; c < s->cell->candidates; c++) {
        const anypi_candidate *candidate = &s->candidates->list[c];
        const anyp_algorithm *algorithm = candidate->algorithm;
        if (!algorithm || algorithm->parameters_count < 2 || s->cell->same[c] < 0)
            continue;
        for (int i = 0; i < algorithm->parameters_count; i++) {
            if (algorithm->parameters[i].values || algorithm->parameters[i].bytes)
                continue;
            const int best = best_with(s, algorithm, i, candidate->parameters[i], limit);
            if (best < 0)
                continue;
            chosen[best] = s->left > 0 && !known(s, best);
            s->left -= chosen[best];
            s->looked[best] = true;
        }
    }
    anypi_try(s->session, s->cell, chosen);
}

/* Climbs from the best setting of each algorithm, from the fastest first, since there may not be
 * enough calls for all. */
static void climb_each(search *s, int reach, double limit)
{
    int algorithms;
    const anyp_algorithm *list = anyp_algorithms(&algorithms);
    bool climbed[ANYPI_MAX_CANDIDATES] = { false };
    for (;;) {
        int next = -1, at = -1;
        for (int i = 0; i < algorithms; i++) {
            const int best = climbed[i] ? -1 : best_of(s->cell, s->candidates, &list[i]);
            if (best >= 0 && (at < 0 || anypi_time(s->cell, best) < anypi_time(s->cell, at))) {
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

/* Calls take the longer, the more ranks there are. */
static int affordable(const anypi_cell *cell)
{
    const int calls = CALLS * SMALL_P / cell->p;
    const int least = cell->bytes <= SHORT ? LEAST_SHORT_CALLS : LEAST_CALLS;
    return calls > CALLS ? CALLS : calls < least ? least : calls;
}

static void look(search *s)
{
    bool first[ANYPI_MAX_CANDIDATES], starts[ANYPI_MAX_CANDIDATES] = { false };
    bool further[ANYPI_MAX_CANDIDATES] = { false };
    for (int c = 0; c < s->cell->candidates; c++) {
        first[c] = s->cell->alive[c];
        s->looked[c] = first[c] || (s->cell->same[c] >= 0 && s->cell->same[c] != c);
        s->cell->times[c] = NAN;
    }
    s->cell->rounds = 1;
    s->left = affordable(s->cell);
    compute_forms(s);
    anypi_try(s->session, s->cell, first);
    if (!best_of_all(s))
        return;
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
}

void anypi_exact_look(anypi_session *session, anypi_cell *cell)
{
    const size_t count = (size_t) cell->candidates;
    search s = { session, cell, &session->plan->candidates[cell->collective],
                 calloc(count, sizeof *s.samples), calloc(count, sizeof *s.looked),
                 calloc(count, sizeof *s.forms), INFINITY, 0 };
    if (s.samples && s.looked && s.forms)
        look(&s);
    for (int c = 0; s.samples && c < cell->candidates; c++)
        anypi_sample_free(s.samples[c]);
    free(s.samples);
    free(s.looked);
    free(s.forms);
}
