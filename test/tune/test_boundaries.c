/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_boundaries.c - choices at sizes and numbers of processes between the measured ones, and
 * beyond them.
 */
#include "common.h"

#include "algorithms/settle.h"
#include "tuner/decision_file.h"
#include "tuner/predict.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char network[] = "1000,500,12500,0";

/* A plan of bcast whose times are exact, of one number of processes or two, and two sizes. */
static void make_plan(anypi_plan *plan, int p, int other, int64_t small, int64_t large)
{
    tune_make_plugin_plan(plan);
    for (int i = 0; i < ANYP_COLLECTIVES; i++)
        plan->wanted[i] = i == ANYP_BCAST;
    plan->exact = plan->only_anyp = true;
    plan->sizes[plan->sizes_count++] = small;
    plan->sizes[plan->sizes_count++] = large;
    anypi_plan_add(plan, p, NULL);
    if (other)
        anypi_plan_add(plan, other, NULL);
    plan->complete[0] = plan->complete[1] = true;
    strcpy(plan->networks[0][0], network);
    ck_assert_int_eq(anypi_plan_cells(plan), ANYP_SUCCESS);
}

/* The time of a candidate that is "auto": its closed form times an error, which depends on p and
 * size. */
static double planted(const anypi_plan *plan, const anypi_cell *cell, int c,
                      double (*error)(int p, double bytes, int second), int second)
{
    anypi_candidate settled;
    double time;
    const anyp_call call = anypi_cell_call(cell);
    anyp_model model = { .alpha = 1e-6, .overhead = 0.5e-6, .beta = 1e-6 / 12500 };
    ck_assert(anypi_automatic_settle(plan, cell, anypi_candidate_of(plan, cell, c), &settled,
                                     &time));
    return anypi_form_time(settled.algorithm, &call, settled.parameters, &model) *
        error(cell->p, (double) cell->bytes, second);
}

/* Gives two candidates planted times in all cells, and no times to others. */
static void plant(anypi_plan *plan, const int two[2],
                  double (*error)(int p, double bytes, int second))
{
    for (int i = 0; i < plan->cells_count; i++) {
        anypi_cell *cell = &plan->cells[i];
        for (int c = 0; c < cell->candidates; c++)
            cell->trials[c] = (anypi_trial) { .state = ANYPI_NOT_APPLICABLE };
        cell->rounds = 1;
        for (int k = 0; k < 2; k++)
            cell->trials[two[k]] = (anypi_trial) {
                .state = ANYPI_RUNNING, .count = 1,
                .times = { planted(plan, cell, two[k], error, k) }
            };
    }
}

static anypi_decision *decide(anypi_plan *plan, char **text)
{
    const anypi_choosing how = anypi_usual_choosing(plan);
    anypi_regions regions;
    anypi_decision *decision = NULL;
    anypi_diagnosis diagnosis;
    ck_assert(anypi_choose_all(plan, &how, &regions));
    *text = anypi_write_decision(&regions, "a test");
    ck_assert_msg(anypi_decision_parse(*text, strlen(*text), "test", &decision, &diagnosis) ==
                  ANYP_SUCCESS, "%s", diagnosis.text);
    anypi_regions_free(&regions);
    return decision;
}

/* The first candidate of an algorithm: that with "auto" parameters. */
static int automatic_of(const anypi_plan *plan, const char *name)
{
    const anypi_candidates *all = &plan->candidates[ANYP_BCAST];
    for (int c = 0; c < all->count; c++)
        if (!strcmp(all->list[c].name, name) && anypi_candidate_automatic(&all->list[c]))
            return c;
    ck_abort_msg("no candidate %s", name);
}

static double shift;

/* The first is better up to `shift` bytes, and the second beyond. */
static double error_by_size(int p, double bytes, int second)
{
    (void) p;
    return second ? pow(bytes / shift, -0.15) : 1;
}

/* The same of processes. */
static double error_by_p(int p, double bytes, int second)
{
    (void) bytes;
    return second ? pow(p / shift, -0.3) : 1;
}

/* The second is slower by a factor. */
static double error_of_one(int p, double bytes, int second)
{
    (void) p;
    (void) bytes;
    return second ? shift : 1;
}

/* Makes two candidates of bcast with equal forms, so that errors alone decide between them. */
static void make_alike(anypi_plan *plan, int two[2])
{
    anypi_candidates *all = &plan->candidates[ANYP_BCAST];
    two[0] = automatic_of(plan, "anyp_postal");
    two[1] = automatic_of(plan, "anyp_chain");  /* with as many parameters */
    const anypi_candidate other = all->list[two[1]];
    all->list[two[1]] = all->list[two[0]];
    strcpy(all->list[two[1]].name, other.name);
    all->list[two[1]].value = other.value;
}

