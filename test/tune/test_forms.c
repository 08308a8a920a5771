/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_forms.c - decision files by closed forms, for everything that was not measured.
 */
#include "common.h"

#include "schedule/collectives.h"
#include "tuner/decision_file.h"
#include "tuner/generic.h"
#include "tuner/node_shapes.h"
#include "options/text_file.h"
#include "schedule/shape.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Gives the library's choice a second, and the other candidates of all cells milliseconds. */
static void add_times(anypi_plan *plan)
{
    for (int i = 0; i < plan->cells_count; i++) {
        anypi_cell *cell = &plan->cells[i];
        for (int c = 0; c < cell->candidates; c++)
            if (tune_running(cell, c)) {
                cell->trials[c].times[0] = c ? 1e-3 * c : 1;
                cell->trials[c].count = 1;
            }
        cell->rounds = 1;
    }
}

/* Is the file's choice in a cell that was not measured as closed forms have it: at most 5 % slower
 * than their best, with the constants of the machine? */
static void follows_forms(const anypi_decision *decision, const anypi_plan *plan,
                          const anypi_cell *cell, const char *file)
{
    anypi_choice choice;
    anypi_candidate chosen;
    double best = INFINITY;
    ck_assert_msg(anypi_chosen(decision, cell, true, &choice, &chosen), "%s",
                  anypi_cell_text(cell).text);
    for (int c = 1; c < plan->candidates[cell->collective].count; c++) {
        const anypi_candidate *one = &plan->candidates[cell->collective].list[c];
        if (anypi_candidate_automatic(one))
            best = fmin(best, tune_form(plan, cell, one));
    }
    ck_assert_double_le(tune_form(plan, cell, &chosen), 1.0501 * best);
    ck_assert(anypi_forms_named(file, choice.path));
}

/* A plan in which one collective was measured, with one operator kind, gives a file for all; those
 * that were not follow closed forms, and a line of the comment names them. Once in the nonblocking
 * form. */
START_TEST(all_collectives_are_served)
{
    static anypi_plan plan, others;
    const anyp_collective measured = (anyp_collective) (_i % ANYP_COLLECTIVES);
    const anypi_choosing how = { .regret = 0.02 };
    anypi_regions regions = { .list = NULL };
    anypi_decision *decision = NULL;
    anypi_diagnosis diagnosis;
    if (anypi_has_local_sizes(measured))
        return;                 /* never measured */
    anypi_form_set(_i >= ANYP_COLLECTIVES);
    tune_make_plugin_plan(&plan);
    tune_make_plugin_plan(&others);
    for (int i = 0; i < ANYP_COLLECTIVES; i++)
        plan.wanted[i] = i == (int) measured;
    plan.unwanted[1] = plan.exact = true;
    plan.sizes_count = others.sizes_count = 2;
    plan.sizes[0] = others.sizes[0] = 1 << 10;
    plan.sizes[1] = others.sizes[1] = 1 << 16;
    anypi_plan_add(&plan, 12, NULL);
    anypi_plan_add(&others, 12, NULL);
    anypi_plan_add(&others, 96, NULL);
    plan.measured[0] = true;
    strcpy(plan.networks[0][0], "1000,500,12500,4000");
    for (int i = 0; i < 2; i++)
        strcpy(others.networks[0][i], plan.networks[0][0]);
    ck_assert_int_eq(anypi_plan_cells(&plan), ANYP_SUCCESS);
    ck_assert_int_eq(anypi_plan_cells(&others), ANYP_SUCCESS);
    add_times(&plan);
    ck_assert(anypi_choose_all(&plan, &how, &regions));
    char *line = anypi_forms_line(&regions);
    ck_assert_str_eq(line, "");
    free(line);
    ck_assert(anypi_forms_add(&plan, &regions));
    line = anypi_forms_line(&regions);
    char *text = anypi_write_decision(&regions, line);
    ck_assert_msg(anypi_decision_parse(text, strlen(text), "test", &decision, &diagnosis) ==
                  ANYP_SUCCESS, "%s", diagnosis.text);
    for (int i = 0; i < others.cells_count; i++) {
        const anypi_cell *cell = &others.cells[i];
        anypi_choice choice;
        anypi_candidate chosen;
        if (cell->collective != measured || !cell->commutative)
            follows_forms(decision, &others, cell, text);
        else if (anypi_chosen(decision, cell, true, &choice, &chosen))
            ck_assert_msg(!anypi_forms_named(text, choice.path), "%s", choice.path);
    }
    free(line);
    free(text);
    anypi_decision_free(decision);
    anypi_regions_free(&regions);
    anypi_plan_free(&plan);
    anypi_plan_free(&others);
    anypi_form_set(false);
}
END_TEST

