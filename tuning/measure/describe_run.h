/* SPDX-License-Identifier: BSD-3-Clause
 *
 * describe_run.h - describes a run, for the timing file.
 */
#ifndef ANYPI_MEASURE_DESCRIBE_RUN_H_INCLUDED
#define ANYPI_MEASURE_DESCRIBE_RUN_H_INCLUDED

#include "measure/session.h"

/* Returns the date, the machine, the software and the measured calls, as texts by names, for
 * anypi_times_write() and anypi_times_resume(). On all ranks; NULL on all except rank 0, and
 * without memory. */
struct json_object *anypi_describe_run(const anypi_session *session);

#endif
