/* SPDX-License-Identifier: BSD-3-Clause
 *
 * meet.h - a common moment of simulated time, from which calls are timed under SMPI.
 */
#ifndef SIM_MEET_H
#define SIM_MEET_H

#include <mpi.h>
#include <simgrid/actor.h>
#include <simgrid/engine.h>

/* Waits until the same moment of simulated time on all ranks of MPI_COMM_WORLD, when no message is
 * under way any more; returns it, in seconds. Collective; the plug-in does not see it. */
static inline double meet(void)
{
    double now = simgrid_get_clock(), moment;
    PMPI_Allreduce(&now, &moment, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    moment += 1e-3;             /* longer than the allreduce's last rank needs */
    sg_actor_sleep_for(moment - simgrid_get_clock());
    return moment;
}

#endif
