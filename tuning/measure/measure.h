/* SPDX-License-Identifier: BSD-3-Clause
 *
 * measure.h - the measurements in which all ranks take part.
 */
#ifndef ANYPI_MEASURE_H_INCLUDED
#define ANYPI_MEASURE_H_INCLUDED

#include "measure/session.h"

/* Measures until all is decided, the budget is spent or a signal has arrived at a rank. Rank 0
 * learns of signals at other ranks in their next measurement. On all ranks; the times, and
 * session->interrupt, are on rank 0.
 * Cells have a first pass, one p after the other, as long as time remains to confirm those in which
 * the library's choice seems to lose. The plan loses cells for which there was no time. */
void anypi_measure(anypi_session *session);

/* ---- library_probe.c ---- */

/* Finds which of MPICH's own algorithms serve every call with commuting or other operators. The
 * others fail in all cells; MPICH's automatic choice still uses them where they fit. On all ranks,
 * after anypi_plan_cells(). False: the library cannot be switched. */
bool anypi_probe(anypi_session *session, const anypi_cvars *cvars);

#endif
