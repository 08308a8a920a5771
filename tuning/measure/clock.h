/* SPDX-License-Identifier: BSD-3-Clause
 *
 * clock.h - real time for the budget, and common start times of ranks.
 */
#ifndef ANYPI_CLOCK_H_INCLUDED
#define ANYPI_CLOCK_H_INCLUDED

#include <mpi.h>

/* Real seconds; MPI_Wtime() may be simulated time. */
double anypi_seconds(void);
/* A time in the future of all ranks; by MPI_Wtime(), which is the same on all of them. */
double anypi_agree_moment(MPI_Comm comm);
/* Waits until a time; returns MPI_Wtime(). */
double anypi_wait_until(double moment);

#endif
