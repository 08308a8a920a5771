/* SPDX-License-Identifier: BSD-3-Clause
 *
 * For each p, measures the constants of the machine, and then makes a first round in its cells: it
 * times the MPI library's choice and the algorithms of AnyP that closed forms expect to be best.
 * After all p, it compares them again in the cells in which the library's choice seems to lose. If
 * times are exact, the first round is sufficient.
 */
#include "measure/measure.h"

#include "measure/budget.h"
#include "measure/command.h"
#include "measure/results.h"

#include "algorithms/network.h"
#include "tuner/contenders.h"
#include "tuner/node_shapes.h"
#include "tuner/noise.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Closed forms are so accurate that the best algorithm is among those within this factor of the
 * best closed form; unless the model's error is larger, in both forms. */
static const double accuracy = 1.25;
/* With a larger error, closed forms are not trusted. */
static const double trusted = 0.15;
/* The number of AnyP's algorithms in a cell: the maximum; more hardly gain anything if closed forms
 * are trusted. If time is short, the best alone. */
enum { MOST = 3, MOST_UNTRUSTED = 6 };
/* In seconds. Longer calls may use up the budget, so clear losers are not called again. */
static const double costly = 0.1;
/* A candidate that takes this many times as long as the best in one call is a clear loser: long
 * calls have less noise. */
static const double clear = 8;
/* The first pass has so many rounds if one takes less time than this share of a cell's part of the
 * budget: the times of a single round depend on the calls before it. */
enum { FIRST_ROUNDS = 5 };
static const double quick = 0.05;
/* The number of candidates that are compared with the library's choice again, to confirm that it
 * loses: at most so many, and none that was slower than the best by more than this factor. */
enum { AGAIN = 2 };
static const double behind = 1.15;

/* Sets the constants for parameters that are "auto". The first p of a kind of nodes, which is the
 * largest, sets them for all others. */
static void set_networks(anypi_session *session, const anyp_shape *nodes)
{
    for (int operators = 0; operators < 2; operators++) {
        char *text = session->plan->networks[anypi_nodes_kind(nodes)][operators];
        if (!*text)
            anypi_network_of_model(&session->models[operators], text, ANYPI_NETWORK_SIZE);
    }
}

/* ---- the candidates of a cell ---- */

/* Adds a contender to the race. */
static void add(anypi_session *session, anypi_cell *cell, const anypi_candidate *candidate)
{
    const int c = anypi_command_add(session, cell, candidate);
    if (c >= 0)
        cell->trials[c].running = true;
    else if (!session->full)
        fprintf(stderr, "anyp-tune: too many algorithms and settings, or no memory; some are not "
                "measured; name fewer --sizes or --procs\n");
    session->full = session->full || c < 0;
}

/* Leaves only those candidates in the race that the time suffices for: the MPI library's choice,
 * the best of AnyP, and its next ones. */
static void select_candidates(anypi_session *session, anypi_cell *cell)
{
    static anypi_contender list[ANYPI_MAX_CANDIDATES];
    const anypi_plan *plan = session->plan;
    const bool all = session->options->all;
    const double error = session->model_error, within = fmax(accuracy, (1 + error) * (1 + error));
    const int count = anypi_contenders(plan, cell, all ? INFINITY : within,
                                       all ? ANYPI_MAX_CANDIDATES
                                       : error > trusted ? MOST_UNTRUSTED : MOST, list);
    const double room = all ? INFINITY : anypi_affordable(session, cell) - 1;
    int best = 0;
    while (best < count && (best == 0 || plan->exact || room >= best + 1))
        best++;
    for (int c = 1; c < cell->candidates; c++)
        cell->trials[c].running = false;
    for (int i = 0; i < best; i++)
        add(session, cell, &list[i].candidate);
}

/* ---- rounds ---- */

