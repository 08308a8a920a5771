/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tune.c - the tuner without MPI: plans, candidates, and decision files from synthetic times, each
 * read back by the reader of decision files, which must select what was chosen.
 */
#include "bench.h"
#include "file.h"
#include "options.h"
#include "tune.h"

#include "select/decision.h"

#include <check.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char table[] =
    "{ \"mpich\": \"4.0.2\", \"cvars\": {"
    " \"MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM\": { \"auto\": 0, \"nb\": 1, \"smp\": 2,"
    "  \"recursive_doubling\": 3, \"reduce_scatter_allgather\": 4, \"anyp_butterfly\": 5,"
    "  \"anyp_gather_reduce\": 6, \"anyp_circulant\": 7 },"
    " \"MPIR_CVAR_REDUCE_INTRA_ALGORITHM\": { \"auto\": 0, \"nb\": 1, \"binomial\": 2 },"
    " \"MPIR_CVAR_REDUCE_SCATTER_INTRA_ALGORITHM\": { \"auto\": 0, \"nb\": 1,"
    "  \"noncommutative\": 2, \"pairwise\": 3, \"anyp_circulant\": 4 },"
    " \"MPIR_CVAR_REDUCE_SCATTER_BLOCK_INTRA_ALGORITHM\": { \"auto\": 0, \"nb\": 1,"
    "  \"pairwise\": 2, \"anyp_circulant\": 3 } } }";

/* A plan as the tuner makes it from a command line and the table above. */
static void make_plan(anypi_plan *plan, int most, const char *procs, const char *sizes)
{
    char message[256] = "", *arguments[] = { "anyp-tune", "--sizes", (char *) sizes,
                                             procs ? "--procs" : NULL, (char *) procs, NULL };
    anypi_options options;
    memset(plan, 0, sizeof *plan);
    optind = 0;
    ck_assert_msg(anypi_options_read(procs ? 5 : 3, arguments, most, &options, plan, message,
                                     sizeof message), "%s", message);
    anypi_names *names = anypi_names_parse(table, "table", message, sizeof message);
    ck_assert_msg(names, "%s", message);
    ck_assert_int_eq(anypi_candidates_make(plan, names), ANYP_SUCCESS);
    anypi_names_free(names);
    ck_assert_int_eq(anypi_plan_cells(plan), ANYP_SUCCESS);
}

/* Gives a cell a round in which each candidate takes `ratio` of MPICH's time. */
static void add_round(anypi_cell *cell, const double *ratio)
{
    double *times = &cell->times[cell->rounds++ * cell->candidates];
    for (int c = 0; c < cell->candidates; c++)
        times[c] = cell->same[c] == c ? 1e-3 * ratio[c] : NAN;
}

/* Some number for each (cell, candidate), the same in every run. */
static double noise(unsigned seed)
{
    seed = seed * 2654435761u + 12345u;
    seed ^= seed >> 15;
    seed *= 2246822519u;
    return (double) (seed >> 8 & 0xffff) / 65536;
}

/* What the file makes of a call must be what was chosen for the cell. */
static void assert_selected(const anypi_decision *decision, const anypi_plan *plan,
                            const anypi_cell *cell, int p, int64_t count)
{
    const anyp_call call = anypi_cell_call(cell);
    anypi_situation situation;
    anypi_choice choice;
    anypi_situation_init(&situation, anyp_collective_name(cell->collective), p, count,
                         call.type_size);
    situation.commutative = situation.builtin_op = cell->commutative;
    ck_assert_int_eq(anypi_decision_select(decision, &situation, &choice), ANYP_SUCCESS);
    const anypi_candidate *wanted = &plan->candidates[cell->collective].list[cell->choice];
    char text[128];
    anypi_candidate_text(wanted, text, sizeof text);
    ck_assert_msg(choice.hole == !cell->choice, "p=%d %s %lld bytes: %s, not %s", p,
                  anyp_collective_name(cell->collective), (long long) cell->bytes,
                  choice.hole ? "a hole" : choice.name, text);
    if (!cell->choice)
        return;
    ck_assert_str_eq(strstr(choice.name, "_intra_") + strlen("_intra_"), wanted->name);
    ck_assert_ptr_eq(choice.algorithm, wanted->algorithm);
    for (int i = 0; wanted->algorithm && i < wanted->algorithm->parameters_count; i++)
        ck_assert_int_eq(choice.parameters[i], wanted->parameters[i]);
}

