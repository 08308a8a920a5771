/* SPDX-License-Identifier: BSD-3-Clause
 *
 * report.h - makes one HTML page that needs no other file: page.html, whose script draws, followed
 * by the data as JSON. The page shows the measurements of anyp-tune: where AnyP is faster than the
 * library's choice, by how much, and how well closed forms predict times (times.c). Or it shows the
 * time of a program's collectives (run.h).
 */
#ifndef ANYPI_REPORT_H_INCLUDED
#define ANYPI_REPORT_H_INCLUDED

#include "tuner/json.h"
#include "tuner/regions.h"

#include <stddef.h>

/* Returns the page of `count` >= 1 files, to be freed with free(): timing files, which are joined
 * as anyp-tune --join does (with `mixed`, also files of different machines), or one or two records
 * (before and after a change), perhaps with timing files. *table becomes the text of records for a
 * terminal, to be freed with free(), or NULL. *message receives the notes of the join, a line for
 * each. On failure returns NULL and a message (one line). */
char *anypi_report_make(const char *const *files, int count, bool mixed, char **table,
                        char *message, size_t size);

/* Writes the measurements: the files and their cells. The choices have been made. */
void anypi_times_data(anypi_json *json, const anypi_plan *plan, const anypi_choosing *how,
                      const char *const *files, char *const *texts, int count);

#endif
