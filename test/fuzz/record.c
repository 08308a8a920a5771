/* SPDX-License-Identifier: BSD-3-Clause
 *
 * record.c - records of programs: any text must be read, or refused with a message. A record that
 * was read is written and read again without a change, joined and added, and shown.
 */
#include "fuzz/fuzz.h"

#include "record/record.h"
#include "report/run.h"

#include <math.h>

/* False if the text is refused. */
static bool read_text(anypi_record *record, const char *text)
{
    char message[256] = "";
    *record = (anypi_record) { 0 };
    if (anypi_record_parse(record, text, message, sizeof message) == ANYP_SUCCESS)
        return true;
    FUZZ_CHECK(*message && !strchr(message, '\n'), "'%s'", message);
    FUZZ_CHECK(!record->kinds && !record->shapes, "a refused record has kinds");
    return false;
}

static void check_kinds(const anypi_record *record)
{
    for (int i = 0; i < record->count; i++) {
        const anypi_calls *kind = &record->kinds[i];
        bool sampled;
        const double seconds = anypi_calls_seconds(record, kind);
        const double work = anypi_calls_work(record, kind, &sampled);
        FUZZ_CHECK(isfinite(seconds) && seconds >= 0, "kind %d: %g s", i, seconds);
        FUZZ_CHECK(work == -1 || (work >= 0 && work <= seconds), "kind %d: %g of %g s work", i,
                   work, seconds);
        FUZZ_CHECK(kind->calls >= 0 && kind->ranks > 0 && kind->ranks <= record->p,
                   "kind %d: %d ranks", i, kind->ranks);
        FUZZ_CHECK(kind->least <= kind->largest, "kind %d", i);
    }
}

/* Reads what is written of a record, and returns the text. */
static char *write_again(const anypi_record *record, anypi_record *again)
{
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    FUZZ_CHECK(file && anypi_record_write(record, file) && !fclose(file), "no memory");
    FUZZ_CHECK(read_text(again, text), "what was written is refused: %s", text);
    FUZZ_CHECK(again->count == record->count, "%d and %d kinds: %s", record->count, again->count,
               text);
    return text;
}

/* Texts that may have any words. */
static void drop_words(anypi_record *record)
{
    *record->command = *record->library = *record->version = '\0';
    *record->begun = *record->decided = '\0';
}

/* The table and the page's data of one side or two. */
static void show(const anypi_run_side before, const anypi_run_side after)
{
    anypi_run run;
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    FUZZ_CHECK(file && anypi_run_make(&run, before, after, NULL), "no memory");
    anypi_run_headline(file, &run);
    anypi_run_table(file, &run);
    anypi_json json = { .file = file };
    anypi_json_write(&json, "{");
    anypi_run_data(&json, &run);
    anypi_json_write(&json, "}");
    FUZZ_CHECK(!fclose(file), "no memory");
    FUZZ_CHECK(!strstr(text, "nan") && !strstr(text, "inf"), "%s", text);
    anypi_run_free(&run);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    anypi_record record, again, third;
    char *text = fuzz_text(data, size);
    if (read_text(&record, text)) {
        check_kinds(&record);
        char *first = write_again(&record, &again);
        char *second = write_again(&again, &third);
        FUZZ_CHECK(!strcmp(first, second), "%s\n%s", first, second);
        if (record.count > 0) {
            drop_words(&record);
            drop_words(&again);
            show((anypi_run_side) { &record, 1 }, (anypi_run_side) { 0 });
            record.complete = again.complete = true;
            FUZZ_CHECK(anypi_record_join(&again, record.count / 2) == ANYP_SUCCESS, "no memory");
            show((anypi_run_side) { &record, 1 }, (anypi_run_side) { &again, 1 });
            const anypi_record both[] = { again, record };
            show((anypi_run_side) { both, 2 }, (anypi_run_side) { both, 1 });
            FUZZ_CHECK(anypi_record_add(&again, &record) == ANYP_SUCCESS, "no memory");
        }
        free(first);
        free(second);
        anypi_record_free(&again);
        anypi_record_free(&third);
    }
    anypi_record_free(&record);
    free(text);
    return 0;
}
