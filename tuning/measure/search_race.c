/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A round times all candidates of a cell that are still in the race. The first round of a cell only
 * finds how many calls make a time long enough to measure.
 */
#include "measure/search.h"

#include "measure/budget.h"
#include "measure/command.h"
#include "tuner/noise.h"

#include <math.h>

/* In seconds. Longer calls may use up the budget, so clear losers are not called again, and closed
 * forms limit the number of candidates. */
static const double costly = 0.1;
/* A candidate that takes this many times as long as the best in one call is a clear loser: long
 * calls have less noise. */
static const double clear = 8;
/* A closed form may be twice the real time, and the fit of the model is rough. */
static const double hopeless = 3;
/* The number of AnyP's candidates in a cell, whatever the budget: the best settings of three
 * algorithms; more than the maximum hardly gain anything. */
enum { MIN_OF_ANYP = 3, MAX_OF_ANYP = 24 };

static anypi_selection selection(const anypi_session *session, const anypi_cell *cell)
{
    const anypi_candidate *list = session->plan->candidates[cell->collective].list;
    double max = anypi_affordable(session, cell);
    for (int c = 0; c < cell->candidates; c++)
        max -= cell->trials[c].state == ANYPI_RUNNING && !list[c].algorithm;
    const int count = (int) fmin(fmax(max, MIN_OF_ANYP), MAX_OF_ANYP);
    return (anypi_selection) {
        .max = count, .hopeless = hopeless, .close = hopeless, .min = MIN_OF_ANYP,
        .seconds = cell->promise < costly ? 0
            : count * anypi_first_pass_seconds(session, cell) / ANYPI_FIRST_PASS_CALLS
    };
}

static void keep_round(anypi_session *session, anypi_cell *cell)
{
    double times[ANYPI_MAX_CANDIDATES] = { 0 };
    const double begin = anypi_elapsed(session);
    anypi_command_round(session, cell, cell->calls, times);
    cell->round_seconds = anypi_elapsed(session) - begin;
    for (int c = 0; c < cell->candidates; c++)
        if (cell->trials[c].state == ANYPI_RUNNING)
            cell->trials[c].times[cell->trials[c].count++] = times[c];
    cell->rounds++;
}

/* Sets how many calls make a time of the cell long enough to measure. */
static void estimate(anypi_session *session, anypi_cell *cell)
{
    double times[ANYPI_MAX_CANDIDATES] = { 0 }, shortest = INFINITY;
    anypi_command_round(session, cell, 1, times);
    for (int c = 0; c < cell->candidates; c++)
        if (cell->trials[c].state == ANYPI_RUNNING)
            shortest = fmin(shortest, times[c]);
    cell->calls = anypi_budget_calls(session, cell, shortest);
    for (int c = 1; c < cell->candidates; c++)
        if (cell->trials[c].state == ANYPI_RUNNING && times[c] > clear * shortest &&
            times[c] > costly)
            cell->trials[c].state = ANYPI_DROPPED;
}

/* Can AnyP's algorithms be compared, or is there no need? Not if the library's result is wrong. */
static bool comparable(const anypi_plan *plan, const anypi_cell *cell)
{
    return cell->trials[0].state == ANYPI_RUNNING || plan->only_anyp;
}

static bool first_pass(anypi_session *session, anypi_cell *cell)
{
    anypi_command_check(session, cell);
    if (!comparable(session->plan, cell))
        return true;
    estimate(session, cell);
    for (int i = 0; i < ANYPI_MIN_ROUNDS; i++) {
        if (anypi_out_of_time(session))
            return false;
        keep_round(session, cell);
        if (!anypi_race(cell))
            break;
    }
    return true;
}

/* Is the race of a cell still open? If the cell is disturbed, its first half is run once more. */
static bool is_open(const anypi_plan *plan, anypi_cell *cell)
{
    if (!anypi_plan_complete(plan, cell) || !comparable(plan, cell))
        return false;
    if (cell->rounds == ANYPI_MAX_ROUNDS && !cell->renewed && anypi_disturbed(cell)) {
        anypi_forget(cell);
        cell->renewed = true;
    }
    return cell->rounds < ANYPI_MAX_ROUNDS && anypi_race(cell);
}

/* Runs one more round for every open race for which there is time, and two if it is disturbed. */
static bool next_pass(anypi_session *session)
{
    const anypi_plan *plan = session->plan;
    bool any = false;
    session->decided = true;
    for (int i = 0; i < plan->cells_count; i++) {
        anypi_cell *cell = &plan->cells[i];
        for (int left = anypi_disturbed(cell) ? 2 : 1; left && is_open(plan, cell); left--) {
            session->decided = false;
            if (anypi_interrupted(session))
                return false;
            if (!anypi_time_for(session, cell->round_seconds))
                break;
            keep_round(session, cell);
            any = true;
        }
    }
    return any;
}

const anypi_search anypi_search_race = { selection, first_pass, next_pass };