/* With 4 ranks on each node one slow algorithm was the fastest that was measured: closed forms
 * choose for 32 ranks on a node, and the line names nothing. */
START_TEST(other_means_follow_forms)
{
    static anypi_plan plan;
    const anypi_choosing how = { .regret = 0.02, .beyond = true };
    anypi_regions regions = { .list = NULL };
    anypi_decision *decision = NULL;
    anypi_diagnosis diagnosis;
    anypi_choice choice;
    anypi_candidate chosen;
    tune_make_plugin_plan(&plan);
    for (int i = 0; i < ANYP_COLLECTIVES; i++)
        plan.wanted[i] = i == ANYP_BCAST;
    plan.exact = plan.only_anyp = true;
    plan.sizes[plan.sizes_count++] = 64;
    plan.sizes[plan.sizes_count++] = 1 << 10;
    anypi_plan_add(&plan, 24, tune_read_nodes("6x4"));
    plan.measured[0] = true;
    strcpy(plan.networks[1][0], "1000,200,12500,0,200,10000,1");
    ck_assert_int_eq(anypi_plan_cells(&plan), ANYP_SUCCESS);
    for (int i = 0; i < plan.cells_count; i++)
        for (int c = 0; c < plan.cells[i].candidates; c++) {
            const bool slow = !strcmp(anypi_candidate_of(&plan, &plan.cells[i], c)->name,
                                      "anyp_ring");
            plan.cells[i].rounds = 1;
            plan.cells[i].trials[c] = (anypi_trial) { .running = slow, .count = slow,
                                                      .times = { 1e-6 } };
        }
    ck_assert(anypi_choose_all(&plan, &how, &regions));
    ck_assert(anypi_forms_add(&plan, &regions));
    char *text = anypi_write_decision(&regions, "a test");
    ck_assert_msg(anypi_decision_parse(text, strlen(text), "test", &decision, &diagnosis) ==
                  ANYP_SUCCESS, "%s", diagnosis.text);
    for (int mean = 4; mean <= 32; mean += 28) {
        anyp_shape *nodes = anypi_nodes_more(plan.nodes[0], 6, mean);
        const anypi_cell cell = { .collective = ANYP_BCAST, .commutative = true, .p = 6 * mean,
                                  .nodes = nodes, .bytes = 64 };
        ck_assert(anypi_chosen(decision, &cell, true, &choice, &chosen));
        ck_assert_msg(!strcmp(chosen.name, "anyp_ring") == (mean == 4), "%s", text);
        ck_assert(!anypi_forms_named(text, choice.path));
        anypi_shape_free(nodes);
    }
    free(text);
    anypi_decision_free(decision);
    anypi_regions_free(&regions);
    anypi_plan_free(&plan);
}
END_TEST

