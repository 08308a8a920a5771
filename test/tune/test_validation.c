/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_validation.c - verdicts on decision files, from synthetic times.
 */
#include "common.h"

#include "tuner/bench_table.h"
#include "tuner/validation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char rules[] =
    "/* Where\n   and when. */\n"
    "/* Another. */ {\"collective=allreduce\": {\n"
    "  \"comm_size<=3\": {\"algorithm=MPIR_Allreduce_intra_anyp_gather_reduce\": {}},\n"
    "  \"comm_size=any\": {\n"
    "    \"avg_msg_size<=2048\": {\"algorithm=MPIR_Allreduce_intra_anyp_butterfly\": {}},\n"
    "    \"avg_msg_size=any\": {\"algorithm=MPIR_Allreduce_intra_recursive_doubling\": {}}}},\n"
    " \"collective=bcast\": {\"algorithm=MPIR_Bcast_intra_anyp_ring\": {}}}\n";

static anypi_plan plan;
static anypi_validation validation;
static anypi_decision *decision;

static void make(void)
{
    anypi_diagnosis diagnosis;
    tune_make_plan(&plan, 5, NULL, "16,2K,1M");
    ck_assert_msg(anypi_decision_parse(rules, strlen(rules), "rules", &decision, &diagnosis)
                  == ANYP_SUCCESS, "%s", diagnosis.text);
    ck_assert(anypi_validation_make(&validation, &plan, decision));
}

static void release(void)
{
    anypi_validation_free(&validation);
    anypi_decision_free(decision);
    anypi_plan_free(&plan);
}

/* `count` pairs in which the file takes `ratio` times as long, with noise that doubles some. */
static void add_pairs(anypi_pair_times *pairs, double ratio, int count, unsigned seed)
{
    for (int i = 0; i < count; i++) {
        const double x = tune_noise(seed + 2 * (unsigned) i);
        const double y = tune_noise(seed + 2 * (unsigned) i + 1);
        pairs->library[pairs->count] = 1e-3 * (1 + 0.2 * x) * (x > 0.9 ? 2 : 1);
        pairs->file[pairs->count++] = 1e-3 * ratio * (1 + 0.2 * y) * (y > 0.9 ? 2 : 1);
    }
}

static const anypi_cell *cell_of(const anypi_point *point)
{
    return &plan.cells[point->cell];
}

/* Points are the cells with rules for algorithms of AnyP. */
START_TEST(points)
{
    make();
    int small = 0;
    for (int i = 0; i < validation.count; i++) {
        const anypi_point *point = &validation.points[i];
        const anypi_cell *cell = cell_of(point);
        ck_assert(cell->collective == ANYP_ALLREDUCE || cell->collective == ANYP_BCAST);
        ck_assert(point->candidate.algorithm);
        small += cell->collective == ANYP_ALLREDUCE && cell->p <= 3;
    }
    ck_assert_int_eq(small, 2 * 2 * 3);
    /* allreduce: p = 2, 3; 4, 5 without the long vectors; bcast: all */
    ck_assert_int_eq(validation.count, 2 * 2 * 3 + 2 * 2 * 2 + 4 * 3);
    ck_assert_int_eq(validation.holes, plan.cells_count - validation.count);
    release();
}
END_TEST

/* The table of anyp-bench also names the algorithms of the library that rules select. */
START_TEST(names_of_rules)
{
    char text[128];
    make();
    for (int i = 0; i < plan.cells_count; i++) {
        const anypi_cell *cell = &plan.cells[i];
        const bool long_one = cell->collective == ANYP_ALLREDUCE && cell->p > 3 &&
            cell->bytes > 2048;
        const bool anyp = anypi_bench_chosen(decision, cell, true, text, sizeof text);
        ck_assert_int_eq(!strcmp(text, "recursive_doubling"), long_one);
        ck_assert_int_eq(anyp, !strncmp(text, "anyp_", 5));
        ck_assert(anyp || long_one || !strcmp(text, "library's choice"));
    }
    release();
}
END_TEST

