/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_record.c - the table of a record, its sums, and its file.
 */
#include "unit/common.h"

#include "record/record.h"
#include "schedule/memory.h"

#include <stdlib.h>
#include <string.h>

static int phase_of_calls;      /* of all calls that call() adds */

/* Adds calls of an allreduce with these bytes; all of one rank. False: no memory. */
static bool call(anypi_record *record, int64_t bytes, int64_t calls, double seconds)
{
    const anypi_calls key = {
        .size = bytes, .collective = ANYP_ALLREDUCE, .p = 4, .op = ANYPI_OP_SUM, .uneven = 1,
        .type_size = 8, .nodes = anypi_record_shape(record, "2x2"), .phase = phase_of_calls,
    };
    anypi_calls *kind = anypi_record_find(record, &key);
    if (!kind)
        return false;
    if (!kind->calls) {
        kind->least = kind->largest = bytes;
        kind->ranks = 1;
    }
    kind->least = bytes < kind->least ? bytes : kind->least;
    kind->largest = bytes > kind->largest ? bytes : kind->largest;
    kind->calls += calls;
    kind->bytes += (double) (bytes * calls);
    kind->seconds += seconds;
    kind->least_seconds = kind->largest_seconds = kind->seconds;
    return true;
}

static int64_t all_calls(const anypi_record *record)
{
    int64_t sum = 0;
    for (int i = 0; i < record->count; i++)
        sum += record->kinds[i].calls;
    return sum;
}

START_TEST(kinds_are_found_again)
{
    anypi_record record = { 0 };
    for (int turn = 0; turn < 2; turn++)
        for (int i = 0; i < 1000; i++)
            ck_assert(call(&record, 8 * i, 1, 1));
    ck_assert_int_eq(record.count, 1000);
    for (int i = 0; i < record.count; i++)
        ck_assert_int_eq(record.kinds[i].calls, 2);
    anypi_record_free(&record);
}
END_TEST

START_TEST(a_full_table_has_classes)
{
    anypi_record record = { 0 };
    for (int i = 0; i < 100000; i++)
        ck_assert(call(&record, i, 1, 1e-6));
    ck_assert_int_eq(all_calls(&record), 100000);
    ck_assert_int_le(record.count, 2048);
    ck_assert_int_eq(anypi_record_join(&record, ANYPI_RECORD_KINDS), ANYP_SUCCESS);
    ck_assert_int_eq(all_calls(&record), 100000);
    ck_assert_int_le(record.count, ANYPI_RECORD_KINDS);
    for (int i = 0; i < record.count; i++) {
        const anypi_calls *kind = &record.kinds[i];
        ck_assert_int_le(kind->least, kind->largest);
        /* two classes per power of two */
        ck_assert(kind->largest < 4 || 2 * kind->largest < 3 * kind->least);
        ck_assert(anypi_calls_bytes(kind) >= (double) kind->least &&
                  anypi_calls_bytes(kind) <= (double) kind->largest);
    }
    anypi_record_free(&record);
}
END_TEST

START_TEST(few_sizes_stay_exact)
{
    anypi_record record = { 0 };
    for (int i = 0; i < 8; i++)
        ck_assert(call(&record, 1000 + i, 1, 1));
    ck_assert_int_eq(anypi_record_join(&record, 8), ANYP_SUCCESS);
    ck_assert_int_eq(record.count, 8);
    ck_assert_int_eq(anypi_record_join(&record, 1), ANYP_SUCCESS);
    ck_assert_int_eq(record.count, 1);
    ck_assert_int_eq(record.kinds[0].calls, 8);
    ck_assert_int_eq(record.kinds[0].largest, 1007);
    ck_assert(record.kinds[0].least_seconds == 8);      /* of the same rank */
    anypi_record_free(&record);
}
END_TEST

