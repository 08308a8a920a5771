/* SPDX-License-Identifier: BSD-3-Clause
 *
 * report.c - reads records and timing files, and makes the page.
 */
#include "report/report.h"

#include "report/run.h"
#include "tuner/text_file.h"
#include "tuner/timing_file.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_RECORDS = 2 };

/* Everything up to the data. */
static const char *const page_lines[] = {
#include "src/report/page.inc"
};

typedef struct sources {
    anypi_record records[MOST_RECORDS];
    int records_count;
    const char **times;         /* the names of the timing files */
    int times_count;
    char **texts;
    anypi_plan plan;
    anypi_choosing how;
    anypi_regions regions;
} sources;

/* Is the word in the first bytes of the text? */
static bool begins_with(const char *text, const char *word, size_t bytes)
{
    return memmem(text, strnlen(text, bytes), word, strlen(word));
}

/* Is the file, judged by its first line, a record? If not, *times: can it be a timing file? A file
 * that cannot be read can. */
static bool is_record(const char *file, bool *times)
{
    const char *reason;
    char *text = anypi_file_read(file, &reason);
    const bool record = text && begins_with(text, "\"anyp-record\"", 256);
    *times = !text || begins_with(text, "\"anyp-tune", strcspn(text, "\n"));
    free(text);
    return record;
}

/* Reads the records among the files, and lists the others. False and a message on failure. */
static bool read_records(sources *its, const char *const *files, int count, char *message,
                         size_t size)
{
    bool times;
    for (int i = 0; i < count; i++) {
        const bool record = is_record(files[i], &times);
        if (!record && !times) {
            snprintf(message, size, "%s: expected a record of anyp run --record or a timing file "
                     "of anyp-tune --save", files[i]);
            return false;
        } else if (!record) {
            its->times[its->times_count++] = files[i];
        } else if (its->records_count == MOST_RECORDS) {
            snprintf(message, size, "more than two records; give one, or two of a program before "
                     "and after a change");
            return false;
        } else if (anypi_record_read(&its->records[its->records_count++], files[i], message,
                                     size) != ANYP_SUCCESS) {
            return false;
        }
    }
    const bool same = its->records_count < 2 || its->records[1].p == its->records[0].p;
    if (!same)
        snprintf(message, size, "cannot compare records of %d and %d processes; record both runs "
                 "with the same number of processes", its->records[0].p, its->records[1].p);
    return same;
}

/* Reads the timing files, and makes the choices. */
static bool read_times(sources *its, bool mixed, char *message, size_t size)
{
    bool any = its->records_count > 0 || !its->times_count;
    if (!its->times_count)
        return true;
    its->texts = anypi_times_read(&its->plan, its->times, its->times_count, mixed, message, size);
    if (!its->texts)
        return false;
    its->how = anypi_usual_choosing(&its->plan);
    for (int i = 0; i < its->plan.cells_count; i++)
        any |= its->plan.cells[i].rounds > 0;
    if (!any)
        snprintf(message, size, "%s contains no times", its->times[0]);
    return any && anypi_choose_all(&its->plan, &its->how, &its->regions);
}

static char *write_page(const sources *its, const anypi_run *run, const char *notes)
{
    char *page = NULL;
    size_t length;
    anypi_json json = { .file = open_memstream(&page, &length) };
    if (!json.file)
        return NULL;
    for (size_t i = 0; i < sizeof page_lines / sizeof *page_lines; i++)
        fputs(page_lines[i], json.file);
    anypi_json_write(&json, "{ version:%s", PACKAGE_VERSION);
    if (run) {
        anypi_run_data(&json, run);
    } else {
        anypi_json_write(&json, "notes:%s", notes);
        anypi_times_data(&json, &its->plan, &its->how, its->times, its->texts, its->times_count);
    }
    anypi_json_write(&json, "}");
    fputs("</script>\n</body>\n</html>\n", json.file);
    return anypi_text_end(json.file, &page);
}

static char *write_table(const anypi_run *run)
{
    char *table = NULL;
    size_t length;
    FILE *file = open_memstream(&table, &length);
    if (!file)
        return NULL;
    anypi_run_headline(file, run);
    anypi_run_table(file, run);
    return anypi_text_end(file, &table);
}

char *anypi_report_make(const char *const *files, int count, bool mixed, char **table,
                        char *message, size_t size)
{
    sources its = { .times = calloc((size_t) count, sizeof *its.times) };
    anypi_run run = { 0 };
    char *page = NULL;
    *message = '\0';
    *table = NULL;
    bool good = its.times && read_records(&its, files, count, message, size) &&
        read_times(&its, mixed, message, size);
    if (good && its.records_count) {
        good = anypi_run_make(&run, &its.records[0], its.records_count > 1 ? &its.records[1] : NULL,
                              its.times_count ? &its.plan : NULL);
        *table = good ? write_table(&run) : NULL;
        good = *table;
    }
    if (good)
        page = write_page(&its, its.records_count ? &run : NULL, message);
    if (!page && (good || !*message))
        snprintf(message, size, "no memory");
    anypi_run_free(&run);
    anypi_regions_free(&its.regions);
    anypi_times_free(its.texts, its.texts ? its.times_count : 0);
    anypi_plan_free(&its.plan);
    for (int i = 0; i < MOST_RECORDS; i++)
        anypi_record_free(&its.records[i]);
    free(its.times);
    return page;
}
