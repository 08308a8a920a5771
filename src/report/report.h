/* SPDX-License-Identifier: BSD-3-Clause
 *
 * report.h - what anyp-tune has measured, as one HTML page that needs no other file: where AnyP is
 * faster than the library's choice, by how much, and how well closed forms predict times. Or what
 * the collectives of a program took (run.h).
 */
#ifndef ANYPI_REPORT_H_INCLUDED
#define ANYPI_REPORT_H_INCLUDED

#include <stdbool.h>
#include <stddef.h>

/* The page of `count` >= 1 files of times, which are joined as anyp-tune --join does; `mixed`: also
 * of different machines. To be freed with free(); *message gets the notes of the join, a line for
 * each. NULL and a message (one line) if a file is wrong or has no times, or there is no memory. */
char *anypi_report_page(const char *const *files, int count, bool mixed, char *message,
                        size_t size);

/* What a file seems to be, by its first line: a record of a program's collectives
 * (record/record.h), or times. */
typedef enum anypi_report_kind {
    ANYPI_REPORT_UNREADABLE, ANYPI_REPORT_RECORD, ANYPI_REPORT_TIMES, ANYPI_REPORT_OTHER
} anypi_report_kind;
anypi_report_kind anypi_report_kind_of(const char *file);

/* The same of one or two records, before and after a change, and perhaps files of times; also sets
 * *table to what a terminal shows, to be freed with free(). */
char *anypi_report_run(const char *const *files, int count, bool mixed, char **table,
                       char *message, size_t size);

#endif
