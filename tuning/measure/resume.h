/* SPDX-License-Identifier: BSD-3-Clause
 *
 * resume.h - continues an earlier run: the cells of its timing file are not measured again.
 */
#ifndef ANYPI_MEASURE_RESUME_H_INCLUDED
#define ANYPI_MEASURE_RESUME_H_INCLUDED

#include "measure/session.h"

/* Puts the times and the constants of the machine of session->earlier into the plan. On rank 0,
 * during anypi_command_all(). */
void anypi_resume_take(anypi_session *session);

#endif
