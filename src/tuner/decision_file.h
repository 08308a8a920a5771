/* SPDX-License-Identifier: BSD-3-Clause
 *
 * decision_file.h - the choices as a decision file.
 */
#ifndef ANYPI_DECISION_FILE_H_INCLUDED
#define ANYPI_DECISION_FILE_H_INCLUDED

#include "tuner/regions.h"

/* The text of the decision file; `origin` (where and when; lines) becomes a comment at its head.
 * Free it with free(); NULL if there is no memory. The file has no rules where the library's choice
 * is best, and for reduce_scatters whose blocks differ, since only equal ones are measured. */
char *anypi_write_decision(const anypi_plan *plan, const anypi_regions *regions,
                           const char *origin);

#endif
