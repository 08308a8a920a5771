/* SPDX-License-Identifier: BSD-3-Clause
 *
 * validate.c - measures a decision file against the MPI library (tuner/validation.h). Points take
 * turns in a new order each time, so that no drift and no neighbour favours one of them.
 */
#include "measure/measure.h"

#include "measure/budget.h"
#include "measure/clock.h"
#include "measure/command.h"
#include "measure/results.h"
#include "measure/steer.h"
#include "tuner/validation.h"
#include "options/text_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Parts of the time for points: the end of the first look at each, and the end of the pairs for
 * all. The rest is for suspects. */
static const double looked = 0.3, paired = 0.75;
/* If the budget is not enough for that many pairs, fewer points are measured. */
enum { MIN_PAIRS = 12 };

/* Returns the end of a part of the time, which begins when communicators are ready. */
static double end_of(const anypi_session *session, double ready, double part)
{
    return ready + part * (session->options->budget - ready);
}

/* ---- one point ---- */

static anypi_cell *cell_of(const anypi_session *session, const anypi_point *point)
{
    return &session->plan->cells[point->cell];
}

/* Must both still be measured? */
static bool both_run(const anypi_session *session, const anypi_point *point)
{
    const anypi_trial *trials = cell_of(session, point)->trials;
    return trials[0].running && trials[point->index].running;
}

/* Adds the file's candidate to its cell, and keeps only this one and the library's choice there.
 * False: there is no room. */
static bool enter(anypi_session *session, anypi_point *point)
{
    anypi_cell *cell = cell_of(session, point);
    point->index = anypi_command_add(session, cell, &point->candidate);
    if (point->index < 0)
        return false;
    for (int c = 0; c < cell->candidates; c++)
        cell->trials[c].running = c == 0 || c == point->index;
    return true;
}

/* Times both, in random order. False after a signal. */
static bool pair(anypi_session *session, anypi_point *point, anypi_pair_times *pairs)
{
    double times[ANYPI_MAX_CANDIDATES] = { 0 };
    anypi_cell *cell = cell_of(session, point);
    const double begin = anypi_seconds();
    if (anypi_interrupted(session))
        return false;
    if (session->plan->exact) {
        anypi_command_try(session, cell);
        times[0] = cell->trials[0].times[0];
        times[point->index] = cell->trials[point->index].times[0];
    } else {
        cell->rounds = (int) (anypi_drawn() >> 32) & 1;       /* which is first */
        anypi_command_round(session, cell, cell->calls, times);
    }
    if (!session->interrupt && both_run(session, point) && pairs->count < ANYPI_MAX_PAIRS) {
        pairs->library[pairs->count] = times[0];
        pairs->file[pairs->count++] = times[point->index];
    }
    /* the shortest, since a stall does not happen again */
    point->seconds = fmin(point->seconds, anypi_seconds() - begin);
    return !session->interrupt;
}

/* Notes which of the two has failed. */
static void note_failures(const anypi_session *session, anypi_point *point)
{
    const anypi_trial *trials = cell_of(session, point)->trials;
    point->bad = !trials[point->index].running;
    point->library_bad = !trials[0].running;
}

/* Checks the results of both, and finds how many calls make a time long enough to measure. False
 * after a signal. */
static bool look(anypi_session *session, anypi_point *point)
{
    double times[ANYPI_MAX_CANDIDATES] = { 0 };
    anypi_cell *cell = cell_of(session, point);
    if (anypi_interrupted(session))
        return false;
    if (session->plan->exact) {
        const bool on = pair(session, point, &point->first);
        note_failures(session, point);
        return on;
    }
    anypi_command_check(session, cell);
    note_failures(session, point);
    if (session->interrupt || !both_run(session, point))
        return !session->interrupt;
    const double begin = anypi_seconds();
    anypi_command_round(session, cell, 1, times);
    const double both = fmax(times[0] + times[point->index], 1e-9);
    cell->calls = anypi_budget_calls(session, cell, both / 2);
    point->seconds = anypi_seconds() - begin + (cell->calls - 1) * both;
    return !session->interrupt;
}

/* ---- all points ---- */

/* Looks at points until this part of the time is spent, but at least at one. Those that can be
 * measured become the first of order[]; returns their number. */
static int look_at_all(anypi_session *session, anypi_validation *validation, int *order,
                       double ready)
{
    double each = 0;
    int count = 0;
    for (int i = 0; i < validation->count; i++) {
        anypi_point *point = &validation->points[order[i]];
        const bool late = count && anypi_elapsed(session) > end_of(session, ready, looked);
        if (late && !session->plan->exact)
            break;
        if (!enter(session, point))
            continue;
        if (!look(session, point))
            break;
        if (!both_run(session, point))
            continue;
        each += point->seconds;
        order[i] = order[count];
        order[count++] = (int) (point - validation->points);
    }
    const double left = end_of(session, ready, paired) - anypi_elapsed(session);
    while (!session->plan->exact && count > 1 && MIN_PAIRS * each > left)
        each -= validation->points[order[--count]].seconds;
    return count;
}

/* Times pairs of the points in order[], which it shuffles, until the time `end`, or until all have
 * the maximum. If the time will not suffice for `needed` pairs each, some points are left out: on a
 * busy machine pairs take longer than at the first look. */
