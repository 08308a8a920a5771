/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_prune.c - which candidates the tuner leaves out before and while it measures.
 */
#include "common.h"

#include "algorithms/settle.h"
#include "tuner/candidates.h"
#include "tuner/noise.h"
#include "tuner/prune_candidates.h"

#include <math.h>
#include <string.h>

/* All settings at the smallest size, few at the next: also the best and the first of the grid. */
START_TEST(the_library_takes_little_time)
{
    static anypi_plan plan;
    double ratio[ANYPI_MAX_CANDIDATES];
    tune_use(true);
    tune_make_plan(&plan, 16, "16", "16,2K,1M");
    const int best = tune_candidate(&plan, ANYP_ALLREDUCE, "recexch k=7 single_phase_recv=1");
    const int first = tune_candidate(&plan, ANYP_ALLREDUCE, "recexch k=2 single_phase_recv=0");
    for (int c = 0; c < plan.cells->candidates; c++)
        ratio[c] = c == best ? 0.5 : c == first ? 2 : 1;
    for (int turn = 0; turn < 2; turn++) {      /* in turn 1 there is little time */
        int left[3] = { 0 };
        for (int i = 0; i < 3; i++) {
            anypi_cell *cell = &plan.cells[i];
            ck_assert_int_eq(anypi_cell_candidates(cell, &plan.candidates[ANYP_ALLREDUCE]), 0);
            cell->rounds = 0;
            anypi_prune_library(&plan, cell, turn ? 2 : 1000);
            for (int c = 1; c < cell->candidates; c++)
                left[i] += tune_running(cell, c) &&
                    !strcmp(plan.candidates[ANYP_ALLREDUCE].list[c].name, "recexch");
            ck_assert(tune_running(cell, first));
            ck_assert(tune_running(cell, best) || (turn && !i));
            ck_assert(tune_running(cell, tune_candidate(&plan, ANYP_ALLREDUCE,
                                                        "recursive_doubling")));
            tune_add_rounds(cell, ratio, 1);
        }
        ck_assert_int_eq(left[0], turn ? 2 : 14);
        ck_assert(left[1] <= (turn ? 2 : 5) && left[2] <= left[1]);
    }
    anypi_plan_free(&plan);
    tune_use(false);
}
END_TEST

/* A candidate that is slow at two sizes is not tried at the third; one that did not serve them
 * is. */
START_TEST(the_hopeless_are_overtaken)
{
    static anypi_plan plan;
    double ratio[ANYPI_MAX_CANDIDATES];
    tune_make_plan(&plan, 16, "16", "8,16,256");
    const int slow = tune_candidate(&plan, ANYP_ALLREDUCE, "recursive_doubling");
    const int new = tune_candidate(&plan, ANYP_ALLREDUCE, "reduce_scatter_allgather");
    for (int c = 0; c < plan.cells->candidates; c++)
        ratio[c] = c == slow ? 10 : 1;
    for (int i = 0; i < 3; i++) {
        anypi_prune_hopeless(&plan, &plan.cells[i], 5e-3);
        ck_assert(tune_running(&plan.cells[i], slow) == (i < 2));
        ck_assert(tune_running(&plan.cells[i], new) == (i == 2));
        tune_add_rounds(&plan.cells[i], ratio, 1);
    }
    anypi_plan_free(&plan);
}
END_TEST

/* A candidate that was slow at a size and not measured at the next one, for lack of time, is
 * tried. */
START_TEST(the_unmeasured_stay)
{
    static anypi_plan plan;
    double ratio[ANYPI_MAX_CANDIDATES];
    for (int turn = 0; turn < 2; turn++) {      /* in turn 1 only one was not measured */
        tune_make_plan(&plan, 16, "16", "8,16,256");
        const int slow = tune_candidate(&plan, ANYP_ALLREDUCE, "recursive_doubling");
        anypi_cell *before = &plan.cells[1], *cell = &plan.cells[2];
        for (int c = 0; c < cell->candidates; c++)
            ratio[c] = c == slow ? 10 : 1;
        tune_add_rounds(&plan.cells[0], ratio, 1);
        if (turn)
            tune_add_rounds(before, ratio, 1);
        before->trials[slow].count = 0;
        ck_assert(tune_running(before, slow) && tune_running(cell, slow));
        anypi_prune_hopeless(&plan, cell, 5e-3);
        ck_assert(tune_running(cell, slow));
        anypi_plan_free(&plan);
    }
}
END_TEST

