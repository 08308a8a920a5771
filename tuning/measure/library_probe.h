/* SPDX-License-Identifier: BSD-3-Clause
 *
 * library_probe.h - which of MPICH's algorithms a rule may name. MPICH checks an algorithm's
 * restrictions where a control variable forces it, and with MPIR_CVAR_COLLECTIVE_FALLBACK=error
 * refuses what does not fit; it does not check a rule of a decision file. So each algorithm is tried
 * in the corners that a rule for all vectors and operators reaches, as far as the conditions around
 * the rule let them through (plan/library.h): one element, a user-defined operator, a p that is no
 * power of two, a communicator of one process (which has no hierarchy of nodes).
 */
#ifndef ANYPI_LIBRARY_PROBE_H_INCLUDED
#define ANYPI_LIBRARY_PROBE_H_INCLUDED

#include "measure/session.h"

/* Finds out which of MPICH's own algorithms serve every call with commuting or other operators; the
 * others have failed in all cells. They remain represented by MPICH's automatic choice, which knows
 * when they fit. On all ranks, behind anypi_plan_cells(). False: the library does not let itself be
 * switched. */
bool anypi_probe(anypi_session *session);

#endif
