/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_nodes.c - the tuner on several nodes: its cells, candidates and rules.
 */
#include "common.h"

#include "tuner/bench_table.h"
#include "tuner/candidates.h"
#include "tuner/regions.h"
#include "tuner/model_fit.h"
#include "tuner/node_shapes.h"
#include "tuner/timing_file.h"
#include "schedule/collectives.h"
#include "schedule/memory.h"
#include "schedule/shape.h"
#include "select/decision.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

START_TEST(parts_of_nodes)
{
    static const struct {
        const char *all;
        int p;
        const char *part;
    } known[] = {
        { "3x4", 12, "3x4" }, { "3x4", 8, "2x4" }, { "3x4", 9, "2x4,1" }, { "3x4", 3, "3" },
        { "4,1,3", 5, "4,1" }, { "3x4:cyclic", 8, "2x4:cyclic" }, { "3x4:cyclic", 4, "4" },
        { "4,1,3:cyclic", 8, "4,1,3:cyclic" }, { "2x3:cyclic", 4, "3,1:cyclic" },
        { "2x(2x3),(1)", 13, "2x(2x3),1" }, { "2x(2x3),(1)", 10, "(2x3),(3,1)" },
        { "2x(2x3)", 9, "(2x3),3" }, { "2x(2x3)", 5, "3,2" },
        { "2x(2x(2x1))", 6, "(2x(2x1)),((2x1))" },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        anyp_shape *nodes = tune_read_nodes(known[i].all);
        anyp_shape *part = anypi_nodes_part(nodes, known[i].p);
        ck_assert_ptr_nonnull(part);
        char *text = anypi_shape_text(part);
        ck_assert_str_eq(text, known[i].part);
        anypi_free(text);
        anypi_shape_free(part);
        anypi_shape_free(nodes);
    }
}
END_TEST

START_TEST(more_nodes)
{
    static const struct {
        const char *like;
        int count;
        const char *more;
    } known[] = {
        { "3x4", 5, "5x4" }, { "4,3", 3, "3x4" }, { "3x4:cyclic", 2, "2x4:cyclic" },
        { "3x(2x4)", 7, "3x(2x4),4" }, { "(3x4),(2x4)", 6, "2x(3x4)" },
        { "2x(2x(2x4))", 16, "4x(2x(2x4))" }, { "2x(2x4):cyclic", 6, "3x(2x4):cyclic" },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        anyp_shape *like = tune_read_nodes(known[i].like);
        anyp_shape *more = anypi_nodes_more(like, known[i].count, anypi_shape_mean(like));
        ck_assert_ptr_nonnull(more);
        char *text = anypi_shape_text(more);
        ck_assert_str_eq(text, known[i].more);
        anypi_free(text);
        anypi_shape_free(more);
        anypi_shape_free(like);
    }
}
END_TEST

/* A plan for a world of these nodes, without cells. */
static void plan_world(anypi_plan *plan, const char *world, const char *procs, bool parts)
{
    anyp_shape *nodes = tune_read_nodes(world);
    tune_make_plan(plan, anypi_shape_ranks(nodes), procs, "16,2K,1M");
    for (int i = 0; i < plan->cells_count; i++)
        free(plan->cells[i].trials);
    free(plan->cells);
    plan->cells = NULL;
    plan->cells_count = 0;
    if (!procs)
        plan->procs_count = 0;
    ck_assert_int_eq(anypi_plan_nodes(plan, nodes, parts), ANYP_SUCCESS);
    anypi_shape_free(nodes);
}

/* Whole nodes, and one node alone, in the order of rules. */
START_TEST(procs_on_nodes)
{
    static const struct {
        const char *world, *procs, *text;
        bool parts;
    } known[] = {
        { "3x4", NULL, "p=2 p=3 p=4 p=8 (2x4) p=12 (3x4)", true },
        { "4,4,1", NULL, "p=2 p=3 p=4 p=9 (2x4,1) p=8 (2x4)", true },
        { "2x3:cyclic", NULL, "p=2 p=3 p=6 (2x3:cyclic)", true },
        { "5x1", NULL, "p=2 p=3 p=4 p=5", true },
        { "3x4", "5,12", "p=5 (4,1) p=12 (3x4)", true },
        { "3x4", NULL, "p=12 (3x4)", false },
        { "3x4", "5,12", "p=5 p=12 (3x4)", false },
    };
    static anypi_plan plan;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        char all[1024] = "";
        plan_world(&plan, known[i].world, known[i].procs, known[i].parts);
        for (int k = 0; k < plan.procs_count; k++) {
            const size_t length = strlen(all);
            snprintf(all + length, sizeof all - length, "%s%s", k ? " " : "",
                     anypi_procs_text(plan.procs[k], plan.nodes[k]).text);
        }
        ck_assert_str_eq(all, known[i].text);
        anypi_plan_free(&plan);
    }
    plan_world(&plan, "200x48", NULL, true);
    ck_assert_int_le(plan.procs_count, ANYPI_MAX_LIST);
    ck_assert_int_eq(plan.procs[plan.procs_count - 1], 200 * 48);
    anypi_plan_free(&plan);
}
END_TEST