static void keep_round(anypi_session *session, anypi_cell *cell)
{
    double times[ANYPI_MAX_CANDIDATES] = { 0 };
    const double begin = anypi_elapsed(session);
    anypi_command_round(session, cell, cell->calls, times);
    cell->round_seconds = anypi_elapsed(session) - begin;
    for (int c = 0; c < cell->candidates; c++)
        if (cell->trials[c].running)
            cell->trials[c].times[cell->trials[c].count++] = times[c];
    cell->rounds++;
}

/* Sets how many calls make a time of the cell long enough to measure. */
static void estimate(anypi_session *session, anypi_cell *cell)
{
    double times[ANYPI_MAX_CANDIDATES] = { 0 }, shortest = INFINITY;
    anypi_command_round(session, cell, 1, times);
    for (int c = 0; c < cell->candidates; c++)
        if (cell->trials[c].running)
            shortest = fmin(shortest, times[c]);
    cell->calls = anypi_budget_calls(session, cell, shortest);
    for (int c = 1; c < cell->candidates; c++)
        if (times[c] > clear * shortest && times[c] > costly)
            cell->trials[c].running = false;
}

/* Does the library's choice seem to lose in a cell? Without its times, it does. */
static bool loses(const anypi_cell *cell)
{
    if (!cell->trials[0].count)
        return cell->rounds;
    for (int c = 1; c < cell->candidates; c++)
        if (anypi_ratio(cell, c) < 1)
            return true;
    return false;
}

/* Returns about how many seconds it takes to confirm the cells so far in which the library's choice
 * seems to lose. */
static double confirmation(const anypi_plan *plan)
{
    double seconds = 0;
    for (int i = 0; i < plan->cells_count && !plan->exact; i++) {
        const anypi_cell *cell = &plan->cells[i];
        int measured = 0;
        for (int c = 0; c < cell->candidates; c++)
            measured += cell->trials[c].count > 0;
        if (measured && cell->rounds < ANYPI_SURE_ROUNDS && loses(cell))
            seconds += ANYPI_SURE_ROUNDS * cell->round_seconds *
                fmin(1, (1.0 + AGAIN) / measured);
    }
    return seconds;
}

/* Can AnyP's algorithms be compared, or is there no need? Not if the library's result is wrong. */
static bool comparable(const anypi_plan *plan, const anypi_cell *cell)
{
    return cell->trials[0].running || plan->only_anyp;
}

/* The first pass over a cell; false: out of time. */
static bool first_pass(anypi_session *session, anypi_cell *cell)
{
    if (anypi_out_of_time(session))
        return false;
    select_candidates(session, cell);
    if (session->plan->exact) {
        cell->rounds = 1;
        anypi_command_try(session, cell);
        return !anypi_interrupted(session);
    }
    anypi_command_check(session, cell);
    if (!comparable(session->plan, cell))
        return true;
    estimate(session, cell);
    const double most = quick * session->options->budget / session->plan->cells_count;
    do {
        if (anypi_out_of_time(session))
            return false;
        keep_round(session, cell);
    } while (cell->rounds < FIRST_ROUNDS && cell->round_seconds < most);
    return true;
}

/* ---- sizes. Of the default sizes, three in four are measured only if the library's choice seems
 * to lose at a neighbour: first every second one, and, after all p, those between. ---- */

/* Returns the place of a cell among those that differ from it at most in their sizes. */
static int place_of(const anypi_plan *plan, const anypi_cell *cell)
{
    int place = 0;
    while (cell - place > plan->cells && anypi_cell_alike(cell - place - 1, cell))
        place++;
    return place;
}

/* Returns the turn of a cell, 0 to 2; TURNS is their number. */
enum { TURNS = 3 };
static int turn_of(const anypi_session *session, const anypi_cell *cell)
{
    const anypi_plan *plan = session->plan;
    const int place = place_of(plan, cell);
    return session->options->sizes || plan->only || plan->exact ? 0
        : place % 2 ? 2 : place % 4 ? 1 : 0;
}