START_TEST(losers_leave_the_race)
{
    static anypi_plan plan;
    tune_make_plan(&plan, 4, "4", "2K");
    anypi_cell *cell = &plan.cells[0];
    double ratio[ANYPI_MAX_CANDIDATES];
    for (int i = 0; i < cell->candidates; i++)
        ratio[i] = i % 2 ? 1.1 : 1;
    ratio[1] = 0.9;
    ratio[2] = 5;
    tune_add_rounds(cell, ratio, 1);
    anypi_race(cell);
    ck_assert(tune_running(cell, 2));                  /* one round may be disturbed */
    tune_add_rounds(cell, ratio, ANYPI_MIN_ROUNDS - cell->rounds);
    const int left = anypi_race(cell);
    ck_assert(!tune_running(cell, 2));
    ck_assert(tune_running(cell, 0) && tune_running(cell, 1));
    tune_add_rounds(cell, ratio, 20 - cell->rounds);
    ck_assert_int_lt(anypi_race(cell), left);
    ck_assert(tune_running(cell, 0) && tune_running(cell, 1));
    ck_assert(!tune_running(cell, 3));
    anypi_plan_free(&plan);
}
END_TEST

/* The closed form of a candidate of a cell, in seconds. */
static double closed_form(const anypi_plan *plan, const anypi_cell *cell, int c,
                          const anyp_model *model)
{
    const anypi_candidate *candidate = &plan->candidates[cell->collective].list[c];
    const anyp_call call = anypi_cell_call(cell);
    return anypi_form_time(candidate->algorithm, &call, candidate->parameters, model);
}

START_TEST(hopeless_candidates_are_not_run)
{
    static anypi_plan plan;
    const anypi_probe_times times = { 1e-5, 1.3e-5, 2.5e-5, 1.1e-4, 1e5, 4, 8 };
    anyp_model model = anypi_model_fit(&times);
    ck_assert_double_eq_tol(model.alpha, 7e-6, 1e-12);
    ck_assert_double_eq_tol(model.overhead, 1.5e-6, 1e-12);
    ck_assert_double_eq_tol(model.beta, 1e-9, 1e-15);
    model.gamma = 1e-10;
    tune_make_plan(&plan, 16, "2,5,13,16", "16,2K,1M");
    int dropped = 0, alike = 0;
    for (int i = 0; i < plan.cells_count; i++) {
        anypi_cell *cell = &plan.cells[i];
        const anypi_candidates *candidates = &plan.candidates[cell->collective];
        bool before[ANYPI_MAX_CANDIDATES];
        for (int c = 0; c < cell->candidates; c++)
            before[c] = tune_running(cell, c);
        const int max = 3 + i % 4;
        const int kept = anypi_prune(cell, candidates, &model,
                                          (anypi_selection) { .max = max, .hopeless = 3,
                                                              .close = 3 });
        double fastest = INFINITY, slowest = 0;
        int alive = 0, algorithms = 0;
        const anyp_algorithm *last = NULL;
        for (int c = 0; c < cell->candidates; c++) {
            const bool left_out = cell->trials[c].state == ANYPI_LEFT_OUT;
            ck_assert(before[c] == (tune_running(cell, c) || left_out || tune_same(cell, c)));
            ck_assert(!tune_same(cell, c) || tune_running(cell, cell->trials[c].same));
            alike += cell->p == 2 && tune_same(cell, c);
            if (!candidates->list[c].algorithm || !before[c] || tune_same(cell, c)) {
                ck_assert(!left_out);
                continue;
            }
            alive += tune_running(cell, c);
            dropped += left_out;
            algorithms += tune_running(cell, c) && candidates->list[c].algorithm != last;
            last = tune_running(cell, c) ? candidates->list[c].algorithm : last;
            const double time = closed_form(&plan, cell, c, &model);
            fastest = fmin(fastest, time);
            slowest = tune_running(cell, c) ? fmax(slowest, time) : slowest;
        }
        ck_assert_int_eq(alive, kept);
        ck_assert_int_le(kept, max);
        ck_assert(!kept || slowest <= 3 * fastest);
        ck_assert(kept || fastest == INFINITY);
        /* short vectors: more than one algorithm is measured */
        if (cell->collective == ANYP_ALLREDUCE && cell->commutative && cell->bytes == 16 &&
            cell->p > 5)
            ck_assert_int_ge(algorithms, 2);
    }
    ck_assert_int_gt(dropped, 0);
    ck_assert_int_gt(alike, 0);         /* with two processes many settings are equal */
    anypi_plan_free(&plan);
}
END_TEST

