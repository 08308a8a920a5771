/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_statistics.c - medians and intervals of the benches.
 */
#include "unit/common.h"

#include "bench/statistics.h"

START_TEST(medians)
{
    const double one[] = { 7 }, odd[] = { 5, 1, 9 }, even[] = { 4, 1, 3, 2 };
    ck_assert(bench_median(one, 1) == 7);
    ck_assert(bench_median(odd, 3) == 5);
    ck_assert(bench_median(even, 4) == 3);
}
END_TEST

/* As a table of the sign test says: 95 % lie between the least and the greatest of 6, between the
 * 2nd and the 8th of 9, between the 6th and the 15th of 20. */
START_TEST(intervals)
{
    static const struct { int count, low, high; } table[] = {
        { 1, 1, 1 }, { 5, 1, 5 }, { 6, 1, 6 }, { 9, 2, 8 }, { 20, 6, 15 },
    };
    double values[20];
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        for (int k = 0; k < table[i].count; k++)
            values[k] = (k * 11) % table[i].count + 1;
        const bench_estimate got = bench_median_estimate(values, table[i].count);
        ck_assert_int_eq((int) got.low, table[i].low);
        ck_assert_int_eq((int) got.high, table[i].high);
    }
}
END_TEST

/* Equal disturbances of both do not widen the interval of their ratio; different ones do. */
START_TEST(ratios)
{
    double above[101], below[101];
    for (int i = 0; i < 101; i++) {
        below[i] = 10 + i % 2 * 5;
        above[i] = 2 * below[i];
    }
    bench_estimate got = bench_ratio_estimate(above, below, 101);
    ck_assert(got.value == 2 && got.low == 2 && got.high == 2);
    for (int i = 0; i < 101; i++)
        above[i] = 20 + (i * 37) % 101 * 0.1;
    got = bench_ratio_estimate(above, below, 101);
    ck_assert(got.low < got.value && got.value < got.high);
}
END_TEST

Suite *suite_statistics(void)
{
    TCase *tests;
    Suite *suite = suite_of("statistics", &tests);
    tcase_add_test(tests, medians);
    tcase_add_test(tests, intervals);
    tcase_add_test(tests, ratios);
    return suite;
}