/* Does the library's choice seem to lose at the next size that has had its turn? */
static bool neighbour_loses(const anypi_plan *plan, const anypi_cell *cell, int turn)
{
    const anypi_cell *const end = plan->cells + plan->cells_count;
    const anypi_cell *const below = cell - (turn == 1 ? 2 : 1);
    const anypi_cell *const above = cell + (turn == 1 ? 2 : 1);
    return loses(below) ||
        (above < end && anypi_cell_alike(above, cell) && loses(above));
}

/* The first pass over the cells of a p in a turn, while time remains to confirm rules. False: out
 * of time. */
static bool pass_turn(anypi_session *session, int index, int turn)
{
    const anypi_plan *plan = session->plan;
    for (int i = 0; i < plan->cells_count; i++) {
        anypi_cell *cell = &plan->cells[i];
        if (cell->procs == index)
            cell->passed = cell->earlier || turn_of(session, cell) != turn ||
                (turn && !neighbour_loses(plan, cell, turn));
    }
    for (anypi_cell *cell; (cell = anypi_budget_next(plan, index));) {
        const double begin = anypi_elapsed(session);
        if (begin + confirmation(plan) > session->options->budget || !first_pass(session, cell))
            return false;
        cell->passed = true;
        session->pass_seconds += anypi_elapsed(session) - begin;
        for (int c = 0; c < cell->candidates; c++)
            session->pass_candidates += cell->trials[c].count > 0;
    }
    return true;
}

/* The first pass over all cells of a p; false: out of time. */
static bool first_passes(anypi_session *session, int index)
{
    const anypi_plan *plan = session->plan;
    anypi_command_open(session, index);
    anypi_progress_shared(session);
    if (session->model_error > trusted)
        fprintf(stderr, "anyp-tune: %s: the model of the machine has a mean error of %.0f %%, so "
                "more algorithms are measured than closed forms suggest\n",
                anypi_procs_text(plan->procs[index], plan->nodes[index]).text,
                100 * session->model_error);
    set_networks(session, plan->nodes[index]);
    for (int i = 0; i < plan->cells_count; i++) {
        anypi_cell *cell = &plan->cells[i];
        anypi_contender best[ANYPI_MAX_CANDIDATES];
        if (cell->procs == index)
            cell->promise = anypi_contenders(plan, cell, 1, 1, best) ? best->time : 0;
    }
    return pass_turn(session, index, 0) && pass_turn(session, index, 1);
}

/* ---- the confirmation. Where the library's choice seems to lose, it is compared with the two best
 * candidates again, in other rounds, and only these count: a candidate that was fast by chance, or
 * because of the calls before it, must be fast again. Cells take turns, each time in a new
 * order. ---- */

/* Keeps the library's choice and the best candidates in a cell, and forgets their times. */
static void begin_again(anypi_cell *cell)
{
    double best = INFINITY;
    for (int c = 1; c < cell->candidates; c++)
        cell->trials[c].running = false;
    for (int next, kept = 0; kept < AGAIN; kept++) {
        next = 0;
        for (int c = 1; c < cell->candidates; c++)
            if (cell->trials[c].count && (!next || anypi_time(cell, c) < anypi_time(cell, next)))
                next = c;
        if (!next || anypi_time(cell, next) > behind * best)
            break;
        best = fmin(best, anypi_time(cell, next));
        cell->trials[next].running = true;
        cell->trials[next].count = 0;
    }
    for (int c = 0; c < cell->candidates; c++)
        cell->trials[c].count = 0;
    cell->rounds = 0;
}

/* Are more rounds of a cell needed? */
static bool is_open(const anypi_cell *cell)
{
    return cell->rounds < ANYPI_SURE_ROUNDS ||
        (cell->rounds < ANYPI_MAX_ROUNDS && (loses(cell) || anypi_noisy(cell)));
}

/* Confirms all cells in which the library's choice seems to lose. Cells for which the time does not
 * suffice are left to the library. */
