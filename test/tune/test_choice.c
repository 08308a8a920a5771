/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_choice.c - decision files from synthetic times. The reader of decision files must select the
 * same choices from them.
 */
#include "common.h"

#include "tuner/candidates.h"
#include "tuner/regions.h"
#include "tuner/decision_file.h"
#include "tuner/cells.h"
#include "tuner/noise.h"
#include "tuner/shared_rules.h"
#include "options/text_file.h"
#include "select/decision.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* For a call the file must select the choice of the cell. */
static void assert_selected(const anypi_decision *decision, const anypi_plan *plan,
                            const anypi_cell *cell, bool builtin)
{
    const anyp_call call = anypi_cell_call(cell);
    anypi_signature signature;
    anypi_choice choice;
    anypi_signature_init(&signature, anyp_collective_name(cell->collective), cell->p, call.count,
                         call.type_size);
    signature.commutative = cell->commutative;
    signature.builtin_op = builtin;
    ck_assert_int_eq(anypi_decision_select(decision, &signature, &choice), ANYP_SUCCESS);
    const anypi_candidate *wanted = &plan->candidates[cell->collective].list[cell->choice];
    char text[128];
    ck_assert_msg(choice.hole == !cell->choice, "p=%d %s %lld bytes: %s, not %s", cell->p,
                  anyp_collective_name(cell->collective), (long long) cell->bytes,
                  choice.hole ? "a hole" : choice.name, anypi_candidate_text(wanted).text);
    if (!cell->choice)
        return;
    ck_assert_str_eq(strstr(choice.name, "_intra_") + strlen("_intra_"), wanted->name);
    ck_assert_ptr_eq(choice.algorithm, wanted->algorithm);
    for (int i = 0; anypi_candidate_parameter(wanted, &i, text, sizeof text);)
        ck_assert_int_eq(choice.parameters[i - 1], wanted->parameters[i - 1]);
}

static anypi_decision *read_back(char **text)
{
    anypi_decision *decision = NULL;
    anypi_diagnosis diagnosis;
    *text = tune_write("Measured nowhere; a test */ \"\\ \x01 of\ncomments");
    ck_assert_ptr_nonnull(*text);
    ck_assert_msg(anypi_decision_parse(*text, strlen(*text), "test", &decision, &diagnosis) ==
                  ANYP_SUCCESS, "%s\n%s", diagnosis.text, *text);
    return decision;
}

/* Does the file leave an allreduce of 2 KiB to the library? */
static bool is_hole(const anypi_decision *decision, int p)
{
    anypi_signature signature;
    anypi_choice choice;
    anypi_signature_init(&signature, "allreduce", p, 256, 8);
    ck_assert_int_eq(anypi_decision_select(decision, &signature, &choice), ANYP_SUCCESS);
    return choice.hole;
}

/* Random winners: the file must select the choice of every cell. */
START_TEST(files_select_what_was_chosen)
{
    static anypi_plan plan;
    tune_use(_i % 2);
    tune_make_plan(&plan, 16, "2,3,5,8-10,12,16", "16,256,2K,16K,1M");
    for (int i = 0; i < plan.procs_count; i++)
        plan.measured[i] = true;
    for (int i = 0; i < plan.cells_count; i++) {
        anypi_cell *cell = &plan.cells[i];
        double ratio[ANYPI_MAX_CANDIDATES] = { 1 };
        for (int c = 1; c < cell->candidates; c++)
            ratio[c] = 0.8 + tune_noise((unsigned) (_i * 100000 + i * 256 + c));
        tune_add_rounds(cell, ratio, ANYPI_SURE_ROUNDS);
    }
    tune_choose(&plan, 0.03);

    char *text;
    anypi_decision *decision = read_back(&text);
    int holes = 0, choices = 0;
    for (int i = 0; i < plan.cells_count; i++) {
        const anypi_cell *cell = &plan.cells[i];
        holes += !cell->choice;
        choices += cell->choice > 0;
        assert_selected(decision, &plan, cell, cell->commutative);
        assert_selected(decision, &plan, cell, false);
    }
    ck_assert_int_gt(holes, 0);
    ck_assert_int_gt(choices, 0);

    ck_assert(is_hole(decision, 17));           /* beyond the largest p */

    char *again = tune_write("Measured nowhere; a test */ \"\\ \x01 of\ncomments");
    ck_assert_str_eq(text, again);
    free(again);
    free(text);
    anypi_decision_free(decision);
    anypi_plan_free(&plan);
    tune_use(false);
}
END_TEST