static anypi_decision *read_back(const anypi_plan *plan, char **text)
{
    anypi_decision *decision = NULL;
    anypi_diagnosis diagnosis;
    *text = anypi_write_decision(plan, "Measured nowhere; a test */ \"\\ \x01 of\ncomments");
    ck_assert_ptr_nonnull(*text);
    ck_assert_msg(anypi_decision_parse(*text, strlen(*text), "test", &decision, &diagnosis) ==
                  ANYP_SUCCESS, "%s\n%s", diagnosis.text, *text);
    return decision;
}

START_TEST(procs_of_a_run)
{
    static const int upto16[] = { 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 15, 16 };
    int procs[ANYPI_MAX_LIST], order[ANYPI_MAX_LIST];
    ck_assert_int_eq(anypi_default_procs(16, procs), 13);
    ck_assert_mem_eq(procs, upto16, sizeof upto16);
    ck_assert_int_eq(anypi_default_procs(1, procs), 0);
    for (int most = 2; most < 5000; most++) {
        const int count = anypi_default_procs(most, procs);
        ck_assert_int_eq(procs[0], 2);
        ck_assert_int_eq(procs[count - 1], most);
        for (int i = 1; i < count; i++)
            ck_assert_int_lt(procs[i - 1], procs[i]);
        anypi_procs_order(procs, count, order);
        ck_assert_int_eq(procs[order[0]], most);
        int sum = 0;
        for (int i = 0; i < count; i++)
            sum += order[i];
        ck_assert_int_eq(sum, count * (count - 1) / 2);
    }
    ck_assert_int_eq(anypi_default_procs(INT_MAX, procs), ANYPI_MAX_LIST);
    ck_assert_int_eq(procs[ANYPI_MAX_LIST - 1], INT_MAX);
}
END_TEST

START_TEST(lists_on_the_command_line)
{
    static const char *const wrong[] = { "", ",", "2,", "a", "5-2", "2-", "-2", "2 3", "1", "17",
                                         "99999999999999999999", "2--3", "2-99", "3KK" };
    int64_t list[ANYPI_MAX_LIST];
    const char *reason;
    ck_assert_int_eq(anypi_parse_list("8,2-4,3", 2, 16, list, &reason), 4);
    ck_assert_int_eq(list[0], 2);
    ck_assert_int_eq(list[3], 8);
    ck_assert_int_eq(anypi_parse_list("1M,16,2k", 1, 1 << 30, list, &reason), 3);
    ck_assert_int_eq(list[1], 2048);
    ck_assert_int_eq(list[2], 1 << 20);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        reason = NULL;
        ck_assert_msg(!anypi_parse_list(wrong[i], 2, 16, list, &reason), "%s", wrong[i]);
        ck_assert_ptr_nonnull(reason);
    }
    ck_assert_int_eq(anypi_parse_list("1-100", 1, 1000, list, &reason), 0);
}
END_TEST