static void confirm(anypi_session *session)
{
    const anypi_plan *plan = session->plan;
    int count = 0;
    int *order = malloc(((size_t) plan->cells_count + 1) * sizeof *order);
    for (int i = 0; order && i < plan->cells_count; i++) {
        anypi_cell *cell = &plan->cells[i];
        /* an earlier run may have measured p that there was no time to open */
        if (!cell->rounds || !comparable(plan, cell) || !loses(cell) ||
            !anypi_command_is_open(session, cell))
            continue;
        if (cell->rounds < ANYPI_SURE_ROUNDS)   /* otherwise an earlier run has confirmed it */
            begin_again(cell);
        order[count++] = i;
    }
    session->decided = false;
    for (bool any = true; any && !session->decided;) {
        any = false;
        session->decided = true;
        anypi_shuffle(order, count);
        for (int i = 0; i < count; i++) {
            anypi_cell *cell = &plan->cells[order[i]];
            if (!is_open(cell))
                continue;
            session->decided = false;
            if (anypi_interrupted(session))
                break;
            if (!anypi_time_for(session, cell->round_seconds))
                continue;
            any = true;
            if (!cell->calls)           /* the first rounds were those of an earlier run */
                estimate(session, cell);
            keep_round(session, cell);
        }
        any = any && !anypi_interrupted(session);
    }
    int left = 0;
    for (int i = 0; i < count; i++)
        left += plan->cells[order[i]].rounds < ANYPI_SURE_ROUNDS;
    session->left_out = left;
    if (left && !session->interrupt)
        fprintf(stderr, "anyp-tune: there was no time to confirm that the MPI library loses at %d "
                "of %d points, so it keeps them; increase --budget, or name fewer --procs, --sizes "
                "or --collectives\n", left, count);
    free(order);
}

/* ---- the whole ---- */

/* Removes the cells for which there was no time, so that the library chooses there. */
static void leave_out(anypi_session *session)
{
    anypi_plan *plan = session->plan;
    const char *const save = session->options->save;
    const int all = plan->cells_count;
    char stake[64] = "";
    double lost = 0;
    for (int i = 0; i < all; i++)
        lost += plan->cells[i].passed ? 0 : plan->cells[i].stake;
    if (plan->only)
        snprintf(stake, sizeof stake, ", with %.3g s at stake", lost);
    const int dropped = anypi_plan_drop(plan);
    session->left_out += dropped;
    if (dropped && !session->interrupt)
        fprintf(stderr, "anyp-tune: there was time for %d of %d %s; the MPI library chooses for "
                "the others%s; %s%s\n", all - dropped, all,
                plan->only ? "kinds of calls" : "points", stake,
                save ? "continue with --resume " : "increase --budget", save ? save : "");
    for (int i = 0; i < plan->cells_count; i++)
        plan->measured[plan->cells[i].procs] |= plan->cells[i].rounds > 0;
}

/* Leads the measurement on rank 0. */
static bool lead(anypi_session *session, void *context)
{
    (void) context;
    anypi_plan *plan = session->plan;
    int order[ANYPI_MAX_LIST];
    bool time_left = true;
    anypi_budget_procs(plan, order);
    anypi_resume_take(session);
    for (int i = 0; time_left && i < plan->procs_count; i++) {
        const int before = session->pass_candidates;
        anypi_budget_share(session, order, i);
        time_left = first_passes(session, order[i]);
        if (session->pass_candidates == before)
            continue;
        plan->measured[order[i]] = true;
        if (time_left)
            anypi_keep(session);
    }
    for (int i = 0; time_left && i < plan->procs_count; i++)
        time_left = pass_turn(session, order[i], TURNS - 1);
    session->decided = true;
    if (!plan->exact && !session->interrupt)
        confirm(session);
    leave_out(session);
    session->decided = session->decided && !session->left_out;
    return true;
}

void anypi_measure(anypi_session *session)
{
    anypi_command_all(session, lead, NULL);
}
