/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/budget.h"

#include "measure/clock.h"
#include "measure/interrupt.h"

#include <math.h>

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
    return anypi_elapsed(session) + seconds <= session->budget;
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
    const double left = last_start * session->budget - anypi_elapsed(session);
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
