/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_boundaries.c - choices at sizes and numbers of processes between the measured ones, and
 * beyond them.
 */
#include "common.h"

#include "tuner/decision_file.h"

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
    plan->measured[0] = plan->measured[1] = true;
    strcpy(plan->networks[0][0], network);
    ck_assert_int_eq(anypi_plan_cells(plan), ANYP_SUCCESS);
}

/* The time of a candidate that is "auto": its closed form times an error, which depends on p and
 * size. */
static double planted(const anypi_plan *plan, const anypi_cell *cell, int c,
                      double (*error)(int p, double bytes, int second), int second)
{
    return tune_form(plan, cell, anypi_candidate_of(plan, cell, c)) *
        error(cell->p, (double) cell->bytes, second);
}

/* Gives two candidates planted times in all cells, and no times to others. */
static void plant(anypi_plan *plan, const int two[2],
                  double (*error)(int p, double bytes, int second))
{
    for (int i = 0; i < plan->cells_count; i++) {
        anypi_cell *cell = &plan->cells[i];
        for (int c = 0; c < cell->candidates; c++)
            cell->trials[c] = (anypi_trial) { .running = false };
        cell->rounds = 1;
        for (int k = 0; k < 2; k++)
            cell->trials[two[k]] = (anypi_trial) {
                .running = true, .count = 1,
                .times = { planted(plan, cell, two[k], error, k) }
            };
    }
}

static anypi_decision *decide(const anypi_regions *regions, char **text)
{
    anypi_decision *decision = NULL;
    anypi_diagnosis diagnosis;
    *text = anypi_write_decision(regions, "a test");
    ck_assert_msg(anypi_decision_parse(*text, strlen(*text), "test", &decision, &diagnosis) ==
                  ANYP_SUCCESS, "%s", diagnosis.text);
    return decision;
}

/* The decision as anyp-tune makes it; if `beyond`, also where nothing was measured. */
static anypi_decision *choose(anypi_plan *plan, bool beyond, char **text)
{
    anypi_choosing how = anypi_usual_choosing(plan);
    anypi_regions regions = { .list = NULL };
    how.beyond = beyond;
    ck_assert(anypi_choose_all(plan, &how, &regions));
    anypi_decision *decision = decide(&regions, text);
    anypi_regions_free(&regions);
    return decision;
}

/* The candidate of an algorithm. */
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
    ck_assert(anypi_chosen(decision, cell, true, &choice, &chosen));
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
        anypi_decision *decision = choose(&plan, false, &text);
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

/* Curves that cross between two measured p: if rules need not be measured, the boundary is within
 * 10 % of the crossing. */
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
        anypi_decision *decision = choose(&plan, true, &text);
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

/* Between two measured p, a choice must be good at both: otherwise the library's stays. It also
 * stays for powers of two. */
START_TEST(gaps_need_both_ends)
{
    for (int good = 0; good < 2; good++) {
        static anypi_plan plan;
        anypi_choice choice;
        anypi_candidate chosen;
        char *text;
        make_plan(&plan, 16, 48, 64, 128);
        plan.only_anyp = false;
        const int c = automatic_of(&plan, "anyp_postal");
        for (int i = 0; i < plan.cells_count; i++) {
            anypi_trial *trials = plan.cells[i].trials;
            plan.cells[i].rounds = trials[0].count = trials[c].count = 1;
            trials[0].times[0] = 1;
            trials[c].times[0] = plan.cells[i].p == 16 || good ? 0.5 : 1.5;
        }
        anypi_decision *decision = choose(&plan, false, &text);
        anypi_cell cell = *plan.cells;
        for (cell.p = 16; cell.p <= 48; cell.p++)
            ck_assert_msg(anypi_chosen(decision, &cell, true, &choice, &chosen) ==
                          (cell.p == 16 || (good && cell.p != 32)), "p=%d\n%s", cell.p,
                          text);
        free(text);
        anypi_decision_free(decision);
        anypi_plan_free(&plan);
    }
}
END_TEST

