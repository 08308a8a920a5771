/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/budget.h"

#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>

/* Simulated seconds: longer than an allreduce of one number in any network. */
static const double meeting = 1;

double anypi_seconds(void)
{
    struct timespec now;
    (clock_gettime)(CLOCK_MONOTONIC, &now);     /* not SMPI's macro, which is simulated time */
    return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

double anypi_wait_until(double moment)
{
    const double rest = moment - MPI_Wtime();
    struct timespec time = { .tv_sec = (time_t) rest };
    time.tv_nsec = (long) (1e9 * (rest - (double) time.tv_sec) + 0.5);
    if (rest > 0)
        nanosleep(&time, NULL);
    return MPI_Wtime();
}

double anypi_agree_moment(MPI_Comm comm)
{
    double now = MPI_Wtime(), moment = now;
    PMPI_Allreduce(&now, &moment, 1, MPI_DOUBLE, MPI_MAX, comm);
    return moment + meeting;
}

/* ---- signals ---- */

static volatile sig_atomic_t came;

static void note(int number)
{
    came = number;
}

void anypi_interrupt_watch(void)
{
    static const int numbers[] = { SIGINT, SIGTERM };
    /* system calls of the MPI library go on */
    struct sigaction action = { .sa_handler = note, .sa_flags = SA_RESTART }, before;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        /* shells let background jobs ignore SIGINT, but mpiexec passes it on */
        if (!sigaction(numbers[i], NULL, &before) &&
            (before.sa_handler == SIG_DFL || before.sa_handler == SIG_IGN))
            sigaction(numbers[i], &action, NULL);
}

int anypi_interrupt(void)
{
    return came;
}

/* ---- the budget ---- */

/* Share of the budget after which no other p starts, so that races are decided and a p is not left
 * incomplete. */
static const double last_start = 0.7;
/* Calls of a time: more would only average the disturbances that the lower quartile ignores. */
enum { MAX_CALLS = 64 };

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

double anypi_first_pass_seconds(const anypi_session *session, const anypi_cell *cell)
{
    const double before = session->pass_candidates
        ? session->pass_seconds / session->pass_candidates
        : 4 * ANYPI_MIN_SECONDS;        /* of the first: a round and the work around it */
    return fmax(before, ANYPI_FIRST_PASS_CALLS * cell->promise);
}

double anypi_affordable(const anypi_session *session, const anypi_cell *cell)
{
    const anypi_plan *plan = session->plan;
    double each = 0;
    for (const anypi_cell *one = cell; one < plan->cells + plan->cells_count; one++)
        if (one->p == cell->p && one->nodes == cell->nodes)
            each += anypi_first_pass_seconds(session, one);
    return (session->share_end - anypi_elapsed(session)) / each;
}

bool anypi_budget_share(anypi_session *session, int i)
{
    const int procs = session->plan->procs_count;
    const double left = last_start * session->options->budget - anypi_elapsed(session);
    const int shares = i ? procs - i : procs > 1 ? 2 : 1;
    session->share_end = anypi_elapsed(session) + left / shares;
    return !i || left >= 0;
}

void anypi_budget_search(anypi_session *session, const anypi_cell *cell)
{
    const anypi_plan *plan = session->plan;
    const double now = anypi_elapsed(session);
    int cells = 0;
    for (const anypi_cell *one = cell; one < plan->cells + plan->cells_count; one++)
        cells += one->p == cell->p && one->nodes == cell->nodes;
    session->search_end = now + fmax(session->share_end - now, 0) / cells / 2;
}

int anypi_budget_calls(double seconds)
{
    return (int) fmin(fmax(ANYPI_MIN_SECONDS / fmax(seconds, 1e-9), 1), MAX_CALLS);
}