static void repeat(anypi_session *session, anypi_validation *validation, int *order, int count,
                   double end, int needed, bool again)
{
    const double begin = anypi_elapsed(session);
    for (int round = 0; round < ANYPI_MAX_PAIRS; round++) {
        const double now = anypi_elapsed(session);
        const double possible = round ? round * (end - now) / (now - begin) : needed;
        if (round < needed && possible < needed - round)
            count = (int) fmax(1, count * possible / (needed - round));
        bool any = false;
        anypi_shuffle(order, count);
        for (int i = 0; i < count; i++) {
            anypi_point *point = &validation->points[order[i]];
            if (anypi_elapsed(session) + point->seconds > end)
                continue;
            any = true;
            if (both_run(session, point) &&
                !pair(session, point, again ? &point->again : &point->first))
                return;
        }
        if (!any)
            return;
    }
}

/* Measures the points that seem slower again. */
static void confirm(anypi_session *session, anypi_validation *validation, int *order)
{
    int count = 0;
    for (int i = 0; i < validation->count; i++)
        if (validation->points[i].suspect)
            order[count++] = i;
    if (count)
        repeat(session, validation, order, count, session->options->budget,
               anypi_validation_needed(validation), true);
}

static bool lead(anypi_session *session, void *context)
{
    anypi_validation *validation = context;
    int *order = malloc(((size_t) validation->count + 1) * sizeof *order);
    for (int i = 0; order && i < session->plan->procs_count; i++) {
        anypi_command_open(session, i);
        anypi_progress_shared(session);
    }
    for (int i = 0; order && i < validation->count; i++)
        order[i] = i;
    if (order) {
        const double ready = anypi_elapsed(session);
        anypi_shuffle(order, validation->count);
        const int count = look_at_all(session, validation, order, ready);
        if (!session->plan->exact)
            repeat(session, validation, order, count, end_of(session, ready, paired), MIN_PAIRS,
                   false);
        if (anypi_validation_suspect(validation) && !session->plan->exact)
            confirm(session, validation, order);
    }
    free(order);
    return order;
}

bool anypi_validate(anypi_session *session, anypi_validation *validation)
{
    return anypi_command_all(session, lead, validation);
}

/* ---- results ---- */

/* Returns the number of points at which the file was faster, but no longer has a rule. */
static int lost(const anypi_validation *validation, const anypi_decision *decision)
{
    int points = 0;
    for (int i = 0; i < validation->count; i++) {
        const anypi_point *point = &validation->points[i];
        anypi_candidate candidate;
        anypi_choice choice;
        points += anypi_validation_verdict(validation, point) == ANYPI_FASTER &&
            !anypi_chosen(decision, &validation->plan->cells[point->cell], true, &choice,
                          &candidate);
    }
    return points;
}

/* Writes the decision without the rules that lose. False and a message on failure. */
static bool mend(const anypi_validation *validation, const anypi_options *options,
                 anypi_decision *decision, char *message, size_t size)
{
    const char *reason;
    char comment[256];
    anypi_decision *again = NULL;
    const int points = anypi_mend(validation, decision);
    char *before = anypi_file_read(options->validate, &reason);
    snprintf(comment, sizeof comment, "Validated by anyp-tune of AnyP " PACKAGE_VERSION ", %s:\n"
             "   rules at %d of %d points were slower or wrong, and were removed.", anypi_date(),
             points, validation->count);
    char *text = before ? anypi_mend_text(decision, before, comment) : NULL;
    const bool good = anypi_decision_save(text, options->output, &again, message, size);
    if (!before)
        snprintf(message, size, "cannot read %s again: %s", options->validate, reason);
    if (good)
        printf("rules were removed at %d points, and at %d points beside them that were faster; "
               "written: %s\n",
               points, lost(validation, again), options->output);
    anypi_decision_free(again);
    free(text);
    free(before);
    return good;
}

int anypi_validated(const anypi_session *session, const anypi_validation *validation,
                    anypi_decision *decision)
{
    const anypi_options *options = session->options;
    char message[1024];
    const int slower = anypi_validation_of(validation, ANYPI_SLOWER);
    const int bad = anypi_validation_of(validation, ANYPI_BAD);
    const int untimed = anypi_validation_of(validation, ANYPI_UNTIMED);
    anypi_validation_print(validation, stdout);
    if (session->interrupt) {
        anypi_complain("anyp-tune", "interrupted by signal %d; nothing was written",
                       session->interrupt);
        return 128 + session->interrupt;
    }
    if (!validation->count) {
        printf("%s contains no rule for any of these calls\n", options->validate);
    } else if (untimed == validation->count) {
        anypi_complain("anyp-tune", "there was no time to measure even one point; increase "
                       "--budget, or validate fewer --procs, --sizes or --collectives");
        return 4;
    }
    const bool writes = options->mend &&
        (slower + bad || strcmp(options->output, options->validate) != 0);
    if (writes && !mend(validation, options, decision, message, sizeof message)) {
        anypi_complain("anyp-tune", "%s", message);
        return 1;
    }
    if (options->mend && !writes)
        printf("nothing to mend; %s is as it was\n", options->validate);
    else if (slower + bad && !options->mend)
        printf("to remove such rules, repeat this command with --mend\n");
    if (anypi_validation_of(validation, ANYPI_LIBRARY_BAD))
        return 1;
    if (slower + bad && !options->mend)
        return bad ? 1 : 3;
    return untimed || anypi_validation_of(validation, ANYPI_SUSPECT) ? 4 : 0;
}
