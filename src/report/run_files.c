/* SPDX-License-Identifier: BSD-3-Clause
 *
 * run_files.c - reads records and timing files, and makes the page.
 */
#include "report/finding.h"
#include "report/report.h"
#include "report/run.h"
#include "select/text.h"
#include "tuner/text_file.h"
#include "tuner/timing_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RECORDS = 2 };

/* Is the word in the first bytes of the text? */
static bool begins_with(const char *text, const char *word, size_t bytes)
{
    const char *const found = strstr(text, word);
    return found && (size_t) (found - text) < bytes;
}

anypi_report_kind anypi_report_kind_of(const char *file)
{
    const char *reason;
    char *text = anypi_file_read(file, &reason);
    const anypi_report_kind kind = !text ? ANYPI_REPORT_UNREADABLE
        : begins_with(text, "\"anyp-record\"", 256) ? ANYPI_REPORT_RECORD
        : begins_with(text, "\"anyp-tune", strcspn(text, "\n")) ? ANYPI_REPORT_TIMES
        : ANYPI_REPORT_OTHER;
    free(text);
    return kind;
}

/* Reads the records among the files, and lists the others. */
static int read_records(const char *const *files, int count, anypi_record records[MOST_RECORDS],
                        const char **others, int *others_count, char *message, size_t size)
{
    int found = 0;
    for (int i = 0; i < count; i++) {
        if (anypi_report_kind_of(files[i]) != ANYPI_REPORT_RECORD) {
            others[(*others_count)++] = files[i];
        } else if (found == MOST_RECORDS) {
            snprintf(message, size, "more than two records; give one, or two of a program before "
                     "and after a change");
            return -1;
        } else if (anypi_record_read(&records[found++], files[i], message, size) !=
                   ANYP_SUCCESS) {
            return -1;
        }
    }
    if (found == 2 && records[1].p != records[0].p)
        snprintf(message, size, "cannot compare records of %d and %d processes; record both runs "
                 "with the same number of processes",
                 records[0].p, records[1].p);
    else
        return found;
    return -1;
}

/* Writes both texts of a run, the page and the table. */
static char *write_run(const anypi_run *run, char **table)
{
    char *page = NULL;
    size_t length;
    FILE *file = open_memstream(&page, &length);
    *table = NULL;
    if (!file)
        return NULL;
    anypi_run_page(file, run);
    if (!anypi_text_end(file, &page))
        return NULL;
    file = open_memstream(table, &length);
    if (file) {
        anypi_run_headline(file, run);
        anypi_run_table(file, run);
    }
    if (file && anypi_text_end(file, table))
        return page;
    free(page);
    return NULL;
}

char *anypi_report_run(const char *const *files, int count, bool mixed, char **table,
                       char *message, size_t size)
{
    anypi_record records[MOST_RECORDS];
    anypi_plan plan = { .only_anyp = false };
    anypi_regions regions = { .list = NULL };
    anypi_run run = { 0 };
    char **texts = NULL, *page = NULL;
    int times = 0;
    const char **others = calloc((size_t) count, sizeof *others);
    *message = '\0';
    memset(records, 0, sizeof records);
    const int found = others ? read_records(files, count, records, others, &times, message, size)
        : -1;
    bool good = found > 0;
    if (good && times > 0) {
        texts = anypi_times_read(&plan, others, times, mixed, message, size);
        const anypi_choosing how = anypi_usual_choosing(&plan);
        good = texts && anypi_choose_all(&plan, &how, &regions);
    }
    if (good) {
        good = anypi_run_make(&run, &records[0], found > 1 ? &records[1] : NULL,
                              times ? &plan : NULL);
        page = good ? write_run(&run, table) : NULL;
    }
    if (!page && !*message)
        snprintf(message, size, "no memory");
    anypi_run_free(&run);
    anypi_regions_free(&regions);
    anypi_times_free(texts, texts ? times : 0);
    anypi_plan_free(&plan);
    for (int i = 0; i < MOST_RECORDS; i++)
        anypi_record_free(&records[i]);
    free(others);
    return page;
}
