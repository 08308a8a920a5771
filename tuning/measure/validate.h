/* SPDX-License-Identifier: BSD-3-Clause
 *
 * validate.h - measures a decision file against the MPI library.
 */
#ifndef ANYPI_VALIDATE_H_INCLUDED
#define ANYPI_VALIDATE_H_INCLUDED

#include "measure/session.h"
#include "tuner/validation.h"

/* Measures the points of a validation, which rank 0 has made. On all ranks. False on rank 0: no
 * memory. */
bool anypi_validate(anypi_session *session, anypi_validation *validation);
/* Prints the verdicts, and mends the decision if the options say so. Returns the exit status. On
 * rank 0. */
int anypi_validated(const anypi_session *session, const anypi_validation *validation,
                    anypi_decision *decision);

#endif