/* The line has the conditions that distinguish what was measured. */
START_TEST(only_what_was_not_measured_is_named)
{
    static const anypi_plan measured, forms = { .forms = true };
    anyp_shape *several = tune_read_nodes("2x4");
    anypi_region list[] = {
        { .plan = &measured, .collective = ANYP_ALLREDUCE, .commutative = true },
        { .plan = &forms, .collective = ANYP_ALLREDUCE },
        { .plan = &measured, .collective = ANYP_REDUCE, .commutative = true },
        { .plan = &measured, .collective = ANYP_REDUCE },
        { .plan = &measured, .collective = ANYP_BCAST, .commutative = true },
        { .plan = &forms, .collective = ANYP_ALLGATHER, .commutative = true },
        { .plan = &forms, .collective = ANYP_ALLREDUCE, .nodes = several },
        { .plan = &measured, .collective = ANYP_REDUCE, .commutative = true, .nodes = several },
        { .plan = &forms, .collective = ANYP_REDUCE, .nodes = several },
        { .plan = &forms, .collective = ANYP_BCAST, .commutative = true, .nodes = several },
        { .plan = &forms, .collective = ANYP_ALLGATHER, .commutative = true, .nodes = several },
    };
    const anypi_regions regions = { .list = list, .count = sizeof list / sizeof *list };
    char *line = anypi_forms_line(&regions);
    ck_assert_str_eq(line, "By closed forms, not measured: allreduce (is_commutative=no), "
                     "reduce (is_commutative=no and is_node_consecutive=yes), "
                     "bcast (is_node_consecutive=yes), allgather.");
    free(line);
    anypi_shape_free(several);
}
END_TEST

/* A line names collectives as a whole, or by the conditions of their rules. */
START_TEST(conditions_are_named)
{
    static const struct {
        const char *path;
        bool named;
    } rows[] = {
        { "collective=reduce / comm_type=intra / is_commutative=no / comm_size<=8", true },
        { "collective=reduce / comm_type=intra / is_commutative=yes / comm_size<=8", false },
        { "collective=reduce / comm_type=intra", false },
        { "collective=reduce_scatter / comm_type=intra / is_commutative=no", false },
        { "collective=bcast / is_node_consecutive=yes / is_commutative=no", true },
        { "collective=bcast / is_node_consecutive=yes / is_commutative=yes", false },
        { "collective=bcast / is_node_consecutive=no / is_commutative=no", false },
        { "collective=gather / comm_type=intra", true },
        { "collective=gatherv / comm_type=intra", false },
        { "collective=scatter / comm_type=intra / comm_size=any", true },
        { "collective=alltoall / comm_type=intra", false },
        { "", false },
    };
    static const char text[] = "/* Measured.\n   By closed forms, not measured: "
        "reduce (is_commutative=no), bcast (is_node_consecutive=yes and is_commutative=no), "
        "gather.\n   alltoall. */\n/* By closed forms, not measured: scatter. */";
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_assert_msg(anypi_forms_named(text, rows[i].path) == rows[i].named, "%s", rows[i].path);
}
END_TEST

/* generic.json is what the command makes; only in a run of all tests, since it takes seconds. */
START_TEST(generic_file_is_made)
{
    static anypi_plan plan;
    anypi_regions regions = { .list = NULL };
    const char *reason;
    if (getenv("ANYP_MAX_P"))
        return;
    char *kept = anypi_file_read(TUNE_GENERIC, &reason);
    ck_assert_ptr_nonnull(kept);
    ck_assert(anypi_generic_plan(&plan));
    ck_assert(anypi_choose_all(&plan, &anypi_generic_choosing, &regions));
    char head[2048], *line = anypi_forms_line(&regions);
    snprintf(head, sizeof head, "%s\n%s", anypi_generic_origin, line);
    char *text = anypi_write_decision(&regions, head);
    ck_assert_msg(!strcmp(kept, text), "run: anyp-tune --generic --output tuning/generic.json");
    free(kept);
    free(line);
    free(text);
    anypi_regions_free(&regions);
    anypi_plan_free(&plan);
}
END_TEST

TCase *tune_forms(void)
{
    TCase *tests = tcase_create("forms");
    tcase_add_loop_test(tests, all_collectives_are_served, 0, ANYP_COLLECTIVES + 1);
    tcase_add_test(tests, other_means_follow_forms);
    tcase_add_test(tests, only_what_was_not_measured_is_named);
    tcase_add_test(tests, conditions_are_named);
    tcase_add_test(tests, generic_file_is_made);
    return tests;
}