START_TEST(ranks_are_added)
{
    anypi_record sum = { 0 }, other = { 0 };
    ck_assert(call(&sum, 8, 10, 1));
    ck_assert(call(&other, 8, 10, 3));
    ck_assert(call(&other, 16, 5, 2));
    sum.kinds[0].latest = 0;
    sum.kinds[0].largest_gap = 2;
    other.kinds[0].latest = other.kinds[1].latest = 1;
    other.kinds[0].largest_gap = 1;
    ck_assert_int_eq(anypi_record_add(&sum, &other), ANYP_SUCCESS);
    sum.p = 2;
    sum.complete = true;
    ck_assert_int_eq(sum.count, 2);
    const anypi_calls *both = &sum.kinds[0], *one = &sum.kinds[1];
    ck_assert_int_eq(both->ranks, 2);
    ck_assert(anypi_calls_of_rank(both) == 10 && anypi_calls_of_rank(one) == 5);
    ck_assert(both->least_seconds == 1 && both->largest_seconds == 3);
    ck_assert(both->latest == 0 && one->latest == 1);
    ck_assert(anypi_calls_seconds(&sum, both) == 2 && anypi_calls_seconds(&sum, one) == 1);
    ck_assert_str_eq(sum.shapes[both->nodes], "2x2");
    anypi_record_free(&sum);
    anypi_record_free(&other);
}
END_TEST

START_TEST(work_is_sampled_or_a_bound)
{
    anypi_record record = { .p = 4, .complete = true };
    bool sampled;
    ck_assert(call(&record, 8, 40, 8));
    anypi_calls *kind = &record.kinds[0];
    kind->ranks = 4;
    kind->least_seconds = 1.5;
    ck_assert(anypi_calls_work(&record, kind, &sampled) == 1.5 && !sampled);
    kind->samples = 2;
    kind->work = 0.01;
    const double work = anypi_calls_work(&record, kind, &sampled);
    ck_assert(sampled && work > 0.0999 && work < 0.1001);
    kind->work = 10;            /* the bound is less */
    ck_assert(anypi_calls_work(&record, kind, &sampled) == 1.5 && !sampled);
    kind->ranks = 3;            /* no bound: never more than all, unless it is much more */
    kind->work = 0.21;
    ck_assert(anypi_calls_work(&record, kind, &sampled) == 2 && sampled);
    kind->work = 10;
    ck_assert(anypi_calls_work(&record, kind, &sampled) < 0 && !sampled);
    kind->ranks = 4;
    kind->samples = 0;
    kind->p = 3;                /* of other communicators nothing is known */
    ck_assert(anypi_calls_work(&record, kind, &sampled) < 0);
    anypi_record_free(&record);
}
END_TEST

static void fill(anypi_record *record)
{
    strcpy(record->command, "a \"b\" \xff");
    record->p = 4;
    record->nodes = anypi_record_shape(record, "2x2");
    record->seconds = 12.5;
    record->complete = true;
    for (int i = 0; i < 20; i++)
        ck_assert(call(record, 1 << i, i + 1, 0.001 * i));
    record->kinds[3].samples = 4;
    record->kinds[3].work = 0.00025;
    ck_assert_int_eq(anypi_record_join(record, 15), ANYP_SUCCESS);
}

/* Returns the file of a record, to be freed with free(). */
static char *write_text(const anypi_record *record)
{
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    ck_assert(file && anypi_record_write(record, file) && !fclose(file));
    return text;
}

START_TEST(a_file_is_read_again)
{
    anypi_record record = { 0 }, again = { 0 };
    char message[256];
    fill(&record);
    char *text = write_text(&record);
    ck_assert_int_eq(anypi_record_parse(&again, text, message, sizeof message), ANYP_SUCCESS);
    char *other = write_text(&again);
    ck_assert_str_eq(text, other);
    ck_assert_int_eq(again.count, record.count);
    ck_assert_int_eq(anypi_record_add(&again, &record), ANYP_SUCCESS);
    ck_assert_int_eq(again.count, record.count);        /* the keys are the same */
    free(text);
    free(other);
    anypi_record_free(&record);
    anypi_record_free(&again);
}
END_TEST

