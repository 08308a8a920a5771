/* SPDX-License-Identifier: BSD-3-Clause
 *
 * same_schedule.h - do two settings of an algorithm come to the same schedules? (A threshold above
 * the vector's size and one far above do.) Their schedules are compared, of all ranks or of some of
 * very many.
 */
#ifndef ANYPI_SAME_SCHEDULE_H_INCLUDED
#define ANYPI_SAME_SCHEDULE_H_INCLUDED

#include "plan/candidate.h"

typedef struct anypi_sample anypi_sample;

/* The schedules of a candidate in a call, of some ranks; NULL if it has none, or no memory. */
anypi_sample *anypi_sample_make(const anypi_candidate *candidate, anyp_call call);
bool anypi_sample_equal(const anypi_sample *one, const anypi_sample *other);
void anypi_sample_free(anypi_sample *sample);

#endif
