/* SPDX-License-Identifier: BSD-3-Clause
 *
 * network.h - alpha, beta, gamma and overhead of a communicator, measured as its collectives use
 * them: all ranks send, receive and reduce at the same time. Crude, and enough to tell the hopeless
 * candidates.
 */
#ifndef ANYPI_NETWORK_H_INCLUDED
#define ANYPI_NETWORK_H_INCLUDED

#include "measure/session.h"

/* Measures session->models, and whether times are exact. On all ranks of the communicator. */
void anypi_fit(anypi_session *session, MPI_Comm comm);

#endif