/* One winner everywhere is one rule; a small lead or a lucky round is none. */
START_TEST(neighbours_are_merged)
{
    static anypi_plan plan;
    tune_make_plan(&plan, 8, NULL, "16,256,2K,16K,1M");
    const int winner = tune_candidate(&plan, ANYP_ALLREDUCE, "anyp_gather_reduce radix=auto");
    const int close = tune_candidate(&plan, ANYP_ALLREDUCE, "anyp_ring ports=auto partners=auto");
    for (int i = 0; i < plan.procs_count; i++)
        plan.measured[i] = true;
    for (int i = 0; i < plan.cells_count; i++) {
        anypi_cell *cell = &plan.cells[i];
        double ratio[ANYPI_MAX_CANDIDATES];
        for (int c = 0; c < cell->candidates; c++)
            ratio[c] = cell->collective == ANYP_ALLREDUCE && c == winner ? 0.5 : c ? 0.98 : 1;
        if (cell->collective == ANYP_ALLREDUCE && cell->p == 5 && cell->bytes == 256)
            ratio[close] = 0.495;       /* better than its neighbour's winner, but not by much */
        tune_add_rounds(cell, ratio, 8);
    }
    tune_choose(&plan, 0.03);
    char *text;
    anypi_decision *decision = read_back(&text);
    int rules = 0;
    for (const char *at = text; (at = strstr(at, "algorithm=")); at++)
        rules++;
    ck_assert_msg(rules == 2, "%s", text);      /* one per operator kind */
    ck_assert_ptr_nonnull(strstr(text, "comm_size<=8"));
    ck_assert_ptr_nonnull(strstr(text, "avg_msg_size<=1179648")); /* an eighth beyond */
    for (int i = 0; i < plan.cells_count; i++)
        ck_assert_int_eq(plan.cells[i].choice,
                         plan.cells[i].collective == ANYP_ALLREDUCE ? winner : 0);
    free(text);
    anypi_decision_free(decision);
    anypi_plan_free(&plan);
}
END_TEST

START_TEST(proof_is_asked_for)
{
    static anypi_plan plan;
    tune_make_plan(&plan, 4, "4", "2K");
    plan.measured[0] = true;
    anypi_cell *cell = &plan.cells[0];
    const int c = tune_candidate(&plan, ANYP_ALLREDUCE, "anyp_gather_reduce radix=auto");
    double ratio[ANYPI_MAX_CANDIDATES];
    for (int i = 0; i < cell->candidates; i++)
        ratio[i] = 1;
    ratio[c] = 0.5;
    tune_add_rounds(cell, ratio, 6);
    tune_choose(&plan, 0.03);
    ck_assert_int_eq(cell->choice, 0);          /* six rounds are not significant */
    tune_add_rounds(cell, ratio, 1);
    tune_choose(&plan, 0.03);
    ck_assert_int_eq(cell->choice, c);
    tune_add_rounds(cell, ratio, 3);
    ratio[c] = 1.5;
    tune_add_rounds(cell, ratio, 1);            /* one slow round in ten is tolerated */
    tune_choose(&plan, 0.03);
    ck_assert_int_eq(cell->choice, c);
    tune_add_rounds(cell, ratio, 7);            /* many are not */
    tune_choose(&plan, 0.03);
    ck_assert(anypi_ratio(cell, c) < 0.6);
    ck_assert_int_eq(cell->choice, 0);
    plan.measured[0] = false;                   /* nor is an incomplete p */
    tune_choose(&plan, 0.03);
    ck_assert_int_eq(cell->choice, 0);
    anypi_plan_free(&plan);
}
END_TEST

/* Only complete p make rules; a missing p follows its neighbours. */
START_TEST(incomplete_procs_are_left_out)
{
    static anypi_plan plan;
    tune_make_plan(&plan, 8, NULL, "2K");
    const int winner = tune_candidate(&plan, ANYP_ALLREDUCE, "anyp_gather_reduce radix=auto");
    for (int i = 0; i < plan.cells_count; i++) {
        anypi_cell *cell = &plan.cells[i];
        double ratio[ANYPI_MAX_CANDIDATES];
        for (int c = 0; c < cell->candidates; c++)
            ratio[c] = cell->collective == ANYP_ALLREDUCE && c == winner && cell->p >= 7 ? 0.5 : 1;
        tune_add_rounds(cell, ratio, 8);
    }
    plan.measured[0] = plan.measured[4] = true; /* 2 and 8 */
    tune_choose(&plan, 0.03);
    char *text;
    anypi_decision *decision = read_back(&text);
    for (int p = 2; p <= 8; p++)
        ck_assert_int_eq(is_hole(decision, p), p < 8);
    free(text);
    anypi_decision_free(decision);
    anypi_plan_free(&plan);
}
END_TEST