/* The worlds of one plan, and of each the kinds of communicators that must follow it. */
static const char *const worlds[] = { "13", "2x4", "13x4", "6x24", "12x24", "13x8:cyclic" };
enum { WORLDS = sizeof worlds / sizeof *worlds };

/* Makes one of AnyP's candidates twice as fast as the others. So the border between two worlds is
 * in the middle. */
static void choose_one(anypi_cell *cell, unsigned seed)
{
    double ratio[ANYPI_MAX_CANDIDATES];
    double least = 2;
    int fastest = 0;
    for (int c = 0; c < cell->candidates; c++) {
        const double noise = tune_noise(seed + (unsigned) c);
        ratio[c] = 1;
        if (!c || !cell->trials[c].running || noise >= least)
            continue;
        least = noise;
        fastest = c;
    }
    ratio[fastest] = 0.5;
    tune_add_rounds(cell, ratio, 1);
}

/* Cells of all worlds, whose choices differ. */
static void plan_worlds(anypi_plan *plan)
{
    tune_make_plugin_plan(plan);
    plan->sizes[plan->sizes_count++] = 2048;
    for (int i = 0; i < WORLDS; i++) {
        anyp_shape *nodes = tune_read_nodes(worlds[i]);
        const int p = anypi_shape_ranks(nodes);
        if (nodes->count == 1) {
            anypi_shape_free(nodes);
            nodes = NULL;
        }
        ck_assert_int_ge(anypi_plan_add(plan, p, nodes), 0);
    }
    ck_assert_int_eq(plan->procs_count, WORLDS);
    ck_assert_int_eq(anypi_plan_cells(plan), ANYP_SUCCESS);
    plan->exact = plan->only_anyp = true;
    for (int i = 0; i < plan->procs_count; i++)
        plan->measured[i] = true;
    for (int i = 0; i < plan->cells_count; i++)
        choose_one(&plan->cells[i], 1000 * (unsigned) i);
    tune_choose(plan, 0.002);
}

/* Does a call on a communicator with these nodes get the choice of the cell with those? A `wanted`
 * without text: the library's. */
static void assert_follows(const anypi_decision *decision, const anypi_plan *plan,
                           const char *there, const char *wanted)
{
    anyp_shape *nodes = tune_read_nodes(there);
    const int p = anypi_shape_ranks(nodes);
    int cells = 0;
    for (int i = 0; i < plan->cells_count; i++) {
        const anypi_cell *cell = &plan->cells[i];
        char *text = cell->nodes ? anypi_shape_text(cell->nodes) : NULL;
        const bool of_it = text ? !strcmp(text, wanted)
            : !strchr(wanted, 'x') && cell->p == atoi(wanted);
        anypi_free(text);
        if (*wanted && !of_it)
            continue;
        const anypi_candidate *chosen = &plan->candidates[cell->collective].list[cell->choice];
        const anypi_cell call = { .collective = cell->collective, .commutative = cell->commutative,
                                  .p = p, .nodes = nodes, .bytes = 2048 };
        char got[sizeof(anypi_text)];
        const bool ruled = anypi_bench_chosen(decision, &call, true, got, sizeof got);
        ck_assert_msg(ruled == (*wanted != '\0'), "%s: %s", there, got);
        cells++;
        if (!*wanted)
            continue;
        const anypi_text expected = anypi_candidate_text(chosen);
        ck_assert_msg(!strcmp(got, expected.text), "%s: %s instead of %s", there, got,
                      expected.text);
    }
    ck_assert_int_ge(cells, 2 * ANYP_REDUCTIONS);
    anypi_shape_free(nodes);
}

