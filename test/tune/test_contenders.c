/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_contenders.c - which candidates the tuner measures in a cell.
 */
#include "common.h"

#include "tuner/contenders.h"
#include "tuner/model_fit.h"
#include "tuner/noise.h"

#include <math.h>
#include <string.h>

static const char network[] = "1000,500,12500,4000,300,10000,1";

/* A plan of all collectives, on one node and on several, with constants. */
static void make_plan(anypi_plan *plan)
{
    tune_make_plugin_plan(plan);
    plan->sizes[plan->sizes_count++] = 16;
    plan->sizes[plan->sizes_count++] = 1 << 16;
    anypi_plan_add(plan, 13, NULL);
    anypi_plan_add(plan, 1000, NULL);
    anypi_plan_add(plan, 21, tune_read_nodes("8,8,5"));
    for (int kind = 0; kind < ANYPI_NODES_KINDS; kind++)
        for (int operators = 0; operators < 2; operators++)
            strcpy(plan->networks[kind][operators], network);
    ck_assert_int_eq(anypi_plan_cells(plan), ANYP_SUCCESS);
}

/* They are the fastest by their closed forms, in order, and name the constants of the machine. */
START_TEST(contenders_are_the_best_by_closed_forms)
{
    static anypi_plan plan;
    static anypi_contender list[ANYPI_MAX_CANDIDATES], all[ANYPI_MAX_CANDIDATES];
    const double within = _i ? 3 : 1.1;
    const int max = _i ? ANYPI_MAX_CANDIDATES : 2;
    int left_out = 0;
    make_plan(&plan);
    for (int i = 0; i < plan.cells_count; i++) {
        const anypi_cell *cell = &plan.cells[i];
        const int count = anypi_contenders(&plan, cell, within, max, list);
        const int serve = anypi_contenders(&plan, cell, INFINITY, ANYPI_MAX_CANDIDATES, all);
        ck_assert_msg(count >= 1 && count <= max, "%s", anypi_cell_text(cell).text);
        for (int k = 0; k < serve; k++) {
            const anypi_candidate *one = &all[k].candidate;
            const double time = tune_form(&plan, cell, one);
            ck_assert_double_eq(time, all[k].time);
            ck_assert(!k || time >= all[k - 1].time);
            ck_assert(!anypi_candidate_automatic(one) ||
                      strstr(anypi_candidate_text(one).text, network));
            ck_assert(k >= count || !strcmp(one->name, list[k].candidate.name));
            ck_assert((k < count) == (k < max && time <= within * all[0].time));
            left_out += k >= count;
        }
        for (int c = 1; c < cell->candidates; c++) {
            const anypi_candidate *one = anypi_candidate_of(&plan, cell, c);
            bool found = !tune_running(cell, c) || tune_form(&plan, cell, one) == INFINITY;
            for (int k = 0; k < serve && !found; k++)
                found = one->algorithm == all[k].candidate.algorithm;
            ck_assert_msg(found, "%s: %s", anypi_cell_text(cell).text, one->name);
        }
    }
    ck_assert_int_gt(left_out, 0);
    anypi_plan_free(&plan);
}
END_TEST

/* Without constants there is no closed form. */
START_TEST(no_constants_no_contenders)
{
    static anypi_plan plan;
    static anypi_contender list[ANYPI_MAX_CANDIDATES];
    make_plan(&plan);
    *plan.networks[0][0] = '\0';
    for (int i = 0; i < plan.cells_count; i++) {
        const anypi_cell *cell = &plan.cells[i];
        ck_assert_int_eq(anypi_contenders(&plan, cell, 2, 3, list) > 0,
                         cell->nodes || !cell->commutative);
    }
    anypi_plan_free(&plan);
}
END_TEST

/* A simulator is slow with many messages at once; without a limit nothing is left out. */
START_TEST(many_messages_are_left_out)
{
    static anypi_plan plan;
    static anypi_contender list[ANYPI_MAX_CANDIDATES];
    int fewer = 0;
    make_plan(&plan);
    for (int i = 0; i < plan.cells_count; i++) {
        const anypi_cell *cell = &plan.cells[i];
        int left[3];
        for (int turn = 0; turn < 3; turn++) {
            plan.max_messages = turn == 0 ? 0 : turn == 1 ? 1 << 20 : 1 << 13;
            left[turn] = anypi_contenders(&plan, cell, INFINITY, ANYPI_MAX_CANDIDATES, list);
        }
        ck_assert_int_eq(left[0], left[1]);
        ck_assert_int_ge(left[2], 1);
        ck_assert(cell->p < 1000 ? left[2] == left[1] : left[2] <= left[1]);
        fewer += left[2] < left[1];
    }
    ck_assert_int_gt(fewer, 0);
    anypi_plan_free(&plan);
}
END_TEST

START_TEST(constants_of_a_fit)
{
    const anypi_probe_times times = { 1e-5, 1.3e-5, 2.5e-5, 1.1e-4, 1e5, 4, 8 };
    const anyp_model model = anypi_model_fit(&times);
    ck_assert_double_eq_tol(model.alpha, 7e-6, 1e-12);
    ck_assert_double_eq_tol(model.overhead, 1.5e-6, 1e-12);
    ck_assert_double_eq_tol(model.beta, 1e-9, 1e-15);
}
END_TEST

TCase *tune_contenders(void)
{
    TCase *tests = tcase_create("contenders");
    tcase_add_loop_test(tests, contenders_are_the_best_by_closed_forms, 0, 2);
    tcase_add_test(tests, no_constants_no_contenders);
    tcase_add_test(tests, many_messages_are_left_out);
    tcase_add_test(tests, constants_of_a_fit);
    return tests;
}
