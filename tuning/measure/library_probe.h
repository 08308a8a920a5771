/* SPDX-License-Identifier: BSD-3-Clause
 *
 * library_probe.h - which of the library's own algorithms serve which calls.
 */
#ifndef ANYPI_LIBRARY_PROBE_H_INCLUDED
#define ANYPI_LIBRARY_PROBE_H_INCLUDED

#include "measure/session.h"

/* Finds which of MPICH's own algorithms serve every call with commuting or other operators; the
 * others fail in all cells. MPICH's automatic choice still uses them where they fit. On all ranks,
 * after anypi_plan_cells(). False: the library cannot be switched. */
bool anypi_probe(anypi_session *session, const anypi_cvars *cvars);

#endif