/* Sizes and numbers of processes between and beyond those that are tuned. */
START_TEST(grids)
{
    anypi_plan wide = { .sizes = { 16, 256, 1024 }, .sizes_count = 3,
                        .procs = { 2, 3, 8, 16 }, .procs_count = 4 };
    const int64_t sizes[] = { 8, 16, 64, 256, 512, 1024, 4096 };
    const int procs[] = { 2, 3, 5, 8, 12, 16 };
    anypi_validation_extend(&wide, true, true);
    ck_assert_int_eq(wide.sizes_count, 7);
    ck_assert_int_eq(memcmp(wide.sizes, sizes, sizeof sizes), 0);
    ck_assert_int_eq(wide.procs_count, 6);
    ck_assert_int_eq(memcmp(wide.procs, procs, sizeof procs), 0);
    for (int count = 1; count <= ANYPI_MAX_LIST; count++) {
        for (int i = 0; i < count; i++) {
            wide.sizes[i] = i + 1;
            wide.procs[i] = 3 * i + 2;
        }
        wide.sizes_count = wide.procs_count = count;
        anypi_validation_extend(&wide, true, true);
        ck_assert_int_le(wide.sizes_count, ANYPI_MAX_LIST);
        ck_assert_int_le(wide.procs_count, ANYPI_MAX_LIST);
        ck_assert_int_eq(wide.procs[wide.procs_count - 1], 3 * count - 1);
        for (int i = 1; i < wide.sizes_count; i++)
            ck_assert_int_gt(wide.sizes[i], wide.sizes[i - 1]);
        for (int i = 1; i < wide.procs_count; i++)
            ck_assert_int_gt(wide.procs[i], wide.procs[i - 1]);
    }
    const anypi_plan before = wide;
    anypi_validation_extend(&wide, false, false);
    ck_assert_int_eq(memcmp(&before, &wide, sizeof wide), 0);
}
END_TEST

/* Equal times at all points: in 200 validations few have any verdict "slower", although many points
 * seem slower at first. */
START_TEST(equal_times_are_unclear)
{
    int wrong = 0, suspects = 0;
    unsigned seed = 1;
    make();
    for (int run = 0; run < 200; run++) {
        for (int i = 0; i < validation.count; i++, seed += 200) {
            validation.points[i].first.count = validation.points[i].again.count = 0;
            add_pairs(&validation.points[i].first, 1, 20, seed);
        }
        suspects += anypi_validation_suspect(&validation);
        for (int i = 0; i < validation.count; i++, seed += 200)
            if (validation.points[i].suspect)
                add_pairs(&validation.points[i].again, 1, 20, seed);
        wrong += anypi_validation_of(&validation, ANYPI_SLOWER) > 0;
        ck_assert_int_eq(anypi_validation_of(&validation, ANYPI_SUSPECT), 0);
    }
    ck_assert_int_gt(suspects, 50);
    ck_assert_int_le(wrong, 10);
    release();
}
END_TEST

/* What is slower is found in each of 200 runs, and nothing else; without time to measure again it
 * is suspect. */
START_TEST(slower_rules_are_found)
{
    int others = 0;
    unsigned seed = 7;
    make();
    for (int run = 0; run < 200; run++) {
        const int slow = run % validation.count;
        for (int i = 0; i < validation.count; i++, seed += 200) {
            validation.points[i].first.count = validation.points[i].again.count = 0;
            add_pairs(&validation.points[i].first, i == slow ? 3 : 0.7, 25, seed);
        }
        anypi_validation_suspect(&validation);
        ck_assert(validation.points[slow].suspect);
        ck_assert_int_eq(anypi_validation_verdict(&validation, &validation.points[slow]),
                         ANYPI_SUSPECT);
        ck_assert_int_le(anypi_validation_needed(&validation), 15);
        for (int i = 0; i < validation.count; i++, seed += 200)
            if (validation.points[i].suspect)
                add_pairs(&validation.points[i].again, i == slow ? 3 : 0.7, 25, seed);
        ck_assert_int_eq(anypi_validation_verdict(&validation, &validation.points[slow]),
                         ANYPI_SLOWER);
        others += anypi_validation_of(&validation, ANYPI_SLOWER) - 1;
        ck_assert_int_ge(anypi_validation_of(&validation, ANYPI_FASTER), validation.count - 9);
    }
    ck_assert_int_eq(others, 0);
    release();
}
END_TEST

/* With the pairs that are planned, two that say the contrary do not change a verdict. */
START_TEST(pairs_that_are_needed)
{
    make();
    for (int suspects = 1; suspects <= validation.count; suspects++) {
        anypi_point *point = &validation.points[0];
        for (int i = 0; i < validation.count; i++)
            validation.points[i].suspect = i < suspects;
        validation.suspects = suspects;
        point->again.count = 0;
        const int needed = anypi_validation_needed(&validation);
        ck_assert_int_le(needed, ANYPI_MAX_PAIRS);
        add_pairs(&point->again, 3, 4, 1);
        ck_assert_int_eq(anypi_validation_verdict(&validation, point), ANYPI_SUSPECT);
        add_pairs(&point->again, 3, needed - 4, 100);
        for (int i = 0; i < 3; i++) {
            ck_assert_int_eq(anypi_validation_verdict(&validation, point), ANYPI_SLOWER);
            point->again.file[i] = point->again.library[i] / 2;
        }
        ck_assert_int_eq(anypi_validation_verdict(&validation, point), ANYPI_UNCLEAR);
    }
    release();
}
END_TEST

