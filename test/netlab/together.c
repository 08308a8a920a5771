/* SPDX-License-Identifier: BSD-3-Clause */
#include "together.h"

#include <errno.h>
#include <time.h>

double netlab_clock(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double) time.tv_sec + 1e-9 * (double) time.tv_nsec;
}

static void sleep_until(double when)
{
    struct timespec time = { .tv_sec = (time_t) when };
    time.tv_nsec = (long) (1e9 * (when - (double) time.tv_sec));
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == EINTR)
        continue;
}

double netlab_together(MPI_Comm comm, double latency, double *late)
{
    int p, rounds = 1;
    MPI_Comm_size(comm, &p);
    while (1 << rounds < p)
        rounds++;
    MPI_Barrier(comm);
    double when = netlab_clock() + 1.2 * (rounds + 1) * latency + 0.005;
    MPI_Bcast(&when, 1, MPI_DOUBLE, 0, comm);
    sleep_until(when);
    *late = netlab_clock() - when;
    return when;
}
