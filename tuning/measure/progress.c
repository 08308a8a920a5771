/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/progress.h"

#include "measure/budget.h"
#include "measure/clock.h"
#include "tuner/disturbed.h"
#include "tuner/collective_form.h"
#include "tuner/node_shapes.h"

#include <stdio.h>
#include <unistd.h>

static double last;             /* anypi_seconds() of the last progress line */

void anypi_progress(const anypi_session *session, const anypi_cell *cell)
{
    const bool terminal = isatty(STDERR_FILENO);
    const double now = anypi_seconds(), used = now - session->start;
    if (last > 0 && now - last < (terminal ? 0.2 : 5))  /* seconds: on a terminal, in a log */
        return;
    last = now;
    const double part = used < session->budget ? used / session->budget : 1;
    fprintf(stderr, "%sanyp-tune: %3.0f %%  %s; %.0f s, at most %.0f s left%s",
            terminal ? "\r" : "", 100 * part, anypi_cell_text(cell).text, used, session->budget > used ? session->budget - used : 0, terminal ? "\033[K" : "\n");
    fflush(stderr);
}

void anypi_progress_shared(anypi_session *session)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (session->plan->exact || session->node_ranks <= processors)
        return;
    fprintf(stderr, "anyp-tune: %d processes share %ld processors: what is measured holds for such "
            "jobs only, and an MPI that spins while it waits needs much time; with fewer processes "
            "(mpiexec -n) it is faster\n", session->node_ranks, processors);
    session->node_ranks = 0;            /* once */
}

/* Says how many cells are disturbed, and if this is `verbose` which. */
static void print_disturbed(const anypi_plan *plan, bool verbose)
{
    int measured = 0, disturbed = 0;
    for (int i = 0; i < plan->cells_count; i++) {
        const anypi_cell *cell = &plan->cells[i];
        measured += cell->rounds > 0;
        if (!anypi_disturbed(cell))
            continue;
        disturbed++;
        if (verbose)
            fprintf(stderr, "anyp-tune: disturbed: %s\n", anypi_cell_text(cell).text);
    }
    if (disturbed)
        fprintf(stderr, "anyp-tune: %d of %d cells are disturbed: all their candidates were slow "
                "in some rounds, and fast in others%s\n", disturbed, measured,
                3 * disturbed > measured ? "; the machine is busy, measure again when it is not"
                : "");
}

void anypi_progress_end(const anypi_session *session)
{
    const bool terminal = isatty(STDERR_FILENO);
    fprintf(stderr, "%sanyp-tune: %s %.0f s%s\n", terminal ? "\r" : "",
            session->decided ? "all decided after" : "measured for", anypi_elapsed(session),
            terminal ? "\033[K" : "");
    print_disturbed(session->plan, session->verbose);
}