/* One time each. */
START_TEST(exact_times)
{
    make();
    plan.exact = true;
    for (int i = 0; i < validation.count; i++) {
        anypi_pair_times *pairs = &validation.points[i].first;
        pairs->count = 1;
        pairs->library[0] = 1;
        pairs->file[0] = i % 3 == 0 ? 1.001 : i % 3 == 1 ? 1 : 0.999;
    }
    anypi_validation_suspect(&validation);
    for (int i = 0; i < validation.count; i++)
        ck_assert_int_eq(anypi_validation_verdict(&validation, &validation.points[i]),
                         i % 3 == 0 ? ANYPI_SLOWER : i % 3 == 1 ? ANYPI_UNCLEAR : ANYPI_FASTER);
    release();
}
END_TEST

/* Only the rules of slower points, and of wrong results, are taken out, and those only where they
 * are slower; comments stay. */
START_TEST(mending)
{
    static const char head[] = "/* Where\n   and when. */\n/* Another. */ /* Mended. */\n{";
    make();
    for (int i = 0; i < validation.count; i++) {
        anypi_point *point = &validation.points[i];
        const anypi_cell *cell = cell_of(point);
        const bool all = cell->collective == ANYP_ALLREDUCE;
        const bool slow = all && cell->p == 5 && cell->bytes <= 16;
        const bool alike = all && cell->p <= 3 && cell->bytes == 2048;
        add_pairs(&point->first, slow ? 2 : alike ? 1 : 0.5, 20, 1);
        add_pairs(&point->again, slow ? 2 : 0.5, 20, 77);
        point->bad = cell->collective == ANYP_BCAST && cell->p == 2;
    }
    anypi_validation_suspect(&validation);
    ck_assert_int_eq(validation.suspects, 2);
    ck_assert_int_eq(anypi_mend(&validation, decision), 2 + 3);
    char *text = anypi_mend_text(decision, rules, "Mended.");
    ck_assert_msg(!strncmp(text, head, strlen(head)), "%s", text);
    anypi_decision *mended;
    anypi_diagnosis diagnosis;
    ck_assert_msg(anypi_decision_parse(text, strlen(text), "text", &mended, &diagnosis)
                  == ANYP_SUCCESS, "%s", diagnosis.text);
    for (int i = 0; i < validation.count; i++) {
        const anypi_cell *cell = cell_of(&validation.points[i]);
        anypi_candidate candidate;
        anypi_choice choice;
        const bool out = cell->collective == ANYP_BCAST ||
            (cell->p == 5 && cell->bytes <= 16);
        ck_assert_msg(anypi_chosen(mended, cell, true, &choice, &candidate) == !out,
                      "p=%d, %d bytes", cell->p, (int) cell->bytes);
    }
    anypi_decision_free(mended);
    free(text);
    release();
}
END_TEST

/* Every point that was timed has a row, and the losers are repeated at the end. */
START_TEST(tables)
{
    char *text = NULL;
    size_t size;
    make();
    for (int i = 0; i < validation.count; i++)
        add_pairs(&validation.points[i].first, i ? 0.5 : 2, i == 1 ? 0 : 20, 1);
    anypi_validation_suspect(&validation);
    FILE *file = open_memstream(&text, &size);
    anypi_validation_print(&validation, file);
    fclose(file);
    int rows = 0;
    for (const char *at = text; (at = strstr(at, "anyp_")); at++)
        rows++;
    ck_assert_msg(rows == validation.count, "%d rows of %d:\n%s", rows, validation.count, text);
    ck_assert_ptr_nonnull(strstr(text, "suspect 1"));
    ck_assert_ptr_nonnull(strstr(text, "no time 1"));
    free(text);
    release();
}
END_TEST

TCase *tune_validation(void)
{
    TCase *tests = tcase_create("validation");
    tcase_add_test(tests, points);
    tcase_add_test(tests, names_of_rules);
    tcase_add_test(tests, grids);
    tcase_add_test(tests, equal_times_are_unclear);
    tcase_add_test(tests, slower_rules_are_found);
    tcase_add_test(tests, pairs_that_are_needed);
    tcase_add_test(tests, exact_times);
    tcase_add_test(tests, mending);
    tcase_add_test(tests, tables);
    return tests;
}