/* Cut off anywhere, a text is refused and nothing stays. */
START_TEST(damaged_texts_are_refused)
{
    anypi_record record = { 0 };
    char message[256];
    fill(&record);
    char *text = write_text(&record);
    for (size_t length = strlen(text) - 2; length > 0; length -= length > 500 ? 97 : 1) {
        anypi_record read = { 0 };
        *message = '\0';
        text[length] = '\0';
        ck_assert_int_eq(anypi_record_parse(&read, text, message, sizeof message), ANYP_ERR_FILE);
        ck_assert(*message && read.count == 0);
    }
    free(text);
    anypi_record_free(&record);
}
END_TEST

/* Adds one call of an allreduce in a phase. Returns the phase to which it is added. */
static int call_in(anypi_record *record, int phase)
{
    const anypi_calls key = { .size = 8, .collective = ANYP_ALLREDUCE, .p = 4, .uneven = 1,
                              .phase = phase };
    anypi_calls *kind = anypi_record_find(record, &key);
    ck_assert(kind);
    kind->ranks = 1;
    kind->least = kind->largest = 8;
    kind->calls++;
    kind->bytes += 8;
    kind->seconds += 0.5;
    kind->least_seconds = kind->largest_seconds = kind->seconds;
    return kind->phase;
}

START_TEST(phases_are_kinds)
{
    anypi_record record = { .p = 4 }, again = { 0 };
    char message[256];
    ck_assert_int_eq(call_in(&record, 0), 0);
    for (int turn = 0; turn < 2; turn++)
        for (int phase = 2; phase < 52; phase++)        /* the file has room for 32 */
            ck_assert_int_eq(call_in(&record, phase), phase < 34 ? phase : -1);
    ck_assert_int_eq(record.count, 34);
    char *text = write_text(&record);
    ck_assert_int_eq(anypi_record_parse(&again, text, message, sizeof message), ANYP_SUCCESS);
    ck_assert_int_eq(again.count, 34);
    ck_assert_int_eq(anypi_record_add(&again, &record), ANYP_SUCCESS);
    ck_assert_int_eq(again.count, 34);
    ck_assert_int_eq(anypi_record_join(&again, 1), ANYP_SUCCESS);       /* sizes, not phases */
    ck_assert_int_eq(again.count, 34);
    ck_assert_int_eq(anypi_record_join_phases(&record), ANYP_SUCCESS);
    ck_assert_int_eq(record.count, 1);
    ck_assert_int_eq(record.kinds[0].phase, 0);
    ck_assert_int_eq(record.kinds[0].calls, 101);
    ck_assert_int_eq(record.kinds[0].ranks, 1);
    ck_assert(record.kinds[0].seconds == 50.5 && record.kinds[0].least_seconds == 50.5);
    free(text);
    anypi_record_free(&record);
    anypi_record_free(&again);
}
END_TEST

START_TEST(memory_may_fail)
{
    bool failed = true;
    phase_of_calls = 2;
    for (int after = 0; failed; after++) {
        anypi_record record = { 0 }, other = { 0 };
        ck_assert(call(&other, 8, 1, 1));
        anypi_fail_allocation(after);
        failed = false;
        for (int i = 0; i < 100; i++)
            failed |= !call(&record, i, 1, 1);
        failed |= anypi_record_add(&record, &other) != ANYP_SUCCESS;
        failed |= anypi_record_join(&record, 10) != ANYP_SUCCESS;
        failed |= anypi_record_join_phases(&record) != ANYP_SUCCESS;
        anypi_fail_allocation(-1);
        failed |= after < 5;    /* a shape that is lost is no failure */
        anypi_record_free(&record);
        anypi_record_free(&other);
    }
    phase_of_calls = 0;
}
END_TEST

Suite *suite_record(void)
{
    TCase *tests;
    Suite *suite = suite_of("record", &tests);
    tcase_add_test(tests, kinds_are_found_again);
    tcase_add_test(tests, a_full_table_has_classes);
    tcase_add_test(tests, few_sizes_stay_exact);
    tcase_add_test(tests, ranks_are_added);
    tcase_add_test(tests, work_is_sampled_or_a_bound);
    tcase_add_test(tests, a_file_is_read_again);
    tcase_add_test(tests, phases_are_kinds);
    tcase_add_test(tests, damaged_texts_are_refused);
    tcase_add_test(tests, memory_may_fail);
    return suite;
}
