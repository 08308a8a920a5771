/* SPDX-License-Identifier: BSD-3-Clause
 *
 * meet.h - a common moment of simulated time, from which calls are timed under SMPI.
 */
#ifndef SIM_MEET_H
#define SIM_MEET_H

#include <mpi.h>
#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <stdio.h>

/* Waits until the same moment of simulated time on all ranks of MPI_COMM_WORLD, when no message is
 * under way any more; returns it, in seconds. Collective; the plug-in does not see it. The first
 * allreduce tells when the last rank has come, the second how long the first one took, and so how
 * much longer the second one can: algorithms that are measured may serve them, too. */
static inline double meet(void)
{
    double now = simgrid_get_clock(), last, took, longest;
    PMPI_Allreduce(&now, &last, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    took = simgrid_get_clock() - last;
    PMPI_Allreduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    const double moment = last + 4 * longest + 1e-3, rest = moment - simgrid_get_clock();
    if (rest < 0) {
        fprintf(stderr, "a rank comes too late to a common moment, by %g s\n", -rest);
        PMPI_Abort(MPI_COMM_WORLD, 1);
    }
    sg_actor_sleep_for(rest);
    return moment;
}

#endif
