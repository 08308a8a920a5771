/* SPDX-License-Identifier: BSD-3-Clause
 *
 * times.h - writes the measurements of anyp-tune as data of the page: where AnyP is faster than the
 * library's choice, by how much, and how well closed forms predict times.
 */
#ifndef ANYPI_TIMES_H_INCLUDED
#define ANYPI_TIMES_H_INCLUDED

#include "tuner/json.h"
#include "tuner/regions.h"

/* Writes the files and their cells. The choices have been made. */
void anypi_times_data(anypi_json *json, const anypi_plan *plan, const anypi_choosing *how,
                      const char *const *files, char *const *texts, int count);

#endif
