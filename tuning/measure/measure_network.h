/* SPDX-License-Identifier: BSD-3-Clause
 *
 * measure_network.h - measures the constants of the machine.
 */
#ifndef ANYPI_MEASURE_MEASURE_NETWORK_H_INCLUDED
#define ANYPI_MEASURE_MEASURE_NETWORK_H_INCLUDED

#include "measure/session.h"

/* Measures session->models and whether times are exact, for a communicator whose nodes may matter
 * (anypi_plan). On all its ranks. */
void anypi_fit(anypi_session *session, MPI_Comm comm, const anyp_shape *nodes);

#endif
