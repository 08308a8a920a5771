/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_plan.c - the plan of the tuner: command lines, numbers of processes, candidates, pruning.
 */
#include "common.h"

#include "analysis/sample.h"
#include "plan/candidates.h"
#include "plan/options.h"
#include "plan/prune.h"
#include "plan/choose.h"
#include "select/jsonc.h"

#include <limits.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

START_TEST(procs_of_a_run)
{
    static const int upto16[] = { 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 15, 16 };
    int procs[ANYPI_MAX_LIST], order[ANYPI_MAX_LIST];
    ck_assert_int_eq(anypi_default_procs(16, procs), 13);
    ck_assert_mem_eq(procs, upto16, sizeof upto16);
    ck_assert_int_eq(anypi_default_procs(1, procs), 0);
    for (int max = 2; max < 5000; max++) {
        const int count = anypi_default_procs(max, procs);
        ck_assert_int_eq(procs[0], 2);
        ck_assert_int_eq(procs[count - 1], max);
        for (int i = 1; i < count; i++)
            ck_assert_int_lt(procs[i - 1], procs[i]);
        anypi_procs_order(procs, count, order);
        ck_assert_int_eq(procs[order[0]], max);
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

START_TEST(command_lines)
{
    static const struct {
        char *arguments[4];
        const char *message;
    } wrong[] = {
        { { "t", "--nonsense" }, "unknown or ambiguous option '--nonsense'" },
        { { "t", "--buget=9" }, "did you mean --budget?" },
        { { "t", "-b" }, "unknown option '-b'" },
        { { "t", "--output" }, "'--output' needs a value" },
        { { "t", "--verbose=1" }, "'--verbose=1' takes no value" },
        { { "t", "file" }, "'file' is not an option" },
        { { "t", "--join" }, "which files?" },
        { { "t", "--budget", "0" }, "--budget: '0' is not a number from 1 to 1000000" },
        { { "t", "--budget", "x" }, "'x' is not a number" },
        { { "t", "--budget", "inf" }, "'inf' is not a number" },
        { { "t", "--procs", "17" }, "out of range" },
        { { "t", "--procs", "2-" }, "not numbers and ranges" },
        { { "t", "--sizes", "0" }, "out of range" },
        { { "t", "--collectives", "bcast" }, "there is no bcast" },
        { { "t", "--operators", "max" }, "there is no max" },
        { { "t", "--most-messages", "x" }, "'x' is not a whole number from 0 to" },
        { { "t", "--most-messages", "-1" }, "'-1' is not a whole number" },
        { { "t", "--check-bytes", "64Kx" }, ", or one followed by K, M or G" },
        { { "t", "--check-bytes", "9999999999G" }, "is not a whole number" },
    };
    static char *right[] = { "t", "--check-bytes", "64K", "--budget", "1.5", "--most-messages=3m" };
    static anypi_plan plan;
    anypi_options options;
    char message[256];
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char *arguments[4];
        int count = 0;
        while (count < 4 && wrong[i].arguments[count]) {
            arguments[count] = wrong[i].arguments[count];
            count++;
        }
        message[0] = '\0';
        optind = 0;
        ck_assert(!anypi_options_read(count, arguments, 16, &options, &plan, message,
                                      sizeof message));
        ck_assert_msg(strstr(message, wrong[i].message), "%s: %s", wrong[i].arguments[1], message);
    }
    optind = 0;
    ck_assert_msg(anypi_options_read(6, right, 16, &options, &plan, message, sizeof message), "%s",
                  message);
    ck_assert_int_eq(plan.max_checked, 1 << 16);
    ck_assert_int_eq(plan.max_messages, 3 << 20);
    ck_assert_double_eq(options.budget, 1.5);
    ck_assert_int_eq(plan.sizes_count, 6);
}
END_TEST

START_TEST(tables_of_names)
{
    static const char *const wrong[] = {
        "", "[]", "{}", "{\"cvars\": []}", "{\"cvars\": {\"A\": 1}}",
        "{\"cvars\": {\"A\": {\"auto\": \"0\"}}}", "{\"cvars\": {", "null"
    };
    int value;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct json_object *table = json_tokener_parse(wrong[i]);
        ck_assert_msg(!anypi_cvars_of(table), "%s", wrong[i]);
        json_object_put(table);
    }
    struct json_object *table = json_tokener_parse(tune_table);
    anypi_cvars *cvars = anypi_cvars_of(table);
    ck_assert_str_eq(anypi_cvars_value(cvars, "MPIR_CVAR_REDUCE_INTRA_ALGORITHM", 2, &value),
                     "binomial");
    ck_assert_int_eq(value, 2);
    ck_assert_ptr_null(anypi_cvars_value(cvars, "MPIR_CVAR_REDUCE_INTRA_ALGORITHM", 3, &value));
    ck_assert_ptr_null(anypi_cvars_value(cvars, "MPIR_CVAR_OTHER", 0, &value));
    ck_assert_int_eq(anypi_cvars_find(cvars, "MPIR_CVAR_OTHER", "auto", 7), 7);
    anypi_cvars_keep(cvars, "MPIR_CVAR_REDUCE_INTRA_ALGORITHM", "nb");
    ck_assert_str_eq(anypi_cvars_value(cvars, "MPIR_CVAR_REDUCE_INTRA_ALGORITHM", 0, &value), "nb");
    ck_assert_int_eq(value, 1);
    ck_assert_ptr_null(anypi_cvars_value(cvars, "MPIR_CVAR_REDUCE_INTRA_ALGORITHM", 1, &value));
    json_object_put(table);
}
END_TEST

