/* SPDX-License-Identifier: BSD-3-Clause
 *
 * report.h - makes one HTML page that needs no other file. The page shows the measurements of
 * anyp-tune: where AnyP is faster than the library's choice, by how much, and how well closed forms
 * predict times. Or it shows the time of a program's collectives (run.h).
 */
#ifndef ANYPI_REPORT_H_INCLUDED
#define ANYPI_REPORT_H_INCLUDED

#include <stdbool.h>
#include <stddef.h>

/* Returns the page of `count` >= 1 timing files, which are joined as anyp-tune --join does; with
 * `mixed`, also files of different machines. Free it with free(). *message receives the notes of
 * the join, a line for each. On failure returns NULL and a message (one line): a file is wrong or
 * contains no times, or there is no memory. */
char *anypi_report_page(const char *const *files, int count, bool mixed, char *message,
                        size_t size);

/* The kind of a file, judged by its first line: a record of a program's collectives
 * (record/record.h), or a timing file. */
typedef enum anypi_report_kind {
    ANYPI_REPORT_UNREADABLE, ANYPI_REPORT_RECORD, ANYPI_REPORT_TIMES, ANYPI_REPORT_OTHER
} anypi_report_kind;
anypi_report_kind anypi_report_kind_of(const char *file);

/* Returns the page of one or two records (before and after a change), perhaps with timing files.
 * Also sets *table to the text for a terminal, to be freed with free(). */
char *anypi_report_run(const char *const *files, int count, bool mixed, char **table,
                       char *message, size_t size);

#endif
