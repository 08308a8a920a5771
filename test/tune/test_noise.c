/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_noise.c - intervals of medians.
 */
#include "common.h"

#include "tuner/noise.h"

#include <math.h>

/* The ends as in printed tables of the binomial distribution: values 1..n, so that a value is its
 * rank. */
START_TEST(the_ends_are_those_of_tables)
{
    static const struct { int count; double doubt, low; } rows[] = {
        { 5, 0.05, -INFINITY }, { 6, 0.05, 1 }, { 8, 0.05, 1 }, { 9, 0.05, 2 }, { 10, 0.05, 2 },
        { 12, 0.05, 3 }, { 20, 0.05, 6 }, { 30, 0.05, 10 }, { 100, 0.05, 40 },
        { 7, 0.01, -INFINITY }, { 8, 0.01, 1 }, { 20, 0.01, 4 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double values[100];
        for (int k = 0; k < rows[i].count; k++)
            values[k] = rows[i].count - k;
        const anypi_interval its = anypi_interval_of(values, rows[i].count, rows[i].doubt);
        ck_assert_double_eq(its.median, (rows[i].count + 1) / 2.0);
        ck_assert_msg(its.low == rows[i].low, "%d values: low %g", rows[i].count, its.low);
        ck_assert_double_eq(its.high, isinf(its.low) ? INFINITY : rows[i].count + 1 - its.low);
    }
    ck_assert_int_eq(anypi_interval_count(0.05, 0), 6);
    ck_assert_int_eq(anypi_interval_count(0.05, 2), 12);
    ck_assert_int_eq(anypi_interval_count(0.01, 0), 8);
    double one = 3;
    ck_assert(isnan(anypi_interval_of(&one, 0, ANYPI_DOUBT).median));
    ck_assert_double_eq(anypi_interval_of(&one, 1, ANYPI_DOUBT).median, 3);
}
END_TEST

/* A skewed distribution with outliers, whose median is 2. */
START_TEST(the_median_is_outside_as_rarely_as_promised)
{
    int outside = 0;
    unsigned seed = 1;
    enum { TIMES = 4000, COUNT = 15 };
    for (int time = 0; time < TIMES; time++) {
        double values[COUNT];
        for (int i = 0; i < COUNT; i++) {
            const double x = tune_noise(seed++);
            values[i] = 1 + pow(2 * x, 3) * (x > 0.9 ? 50 : 1);
        }
        const anypi_interval its = anypi_interval_of(values, COUNT, ANYPI_DOUBT);
        outside += its.low > 2 || its.high < 2;
    }
    /* exactly 2 * (1 + 15 + 105 + 455) / 2^15 = 0.0352 */
    ck_assert_msg(outside > TIMES * 0.025 && outside < TIMES * 0.045, "%d of %d", outside, TIMES);
}
END_TEST

/* 7 rounds of 1 and 0.5 ms: half of the stake is saved. */
START_TEST(rare_calls_do_not_pay)
{
    static anypi_plan plan;
    tune_make_plan(&plan, 4, "4", "16");
    anypi_cell *cell = &plan.cells[0];
    const double ratio[ANYPI_MAX_CANDIDATES] = { 1, 0.5 };
    ck_assert_int_eq(cell->collective, ANYP_ALLREDUCE);
    ck_assert_int_gt(cell->candidates, 1);
    for (int c = 0; c < cell->candidates; c++)
        cell->trials[c].running = c < 2;
    plan.measured[0] = true;
    tune_add_rounds(cell, ratio, ANYPI_SURE_ROUNDS);
    static const struct { double stake, calls; int choice; } rows[] = {
        { 0, 0, 1 }, { 1.9 * ANYPI_SET_UP, 0, 0 }, { 2.1 * ANYPI_SET_UP, 0, 1 },
        /* the work of the record is too much for so few calls */
        { 1, 1.9e3 * ANYPI_SET_UP, 0 }, { 1, 2.1e3 * ANYPI_SET_UP, 1 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cell->stake = rows[i].stake;
        cell->program_calls = rows[i].calls;
        tune_choose(&plan, 0.03);
        ck_assert_int_eq(cell->choice, rows[i].choice);
    }
    anypi_plan_free(&plan);
}
END_TEST

/* Some times are `factor` times as long as the others. */
START_TEST(a_busy_machine_is_noisy)
{
    anypi_trial trial = { .count = 0 };
    const anypi_cell cell = { .candidates = 1, .trials = &trial };
    static const struct { int count, disturbed; double factor; bool noisy; } rows[] = {
        { 7, 2, 80, true }, { 7, 1, 80, false }, { 7, 5, 1.6, true }, { 7, 5, 1.4, false },
        { 7, 6, 80, false }, { 31, 8, 80, true }, { 3, 2, 80, false }, { 1, 0, 1, false },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        trial.count = rows[i].count;
        for (int k = 0; k < trial.count; k++)
            trial.times[k] = 1e-6 * (k < rows[i].disturbed ? rows[i].factor : 1);
        ck_assert_msg(anypi_noisy(&cell) == rows[i].noisy, "row %zu", i);
    }
}
END_TEST

TCase *tune_noise_tests(void)
{
    TCase *tests = tcase_create("noise");
    tcase_add_test(tests, the_ends_are_those_of_tables);
    tcase_add_test(tests, the_median_is_outside_as_rarely_as_promised);
    tcase_add_test(tests, rare_calls_do_not_pay);
    tcase_add_test(tests, a_busy_machine_is_noisy);
    return tests;
}
