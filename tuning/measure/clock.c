/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/clock.h"

#include <sched.h>
#include <time.h>

/* In simulated seconds: longer than an allreduce of one number in any network. */
static const double meeting = 1;
/* The seconds by which the system may wake a process late. */
static const double late_waking = 3e-4;

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

double anypi_wait_busy(double moment)
{
    double now = anypi_wait_until(moment - late_waking);
    while (now < moment) {
        sched_yield();
        now = MPI_Wtime();
    }
    return now;
}

double anypi_agree_moment(MPI_Comm comm)
{
    double now = MPI_Wtime(), moment = now;
    PMPI_Allreduce(&now, &moment, 1, MPI_DOUBLE, MPI_MAX, comm);
    return moment + meeting;
}