static void assert_rules(const anypi_plan *plan)
{
    static const struct {
        const char *there, *wanted;
    } known[] = {
        { "13", "13" }, { "12", "" }, { "14", "" }, { "5", "" },
        { "2x4", "2x4" }, { "13x4", "13x4" },
        { "14x4", "" }, { "5x9", "13x4" }, { "14x10", "" }, { "6x24", "6x24" },
        { "12x24", "12x24" }, { "3x48", "6x24" },
        { "13x8:cyclic", "13x8:cyclic" }, { "4x20:cyclic", "" },
        { "26x8:cyclic", "" },
    };
    char *text = tune_write("a test");
    anypi_decision *decision;
    anypi_diagnosis diagnosis;
    ck_assert_msg(anypi_decision_parse(text, strlen(text), "test", &decision, &diagnosis) ==
                  ANYP_SUCCESS, "%s\n%s", diagnosis.text, text);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_follows(decision, plan, known[i].there, known[i].wanted);
    anypi_decision_free(decision);
    free(text);
}

/* Rules find each world, and others follow the nearest; also after saving and joining. */
START_TEST(rules_of_nodes)
{
    static anypi_plan plan, joined;
    char message[256] = "";
    plan_worlds(&plan);
    assert_rules(&plan);
    char *times = anypi_times_write(&plan, NULL, "here");
    ck_assert_msg(anypi_times_join(&joined, (const char *const *) &times,
                                   (const char *const[]) { "one" }, 1, false, NULL, message,
                                sizeof message),
                  "%s", message);
    ck_assert_int_eq(joined.procs_count, WORLDS);
    tune_choose(&joined, 0.002);
    assert_rules(&joined);
    anypi_plan_free(&joined);
    /* of every cell the nodes have other ranks than p */
    for (char *at = times; (at = strstr(at + 1, "\"p\":"));)
        at[strlen("\"p\":")] ^= 1;
    ck_assert(anypi_times_join(&joined, (const char *const *) &times,
                               (const char *const[]) { "one" }, 1, false, NULL, message,
                               sizeof message));
    ck_assert_ptr_nonnull(strstr(message, "are damaged and left out"));
    for (int i = 0; i < joined.procs_count; i++)
        ck_assert_ptr_null(joined.nodes[i]);
    free(times);
    anypi_plan_free(&joined);
    anypi_plan_free(&plan);
}
END_TEST

START_TEST(model_of_nodes)
{
    /* 1 us, 0.2 us at each end, 10 bytes/ns across; inside 0.3 us and 5 bytes/ns; two cards */
    const anypi_probe_times across = { 1.4e-6, 3.2e-6, 6.4e-6, 11.4e-6, 1e5, 8, 16 };
    const anypi_probe_times inside = { 0.7e-6, 1.6e-6, 2.8e-6, 20.7e-6, 1e5, 4, 7 };
    const anyp_model model = anypi_model_fit_nodes(&across, &inside, 41.4e-6, 8);
    ck_assert(model.eager);
    ck_assert_double_eq_tol(model.overhead, 0.2e-6, 1e-12);
    ck_assert_double_eq_tol(model.alpha, 1e-6, 1e-12);
    ck_assert_double_eq_tol(model.beta, 1e-10, 1e-15);
    ck_assert_double_eq_tol(model.inside_alpha, 0.3e-6, 1e-12);
    ck_assert_double_eq_tol(model.inside_beta, 2e-10, 1e-15);
    ck_assert_int_eq(model.cards, 2);
    /* times with noise may contradict each other */
    const anypi_probe_times odd = { 1e-6, 0.5e-6, 0.4e-6, 0.9e-6, 1e5, 1, 2 };
    const anyp_model other = anypi_model_fit_nodes(&odd, &odd, 0.1e-6, 8);
    ck_assert(other.alpha >= 0 && other.beta >= 0 && other.overhead >= 0);
    ck_assert(other.inside_alpha >= 0 && other.inside_beta >= 0 && other.cards == 1);
}
END_TEST

TCase *tune_nodes(void)
{
    TCase *tests = tcase_create("nodes");
    tcase_add_test(tests, parts_of_nodes);
    tcase_add_test(tests, more_nodes);
    tcase_add_test(tests, procs_on_nodes);
    tcase_add_test(tests, rules_of_nodes);
    tcase_add_test(tests, model_of_nodes);
    return tests;
}