/* The table in force has the control variables, if it is of an MPICH that is installed. */
START_TEST(the_table_in_force)
{
    static const char *const wrong[] = { "/nowhere", "9.9", "", TUNE_TABLES };
    char message[1024] = "";
    ck_assert_msg(anypi_names_open("4.0.3", message, sizeof message), "%s", message);
    ck_assert_ptr_null(anypi_mpich_table());
    ck_assert_ptr_null(anypi_cvars_of(anypi_mpich_table()));
    ck_assert_msg(anypi_names_open(TUNE_TABLES "/5.0.json", message, sizeof message), "%s",
                  message);
    ck_assert_ptr_nonnull(anypi_mpich_table());
    ck_assert_ptr_null(anypi_cvars_of(anypi_mpich_table()));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        message[0] = '\0';
        ck_assert_msg(!anypi_names_open(wrong[i], message, sizeof message), "%s", wrong[i]);
        ck_assert_msg(!strncmp(message, "--mpich: ", 9), "%s", message);
    }
    ck_assert(anypi_names_open(NULL, message, sizeof message));
    ck_assert_ptr_null(anypi_mpich_table());
}
END_TEST

static bool running(const anypi_cell *cell, int c)
{
    return cell->trials[c].state == ANYPI_RUNNING;
}

static bool same(const anypi_cell *cell, int c)
{
    return cell->trials[c].state == ANYPI_SAME;
}

