/* SPDX-License-Identifier: BSD-3-Clause
 *
 * generate.h - the checks that all algorithms share, and the schedule of a settled call: the steps
 * of anyp_applicable() and anyp_generate() for code that settles in between.
 */
#ifndef ANYPI_GENERATE_H_INCLUDED
#define ANYPI_GENERATE_H_INCLUDED

#include "algorithms/settle.h"

/* Makes the checks that need no settled parameters: collective, operator, ranges of asked[].
 * Returns NULL, or why the algorithm does not serve the call (static text). */
const char *anypi_unfit_call(const anypi_settled_call *one, const int *asked);

/* Makes the algorithm's own check. Returns the same. */
const char *anypi_refusal(const anypi_settled_call *one);

/* Writes the schedule of the call's rank, which no longer needs checks. ANYP_ERR_MEMORY: there is
 * no memory. */
anyp_status anypi_generate(const anypi_settled_call *one, anyp_schedule *schedule);

#endif
