/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_noise.c - intervals of medians, and cells that were measured on a busy machine.
 */
#include "common.h"

#include "tuner/noise.h"
#include "tuner/timing_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

typedef enum disturbance { CALM, DRIFT, STEP, ALTERNATES, SPIKES, DISTURBANCES } disturbance;

/* How much slower the machine is in a round. */
static double slowness(disturbance kind, int round, int rounds, unsigned seed)
{
    switch (kind) {
    case DRIFT: return 1 + 0.8 * round / rounds;
    case STEP: return round < rounds / 2 ? 1.57 : 1;
    case ALTERNATES: return tune_noise(seed + 7777u * (unsigned) round) < 0.5 ? 1.57 : 1;
    case SPIKES: return round % 8 == 3 ? 5 : 1;
    default: return 1;
    }
}

/* Puts rounds into a cell whose candidates differ by up to 5 % and have skewed noise of their own,
 * of some 15 %. */
static void fill(anypi_cell *cell, disturbance kind, int rounds, unsigned seed)
{
    cell->rounds = rounds;
    for (int c = 0; c < cell->candidates; c++) {
        anypi_trial *trial = &cell->trials[c];
        trial->running = true;
        trial->count = rounds;
        for (int round = 0; round < rounds; round++) {
            const double noise = tune_noise(seed + 131071u * (unsigned) (c * 64 + round + 1));
            trial->times[round] = 1e-3 * (1 + 0.01 * c) * slowness(kind, round, rounds, seed) *
                (1 - 0.2 * log(1 - 0.99 * noise));
        }
    }
}

/* How many of 1000 cells are found. */
static int found(disturbance kind, int candidates, int rounds)
{
    anypi_trial trials[8] = { 0 };
    anypi_cell cell = { .candidates = candidates, .trials = trials };
    int disturbed = 0;
    for (unsigned seed = 0; seed < 1000; seed++) {
        fill(&cell, kind, rounds, seed);
        disturbed += anypi_disturbed(&cell);
    }
    return disturbed;
}

/* The level is about 1 %. Single slow rounds of all candidates hardly count. */
START_TEST(calm_cells_are_calm)
{
    for (int candidates = 2; candidates <= 8; candidates += 3)
        for (int rounds = 3; rounds <= ANYPI_MAX_ROUNDS; rounds += 7) {
            const int calm = found(CALM, candidates, rounds);
            const int spikes = found(SPIKES, candidates, rounds);
            ck_assert_msg(calm <= 20, "%d candidates, %d rounds: %d", candidates, rounds, calm);
            ck_assert_msg(spikes <= 100, "%d candidates, %d rounds: %d with spikes", candidates,
                          rounds, spikes);
        }
}
END_TEST

START_TEST(disturbed_cells_are_found)
{
    for (int kind = DRIFT; kind <= ALTERNATES; kind++) {
        const int few = found((disturbance) kind, 5, 10);
        const int many = found((disturbance) kind, 3, ANYPI_MAX_ROUNDS);
        ck_assert_msg(few >= 800 && many >= 950, "%d: %d and %d", kind, few, many);
    }
}
END_TEST

/* All candidates are equally fast: a difference is none of the machine. */
START_TEST(what_is_not_measured_in_all_rounds_does_not_count)
{
    anypi_trial trials[3] = { 0 };
    anypi_cell cell = { .candidates = 3, .trials = trials };
    fill(&cell, STEP, 20, 1);
    ck_assert(anypi_disturbed(&cell));
    trials[0].running = trials[2].running = false;
    trials[0].count = trials[2].count = 19;
    ck_assert(!anypi_disturbed(&cell));
}
END_TEST

START_TEST(saved_cells_are_marked)
{
    static anypi_plan plan;
    tune_make_plan(&plan, 3, "3", "16");
    for (int kind = CALM; kind <= STEP; kind += STEP) {
        for (int i = 0; i < plan.cells_count; i++)
            fill(&plan.cells[i], (disturbance) kind, 20, 1);
        plan.measured[0] = true;
        char *text = anypi_times_write(&plan, NULL, "here");
        ck_assert_ptr_nonnull(text);
        ck_assert_int_eq(strstr(text, "\"disturbed\":true") != NULL, kind == STEP);
        free(text);
    }
    anypi_plan_free(&plan);
}
END_TEST

TCase *tune_noise_tests(void)
{
    TCase *tests = tcase_create("noise");
    tcase_add_test(tests, the_ends_are_those_of_tables);
    tcase_add_test(tests, the_median_is_outside_as_rarely_as_promised);
    tcase_add_test(tests, calm_cells_are_calm);
    tcase_add_test(tests, disturbed_cells_are_found);
    tcase_add_test(tests, what_is_not_measured_in_all_rounds_does_not_count);
    tcase_add_test(tests, saved_cells_are_marked);
    return tests;
}
