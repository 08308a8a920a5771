/* SPDX-License-Identifier: BSD-3-Clause
 *
 * progress.h - what anyp-tune says while it measures, on standard error of rank 0.
 */
#ifndef ANYPI_PROGRESS_H_INCLUDED
#define ANYPI_PROGRESS_H_INCLUDED

#include "measure/session.h"

/* Prints the progress of rank 0 on standard error, rarely, so that a log stays short. */
void anypi_progress(const anypi_session *session, const anypi_cell *cell);
/* Warns once if rank 0's node has more ranks than processors, and times are not exact. */
void anypi_progress_shared(anypi_session *session);
/* Prints how long it took, whether less than the budget sufficed, and which cells are disturbed
 * (tuner/disturbed.h). */
void anypi_progress_end(const anypi_session *session);

#endif
