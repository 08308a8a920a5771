/* SPDX-License-Identifier: BSD-3-Clause
 *
 * together.h - ranks that begin at one time. All namespaces of a machine share CLOCK_MONOTONIC, so
 * they agree on a time, and sleep until then.
 */
#ifndef NETLAB_TOGETHER_H_INCLUDED
#define NETLAB_TOGETHER_H_INCLUDED

#include <mpi.h>

/* Seconds of the common clock. */
double netlab_clock(void);

/* Waits for a time that rank 0 of comm broadcasts, and returns it. `latency`: the network's, in
 * seconds. *late: by how much this rank missed it, since the broadcast arrived too late; if it is
 * much, the measurement is invalid. */
double netlab_together(MPI_Comm comm, double latency, double *late);

#endif
