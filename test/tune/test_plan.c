/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_plan.c - what the tuner measures: numbers of processes and candidates.
 */
#include "common.h"

#include "analysis/rank_sample.h"
#include "schedule/collectives.h"
#include "tuner/candidates.h"

#include <limits.h>
#include <string.h>

START_TEST(procs_of_a_run)
{
    static const int upto16[] = { 2, 3, 4, 6, 8, 12, 16 };
    int procs[ANYPI_MAX_LIST];
    ck_assert_int_eq(anypi_default_procs(16, procs), 7);
    ck_assert_mem_eq(procs, upto16, sizeof upto16);
    ck_assert_int_eq(anypi_default_procs(1, procs), 0);
    for (int max = 2; max < 5000; max++) {
        const int count = anypi_default_procs(max, procs);
        ck_assert_int_eq(procs[0], 2);
        ck_assert_int_eq(procs[count - 1], max);
        for (int i = 1; i < count; i++)
            ck_assert_int_lt(procs[i - 1], procs[i]);
    }
    ck_assert_int_eq(anypi_default_procs(INT_MAX, procs), 48);
    ck_assert_int_eq(procs[47], INT_MAX);
}
END_TEST

START_TEST(candidates_of_a_plan)
{
    static anypi_plan plan;
    tune_make_plan(&plan, 16, NULL, "16,2K,1M");
    ck_assert(!plan.wanted[ANYP_REDUCE]);       /* the table has none of AnyP's */
    for (int i = 0; i < ANYP_COLLECTIVES; i++) {
        const anypi_candidates *candidates = &plan.candidates[i];
        ck_assert(!plan.wanted[i] || !strcmp(candidates->list[0].name, "auto"));
        for (int c = 0; plan.wanted[i] && c < candidates->count; c++)
            ck_assert_int_eq(!candidates->list[c].algorithm, c == 0);
    }
    for (int i = 0; i < plan.cells_count; i++) {
        const anypi_cell *cell = &plan.cells[i];
        const anyp_call call = anypi_cell_call(cell);
        int anyp = 0;
        for (int c = 0; c < cell->candidates; c++) {
            const anypi_candidate *candidate = &plan.candidates[cell->collective].list[c];
            if (candidate->algorithm && tune_running(cell, c)) {
                const char *reason;
                anyp++;
                ck_assert_int_eq(anyp_applicable(candidate->algorithm, &call,
                                                 candidate->parameters, &reason), ANYP_SUCCESS);
            }
        }
        ck_assert(!cell->commutative || anyp);
    }
    anypi_plan_free(&plan);
}
END_TEST

/* What moves data: bytes, whole blocks, no operator. */
START_TEST(moved_data)
{
    static anypi_plan plan = { .procs = { 13 }, .procs_count = 1, .sizes = { 16, 2000 },
                               .sizes_count = 2, .wanted = { [ANYP_BCAST] = true,
                                                             [ANYP_ALLGATHERV] = true } };
    int cells[ANYP_COLLECTIVES] = { 0 };
    ck_assert_int_eq(anypi_plan_candidates(&plan, NULL), ANYP_SUCCESS);
    ck_assert_int_eq(anypi_plan_cells(&plan), ANYP_SUCCESS);
    for (int i = 0; i < plan.cells_count; i++) {
        const anypi_cell *cell = &plan.cells[i];
        const anyp_call call = anypi_cell_call(cell);
        cells[cell->collective]++;
        ck_assert(cell->commutative);
        ck_assert_int_eq(call.type_size, 1);
        ck_assert_int_eq(call.count, 8 * anypi_cell_count(cell));
        ck_assert(cell->collective == ANYP_BCAST || anypi_cell_count(cell) % 13 == 0);
        ck_assert_str_eq(anypi_operator(cell->collective, true), "data");
    }
    ck_assert_int_eq(cells[ANYP_BCAST], 2);
    ck_assert_int_eq(cells[ANYP_ALLGATHERV], 2);
    ck_assert_int_eq(plan.cells_count, 4);
    anypi_plan_free(&plan);
}
END_TEST

/* A barrier has one cell for each number of processes, without data. */
START_TEST(barriers)
{
    static anypi_plan plan = { .procs = { 5, 13 }, .procs_count = 2, .sizes = { 16, 2000 },
                               .sizes_count = 2, .wanted = { [ANYP_BARRIER] = true } };
    ck_assert_int_eq(anypi_plan_candidates(&plan, NULL), ANYP_SUCCESS);
    ck_assert_int_eq(anypi_plan_cells(&plan), ANYP_SUCCESS);
    ck_assert_int_eq(plan.cells_count, 2);
    for (int i = 0; i < plan.cells_count; i++) {
        ck_assert_int_eq(plan.cells[i].bytes, 0);
        ck_assert_int_eq(anypi_cell_call(&plan.cells[i]).count, 0);
    }
    ck_assert_str_eq(anypi_cell_text(&plan.cells[1]).text, "p=13, barrier");
    anypi_plan_free(&plan);
}
END_TEST

