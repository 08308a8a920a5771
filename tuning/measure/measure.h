/* SPDX-License-Identifier: BSD-3-Clause
 *
 * measure.h - measures the cells of a plan: the order of the numbers of processes, and the time that
 * each gets.
 */
#ifndef ANYPI_MEASURE_H_INCLUDED
#define ANYPI_MEASURE_H_INCLUDED

#include "measure/session.h"

/* Measures until all is decided or the budget is spent. On all ranks; the times are on rank 0.
 * Every cell gets a first look, one p after the other; p for which there is no time remain
 * incomplete. The time that is left goes on as the strategy does (search.h). */
void anypi_measure(anypi_session *session);

#endif
