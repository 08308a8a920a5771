/* SPDX-License-Identifier: BSD-3-Clause
 *
 * clock.h - true time for the budget, and the moments at which ranks begin together.
 */
#ifndef ANYPI_CLOCK_H_INCLUDED
#define ANYPI_CLOCK_H_INCLUDED

#include <mpi.h>
#include <stdbool.h>

/* True seconds, where MPI_Wtime() may tell simulated ones. */
double anypi_seconds(void);
/* A moment that all ranks have before them; by MPI_Wtime(), which is the same on all of them. */
double anypi_agree_moment(MPI_Comm comm);
/* Waits until a moment; returns MPI_Wtime(). */
double anypi_wait_until(double moment);
/* Has the ranks of the communicator begin together: behind a barrier, or, where times are exact and
 * clocks the same on all ranks, at the same moment. Returns MPI_Wtime(). */
double anypi_begin(MPI_Comm comm, bool exact);

#endif
