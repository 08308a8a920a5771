/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_skips.c - lists of skips: how they are read and stored, which p they serve, and that with
 * every valid list the circulant algorithm is right and costs what it promises.
 */
#include "unit/common.h"

#include "algorithms/circulant/skips.h"
#include "algorithms/shared/lists.h"
#include "analysis/simulate.h"
#include "analysis/verify.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static const anyp_algorithm *circulant(void)
{
    return anyp_algorithm_find("circulant");
}

/* The parameter's value for a text that must be right. */
static int skips_value(const char *text)
{
    int value;
    const char *reason = "";
    assert_often(anyp_parameter_set(circulant(), &value, "skips", text, &reason) == ANYP_SUCCESS,
                 "%s: %s", text, reason);
    return value;
}

/* ---- reading and keeping ---- */

START_TEST(test_values)
{
    char text[ANYP_VALUE_SIZE];
    const anyp_parameter *parameter = &circulant()->parameters[0];
    const int list = skips_value("11,6,3,2,1"), other = skips_value("3,2,1");
    ck_assert_int_eq(skips_value("sqrt"), ANYPI_SKIPS_SQRT);
    ck_assert_int_gt(list, parameter->maximum);
    ck_assert_int_ne(list, other);
    ck_assert_int_eq(list, skips_value("11,6,3,2,1"));
    ck_assert_str_eq(anyp_parameter_text(parameter, list, text, sizeof text), "11,6,3,2,1");
    ck_assert_str_eq(anyp_parameter_text(parameter, other, text, sizeof text), "3,2,1");
    ck_assert_str_eq(anyp_parameter_text(parameter, 1, text, sizeof text), "pow2");
    ck_assert_int_eq(anypi_skips_count(22, list), 5);
    ck_assert_int_eq(anypi_skip(22, list, 0), 22);
    ck_assert_int_eq(anypi_skip(22, list, 2), 6);
}
END_TEST

START_TEST(test_faults)
{
    static const struct {
        const char *text, *reason;
    } rows[] = {
        { "", "not one of its values" },
        { "half", "not one of its values" },
        { "-3,2,1", "not one of its values" },
        { "3,2,1,", "not a list of whole numbers" },
        { "3,,1", "not a list of whole numbers" },
        { "3,2 ,1", "not a list of whole numbers" },
        { "3,02,1", "not a list of whole numbers" },
        { "3;2;1", "not a list of whole numbers" },
        { "2147483648,1", "a number of the list is too large" },
        { "99999999999999999999,1", "a number of the list is too large" },
        { "0", "the last skip must be 1" },
        { "4,2", "the last skip must be 1" },
        { "2,2,1", "skips must decrease" },
        { "1,2,1", "skips must decrease" },
        { "3,1", "a skip is more than twice the next one, so that contributions would be lost" },
        { "1,0", "a skip is more than twice the next one, so that contributions would be lost" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *reason;
        int value = -7;
        ck_assert_int_eq(anyp_parameter_set(circulant(), &value, "skips", rows[i].text, &reason),
                         ANYP_ERR_ARGUMENT);
        assert_often(!strcmp(reason, rows[i].reason), "'%s': %s", rows[i].text, reason);
        ck_assert_int_eq(value, -7);
    }
}
END_TEST

/* Descending from `first`; returns text. */
static char *long_list(int first, char *text, size_t size)
{
    size_t used = 0;
    for (int skip = first; skip > 0 && used < size; skip--)
        used += (size_t) snprintf(text + used, size - used, "%s%d", skip < first ? "," : "", skip);
    return text;
}

START_TEST(test_longest)
{
    char text[1000], again[ANYP_VALUE_SIZE];
    const char *reason;
    int value = skips_value(long_list(ANYPI_MAXIMUM_LIST, text, sizeof text));
    ck_assert_str_eq(anyp_parameter_text(circulant()->parameters, value, again, sizeof again),
                     text);
    long_list(ANYPI_MAXIMUM_LIST + 1, text, sizeof text);
    ck_assert_int_eq(anyp_parameter_set(circulant(), &value, "skips", text, &reason),
                     ANYP_ERR_ARGUMENT);
    ck_assert_str_eq(reason, "the list is too long");
    memset(text, '1', ANYP_VALUE_SIZE);
    text[ANYP_VALUE_SIZE] = '\0';
    ck_assert_int_eq(anyp_parameter_set(circulant(), &value, "skips", text, &reason),
                     ANYP_ERR_ARGUMENT);
    ck_assert_str_eq(reason, "the list is too long");
}
END_TEST

/* A full table is reported, and keeps its lists. */
START_TEST(test_full_table)
{
    const int kept = skips_value("2,1");
    const char *reason;
    int place, value, added = 0;
    for (; anypi_list_add((const int[]) { added + 5, 1 }, 2, &place) == ANYP_SUCCESS; added++)
        ck_assert_int_lt(added, ANYPI_MAXIMUM_LISTS);
    ck_assert_int_ge(added, ANYPI_MAXIMUM_LISTS / 2);
    ck_assert_int_eq(anyp_parameter_set(circulant(), &value, "skips", "2000,1000,500,250,125,63,32,"
                                        "16,8,4,2,1", &reason), ANYP_ERR_ARGUMENT);
    ck_assert_str_eq(reason, "there are too many different lists already");
    ck_assert_int_eq(skips_value("2,1"), kept);
}
END_TEST

/* Reads and adds lists at the same time as other threads; returns its values. */
static void *add_lists(void *values)
{
    for (int i = 0; i < 200; i++) {
        const int numbers[] = { i + 1, 2, 1 };
        int count, place;
        if (anypi_list_add(numbers, 3, &place) != ANYP_SUCCESS)
            return NULL;
        const int *found = anypi_list_at(place, &count);
        if (!found || count != 3 || memcmp(found, numbers, sizeof numbers))
            return NULL;
        ((int *) values)[i] = place;
    }
    return values;
}

START_TEST(test_threads)
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    int values[THREADS][200];
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, add_lists, values[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        void *right;
        pthread_join(threads[i], &right);
        ck_assert_ptr_nonnull(right);
        ck_assert_mem_eq(values[i], values[0], sizeof values[0]);
    }
}
END_TEST