START_TEST(candidates_of_a_plan)
{
    static anypi_plan plan;
    tune_make_plan(&plan, 16, NULL, "16,2K,1M");
    ck_assert(!plan.wanted[ANYP_REDUCE]);       /* the table has none of AnyP's */
    for (int i = 0; i < ANYP_COLLECTIVES; i++) {
        const anypi_candidates *candidates = &plan.candidates[i];
        ck_assert(!plan.wanted[i] || !strcmp(candidates->list[0].name, "auto"));
        for (int c = 0; plan.wanted[i] && c < candidates->count; c++) {
            ck_assert_str_ne(candidates->list[c].name, "nb");
            ck_assert(i != ANYP_REDUCE_SCATTER || strcmp(candidates->list[c].name, "pairwise"));
        }
    }
    for (int i = 0; i < plan.cells_count; i++) {
        const anypi_cell *cell = &plan.cells[i];
        const anyp_call call = anypi_cell_call(cell);
        int anyp = 0;
        for (int c = 0; c < cell->candidates; c++) {
            const anypi_candidate *candidate = &plan.candidates[cell->collective].list[c];
            ck_assert(strcmp(candidate->name, "noncommutative") ||
                      running(cell, c) == (!cell->commutative && !(cell->p & (cell->p - 1))));
            if (candidate->algorithm && cell->trials[c].state != ANYPI_NOT_APPLICABLE) {
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

/* MPICH's own algorithms with parameters: a small grid each, of different settings that serve. */
START_TEST(candidates_of_the_library)
{
    static anypi_plan plan;
    tune_use(true);
    tune_make_plan(&plan, 16, "3,6,8", "16,2K,1M");
    const anypi_candidates *list = &plan.candidates[ANYP_ALLREDUCE];
    char text[128];
    int trees = 0, settings = 0;
    for (int c = 0; c < list->count; c++) {
        const anypi_candidate *one = &list->list[c];
        const bool automatic = !c;
        ck_assert(automatic + (one->own != NULL) + (one->algorithm != NULL) == 1);
        ck_assert(!strstr("smp|ccl|nb|newer_than_the_names", one->name));
        anypi_candidate_text(one, text, sizeof text);
        ck_assert_int_eq(anypi_candidates_find(&plan.candidates[ANYP_ALLREDUCE], ANYP_ALLREDUCE,
                                               text), c);
        settings += !strcmp(one->name, "recexch");
        trees += !strcmp(one->name, "tree");
        ck_assert(strcmp(one->name, "tree") || strstr(text, " tree_type=knomial_1 "));
    }
    ck_assert_int_eq(settings, 14);
    ck_assert(trees > 7 && trees <= 24);
    for (int i = 0; i < plan.cells_count; i++) {
        const anypi_cell *cell = &plan.cells[i];
        const anypi_candidates *candidates = &plan.candidates[cell->collective];
        int own = 0, longer = 0;
        for (int c = 1; c < cell->candidates; c++) {
            anypi_candidate_text(&candidates->list[c], text, sizeof text);
            const bool halves = strstr(text, "reduce_scatter_allgather") == text;
            ck_assert(!same(cell, c) || !same(cell, cell->trials[c].same));
            ck_assert(!halves || running(cell, c) == (cell->commutative &&
                                                    (cell->bytes > 16 || cell->p == 3)));
            ck_assert(strcmp(text, "noncommutative") ||
                      running(cell, c) == (!cell->commutative && cell->p == 8));
            own += running(cell, c) && !strcmp(candidates->list[c].name, "recexch");
            longer += running(cell, c) && strstr(text, "chunk_size=65536");
        }
        if (cell->collective == ANYP_ALLREDUCE) {
            ck_assert_int_eq(own, cell->p == 3 ? 6 : cell->p == 6 ? 10 : 14);
            ck_assert(!longer == (cell->bytes < 1 << 16));
        }
    }
    anypi_plan_free(&plan);
    tune_use(false);
}
END_TEST

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
                left[i] += running(cell, c) &&
                    !strcmp(plan.candidates[ANYP_ALLREDUCE].list[c].name, "recexch");
            ck_assert(running(cell, first));
            ck_assert(running(cell, best) || (turn && !i));
            ck_assert(running(cell, tune_candidate(&plan, ANYP_ALLREDUCE, "recursive_doubling")));
            tune_add_rounds(cell, ratio, 1);
        }
        ck_assert_int_eq(left[0], turn ? 2 : 14);
        ck_assert(left[1] <= (turn ? 2 : 5) && left[2] <= left[1]);
    }
    anypi_plan_free(&plan);
    tune_use(false);
}
END_TEST

/* What is slow at two sizes is not tried at the third; what did not serve them is. */
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
        ck_assert(running(&plan.cells[i], slow) == (i < 2));
        ck_assert(running(&plan.cells[i], new) == (i == 2));
        tune_add_rounds(&plan.cells[i], ratio, 1);
    }
    anypi_plan_free(&plan);
}
END_TEST

/* What was slow at a size and not measured at the next one, because its time was over, is tried. */
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
        ck_assert(running(before, slow) && running(cell, slow));
        anypi_prune_hopeless(&plan, cell, 5e-3);
        ck_assert(running(cell, slow));
        anypi_plan_free(&plan);
    }
}
END_TEST

