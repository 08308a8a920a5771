/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/measure.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static double last;             /* anypi_seconds() of the last line */

double anypi_seconds(void)
{
    struct timespec now;
    (clock_gettime)(CLOCK_MONOTONIC, &now);     /* no macro: SMPI's would be simulated time */
    return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

void anypi_progress(const anypi_session *session, const anypi_cell *cell)
{
    const bool terminal = isatty(STDERR_FILENO);
    const double now = anypi_seconds(), used = now - session->start;
    if (session->rank || (last > 0 && now - last < (terminal ? 0.2 : 5)))
        return;
    last = now;
    const double part = used < session->budget ? used / session->budget : 1;
    fprintf(stderr, "%sanyp-tune: %3.0f %%  p=%d %s, %s, %lld bytes; %.0f s, at most %.0f s left%s",
            terminal ? "\r" : "", 100 * part, cell->p, anyp_collective_name(cell->collective),
            cell->commutative ? "sum" : "matrix product", (long long) cell->bytes, used,
            session->budget > used ? session->budget - used : 0, terminal ? "\033[K" : "\n");
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

void anypi_progress_end(const anypi_session *session)
{
    if (!session->rank)
        fprintf(stderr, "%sanyp-tune: measured for %.0f s%s\n",
                isatty(STDERR_FILENO) ? "\r" : "", anypi_seconds() - session->start,
                isatty(STDERR_FILENO) ? "\033[K" : "");
}