/* ---- which p ---- */

START_TEST(test_which_p)
{
    const int list = skips_value("11,6,3,2,1");
    for (int p = 1; p < 40; p++) {
        const anyp_call call = { .collective = ANYP_ALLREDUCE, .p = p, .count = 9, .type_size = 4,
                                 .commutative = true };
        const char *reason;
        const anyp_status status = anyp_applicable(circulant(), &call, &list, &reason);
        ck_assert_int_eq(status, p >= 12 && p <= 22 ? ANYP_SUCCESS : ANYP_ERR_NOT_APPLICABLE);
        if (p < 12)
            ck_assert_str_eq(reason, "the first skip of the list is not less than p");
        if (p > 22)
            ck_assert_str_eq(reason, "p is more than twice the first skip of the list");
    }
    const int none = list + 100;
    const anyp_call call = { .collective = ANYP_ALLREDUCE, .p = 22, .commutative = true };
    const char *reason;
    ck_assert_int_eq(anyp_applicable(circulant(), &call, &none, &reason), ANYP_ERR_NOT_APPLICABLE);
    ck_assert_str_eq(reason, "a parameter is out of range, see 'anyp list'");
}
END_TEST

/* Corollary 2 of the paper would allow 3, 2, 1 for p = 7: its sums of skips reach every rank. But
 * R[3] would be sent and received onto in one round. */
START_TEST(test_lost_contributions)
{
    const anyp_call call = { .collective = ANYP_REDUCE_SCATTER, .p = 7, .count = 7, .type_size = 1,
                             .commutative = true };
    const int list = skips_value("3,2,1");
    const char *reason;
    char why[300];
    anyp_schedule set[7];
    ck_assert_int_eq(anyp_applicable(circulant(), &call, &list, &reason), ANYP_ERR_NOT_APPLICABLE);
    for (int rank = 0; rank < 7; rank++) {
        anyp_call one = call;
        one.rank = rank;
        anyp_schedule_init(&set[rank]);
        anypi_schedule_begin(&set[rank], 7, rank, 7);
        circulant()->code->generate(&one, &list, &set[rank]);
        ck_assert_int_eq(anypi_schedule_end(&set[rank]), ANYP_SUCCESS);
    }
    ck_assert_int_eq(anypi_verify(set, &call, 0, why, sizeof why), ANYP_ERR_SCHEDULE);
    assert_often(strstr(why, "has not every contribution exactly once"), "%s", why);
    for (int rank = 0; rank < 7; rank++)
        anyp_schedule_free(&set[rank]);
}
END_TEST

/* ---- every list ---- */