/* The plug-in can only pass a call on: the library is one candidate. */
START_TEST(candidates_of_the_plug_in)
{
    static anypi_plan plan;
    tune_make_plugin_plan(&plan);
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

/* The index of the candidate of reduce with that text. */
static anypi_candidates found;

static int number_of(const char *text)
{
    return anypi_candidates_find(&found, ANYP_REDUCE, text);
}

/* A file may have another text for a candidate than the tuner: it is the same one. */
START_TEST(candidates_by_other_words)
{
    found = (anypi_candidates) { .count = 0 };
    ck_assert_int_eq(number_of("auto"), 0);
    ck_assert_int_eq(number_of("anyp_bi_greedy segment=512"), 1);
    ck_assert_int_eq(number_of("anyp_bi_greedy lanes=1 segment=512"), 1);
    ck_assert_int_eq(number_of("anyp_bi_greedy segment=512 lanes=2"), 2);
    ck_assert_int_eq(number_of("auto segment=512"), -1);
    ck_assert_int_eq(number_of("anyp_bi_greedy segments=512"), -1);
    static const char *const wrong[] = {
        "recexch", "recexch k=3", "recexch k=3 single_phase_recv=2", "recexch k=1"
        " single_phase_recv=0", "recexch k=3 k=3", "recexch k=3x single_phase_recv=0",
        "tree tree_type=1 k=2 chunk_size=0 buffer_per_child=0", "ccl ccl=auto", "binomial", "smp2"
    };
    tune_use(true);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ck_assert_msg(anypi_candidates_find(&found, ANYP_ALLREDUCE, wrong[i]) == -1, "%s",
                      wrong[i]);
    ck_assert_int_eq(found.count, 3);
    ck_assert_int_eq(anypi_candidates_find(&found, ANYP_ALLREDUCE, "tree k=13 tree_type=knomial_2 "
                                           "buffer_per_child=1 chunk_size=12345"), 3);
    tune_use(false);
    ck_assert_int_eq(found.count, 4);
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
    ck_assert(running(cell, 2));                  /* one round may be disturbed */
    tune_add_rounds(cell, ratio, ANYPI_MIN_ROUNDS - cell->rounds);
    const int left = anypi_race(cell);
    ck_assert(!running(cell, 2));
    ck_assert(running(cell, 0) && running(cell, 1));
    tune_add_rounds(cell, ratio, 20 - cell->rounds);
    ck_assert_int_lt(anypi_race(cell), left);
    ck_assert(running(cell, 0) && running(cell, 1));
    ck_assert(!running(cell, 3));
    anypi_plan_free(&plan);
}
END_TEST

/* The closed form of a candidate of a cell, in seconds. */
static double closed_form(const anypi_plan *plan, const anypi_cell *cell, int c,
                          const anyp_model *model)
{
    const anypi_candidate *candidate = &plan->candidates[cell->collective].list[c];
    return anyp_cost_time(anypi_closed_form(cell, candidate), model);
}

START_TEST(hopeless_candidates_are_not_run)
{
    static anypi_plan plan;
    const anypi_probe_times times = { 1e-5, 1.9e-5, 1.1e-4, 1e5, 4 };
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
            before[c] = running(cell, c);
        const int max = 3 + i % 4;
        const int kept = anypi_prune(cell, candidates, &model,
                                          (anypi_selection) { .max = max, .hopeless = 3,
                                                              .close = 3 });
        double fastest = INFINITY, slowest = 0;
        int alive = 0, algorithms = 0;
        const anyp_algorithm *last = NULL;
        for (int c = 0; c < cell->candidates; c++) {
            const bool left_out = cell->trials[c].state == ANYPI_LEFT_OUT;
            ck_assert(before[c] == (running(cell, c) || left_out || same(cell, c)));
            ck_assert(!same(cell, c) || running(cell, cell->trials[c].same));
            alike += cell->p == 2 && same(cell, c);
            if (!candidates->list[c].algorithm || !before[c] || same(cell, c)) {
                ck_assert(!left_out);
                continue;
            }
            alive += running(cell, c);
            dropped += left_out;
            algorithms += running(cell, c) && candidates->list[c].algorithm != last;
            last = running(cell, c) ? candidates->list[c].algorithm : last;
            const double time = closed_form(&plan, cell, c, &model);
            fastest = fmin(fastest, time);
            slowest = running(cell, c) ? fmax(slowest, time) : slowest;
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
                left[turn] += running(cell, c);
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
            if (candidates->list[c].algorithm && running(cell, c))
                best = fmin(best, closed_form(&plan, cell, c, &model));
        ck_assert_double_eq(anypi_promise(cell, candidates, &model), best);
        const int count = anypi_prune(cell, candidates, &model, (anypi_selection) {
            .max = 20, .hopeless = 3, .close = 3, .seconds = 5 * best, .min = 2 });
        double sum = 0;
        for (int c = 0; c < cell->candidates; c++)
            if (candidates->list[c].algorithm && running(cell, c)) {
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

TCase *tune_plan(void)
{
    TCase *tests = tcase_create("plan");
    tcase_set_timeout(tests, 0);
    tcase_add_test(tests, procs_of_a_run);
    tcase_add_test(tests, lists_on_the_command_line);
    tcase_add_test(tests, command_lines);
    tcase_add_test(tests, tables_of_names);
    tcase_add_test(tests, the_table_in_force);
    tcase_add_test(tests, candidates_of_a_plan);
    tcase_add_test(tests, candidates_of_the_library);
    tcase_add_test(tests, the_library_takes_little_time);
    tcase_add_test(tests, the_hopeless_are_overtaken);
    tcase_add_test(tests, the_unmeasured_stay);
    tcase_add_test(tests, candidates_of_the_plug_in);
    tcase_add_test(tests, reference_only_if_asked);
    tcase_add_test(tests, candidates_by_other_words);
    tcase_add_test(tests, overlap_makes_a_difference);
    tcase_add_test(tests, losers_leave_the_race);
    tcase_add_test(tests, hopeless_candidates_are_not_run);
    tcase_add_test(tests, many_messages_are_left_out);
    tcase_add_test(tests, the_most_promising_is_run);
    return tests;
}