/* Joined runs may differ in sizes: each p has rules up to its own largest one. */
START_TEST(each_p_has_its_own_sizes)
{
    static anypi_plan plan;
    anypi_choice choice;
    anypi_candidate chosen;
    char *text;
    shift = 1;
    make_plan(&plan, 24, 25, 64, 2 << 10);
    const int two[2] = { automatic_of(&plan, "anyp_postal"), automatic_of(&plan, "anyp_exchange") };
    plant(&plan, two, error_of_one);
    plan.cells[1].rounds = 0;           /* p = 24, 2 KiB */
    anypi_decision *decision = choose(&plan, false, &text);
    for (int p = 24; p <= 25; p++)
        for (int bytes = 64; bytes <= 2 << 10; bytes = 2 * bytes) {
            const anypi_cell cell = { .collective = ANYP_BCAST, .commutative = true, .p = p,
                                      .bytes = bytes };
            if (bytes == 64 || bytes == 2 << 10)
                ck_assert_msg(anypi_chosen(decision, &cell, true, &choice, &chosen) ==
                              (p == 25 || bytes == 64), "p=%d, %d\n%s", p, bytes, text);
        }
    free(text);
    anypi_decision_free(decision);
    anypi_plan_free(&plan);
}
END_TEST

/* Beyond the measured sizes the library chooses, unless rules are asked for everywhere. */
START_TEST(larger_sizes_are_the_librarys)
{
    for (int beyond = 0; beyond < 2; beyond++) {
        static anypi_plan plan;
        anypi_choosing how = anypi_usual_choosing(&plan);
        anypi_regions regions = { .list = NULL };
        anypi_choice choice;
        anypi_candidate chosen;
        char *text;
        shift = 1;
        make_plan(&plan, 24, 0, 64, 2 << 10);
        const int two[2] = { automatic_of(&plan, "anyp_postal"),
                             automatic_of(&plan, "anyp_exchange") };
        plant(&plan, two, error_of_one);
        how.beyond = beyond;
        ck_assert(anypi_choose_all(&plan, &how, &regions));
        anypi_decision *decision = decide(&regions, &text);
        anypi_cell cell = *plan.cells;
        for (cell.bytes = 8; cell.bytes <= 8 << 20; cell.bytes *= 2)
            ck_assert_msg(anypi_chosen(decision, &cell, true, &choice, &chosen) ==
                          (beyond || cell.bytes <= 2 << 10), "%s", text);
        free(text);
        anypi_decision_free(decision);
        anypi_regions_free(&regions);
        anypi_plan_free(&plan);
    }
}
END_TEST

/* If only one of two candidates was measured at each of two sizes, their closed forms tell where
 * the boundary is. */
START_TEST(closed_forms_place_a_boundary)
{
    static anypi_plan plan;
    char *text;
    shift = 1;
    make_plan(&plan, 24, 0, 64, 4 << 20);
    const int two[2] = { automatic_of(&plan, "anyp_postal"),
                         automatic_of(&plan, "anyp_exchange") };
    plant(&plan, two, error_of_one);
    for (int i = 0; i < 2; i++)
        plan.cells[i].trials[two[!i]].count = 0;
    anypi_decision *decision = choose(&plan, false, &text);
    anypi_cell cell = *plan.cells;
    for (cell.bytes = 64; cell.bytes <= 4 << 20; cell.bytes *= 2) {
        const double one = planted(&plan, &cell, two[0], error_of_one, 0);
        const double other = planted(&plan, &cell, two[1], error_of_one, 0);
        if (fabs(log(one / other)) > log(1.05))
            ck_assert_msg(second_chosen(&plan, decision, &cell, two) == (other < one), "%s", text);
    }
    free(text);
    anypi_decision_free(decision);
    anypi_plan_free(&plan);
}
END_TEST

/* If the library was the fastest at one of two sizes, it keeps the calls between them: its times
 * may have a step there. */
