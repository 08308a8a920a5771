/* SPDX-License-Identifier: BSD-3-Clause
 *
 * run_data.c - writes the record of a run as data of the page: sentences, lines, and the runs.
 */
#include "report/run.h"

#include <stdlib.h>
#include <string.h>

static void write_sentences(anypi_json *json, const anypi_run *run)
{
    char *text = NULL, *rest;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    if (file)
        anypi_run_headline(file, run);
    anypi_json_write(json, "sentences:[");
    if (file && !fclose(file))
        for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
            anypi_json_write(json, "%s", line);
    anypi_json_write(json, "]");
    free(text);
}

/* Writes a run's time of a line; without "work" it is unknown. */
static void write_time(anypi_json *json, const char *key, const anypi_run_time *its)
{
    if (!its->calls)
        return;
    anypi_json_write(json, "%s:{ calls:%g seconds:%g mark:%s", key,
                     its->times, its->seconds, its->mark);
    if (its->work >= 0)
        anypi_json_write(json, "work:%g", its->work);
    if (its->high > its->low)
        anypi_json_write(json, "low:%g high:%g", its->low, its->high);
    anypi_json_write(json, "}");
}

/* Writes the first run of a side, with the median of the seconds. */
static void write_record(anypi_json *json, const char *key, const anypi_run_side *runs,
                         double seconds)
{
    const anypi_record *record = runs->records;
    char one[32] = "unknown", begun[2 * sizeof record->begun + 32];
    snprintf(begun, sizeof begun, "%s", record->begun);
    if (runs->count > 1)
        snprintf(begun, sizeof begun, "%s, ..., %s (%d runs)", record->begun,
                 runs->records[runs->count - 1].begun, runs->count);
    const char *const shape = record->nodes ? record->shapes[record->nodes] : "";
    const bool several = shape[strspn(shape, "0123456789")];
    if (*shape && !several)
        snprintf(one, sizeof one, "1 node of %d", record->p);
    anypi_json_write(json, "%s:{ complete:%hhd seconds:%g processes:%d command:%s library:%s "
                     "begun:%s decided:%s nodes:%s version:%s }", key, record->complete,
                     seconds, record->p, record->command, record->library, begun,
                     record->decided, several ? shape : one, record->version);
}

void anypi_run_data(anypi_json *json, const anypi_run *run)
{
    write_record(json, "record", &run->runs[0], run->sum.run);
    if (run->after)
        write_record(json, "after", &run->runs[1], run->sum_after.run);
    const bool timed = run->plan != NULL;
    anypi_json_write(json, "few:%d times:%hhd several:%hhd paired:%hhd", ANYPI_FEW_SAMPLES,
                     timed, run->several, run->paired);
    write_sentences(json, run);
    anypi_json_write(json, "lines:[");
    for (int i = 0; i < run->count; i++) {
        const anypi_run_line *line = &run->lines[i];
        const int collective = line->calls->collective;
        anypi_json_write(json, "{ name:%s bytes:%s place:%d collective:%s",
                         anypi_run_name(run, line).text, anypi_run_bytes(line).text, collective,
                         anypi_recorded_name(collective));
        if (collective != ANYP_BARRIER)
            anypi_json_write(json, "mean:%g", anypi_calls_bytes(line->calls));
        write_time(json, "before", &line->before);
        write_time(json, "after", &line->after);
        if (line->known)
            anypi_json_write(json, "gain:%g near:%hhd capped:%hhd", line->gain, !line->measured,
                             line->capped);
        if (run->several)
            anypi_json_write(json, "change:%s", anypi_run_change(line).text);
        if (line->record == run->record && run->record->complete)
            anypi_json_write(json, "ranks:%d least:%g average:%g most:%g", line->calls->ranks,
                             line->calls->least_seconds,
                             line->calls->seconds / line->calls->ranks,
                             line->calls->largest_seconds);
        anypi_json_write(json, "}");
    }
    anypi_json_write(json, "]");
    anypi_run_phases_data(json, run);
    anypi_run_sites_data(json, run);
}