static bool second_chosen(const anypi_plan *plan, const anypi_decision *decision,
                          const anypi_cell *cell, const int two[2])
{
    anypi_choice choice;
    anypi_candidate chosen;
    ck_assert(anypi_chosen(decision, cell, true, false, &choice, &chosen));
    return !strcmp(chosen.name, anypi_candidate_of(plan, cell, two[1])->name);
}

/* Curves that cross between two measured sizes: the boundary is within 10 % of the crossing,
 * wherever it is between them. */
START_TEST(sizes_are_bounded_where_times_cross)
{
    enum { LOW = 8 << 10, HIGH = 256 << 10 };
    for (shift = 1.1 * LOW; shift < 0.9 * HIGH; shift *= 1.2) {
        static anypi_plan plan;
        int two[2];
        char *text;
        make_plan(&plan, 24, 0, LOW, HIGH);
        make_alike(&plan, two);
        plant(&plan, two, error_by_size);
        anypi_decision *decision = decide(&plan, &text);
        anypi_cell cell = *plan.cells;
        int64_t low = LOW, high = HIGH;
        while (high - low > 64) {
            cell.bytes = (low + high) / 2;
            if (second_chosen(&plan, decision, &cell, two))
                high = cell.bytes;
            else
                low = cell.bytes;
        }
        ck_assert_msg(fabs(log((double) high / shift)) < log(1.1), "%lld, not %g\n%s",
                      (long long) high, shift, text);
        free(text);
        anypi_decision_free(decision);
        anypi_plan_free(&plan);
    }
}
END_TEST

/* Curves that cross between two measured p: so is the boundary, within 10 %. */
START_TEST(procs_are_bounded_where_times_cross)
{
    for (shift = 18; shift < 44; shift++) {
        static anypi_plan plan;
        int two[2], first = 16;
        char *text;
        make_plan(&plan, 16, 48, 64, 128);
        make_alike(&plan, two);
        plant(&plan, two, error_by_p);
        anypi_cell cell = *plan.cells;
        anypi_decision *decision = decide(&plan, &text);
        for (cell.p = first; cell.p < 48 && !second_chosen(&plan, decision, &cell, two);
             cell.p++)
            first = cell.p + 1;
        ck_assert_msg(fabs(log(first / shift)) < log(1.1), "%d, not %g\n%s", first, shift, text);
        free(text);
        anypi_decision_free(decision);
        anypi_plan_free(&plan);
    }
}
END_TEST

/* Beyond the largest size, the best candidate by closed forms is chosen. */
START_TEST(larger_sizes_are_predicted)
{
    static anypi_plan plan;
    char *text;
    shift = 1;
    make_plan(&plan, 24, 0, 64, 2 << 10);
    const int two[2] = { automatic_of(&plan, "anyp_postal"),
                         automatic_of(&plan, "anyp_exchange") };
    plant(&plan, two, error_of_one);
    anypi_decision *decision = decide(&plan, &text);
    anypi_cell cell = *plan.cells;
    for (cell.bytes = 64; cell.bytes <= 8 << 20; cell.bytes *= 2)
        if (cell.bytes <= 2 << 10 || cell.bytes >= 256 << 10)
            ck_assert_msg(second_chosen(&plan, decision, &cell, two) == (cell.bytes > 2 << 10),
                          "%s", text);
    free(text);
    anypi_decision_free(decision);
    anypi_plan_free(&plan);
}
END_TEST

/* Numbers are kept between sizes where they are good at both ends, and only there; but no threshold
 * that is between these sizes. */
START_TEST(numbers_hold_where_both_ends_agree)
{
    static const struct {
        int threshold;
        bool good_at_both, kept;
    } rows[] = { { 4096, false, false }, { 4096, true, true }, { 16384, true, false } };
    for (int i = 0; i < 3; i++) {
        static anypi_plan plan;
        char *text, name[64];
        anypi_choice choice;
        anypi_candidate chosen;
        shift = 1000;
        make_plan(&plan, 24, 0, 8 << 10, 32 << 10);
        const int two[2] = { automatic_of(&plan, "anyp_exchange"),
                             automatic_of(&plan, "anyp_postal") };
        snprintf(name, sizeof name, "anyp_exchange threshold=%d radix=3", rows[i].threshold);
        const int number = tune_candidate(&plan, ANYP_BCAST, name);
        plant(&plan, two, error_of_one);
        for (int k = 0; k < plan.cells_count; k++) {
            anypi_cell *cell = &plan.cells[k];
            if (cell->bytes > 8 << 10 && !rows[i].good_at_both)
                continue;
            const anypi_candidate *one = anypi_candidate_of(&plan, cell, number);
            const anyp_call call = anypi_cell_call(cell);
            const anyp_model model = { .alpha = 1e-6, .overhead = 0.5e-6, .beta = 1e-6 / 12500 };
            const double time = anypi_form_time(one->algorithm, &call, one->parameters, &model);
            cell->trials[number] = (anypi_trial) { .state = ANYPI_RUNNING, .count = 1,
                                                   .times = { 0.4 * time } };
        }
        anypi_decision *decision = decide(&plan, &text);
        anypi_cell cell = { .collective = ANYP_BCAST, .commutative = true, .p = 24,
                            .bytes = 16 << 10 };
        ck_assert(anypi_chosen(decision, &cell, true, false, &choice, &chosen));
        ck_assert_msg((chosen.parameters[0] == rows[i].threshold) == rows[i].kept, "%s", text);
        cell.p = 20;            /* at other p, too, "auto" */
        ck_assert(anypi_chosen(decision, &cell, true, false, &choice, &chosen));
        ck_assert_int_ne(chosen.parameters[0], rows[i].threshold);
        free(text);
        anypi_decision_free(decision);
        anypi_plan_free(&plan);
    }
}
END_TEST