START_TEST(sizes_beside_the_librarys_are_the_librarys)
{
    static anypi_plan plan;
    anypi_choice choice;
    anypi_candidate chosen;
    char *text;
    const int kept = _i;                        /* the size that the library keeps */
    shift = 1;
    make_plan(&plan, 24, 0, 4 << 10, 64 << 10);
    const int two[2] = { automatic_of(&plan, "anyp_postal"),
                         automatic_of(&plan, "anyp_exchange") };
    plant(&plan, two, error_of_one);
    plan.only_anyp = false;
    for (int i = 0; i < 2; i++)
        plan.cells[i].trials[0] = (anypi_trial) { .running = true, .count = 1,
                                                  .times = { i == kept ? 1e-9 : 1 } };
    anypi_decision *decision = choose(&plan, false, &text);
    anypi_cell cell = *plan.cells;
    for (cell.bytes = 4 << 10; cell.bytes <= 64 << 10; cell.bytes += 4 << 10) {
        const bool measured = cell.bytes == (kept ? 4 << 10 : 64 << 10);
        const bool near = !kept && cell.bytes >= 56 << 10;     /* as good as measured */
        if (!near)
            ck_assert_msg(anypi_chosen(decision, &cell, true, &choice, &chosen) ==
                          measured, "%lld: %s", (long long) cell.bytes, text);
    }
    free(text);
    anypi_decision_free(decision);
    anypi_plan_free(&plan);
}
END_TEST

/* Far below and above the measured numbers of processes closed forms choose, and not the nearest
 * rule; but the library keeps all numbers if it was the fastest. */
START_TEST(closed_forms_choose_far_from_measured_numbers)
{
    static const int far[] = { 3, 6, 96, 384, 1024, 4096 };
    const bool library = _i;
    static anypi_plan plan;
    anypi_choice choice;
    anypi_candidate chosen;
    char *text;
    int others = 0;
    shift = 0.01;                       /* the second is the best, whatever forms say */
    make_plan(&plan, 24, 0, 64, 4 << 20);
    const int two[2] = { automatic_of(&plan, "anyp_postal"), automatic_of(&plan, "anyp_ring") };
    plant(&plan, two, error_of_one);
    if (library) {
        plan.only_anyp = false;
        for (int i = 0; i < plan.cells_count; i++)
            plan.cells[i].trials[0] = (anypi_trial) { .running = true, .count = 1,
                                                      .times = { 1e-9 } };
    }
    anypi_decision *decision = choose(&plan, true, &text);
    anypi_cell cell = *plan.cells;
    for (size_t i = 0; i < sizeof far / sizeof *far; i++)
        for (int k = 0; k < plan.sizes_count; k++) {
            double best = INFINITY;
            cell.p = far[i];
            cell.bytes = plan.sizes[k];
            ck_assert_int_eq(anypi_chosen(decision, &cell, true, &choice, &chosen),
                             !library);
            for (int c = 1; c < plan.candidates[ANYP_BCAST].count; c++)
                best = fmin(best, tune_form(&plan, &cell, anypi_candidate_of(&plan, &cell, c)));
            if (!library) {
                ck_assert_double_le(tune_form(&plan, &cell, &chosen), 1.0201 * best);
                others += strcmp(chosen.name, "anyp_ring") != 0;
            }
        }
    ck_assert_msg(library || others > 0, "the nearest rule is the best everywhere");
    free(text);
    anypi_decision_free(decision);
    anypi_plan_free(&plan);
}
END_TEST

TCase *tune_boundaries(void)
{
    TCase *tests = tcase_create("boundaries");
    tcase_add_test(tests, sizes_are_bounded_where_times_cross);
    tcase_add_test(tests, procs_are_bounded_where_times_cross);
    tcase_add_test(tests, gaps_need_both_ends);
    tcase_add_test(tests, each_p_has_its_own_sizes);
    tcase_add_test(tests, larger_sizes_are_the_librarys);
    tcase_add_test(tests, closed_forms_place_a_boundary);
    tcase_add_loop_test(tests, sizes_beside_the_librarys_are_the_librarys, 0, 2);
    tcase_add_loop_test(tests, closed_forms_choose_far_from_measured_numbers, 0, 2);
    return tests;
}