/* If only one p was measured, the file has no rules for others. */
START_TEST(one_p_is_not_all)
{
    static anypi_plan plan;
    tune_make_plan(&plan, 13, "13", "2K");
    const int winner = tune_candidate(&plan, ANYP_ALLREDUCE, "anyp_gather_reduce radix=auto");
    plan.measured[0] = true;
    for (int i = 0; i < plan.cells_count; i++) {
        double ratio[ANYPI_MAX_CANDIDATES];
        for (int c = 0; c < plan.cells[i].candidates; c++)
            ratio[c] = plan.cells[i].collective == ANYP_ALLREDUCE && c == winner ? 0.5 : 1;
        tune_add_rounds(&plan.cells[i], ratio, 8);
    }
    tune_choose(&plan, 0.03);
    char *text;
    anypi_decision *decision = read_back(&text);
    for (int p = 1; p <= 20; p++)
        ck_assert_msg(is_hole(decision, p) == (p != 13), "p=%d\n%s", p, text);
    free(text);
    anypi_decision_free(decision);
    anypi_plan_free(&plan);
}
END_TEST

/* If times are exact, one is enough; with only_anyp, the library is not chosen. */
START_TEST(exact_times_need_no_proof)
{
    static anypi_plan plan;
    tune_make_plan(&plan, 13, "13", "2K");
    plan.measured[0] = true;
    anypi_cell *cell = &plan.cells[0];
    double ratio[ANYPI_MAX_CANDIDATES];
    const int best = 2;
    for (int c = 0; c < cell->candidates; c++)
        ratio[c] = c == best ? 0.999 : 1 + 0.01 * c;
    tune_add_rounds(cell, ratio, 1);
    tune_choose(&plan, 0.03);
    ck_assert_int_eq(cell->choice, 0);
    plan.exact = true;
    tune_choose(&plan, 0.002);
    ck_assert_int_eq(cell->choice, best);
    cell->trials[best].times[0] = 2e-3;
    tune_choose(&plan, 0.002);
    ck_assert_int_eq(cell->choice, 0);
    plan.only_anyp = true;
    cell->trials[0].count = 0;
    tune_choose(&plan, 0.002);
    ck_assert_int_ne(cell->choice, 0);
    anypi_plan_free(&plan);
}
END_TEST

/* Points share the chain with the fewest lines; no choice is worse than the limit. */
START_TEST(shared_chains)
{
    enum { POINTS = 4, SIZES = 3, CHOICES = 3 };
    float list[POINTS][SIZES][CHOICES] = {
        { { 1, 1.01f, 9 }, { 1, 1.02f, 9 }, { 9, 1, 1.5f } },
        { { 1.01f, 1, 9 }, { 1, 1.01f, 9 }, { 9, 1, 9 } },
        { { 1, 9, 9 }, { 1.01f, 1, 9 }, { 9, 9, 1 } },
        { { 1, INFINITY, 9 }, { 1, 9, 9 }, { 9, 9, 1 } }
    };
    anypi_ratios ratios = { POINTS, SIZES, CHOICES, &list[0][0][0], 1.02f };
    anypi_chain chains[POINTS];
    ck_assert_int_eq(anypi_share(&ratios, chains), 2);
    ck_assert_int_eq(chains[0].end, 2);         /* choice 1 serves all sizes of two points */
    ck_assert_int_eq(chains[0].count, 1);
    ck_assert_int_eq(chains[0].steps[0].choice, 1);
    ck_assert_int_eq(chains[1].end, 4);
    ck_assert_int_eq(chains[1].count, 2);
    ck_assert_int_eq(chains[1].steps[0].choice, 0);
    ck_assert_int_eq(chains[1].steps[0].last, 1);
    ck_assert_int_eq(chains[1].steps[1].choice, 2);
    /* choice 0 gives way to 2 between ratios 1 to 9 (1.01 at one point) and 9 to 1 */
    const double before = log(9) + log(9 / 1.01), after = 2 * log(9);
    ck_assert_double_eq_tol(chains[1].steps[0].cut, before / (before + after), 1e-6);
    ratios.limit = 1;
    ck_assert_int_eq(anypi_share(&ratios, chains), 4);
}
END_TEST

TCase *tune_choice(void)
{
    TCase *tests = tcase_create("choice");
    tcase_add_loop_test(tests, files_select_what_was_chosen, 0, 20);
    tcase_add_test(tests, neighbours_are_merged);
    tcase_add_test(tests, proof_is_asked_for);
    tcase_add_test(tests, incomplete_procs_are_left_out);
    tcase_add_test(tests, one_p_is_not_all);
    tcase_add_test(tests, exact_times_need_no_proof);
    tcase_add_test(tests, shared_chains);
    return tests;
}