START_TEST(candidates_of_a_plan)
{
    static anypi_plan plan;
    make_plan(&plan, 16, NULL, "16,2K,1M");
    ck_assert(!plan.wanted[ANYP_REDUCE]);       /* nothing of AnyP's in the table */
    for (int i = 0; i < ANYP_COLLECTIVES; i++) {
        const anypi_candidates *candidates = &plan.candidates[i];
        ck_assert(!plan.wanted[i] || !strcmp(candidates->list[0].name, "auto"));
        for (int c = 0; plan.wanted[i] && c < candidates->count; c++) {
            ck_assert_str_ne(candidates->list[c].name, "nb");
            ck_assert_str_ne(candidates->list[c].name, "noncommutative");
        }
    }
    for (int i = 0; i < plan.cells_count; i++) {
        const anypi_cell *cell = &plan.cells[i];
        const anyp_call call = anypi_cell_call(cell);
        int anyp = 0;
        for (int c = 0; c < cell->candidates; c++) {
            const anypi_candidate *candidate = &plan.candidates[cell->collective].list[c];
            if (candidate->algorithm && cell->same[c] >= 0) {
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

/* The plug-in can only pass a call on: what the library runs then is one candidate. */
START_TEST(candidates_of_the_plug_in)
{
    static anypi_plan plan;
    plan = (anypi_plan) { .wanted = { true, true, true, true } };
    ck_assert_int_eq(anypi_candidates_make(&plan, NULL), ANYP_SUCCESS);
    for (int i = 0; i < ANYP_COLLECTIVES; i++) {
        const anypi_candidates *candidates = &plan.candidates[i];
        ck_assert(plan.wanted[i]);
        ck_assert_str_eq(candidates->list[0].name, "auto");
        ck_assert_int_gt(candidates->count, 1);
        for (int c = 0; c < candidates->count; c++)
            ck_assert_int_eq(!candidates->list[c].algorithm, c == 0);
    }
}
END_TEST

/* Random winners: every cell's choice must come back, and so must those of p and sizes between. */
START_TEST(files_select_what_was_chosen)
{
    static anypi_plan plan;
    make_plan(&plan, 16, "2,3,5,8-10,12,16", "16,256,2K,16K,1M");
    for (int i = 0; i < plan.procs_count; i++)
        plan.complete[i] = true;
    for (int i = 0; i < plan.cells_count; i++) {
        anypi_cell *cell = &plan.cells[i];
        double ratio[ANYPI_MAX_CANDIDATES] = { 1 };
        for (int c = 1; c < cell->candidates; c++)
            ratio[c] = 0.8 + noise((unsigned) (_i * 100000 + i * 256 + c));
        for (int round = 0; round < ANYPI_LEAST_ROUNDS; round++)
            add_round(cell, ratio);
    }
    anypi_choose_all(&plan, 0.03);

    char *text;
    anypi_decision *decision = read_back(&plan, &text);
    int holes = 0, choices = 0;
    for (int i = 0; i < plan.cells_count; i++) {
        const anypi_cell *cell = &plan.cells[i];
        const anyp_call call = anypi_cell_call(cell);
        holes += !cell->choice;
        choices += cell->choice > 0;
        assert_selected(decision, &plan, cell, cell->p, call.count);
        if (cell->p == 10)      /* as near to 10 as to 12 */
            assert_selected(decision, &plan, cell, 11, call.count);
        if (cell->p == 16)
            assert_selected(decision, &plan, cell, 15, call.count);
        if (cell->bytes == 1 << 20)
            assert_selected(decision, &plan, cell, cell->p, call.count * 100);
    }
    ck_assert_int_gt(holes, 0);
    ck_assert_int_gt(choices, 0);

    anypi_situation situation;
    anypi_choice choice;
    anypi_situation_init(&situation, "allreduce", 17, 1000, 8);
    ck_assert_int_eq(anypi_decision_select(decision, &situation, &choice), ANYP_SUCCESS);
    ck_assert(choice.hole);     /* nobody has measured that */

    char *again = anypi_write_decision(&plan, "Measured nowhere; a test */ \"\\ \x01 of\ncomments");
    ck_assert_str_eq(text, again);
    free(again);
    free(text);
    anypi_decision_free(decision);
    anypi_plan_free(&plan);
}
END_TEST

/* The place of a candidate by its text. */
static int candidate(const anypi_plan *plan, anyp_collective collective, const char *text)
{
    const anypi_candidates *candidates = &plan->candidates[collective];
    for (int c = 0; c < candidates->count; c++) {
        char own[128];
        if (!strcmp(anypi_candidate_text(&candidates->list[c], own, sizeof own), text))
            return c;
    }
    ck_abort_msg("no candidate %s", text);
    return 0;
}

/* One winner everywhere is one rule; a small lead or a lucky round is none. */
START_TEST(neighbours_are_merged)
{
    static anypi_plan plan;
    make_plan(&plan, 8, NULL, "16,256,2K,16K,1M");
    const int winner = candidate(&plan, ANYP_ALLREDUCE, "anyp_gather_reduce radix=2");
    const int close = candidate(&plan, ANYP_ALLREDUCE, "recursive_doubling");
    for (int i = 0; i < plan.procs_count; i++)
        plan.complete[i] = true;
    for (int i = 0; i < plan.cells_count; i++) {
        anypi_cell *cell = &plan.cells[i];
        double ratio[ANYPI_MAX_CANDIDATES];
        for (int c = 0; c < cell->candidates; c++)
            ratio[c] = cell->collective == ANYP_ALLREDUCE && c == winner ? 0.5 : c ? 0.98 : 1;
        if (cell->collective == ANYP_ALLREDUCE && cell->p == 5 && cell->bytes == 256)
            ratio[close] = 0.495;       /* better than its neighbour's winner, but not by much */
        for (int round = 0; round < 4; round++)
            add_round(cell, ratio);
    }
    anypi_choose_all(&plan, 0.03);
    char *text;
    anypi_decision *decision = read_back(&plan, &text);
    int rules = 0;
    for (const char *at = text; (at = strstr(at, "algorithm=")); at++)
        rules++;
    ck_assert_msg(rules == 2, "%s", text);      /* one per operator kind */
    ck_assert_ptr_nonnull(strstr(text, "comm_size<=8"));
    ck_assert_ptr_null(strstr(text, "msg_size"));
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
    make_plan(&plan, 4, "4", "2K");
    plan.complete[0] = true;
    anypi_cell *cell = &plan.cells[0];
    const int c = candidate(&plan, ANYP_ALLREDUCE, "anyp_gather_reduce radix=2");
    double ratio[ANYPI_MAX_CANDIDATES];
    for (int i = 0; i < cell->candidates; i++)
        ratio[i] = 1;
    ratio[c] = 0.5;
    add_round(cell, ratio);
    add_round(cell, ratio);
    anypi_choose_all(&plan, 0.03);
    ck_assert_int_eq(cell->choice, 0);          /* two rounds prove nothing */
    add_round(cell, ratio);
    anypi_choose_all(&plan, 0.03);
    ck_assert_int_eq(cell->choice, c);
    for (int round = 0; round < 6; round++)
        add_round(cell, ratio);
    ratio[c] = 1.5;
    add_round(cell, ratio);                     /* a bad round in ten is forgiven */
    anypi_choose_all(&plan, 0.03);
    ck_assert_int_eq(cell->choice, c);
    for (int round = 0; round < 6; round++)
        add_round(cell, ratio);                 /* many are not */
    anypi_choose_all(&plan, 0.03);
    ck_assert(anypi_ratio(cell, c) < 0.6);
    ck_assert_int_eq(cell->choice, 0);
    plan.complete[0] = false;                   /* nor is a p that was not finished */
    anypi_choose_all(&plan, 0.03);
    ck_assert_int_eq(cell->choice, 0);
    anypi_plan_free(&plan);
}
END_TEST

/* Only complete p make rules; the neighbours of one that is missing take over. */
START_TEST(incomplete_procs_are_left_out)
{
    static anypi_plan plan;
    make_plan(&plan, 8, NULL, "2K");
    const int winner = candidate(&plan, ANYP_ALLREDUCE, "anyp_gather_reduce radix=2");
    for (int i = 0; i < plan.cells_count; i++) {
        anypi_cell *cell = &plan.cells[i];
        double ratio[ANYPI_MAX_CANDIDATES];
        for (int c = 0; c < cell->candidates; c++)
            ratio[c] = cell->collective == ANYP_ALLREDUCE && c == winner && cell->p >= 7 ? 0.5 : 1;
        for (int round = 0; round < 4; round++)
            add_round(cell, ratio);
    }
    plan.complete[0] = plan.complete[6] = true; /* 2 and 8 */
    anypi_choose_all(&plan, 0.03);
    char *text;
    anypi_decision *decision = read_back(&plan, &text);
    for (int p = 2; p <= 8; p++) {
        anypi_situation situation;
        anypi_choice choice;
        anypi_situation_init(&situation, "allreduce", p, 256, 8);
        ck_assert_int_eq(anypi_decision_select(decision, &situation, &choice), ANYP_SUCCESS);
        ck_assert_int_eq(choice.hole, p <= 5);
    }
    free(text);
    anypi_decision_free(decision);
    anypi_plan_free(&plan);
}
END_TEST

/* A run that got only to its largest p says nothing of much smaller ones. */
START_TEST(one_p_is_not_all)
{
    static anypi_plan plan;
    make_plan(&plan, 13, "13", "2K");
    const int winner = candidate(&plan, ANYP_ALLREDUCE, "anyp_gather_reduce radix=2");
    plan.complete[0] = true;
    for (int i = 0; i < plan.cells_count; i++) {
        double ratio[ANYPI_MAX_CANDIDATES];
        for (int c = 0; c < plan.cells[i].candidates; c++)
            ratio[c] = plan.cells[i].collective == ANYP_ALLREDUCE && c == winner ? 0.5 : 1;
        for (int round = 0; round < 4; round++)
            add_round(&plan.cells[i], ratio);
    }
    anypi_choose_all(&plan, 0.03);
    char *text;
    anypi_decision *decision = read_back(&plan, &text);
    for (int p = 1; p <= 20; p++) {
        anypi_situation situation;
        anypi_choice choice;
        anypi_situation_init(&situation, "allreduce", p, 256, 8);
        ck_assert_int_eq(anypi_decision_select(decision, &situation, &choice), ANYP_SUCCESS);
        ck_assert_msg(choice.hole == (p <= 6 || p > 13), "p=%d\n%s", p, text);
    }
    free(text);
    anypi_decision_free(decision);
    anypi_plan_free(&plan);
}
END_TEST

START_TEST(losers_leave_the_race)
{
    static anypi_plan plan;
    make_plan(&plan, 4, "4", "2K");
    anypi_cell *cell = &plan.cells[0];
    double ratio[ANYPI_MAX_CANDIDATES];
    for (int i = 0; i < cell->candidates; i++)
        ratio[i] = i % 2 ? 1.1 : 1;
    ratio[1] = 0.9;
    ratio[2] = 5;
    add_round(cell, ratio);
    anypi_race(cell);
    ck_assert(cell->alive[2]);                  /* one round may be bad luck */
    while (cell->rounds < ANYPI_LEAST_ROUNDS)
        add_round(cell, ratio);
    const int left = anypi_race(cell);
    ck_assert(!cell->alive[2]);
    ck_assert(cell->alive[0] && cell->alive[1]);
    while (cell->rounds < 20)
        add_round(cell, ratio);
    ck_assert_int_lt(anypi_race(cell), left);
    ck_assert(cell->alive[0] && cell->alive[1]);
    ck_assert(!cell->alive[3] || cell->same[3] != 3);
    anypi_plan_free(&plan);
}
END_TEST

/* The closed form's time of a candidate of a cell. */
static double closed_form(const anypi_plan *plan, const anypi_cell *cell, int c,
                          const anyp_model *model)
{
    const anypi_candidate *candidate = &plan->candidates[cell->collective].list[c];
    const anyp_call call = anypi_cell_call(cell);
    return anyp_cost_time(candidate->algorithm->code->cost(&call, candidate->parameters), model);
}

START_TEST(hopeless_candidates_are_not_run)
{
    static anypi_plan plan;
    const anypi_probe_times times = { 1e-5, 1.9e-5, 1.1e-4, 1e-5, 1e5, 4 };
    const anyp_model model = anypi_model_fit(&times);
    ck_assert_double_eq_tol(model.alpha, 7e-6, 1e-12);
    ck_assert_double_eq_tol(model.overhead, 1.5e-6, 1e-12);
    ck_assert_double_eq_tol(model.beta, 1e-9, 1e-15);
    ck_assert_double_eq_tol(model.gamma, 1e-10, 1e-15);
    make_plan(&plan, 16, "2,5,13,16", "16,2K,1M");
    int dropped = 0, alike = 0;
    for (int i = 0; i < plan.cells_count; i++) {
        anypi_cell *cell = &plan.cells[i];
        const anypi_candidates *candidates = &plan.candidates[cell->collective];
        bool before[ANYPI_MAX_CANDIDATES];
        memcpy(before, cell->alive, (size_t) cell->candidates * sizeof *before);
        const int most = 3 + i % 4;
        const int kept = anypi_cell_prune(cell, candidates, &model,
                                          (anypi_selection) { most, 3, 3, false });
        double fastest = INFINITY, slowest = 0;
        int alive = 0, algorithms = 0;
        const anyp_algorithm *last = NULL;
        for (int c = 0; c < cell->candidates; c++) {
            ck_assert(before[c] == (cell->alive[c] || cell->skipped[c] ||
                                    (cell->same[c] >= 0 && cell->same[c] != c)));
            ck_assert(cell->same[c] < 0 || cell->same[cell->same[c]] == cell->same[c]);
            ck_assert(!cell->alive[c] || !cell->skipped[c]);
            alike += cell->p == 2 && cell->same[c] >= 0 && cell->same[c] != c;
            if (!candidates->list[c].algorithm || !before[c] || cell->same[c] != c) {
                ck_assert(!cell->skipped[c]);
                continue;
            }
            alive += cell->alive[c];
            dropped += cell->skipped[c];
            algorithms += cell->alive[c] && candidates->list[c].algorithm != last;
            last = cell->alive[c] ? candidates->list[c].algorithm : last;
            const double time = closed_form(&plan, cell, c, &model);
            fastest = fmin(fastest, time);
            slowest = cell->alive[c] ? fmax(slowest, time) : slowest;
        }
        ck_assert_int_eq(alive, kept);
        ck_assert_int_le(kept, most);
        ck_assert(!kept || slowest <= 3 * fastest);
        ck_assert(kept || fastest == INFINITY);
        /* little data: more than one algorithm is worth a look */
        if (cell->collective == ANYP_ALLREDUCE && cell->commutative && cell->bytes == 16 &&
            cell->p > 5)
            ck_assert_int_ge(algorithms, 2);
    }
    ck_assert_int_gt(dropped, 0);
    ck_assert_int_gt(alike, 0);         /* two processes have few ways to do it */
    anypi_plan_free(&plan);
}
END_TEST

/* What two runs have saved makes the plan that one run of both would have made. */
START_TEST(saved_times_are_joined)
{
    static anypi_plan small, large, joined;
    char message[256] = "";
    make_plan(&small, 3, "3", "16,2K");
    make_plan(&large, 13, "13", "16,2K,1M");
    anypi_plan *const plans[] = { &small, &large };
    char *texts[2];
    for (int i = 0; i < 2; i++) {
        anypi_plan *plan = plans[i];
        plan->complete[0] = plan->exact = plan->only_anyp = true;
        for (int k = 0; k < plan->cells_count; k++) {
            double ratio[ANYPI_MAX_CANDIDATES];
            for (int c = 0; c < plan->cells[k].candidates; c++)
                ratio[c] = 0.5 + noise((unsigned) (i * 1000 + k * 97 + c));
            add_round(&plan->cells[k], ratio);
        }
        anypi_choose_all(plan, 0.002);
        texts[i] = anypi_times_write(plan, "here, now");
        ck_assert_ptr_nonnull(texts[i]);
        char *origin = anypi_times_origin(texts[i]);
        ck_assert_str_eq(origin, "here, now");
        free(origin);
    }
    const char *const files[] = { "one", "two", "three" };
    const char *const order[] = { texts[1], texts[0], texts[1] };
    memset(&joined, 0, sizeof joined);
    ck_assert_msg(anypi_times_join(&joined, order, files, 3, message, sizeof message), "%s",
                  message);
    ck_assert(joined.exact && joined.only_anyp);
    ck_assert_int_eq(joined.procs_count, 2);
    ck_assert_int_eq(joined.procs[0], 3);
    ck_assert_int_eq(joined.cells_count, small.cells_count + large.cells_count);
    anypi_choose_all(&joined, 0);
    for (int i = 0; i < joined.cells_count; i++) {
        const bool first = i < small.cells_count;
        const anypi_plan *plan = first ? &small : &large;
        const anypi_cell *cell = &joined.cells[i];
        const anypi_cell *other = &plan->cells[first ? i : i - small.cells_count];
        ck_assert_int_eq(cell->p, other->p);
        ck_assert_int_eq(cell->bytes, other->bytes);
        double least = INFINITY;
        for (int c = 1; c < other->candidates; c++)
            least = fmin(least, anypi_time(other, c));
        if (least < INFINITY)
            ck_assert_double_eq_tol(anypi_time(cell, cell->choice), least, 1e-11);
        ck_assert(!cell->choice == !(least < INFINITY));
    }
    anypi_plan_free(&joined);

    static const char *const wrong[] = {
        "", "[]", "{}", "{\"anyp-tune\": 2, \"only-anyp\": true, \"exact\": true, \"cells\": []}",
        "{\"anyp-tune\": 1, \"only-anyp\": true, \"exact\": true, \"cells\": [{}]}",
        "{\"anyp-tune\": 1, \"only-anyp\": true, \"exact\": true, \"cells\": [{\"collective\":"
        " \"allreduce\", \"commutative\": true, \"p\": 3, \"bytes\": 8, \"times\":"
        " {\"anyp_butterfly fraction=1\": [1]}}]}",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const char *const both[] = { texts[0], wrong[i] };
        memset(&joined, 0, sizeof joined);
        ck_assert_msg(!anypi_times_join(&joined, both, files, 2, message, sizeof message), "%s",
                      wrong[i]);
        ck_assert_msg(!strncmp(message, "two is not", 10), "%s", message);
        anypi_plan_free(&joined);
    }
    for (int i = 0; i < 2; i++) {
        free(texts[i]);
        anypi_plan_free(plans[i]);
    }
}
END_TEST

/* A file may call a candidate by other words than the tuner does: it is the same one. */
START_TEST(candidates_by_other_words)
{
    anypi_candidates candidates = { .count = 0 };
    ck_assert_int_eq(anypi_candidates_text(&candidates, "auto"), 0);
    ck_assert_int_eq(anypi_candidates_text(&candidates, "anyp_bi_greedy segment=512"), 1);
    ck_assert_int_eq(anypi_candidates_text(&candidates, "anyp_bi_greedy lanes=1 segment=512"), 1);
    ck_assert_int_eq(anypi_candidates_text(&candidates, "anyp_bi_greedy segment=512 lanes=2"), 2);
    ck_assert_int_eq(anypi_candidates_text(&candidates, "auto segment=512"), -1);
    ck_assert_int_eq(anypi_candidates_text(&candidates, "anyp_bi_greedy segments=512"), -1);
    ck_assert_int_eq(candidates.count, 3);
}
END_TEST

/* The same steps, but rounds that overlap: with two ranks, that is all that lanes are. */
START_TEST(overlap_makes_a_difference)
{
    const anyp_call call = { .collective = ANYP_REDUCE, .p = 2, .count = 1024, .type_size = 8,
                             .commutative = true };
    static const char *const texts[] = { "anyp_bi_greedy segment=512 lanes=2",
                                         "anyp_bi_greedy segment=512 lanes=1",
                                         "anyp_bi_greedy segment=513 lanes=1" };
    anypi_candidates candidates = { .count = 0 };
    anypi_sample *samples[3];
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(anypi_candidates_text(&candidates, texts[i]), i);
        samples[i] = anypi_sample_make(&candidates.list[i], call);
        ck_assert_ptr_nonnull(samples[i]);
    }
    ck_assert(!anypi_sample_equal(samples[0], samples[1]));
    ck_assert(anypi_sample_equal(samples[1], samples[2]));
    for (int i = 0; i < 3; i++)
        anypi_sample_free(samples[i]);
}
END_TEST

/* Where times are exact, one is enough; without the library, its choice is none. */
START_TEST(exact_times_need_no_proof)
{
    static anypi_plan plan;
    make_plan(&plan, 13, "13", "2K");
    plan.complete[0] = true;
    anypi_cell *cell = &plan.cells[0];
    double ratio[ANYPI_MAX_CANDIDATES];
    for (int c = 0; c < cell->candidates; c++)
        ratio[c] = c == 5 ? 0.999 : 1 + 0.01 * c;
    const int best = cell->same[5];
    add_round(cell, ratio);
    anypi_choose_all(&plan, 0.03);
    ck_assert_int_eq(cell->choice, 0);
    plan.exact = true;
    anypi_choose_all(&plan, 0.002);
    ck_assert_int_eq(cell->choice, best);
    cell->times[5] = 2e-3;
    anypi_choose_all(&plan, 0.002);
    ck_assert_int_eq(cell->choice, 0);
    plan.only_anyp = true;
    cell->times[0] = NAN;
    anypi_choose_all(&plan, 0.002);
    ck_assert_int_ne(cell->choice, 0);
    anypi_plan_free(&plan);
}
END_TEST

START_TEST(tables_of_names)
{
    static const char *const wrong[] = {
        "", "[]", "{}", "{\"cvars\": []}", "{\"cvars\": {\"A\": 1}}",
        "{\"cvars\": {\"A\": {\"auto\": \"0\"}}}", "{\"cvars\": {", "null"
    };
    char message[256];
    int value;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        message[0] = '\0';
        ck_assert_msg(!anypi_names_parse(wrong[i], "f", message, sizeof message), "%s", wrong[i]);
        ck_assert_str_ne(message, "");
    }
    anypi_names *names = anypi_names_parse(table, "f", message, sizeof message);
    ck_assert_str_eq(anypi_names_value(names, "MPIR_CVAR_REDUCE_INTRA_ALGORITHM", 2, &value),
                     "binomial");
    ck_assert_int_eq(value, 2);
    ck_assert_ptr_null(anypi_names_value(names, "MPIR_CVAR_REDUCE_INTRA_ALGORITHM", 3, &value));
    ck_assert_ptr_null(anypi_names_value(names, "MPIR_CVAR_OTHER", 0, &value));
    ck_assert_int_eq(anypi_names_find(names, "MPIR_CVAR_OTHER", "auto", 7), 7);
    anypi_names_free(names);
}
END_TEST

START_TEST(command_lines)
{
    static char *const wrong[][4] = {
        { "t", "--nonsense" }, { "t", "--budget", "0" }, { "t", "--budget", "x" },
        { "t", "--procs", "17" }, { "t", "--sizes", "0" }, { "t", "--collectives", "bcast" },
        { "t", "file" }, { "t", "--output" }
    };
    static anypi_plan plan;
    anypi_options options;
    char message[256];
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char *arguments[4];
        int count = 0;
        while (count < 4 && wrong[i][count]) {
            arguments[count] = wrong[i][count];
            count++;
        }
        message[0] = '\0';
        optind = 0;
        ck_assert_msg(!anypi_options_read(count, arguments, 16, &options, &plan, message,
                                          sizeof message), "%s", wrong[i][1]);
        ck_assert_str_ne(message, "");
    }
}
END_TEST

START_TEST(files_are_whole_or_not_there)
{
    char name[] = "tune-test-XXXXXX", path[256], message[256] = "";
    ck_assert_ptr_nonnull(mkdtemp(name));
    snprintf(path, sizeof path, "%s/file", name);
    ck_assert(anypi_file_writable(path, message, sizeof message));
    ck_assert_int_ne(access(path, F_OK), 0);
    ck_assert_msg(anypi_file_replace(path, "one", message, sizeof message), "%s", message);
    ck_assert_msg(anypi_file_replace(path, "other", message, sizeof message), "%s", message);
    char *text = anypi_file_read(path);
    ck_assert_str_eq(text, "other");
    free(text);
    ck_assert(!anypi_file_replace(name, "x", message, sizeof message));
    ck_assert_ptr_nonnull(strstr(message, name));
    unlink(path);
    ck_assert_int_eq(rmdir(name), 0);           /* nothing else was left in it */
    ck_assert(!anypi_file_writable(path, message, sizeof message));
    ck_assert_ptr_null(anypi_file_read(path));
}
END_TEST

START_TEST(bench_files)
{
    static const char *const wrong[] = { "", "{}",
                                         "{\"anyp_bench\": 1, \"p\": 3, \"times\": [1]}" };
    static anypi_bench bench, back;
    char message[256];
    for (int p = 1; p < 300; p++) {
        anypi_bench_cells(&bench, p);
        ck_assert_int_le(bench.count, ANYPI_BENCH_CELLS);
        for (int i = 0; i < bench.count; i++)
            bench.rows[i].seconds = 1e-5 * (i + 1);
        char *text = anypi_bench_text(&bench);
        ck_assert_msg(anypi_bench_parse(text, "f", &back, message, sizeof message), "%s", message);
        ck_assert_int_eq(back.count, bench.count);
        ck_assert_int_eq(back.p, p);
        ck_assert_double_eq_tol(back.rows[back.count - 1].seconds, 1e-5 * bench.count, 1e-9);
        free(text);
        back.rows[0].seconds = 1;
        bench.rows[bench.count - 1].seconds = 1;
        anypi_bench_merge(&bench, &back);
        for (int i = 0; i < bench.count; i++)
            ck_assert_double_eq_tol(bench.rows[i].seconds, 1e-5 * (i + 1), 1e-9);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ck_assert(!anypi_bench_parse(wrong[i], "f", &back, message, sizeof message));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tune");
    TCase *tests = tcase_create("tune");
    tcase_set_timeout(tests, 0);
    suite_add_tcase(suite, tests);
    tcase_add_test(tests, procs_of_a_run);
    tcase_add_test(tests, lists_on_the_command_line);
    tcase_add_test(tests, candidates_of_a_plan);
    tcase_add_test(tests, candidates_of_the_plug_in);
    tcase_add_loop_test(tests, files_select_what_was_chosen, 0, 20);
    tcase_add_test(tests, neighbours_are_merged);
    tcase_add_test(tests, proof_is_asked_for);
    tcase_add_test(tests, incomplete_procs_are_left_out);
    tcase_add_test(tests, one_p_is_not_all);
    tcase_add_test(tests, losers_leave_the_race);
    tcase_add_test(tests, hopeless_candidates_are_not_run);
    tcase_add_test(tests, saved_times_are_joined);
    tcase_add_test(tests, candidates_by_other_words);
    tcase_add_test(tests, overlap_makes_a_difference);
    tcase_add_test(tests, exact_times_need_no_proof);
    tcase_add_test(tests, tables_of_names);
    tcase_add_test(tests, command_lines);
    tcase_add_test(tests, files_are_whole_or_not_there);
    tcase_add_test(tests, bench_files);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