/* One of the library's algorithms, measured at the smaller size only, keeps its distance from the
 * best there: it is not taken to be as fast at larger sizes. */
START_TEST(library_grows_as_the_best)
{
    static anypi_plan plan;
    double times[ANYPI_MAX_CANDIDATES];
    int own = 0, automatic = 0;
    tune_make_plan(&plan, 16, "16", "16K,1M");
    strcpy(plan.networks[0][0], network);
    const anypi_candidates *all = &plan.candidates[ANYP_ALLREDUCE];
    for (int c = 1; c < all->count; c++) {
        own = all->list[c].own ? c : own;
        automatic = anypi_candidate_automatic(&all->list[c]) ? c : automatic;
    }
    ck_assert(own && automatic);
    for (int i = 0; i < 2; i++) {
        anypi_trial *trials = plan.cells[i].trials;
        const double best = i ? 64e-3 : 1e-3;
        for (int c = 0; c < plan.cells[i].candidates; c++)
            trials[c] = (anypi_trial) { .state = ANYPI_NOT_APPLICABLE };
        trials[automatic] = (anypi_trial) { .state = ANYPI_RUNNING, .count = 1, .times = { best } };
        if (i == 0)
            trials[own] = (anypi_trial) { .state = ANYPI_RUNNING, .count = 1,
                                          .times = { 3 * best } };
    }
    anypi_measured_row row = { .cells = plan.cells, .count = 2 };
    ck_assert(anypi_measured_row_make(&plan, &row));
    const anypi_near_rows rows = { &row, &row, 0 };
    anypi_cell cell = *plan.cells;
    cell.bytes = 512 << 10;
    anypi_predict(&plan, &rows, &cell, times);
    ck_assert_double_eq_tol(times[own] / times[automatic], 3, 1e-6);
    free(row.errors);
    anypi_plan_free(&plan);
}
END_TEST

/* What "auto" becomes by the constants of the plan, not by those of the cell's own run, is what it
 * shares its time with. */
START_TEST(automatic_follows_the_constants)
{
    static anypi_plan plan;
    anypi_candidate settled;
    double time;
    make_plan(&plan, 24, 0, 64, 128);
    const int one = automatic_of(&plan, "anyp_postal");
    anypi_cell *cell = plan.cells;
    ck_assert(anypi_automatic_settle(&plan, cell, anypi_candidate_of(&plan, cell, one), &settled,
                                     &time));
    const int wanted = tune_candidate(&plan, ANYP_BCAST, anypi_candidate_text(&settled).text);
    settled.parameters[0]++;
    const int other = tune_candidate(&plan, ANYP_BCAST, anypi_candidate_text(&settled).text);
    const anypi_trial measured = { .state = ANYPI_RUNNING, .count = 1, .times = { 1 } };
    cell->trials[other] = measured;
    cell->trials[one] = (anypi_trial) { .state = ANYPI_SAME, .same = other };
    anypi_automatic_renew(&plan);       /* what it becomes was not measured */
    ck_assert_int_eq(cell->trials[one].same, other);
    cell->trials[wanted] = measured;
    anypi_automatic_renew(&plan);
    ck_assert_int_eq(cell->trials[one].same, wanted);
    anypi_plan_free(&plan);
}
END_TEST

TCase *tune_boundaries(void)
{
    TCase *tests = tcase_create("boundaries");
    tcase_add_test(tests, sizes_are_bounded_where_times_cross);
    tcase_add_test(tests, procs_are_bounded_where_times_cross);
    tcase_add_test(tests, larger_sizes_are_predicted);
    tcase_add_test(tests, numbers_hold_where_both_ends_agree);
    tcase_add_test(tests, library_grows_as_the_best);
    tcase_add_test(tests, automatic_follows_the_constants);
    return tests;
}
