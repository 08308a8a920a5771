/* SPDX-License-Identifier: BSD-3-Clause
 *
 * results.h - the end of a run: choices, files, tables.
 */
#ifndef ANYPI_FINISH_H_INCLUDED
#define ANYPI_FINISH_H_INCLUDED

#include "plan/options.h"

/* Chooses, writes the decision file and, if asked for, the times, and prints what was won. `wrong`
 * is how many candidates had wrong results; `origin` says where and when, and is freed. Returns the
 * exit status. */
int anypi_finish(anypi_plan *plan, const anypi_options *options, int wrong, char *origin);

#endif
