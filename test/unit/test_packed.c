/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_packed.c - rules as numbers (packed_rules.c): what one process packs, another one unpacks.
 */
#include "unit/common.h"

#include "algorithms/shared/lists.h"
#include "schedule/memory.h"
#include "select/decision.h"
#include "select/vocabulary.h"
#include "unit/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As a decision file, to be freed with free(). */
static char *text_of(const anypi_decision *decision)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    anypi_decision_write(decision, true, file);
    fclose(file);
    return text;
}

/* This process's numbers of lists become others: that of {7, 1} is the first. */
static void renumber_lists(void)
{
    int index;
    anypi_lists_free();
    ck_assert_int_eq(anypi_list_add((int[]) { 7, 1 }, 2, &index), ANYP_SUCCESS);
}

static int32_t *packed(const char *path, int *count, char **text)
{
    anypi_decision *decision;
    anypi_diagnosis diagnosis;
    ck_assert_int_eq(anypi_decision_read(path, &decision, &diagnosis), ANYP_SUCCESS);
    *text = text_of(decision);
    int32_t *numbers = anypi_decision_pack(decision, count);
    ck_assert_ptr_nonnull(numbers);
    anypi_decision_free(decision);
    return numbers;
}

static void check_file(const char *path, void *state)
{
    int *files = state, count;
    char *text, *again;
    int32_t *numbers = packed(path, &count, &text);
    anypi_decision *decision, *read;
    anypi_diagnosis diagnosis;
    renumber_lists();
    ck_assert_int_eq(anypi_decision_unpack(numbers, count, &decision), ANYP_SUCCESS);
    again = text_of(decision);
    ck_assert_str_eq(text, again);
    ck_assert_int_eq(anypi_decision_read(path, &read, &diagnosis), ANYP_SUCCESS);
    ck_assert_uint_eq(anypi_decision_hash(decision), anypi_decision_hash(read));
    anypi_decision_free(read);
    anypi_decision_free(decision);
    anypi_free(numbers);
    free(text);
    free(again);
    ++*files;
}

START_TEST(files_again)
{
    int files = 0;
    use_vocabulary(_i);
    each_file("decision/valid", check_file, &files);
    ck_assert_int_ge(files, 12);
}
END_TEST

static const char lists[] = "{\"collective=allreduce\": {\"comm_size<=3\": {"
    "\"algorithm=MPIR_Allreduce_intra_anyp_circulant\": {\"skips=2,1\": {}}}, \"comm_size=any\": {"
    "\"algorithm=MPIR_Allreduce_intra_anyp_circulant\": {\"skips=3,2,1\": {}}}}}";

static int32_t *packed_lists(int *count)
{
    anypi_decision *decision;
    anypi_diagnosis diagnosis;
    ck_assert_int_eq(anypi_decision_parse(lists, strlen(lists), "text", &decision, &diagnosis),
                     ANYP_SUCCESS);
    int32_t *numbers = anypi_decision_pack(decision, count);
    ck_assert_ptr_nonnull(numbers);
    anypi_decision_free(decision);
    return numbers;
}

START_TEST(lists_of_numbers)
{
    int count;
    int32_t *numbers = packed_lists(&count);
    anypi_decision *decision;
    renumber_lists();
    ck_assert_int_eq(anypi_decision_unpack(numbers, count, &decision), ANYP_SUCCESS);
    char *text = text_of(decision);
    ck_assert_ptr_nonnull(strstr(text, "\"skips=2,1\""));
    ck_assert_ptr_nonnull(strstr(text, "\"skips=3,2,1\""));
    free(text);
    anypi_decision_free(decision);
    anypi_free(numbers);
}
END_TEST

/* Numbers that end too early, or that are too many; any single number that is another one. */
START_TEST(wrong_numbers)
{
    int count, refused = 0;
    int32_t *numbers = packed_lists(&count);
    anypi_decision *decision;
    for (int i = 0; i < count; i++)
        ck_assert_int_eq(anypi_decision_unpack(numbers, i, &decision), ANYP_ERR_ARGUMENT);
    numbers = realloc(numbers, (size_t) (count + 1) * sizeof *numbers);
    numbers[count] = 0;
    ck_assert_int_eq(anypi_decision_unpack(numbers, count + 1, &decision), ANYP_ERR_ARGUMENT);
    for (int i = 0; i < count; i++) {
        const int32_t kept = numbers[i];
        for (int bad = 0; bad < 3; bad++) {
            numbers[i] = (const int32_t[]) { INT32_MIN, -2, INT32_MAX }[bad];
            const anyp_status status = anypi_decision_unpack(numbers, count, &decision);
            ck_assert(status == ANYP_SUCCESS || status == ANYP_ERR_ARGUMENT);
            refused += status != ANYP_SUCCESS;
            anypi_decision_free(decision);
        }
        numbers[i] = kept;
    }
    ck_assert_int_ge(refused, count);
    free(numbers);
}
END_TEST

START_TEST(no_memory)
{
    int count, failures = 0;
    int32_t *numbers = packed_lists(&count);
    for (;; failures++) {
        anypi_decision *decision;
        renumber_lists();
        anypi_fail_allocation(failures);
        const anyp_status status = anypi_decision_unpack(numbers, count, &decision);
        anypi_fail_allocation(-1);
        if (status == ANYP_SUCCESS) {
            anypi_decision_free(decision);
            break;
        }
        ck_assert_int_eq(status, ANYP_ERR_MEMORY);
        ck_assert_ptr_null(decision);
    }
    ck_assert_int_eq(failures, 5);      /* the decision, its rules, the lists' numbers, two lists */
    anypi_free(numbers);
}
END_TEST

START_TEST(formats)
{
    const uint64_t first = anypi_decision_format();
    ck_assert_uint_eq(anypi_decision_format(), first);
    use_vocabulary(1);
    ck_assert_uint_ne(anypi_decision_format(), first);
}
END_TEST

Suite *suite_packed(void)
{
    TCase *tests;
    Suite *suite = suite_of("packed", &tests);
    tcase_add_loop_test(tests, files_again, 0, vocabularies());
    tcase_add_test(tests, lists_of_numbers);
    tcase_add_test(tests, wrong_numbers);
    tcase_add_test(tests, no_memory);
    tcase_add_test(tests, formats);
    return suite;
}
