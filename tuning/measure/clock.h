/* SPDX-License-Identifier: BSD-3-Clause
 *
 * clock.h - real and simulated time, and waiting for a moment.
 */
#ifndef ANYPI_CLOCK_H_INCLUDED
#define ANYPI_CLOCK_H_INCLUDED

#include <mpi.h>

/* Returns real seconds; MPI_Wtime() may be simulated time. */
double anypi_seconds(void);
/* Returns a time in the future of all ranks, by MPI_Wtime(), which is the same on all of them. */
double anypi_agree_moment(MPI_Comm comm);
/* Waits until a time; returns MPI_Wtime(). The system may wake the rank some 0.1 ms late. */
double anypi_wait_until(double moment);
/* As above on a real clock, but without being late: it does not sleep at the end. */
double anypi_wait_busy(double moment);

#endif