/* A simulator is slow with many messages at once; without a limit nothing is left out. */
START_TEST(many_messages_are_left_out)
{
    static anypi_plan plan;
    plan = (anypi_plan) { .wanted = { true, true, true, true }, .procs = { 13, 1000 },
                          .procs_count = 2, .sizes = { 1 << 10 }, .sizes_count = 1 };
    ck_assert_int_eq(anypi_plan_candidates(&plan, NULL), ANYP_SUCCESS);
    ck_assert_int_eq(anypi_plan_cells(&plan), ANYP_SUCCESS);
    for (int i = 0; i < plan.cells_count; i++) {
        anypi_cell *cell = &plan.cells[i];
        int left[3] = { 0 };
        for (int turn = 0; turn < 3; turn++) {
            anypi_prune_messages(cell, &plan.candidates[cell->collective],
                                 turn == 0 ? 0 : turn == 1 ? 1 << 20 : 1 << 12);
            for (int c = 0; c < cell->candidates; c++)
                left[turn] += tune_running(cell, c);
        }
        ck_assert_int_eq(left[0], left[1]);
        ck_assert_int_gt(left[2], 1);
        ck_assert(cell->p == 13 ? left[2] == left[1] : left[2] < left[1]);
    }
    anypi_plan_free(&plan);
}
END_TEST

/* Many fine points of the grid are close to the best: a coarse one that is as good replaces them.
 * */
START_TEST(the_most_promising_is_run)
{
    static anypi_plan plan;
    const anyp_model model = { .alpha = 2e-3, .beta = 1e-7, .gamma = 2e-10, .overhead = 2e-5 };
    plan = (anypi_plan) { .wanted = { true, true, true, true }, .procs = { 13, 24 },
                          .procs_count = 2, .sizes = { 1 << 16, 1 << 18, 1 << 20 },
                          .sizes_count = 3 };
    ck_assert_int_eq(anypi_plan_candidates(&plan, NULL), ANYP_SUCCESS);
    ck_assert_int_eq(anypi_plan_cells(&plan), ANYP_SUCCESS);
    int max = 0;
    for (int i = 0; i < plan.cells_count; i++) {
        anypi_cell *cell = &plan.cells[i];
        const anypi_candidates *candidates = &plan.candidates[cell->collective];
        double best = INFINITY, kept = INFINITY;
        for (int c = 0; c < cell->candidates; c++)
            if (candidates->list[c].algorithm && tune_running(cell, c))
                best = fmin(best, closed_form(&plan, cell, c, &model));
        ck_assert_double_eq(anypi_promise(cell, candidates, &model), best);
        const int count = anypi_prune(cell, candidates, &model, (anypi_selection) {
            .max = 20, .hopeless = 3, .close = 3, .seconds = 5 * best, .min = 2 });
        double sum = 0;
        for (int c = 0; c < cell->candidates; c++)
            if (candidates->list[c].algorithm && tune_running(cell, c)) {
                kept = fmin(kept, closed_form(&plan, cell, c, &model));
                sum += closed_form(&plan, cell, c, &model);
            }
        ck_assert(kept <= 1.03 * best);
        ck_assert(count == 2 || sum <= 5 * best);
        max = count > max ? count : max;
    }
    ck_assert_int_gt(max, 3);
    anypi_plan_free(&plan);
}
END_TEST

TCase *tune_prune(void)
{
    TCase *tests = tcase_create("prune");
    tcase_add_test(tests, the_library_takes_little_time);
    tcase_add_test(tests, the_hopeless_are_overtaken);
    tcase_add_test(tests, the_unmeasured_stay);
    tcase_add_test(tests, losers_leave_the_race);
    tcase_add_test(tests, hopeless_candidates_are_not_run);
    tcase_add_test(tests, many_messages_are_left_out);
    tcase_add_test(tests, the_most_promising_is_run);
    return tests;
}
