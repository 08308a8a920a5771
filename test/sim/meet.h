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
#include <stdlib.h>

/* The greatest of all ranks' numbers. By collectives that no measured algorithm serves, so that a
 * wrong one has no effect here. */
static inline double meet_greatest(double mine)
{
    int p, rank;
    double greatest = mine, *all;
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    all = malloc((size_t) p * sizeof *all);
    if (!all)
        PMPI_Abort(MPI_COMM_WORLD, 1);
    PMPI_Gather(&mine, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < p; i++)
        greatest = all[i] > greatest ? all[i] : greatest;
    free(all);
    PMPI_Bcast(&greatest, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return greatest;
}

/* Waits until the same moment of simulated time on all ranks of MPI_COMM_WORLD, when no message is
 * under way; returns it, in seconds. Collective; the plug-in does not see it. First all learn when
 * the last rank has arrived, and then how long that took, which bounds how long the second step
 * takes. */
static inline double meet(void)
{
    const double last = meet_greatest(simgrid_get_clock());
    const double longest = meet_greatest(simgrid_get_clock() - last);
    const double moment = last + 4 * longest + 1e-3, rest = moment - simgrid_get_clock();
    if (rest < 0) {
        fprintf(stderr, "a rank comes too late to a common moment, by %g s\n", -rest);
        PMPI_Abort(MPI_COMM_WORLD, 1);
    }
    sg_actor_sleep_for(rest);
    return moment;
}

#endif