/* The plug-in can only pass a call on: the library is one candidate. */
START_TEST(candidates_of_the_plug_in)
{
    static anypi_plan plan;
    tune_make_plugin_plan(&plan);
    for (int i = 0; i < ANYP_COLLECTIVES; i++) {
        const anypi_candidates *candidates = &plan.candidates[i];
        ck_assert_int_eq(plan.wanted[i], !anypi_has_local_sizes((anyp_collective) i));
        if (!plan.wanted[i])
            continue;           /* only the program knows its sizes */
        ck_assert_str_eq(candidates->list[0].name, "auto");
        ck_assert_int_gt(candidates->count, 1);
        for (int c = 0; c < candidates->count; c++)
            ck_assert_int_eq(!candidates->list[c].algorithm, c == 0);
    }
}
END_TEST

/* Is a reference algorithm among the candidates? */
static bool has_reference(const anypi_plan *plan)
{
    for (int i = 0; i < ANYP_COLLECTIVES; i++)
        for (int c = 1; c < plan->candidates[i].count; c++)
            if (plan->candidates[i].list[c].algorithm->properties & ANYP_REFERENCE)
                return true;
    return false;
}

START_TEST(reference_only_if_asked)
{
    static anypi_plan plan;
    tune_make_plugin_plan(&plan);
    ck_assert(!has_reference(&plan));
    plan.reference = true;
    ck_assert_int_eq(anypi_plan_candidates(&plan, NULL), ANYP_SUCCESS);
    ck_assert(has_reference(&plan));
}
END_TEST

/* The index of the candidate with that text. */
static anypi_candidates found;

static int number_of(const char *text)
{
    return anypi_candidates_find(&found, text);
}

/* A file may have another text for a candidate than the tuner: it is the same one. */
START_TEST(candidates_by_other_words)
{
    found = (anypi_candidates) { .count = 0 };
    ck_assert_int_eq(number_of("auto"), 0);
    ck_assert_int_eq(number_of("anyp_bi_greedy segment=512"), 1);
    ck_assert_int_eq(number_of("anyp_bi_greedy lanes=auto segment=512"), 1);
    ck_assert_int_eq(number_of("anyp_bi_greedy segment=512 lanes=2"), 2);
    ck_assert_int_eq(number_of("auto segment=512"), -1);
    ck_assert_int_eq(number_of("anyp_bi_greedy segments=512"), -1);
    ck_assert_int_eq(number_of("anyp_bi_greedy segment"), -1);
    ck_assert_int_eq(number_of("anyp_none"), -1);
    ck_assert_int_eq(number_of("binomial"), -1);
    ck_assert_int_eq(found.count, 3);
}
END_TEST

/* The same steps, but rounds that overlap: with two ranks, lanes make no other difference. */
START_TEST(overlap_makes_a_difference)
{
    const anyp_call call = { .collective = ANYP_REDUCE, .p = 2, .count = 1024, .type_size = 8,
                             .commutative = true };
    static const char *const texts[] = { "anyp_bi_greedy segment=512 lanes=2",
                                         "anyp_bi_greedy segment=512 lanes=1",
                                         "anyp_bi_greedy segment=513 lanes=1" };
    uint64_t hashes[3];
    found = (anypi_candidates) { .count = 0 };
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(number_of(texts[i]), i);
        hashes[i] = anypi_sample_hash(found.list[i].algorithm, call, found.list[i].parameters);
        ck_assert_uint_ne(hashes[i], 0);
    }
    ck_assert_uint_ne(hashes[0], hashes[1]);
    ck_assert_uint_eq(hashes[1], hashes[2]);
}
END_TEST

TCase *tune_plan(void)
{
    TCase *tests = tcase_create("plan");
    tcase_add_test(tests, procs_of_a_run);
    tcase_add_test(tests, moved_data);
    tcase_add_test(tests, barriers);
    tcase_add_test(tests, candidates_of_a_plan);
    tcase_add_test(tests, candidates_of_the_plug_in);
    tcase_add_test(tests, reference_only_if_asked);
    tcase_add_test(tests, candidates_by_other_words);
    tcase_add_test(tests, overlap_makes_a_difference);
    return tests;
}