static void check_simulation(const variant *v, const anyp_schedule *set, int rounds)
{
    static const anyp_model models[] = { { .alpha = 1 }, { .alpha = 64, .beta = 3, .gamma = 2 } };
    const int p = v->call.p, phases = v->call.collective == ANYP_ALLREDUCE ? 2 : 1;
    const anypi_partition partition = anypi_partition_for(&v->call, set[0].blocks);
    const anyp_cost cost = anypi_cost_of(v->algorithm, &v->call, v->parameters);
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        anypi_simulation s;
        ck_assert_int_eq(anypi_simulate(set, p, &partition, 1, &models[i], &s), ANYP_SUCCESS);
        assert_often(s.time == anyp_cost_time(cost, &models[i]) &&
                     s.most.rounds == phases * rounds, "%s", variant_text(v));
        if (v->call.collective == ANYP_REDUCE)
            continue;
        assert_often(s.most.bytes_sent == phases * (p - 1) && s.most.bytes_reduced == p - 1 &&
                     s.total.bytes_sent == (int64_t) phases * p * (p - 1), "%s", variant_text(v));
    }
}

/* Proves and counts one list for all collectives. */
static void check_list(int p, const int *skips, int count, int kinds)
{
    static const anyp_collective collectives[] = {
        ANYP_ALLREDUCE, ANYP_REDUCE_SCATTER, ANYP_REDUCE
    };
    int list;
    ck_assert_ptr_null(anypi_skips_fault(skips, count));
    ck_assert_int_eq(anypi_list_add(skips, count, &list), ANYP_SUCCESS);
    for (int i = 0; i < 6; i++) {
        if (!(kinds >> i % 2 & 1))
            continue;
        const variant v = { .algorithm = circulant(),
                            .call = { .collective = collectives[i / 2], .p = p, .count = p,
                                      .root = i / 2 == 2 ? p / 3 : 0, .type_size = 1,
                                      .commutative = true, .in_place = i % 2 },
                            .parameters = { ANYPI_SKIPS_LISTS + list } };
        anyp_schedule *set = variant_set(&v);
        assert_verified(&v, set);
        check_simulation(&v, set, count);
        anypi_set_free(set, p);
    }
}

/* All lists that begin with skips[0 .. count-1]; returns how many. */
static int check_lists(int p, int *skips, int count)
{
    const int above = count ? skips[count - 1] : p;
    int lists = 0;
    if (above == 1) {
        /* in place and not; for many lists only one of them, in turn */
        check_list(p, skips, count, p <= 10 ? 3 : 1 + (skips[1] + skips[2]) % 2);
        return 1;
    }
    for (skips[count] = above - 1; 2 * skips[count] >= above; skips[count]--)
        lists += check_lists(p, skips, count + 1);
    return lists;
}

START_TEST(test_all_lists)
{
    int skips[16], lists[17] = { [1] = 1 };
    for (int p = 2; p <= 16 && p <= max_p(16); p++) {
        for (int skip = (p + 1) / 2; skip < p; skip++)
            lists[p] += lists[skip];
        ck_assert_int_eq(check_lists(p, skips, 0), lists[p]);
    }
}
END_TEST

/* A number from 0 to most; the same ones in every run. */
static int random_number(uint64_t *state, int most)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int) ((*state >> 33) % (uint64_t) (most + 1));
}

START_TEST(test_random_lists)
{
    uint64_t state = 2024;
    for (int p = 17; p <= 130 && p <= max_p(130); p++) {
        for (int trial = 0; trial < 4; trial++) {
            int skips[130], count = 0;
            for (int above = p; above > 1 && count < ANYPI_MAXIMUM_LIST; count++) {
                const int least = (above + 1) / 2;
                /* short lists and long ones */
                const int spread = (above - 1 - least) * (trial + 1) / 4;
                skips[count] = above = trial == 3 && above < 40 ? above - 1
                    : least + random_number(&state, spread);
            }
            if (skips[count - 1] == 1)
                check_list(p, skips, count, 1 + trial % 2);
        }
    }
}
END_TEST

Suite *suite_skips(void)
{
    TCase *tests;
    Suite *suite = suite_of("skips", &tests);
    tcase_add_test(tests, test_values);
    tcase_add_test(tests, test_faults);
    tcase_add_test(tests, test_longest);
    tcase_add_test(tests, test_full_table);
    tcase_add_test(tests, test_threads);
    tcase_add_test(tests, test_which_p);
    tcase_add_test(tests, test_lost_contributions);
    tcase_add_test(tests, test_all_lists);
    tcase_add_test(tests, test_random_lists);
    return suite;
}
