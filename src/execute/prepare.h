/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prepare.h - the program of a call: the last one's, if that was alike, else a new one. For every
 * back end.
 */
#ifndef ANYPI_PREPARE_H_INCLUDED
#define ANYPI_PREPARE_H_INCLUDED

#include "execute/workspace.h"

/* Makes workspace->program the one that carries the call out. `starts` as for anypi_partition;
 * where they are given, nothing is kept. Statuses as anyp_generate(). */
anyp_status anypi_prepare(anypi_workspace *workspace, const anyp_algorithm *algorithm,
                          const int *parameters, const anyp_call *call, const int64_t *starts,
                          anypi_element element);

#endif
