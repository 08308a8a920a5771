/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/budget.h"

#include "measure/clock.h"

#include <math.h>
#include <signal.h>
#include <stddef.h>

/* ---- signals ---- */

static volatile sig_atomic_t came;

static void note(int number)
{
    came = number;
}

void anypi_interrupt_watch(void)
{
    static const int numbers[] = { SIGINT, SIGTERM };
    /* system calls of the MPI library continue after the signal */
    struct sigaction action = { .sa_handler = note, .sa_flags = SA_RESTART }, before;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        /* shells let background jobs ignore SIGINT, but mpiexec forwards it */
        if (!sigaction(numbers[i], NULL, &before) &&
            (before.sa_handler == SIG_DFL || before.sa_handler == SIG_IGN))
            sigaction(numbers[i], &action, NULL);
}

int anypi_interrupt(void)
{
    return came;
}

/* ---- the budget ---- */

/* Shorter times are noise, since a clock and a barrier cost microseconds. */
static const double min_seconds = 0.002;
/* The minimum calls of a candidate in the first pass: a check, an estimate, a round. */
enum { FIRST_PASS_CALLS = 3 };
/* The share of the budget for first passes; the rest is to confirm rules. */
static const double first_passes = 0.5;
/* A measured time must be at least this many times the barrier before it, which ranks leave at
 * different times. */
static const double meetings = 5;

double anypi_elapsed(const anypi_session *session)
{
    return anypi_seconds() - session->start;
}

bool anypi_interrupted(const anypi_session *session)
{
    return session->interrupt || anypi_interrupt();
}

bool anypi_out_of_time(const anypi_session *session)
{
    return anypi_interrupted(session) || !anypi_time_for(session, 0);
}

bool anypi_time_for(const anypi_session *session, double seconds)
{
    return anypi_elapsed(session) + seconds <= session->options->budget;
}

/* Returns the minimum seconds of a candidate of a cell in the first pass: the mean of those before
 * it, or the calls of the most promising one. */
static double first_pass_seconds(const anypi_session *session, const anypi_cell *cell)
{
    const double before = session->pass_candidates
        ? session->pass_seconds / session->pass_candidates
        : 4 * min_seconds;      /* for the first: a round and the work around it */
    return fmax(before, FIRST_PASS_CALLS * cell->promise);
}

double anypi_affordable(const anypi_session *session, const anypi_cell *cell)
{
    const anypi_plan *plan = session->plan;
    double each = 0;
    for (const anypi_cell *one = plan->cells; one < plan->cells + plan->cells_count; one++)
        if (one->procs == cell->procs && !one->passed)
            each += first_pass_seconds(session, one);
    return (session->share_end - anypi_elapsed(session)) / each;
}

/* Returns the sum of the stakes of all cells of plan->procs[index]. */
static double stake_of(const anypi_plan *plan, int index)
{
    double sum = 0;
    for (int i = 0; i < plan->cells_count; i++)
        sum += plan->cells[i].procs == index ? plan->cells[i].stake : 0;
    return sum;
}

/* Is plan->procs[one] measured before plan->procs[other]? */
static bool precedes(const anypi_plan *plan, int one, int other)
{
    const double its = stake_of(plan, one), others = stake_of(plan, other);
    return its != others ? its > others : plan->procs[one] >= plan->procs[other];
}

void anypi_budget_procs(const anypi_plan *plan, int order[ANYPI_MAX_LIST])
{
    for (int i = 0; i < plan->procs_count; i++) {
        int k = i;
        for (; k > 0 && precedes(plan, i, order[k - 1]); k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
}

anypi_cell *anypi_budget_next(const anypi_plan *plan, int index)
{
    anypi_cell *next = NULL;
    for (int i = 0; i < plan->cells_count; i++) {
        anypi_cell *cell = &plan->cells[i];
        if (cell->procs == index && !cell->passed && (!next || cell->stake > next->stake))
            next = cell;
    }
    return next;
}

void anypi_budget_share(anypi_session *session, const int *order, int i)
{
    const anypi_plan *plan = session->plan;
    const double left = fmax(first_passes * session->options->budget - anypi_elapsed(session), 0);
    double share = !i ? plan->procs_count > 1 ? 0.5 : 1 : 1.0 / (plan->procs_count - i);
    if (plan->only) {
        double all = 0;
        for (int k = i; k < plan->procs_count; k++)
            all += stake_of(plan, order[k]);
        share = all > 0 ? stake_of(plan, order[i]) / all : 1;
    }
    session->share_end = anypi_elapsed(session) + left * share;
}

/* Returns the seconds of the p's share for each of its cells that has not passed, from this one
 * on. */
static double share_of(const anypi_session *session, const anypi_cell *cell)
{
    const anypi_plan *plan = session->plan;
    int cells = 0;
    for (const anypi_cell *one = plan->cells; one < plan->cells + plan->cells_count; one++)
        cells += one->procs == cell->procs && !one->passed;
    return fmax(session->share_end - anypi_elapsed(session), 0) / (cells ? cells : 1);
}

int anypi_budget_calls(const anypi_session *session, const anypi_cell *cell, double seconds)
{
    const bool row = anypi_cell_in_row(cell);
    const double barrier = session->models[0].alpha * ceil(log2(cell->p));
    const double wanted = fmax(min_seconds, meetings * barrier);
    const double each = fmax(seconds + anypi_arrival_last(&cell->arrivals, cell->p, 0), 1e-9);
    const double possible = share_of(session, cell) / (each * anypi_cell_running(cell));
    const double calls = fmax(wanted / each, row ? fmin(ANYPI_ROW, possible) : 1);
    return (int) fmin(fmax(calls, 1), ANYPI_MAX_CALLS);
}
