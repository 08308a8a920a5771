/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_files.c - the files of the tuner and anyp-bench: timing files that are joined or
 * continued, and files that are written completely or not at all.
 */
#include "common.h"

#include "tuner/bench_table.h"
#include "tuner/regions.h"
#include "tuner/candidates.h"
#include "tuner/noise.h"
#include "options/text_file.h"
#include "tuner/timing_file.h"
#include "select/jsonc.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* Earlier versions have also measured the MPI library's algorithms by name: these times are left
 * out. */
START_TEST(names_of_the_library_are_left_out)
{
    static const char old[] =
        "{\"anyp-tune\": 2, \"only-anyp\": false, \"exact\": true, \"cells\": 1}\n"
        "{\"collective\": \"allreduce\", \"commutative\": true, \"p\": 3, \"bytes\": 8,"
        " \"times\": {\"auto\": [3], \"recexch k=4 single_phase_recv=0\": [1],"
        " \"anyp_gather_reduce\": [2]}}\n";
    const char *const texts[] = { old }, *const files[] = { "old" };
    static anypi_plan plan;
    char message[256] = "";
    memset(&plan, 0, sizeof plan);
    ck_assert_msg(anypi_times_join(&plan, texts, files, 1, false, NULL, message, sizeof message),
                  "%s", message);
    ck_assert_str_eq(message, "");
    ck_assert_int_eq(plan.cells_count, 1);
    ck_assert_int_eq(plan.cells[0].candidates, 2);
    tune_choose(&plan, 0);
    ck_assert_int_eq(plan.cells[0].choice, 1);
    anypi_plan_free(&plan);
}
END_TEST

/* The files of two runs make the plan that one run of both would have made. */
START_TEST(saved_times_are_joined)
{
    static anypi_plan small, large, joined;
    char message[256] = "";
    tune_make_plan(&small, 3, "3", "16,2K");
    tune_make_plan(&large, 13, "13", "16,2K,1M");
    anypi_plan *const plans[] = { &small, &large };
    char *texts[2];
    for (int i = 0; i < 2; i++) {
        anypi_plan *plan = plans[i];
        plan->measured[0] = plan->exact = plan->only_anyp = true;
        for (int k = 0; k < plan->cells_count; k++) {
            double ratio[ANYPI_MAX_CANDIDATES];
            for (int c = 0; c < plan->cells[k].candidates; c++)
                ratio[c] = 0.5 + tune_noise((unsigned) (i * 1000 + k * 97 + c));
            tune_add_rounds(&plan->cells[k], ratio, 1);
            plan->cells[k].stake = k / 8.0;
            plan->cells[k].program_calls = 3 * k;
        }
        tune_choose(plan, 0.002);
        texts[i] = anypi_times_write(plan, NULL, "here, now");
        ck_assert_ptr_nonnull(texts[i]);
        struct json_object *head = json_tokener_parse(texts[i]);
        ck_assert_str_eq(anypi_times_origin(head), "here, now");
        json_object_put(head);
    }
    const char *const files[] = { "one", "two", "three" };
    const char *const order[] = { texts[1], texts[0], texts[1] };
    memset(&joined, 0, sizeof joined);
    ck_assert_msg(anypi_times_join(&joined, order, files, 3, false, NULL, message, sizeof message),
                  "%s", message);
    ck_assert(joined.exact && joined.only_anyp);
    ck_assert_int_eq(joined.procs_count, 2);
    ck_assert_int_eq(joined.procs[0], 3);
    ck_assert_int_eq(joined.cells_count, small.cells_count + large.cells_count);
    tune_choose(&joined, 0);
    for (int i = 0; i < joined.cells_count; i++) {
        const bool first = i < small.cells_count;
        const anypi_plan *plan = first ? &small : &large;
        const anypi_cell *cell = &joined.cells[i];
        const anypi_cell *other = &plan->cells[first ? i : i - small.cells_count];
        ck_assert_int_eq(cell->p, other->p);
        ck_assert_int_eq(cell->bytes, other->bytes);
        ck_assert_double_eq(cell->stake, other->stake);
        ck_assert_double_eq(cell->program_calls, other->program_calls);
        double min = INFINITY;
        for (int c = 1; c < other->candidates; c++)
            min = fmin(min, anypi_time(other, c));
        if (min < INFINITY)
            ck_assert_double_eq_tol(anypi_time(cell, cell->choice), min, 1e-11);
        ck_assert(!cell->choice == !(min < INFINITY));
    }
    anypi_plan_free(&joined);

#define HEAD "{\"anyp-tune\": 2, \"only-anyp\": true, \"exact\": true, \"cells\": "
    static const char *const wrong[][2] = {
        { "", "not what anyp-tune --save writes" }, { "[]", "not what" }, { "{}", "not what" },
        { HEAD "[]}", "not what" }, { "{\"anyp-tune\": 1}", "not what" },
        { "{\"anyp-tune\": 3}", "of a newer AnyP" },
        { HEAD "0}", "no times" },
        { HEAD "2}\n{}\n[", "no times that can be read, damaged from line 2, line 3" },
        { HEAD "1}\n{\"collective\": \"allreduce\", \"commutative\": true, \"p\": 3, \"bytes\": 8,"
          " \"times\": {\"anyp_butterfly fraction=1\": [1]}}",
          "has no \"anyp_butterfly fraction=1\"; join it with the AnyP that has measured it" },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const char *const both[] = { texts[0], wrong[i][0] };
        memset(&joined, 0, sizeof joined);
        ck_assert_msg(!anypi_times_join(&joined, both, files, 2, false, NULL, message,
                                        sizeof message), "%s", wrong[i][0]);
        ck_assert_msg(!strncmp(message, "two", 3) && strstr(message, wrong[i][1]), "%s", message);
        anypi_plan_free(&joined);
    }
    for (int i = 0; i < 2; i++) {
        free(texts[i]);
        anypi_plan_free(plans[i]);
    }
}
END_TEST

/* A text of times of one p, to be freed, of a run that `run` describes in JSON. */
static char *times_text(const char *run, bool exact, int *cells)
{
    static anypi_plan plan;
    tune_make_plan(&plan, 3, "3", "16");
    plan.measured[0] = plan.only_anyp = true;
    plan.exact = exact;
    for (int i = 0; i < plan.cells_count; i++) {
        double ratio[ANYPI_MAX_CANDIDATES];
        for (int c = 0; c < plan.cells[i].candidates; c++)
            ratio[c] = 1 + c;
        tune_add_rounds(&plan.cells[i], ratio, 1);
    }
    struct json_object *parsed = run ? json_tokener_parse(run) : NULL;
    ck_assert(!run || parsed);
    char *text = anypi_times_write(&plan, parsed, "here");
    json_object_put(parsed);
    *cells = plan.cells_count;
    anypi_plan_free(&plan);
    return text;
}

/* Joins texts as files "one" and "two"; returns the cells, or -1. */
static int join_texts(const char *one, const char *two, bool mixed, char message[1024])
{
    static anypi_plan joined;
    const char *const texts[] = { one, two }, *const files[] = { "one", "two" };
    memset(&joined, 0, sizeof joined);
    const bool good = anypi_times_join(&joined, texts, files, two ? 2 : 1, mixed, NULL, message,
                                       1024);
    const int cells = joined.cells_count;
    anypi_plan_free(&joined);
    return good ? cells : -1;
}

/* Overwrites a line, from 1; returns its begin. */
static char *spoil(char *text, int line)
{
    while (--line)
        text = strchr(text, '\n') + 1;
    memcpy(text, "{\"co#", 5);
    return text;
}

/* Wherever a file ends, and whichever lines are damaged, the other cells are taken, and what is
 * missing is told. */
START_TEST(good_lines_of_damaged_files)
{
    char message[1024];
    int cells;
    char *text = times_text(NULL, true, &cells);
    ck_assert_int_eq(join_texts(text, NULL, false, message), cells);
    ck_assert_str_eq(message, "");
    ck_assert_int_eq(join_texts(text, text, false, message), cells);
    ck_assert_msg(strstr(message, "one does not say on which machine"), "%s", message);
    for (int i = 0; i < 4 * (cells + 1); i++) {
        /* before and after the end of a line, and in the middle of one */
        const char *line = text;
        for (int k = 0; k < i / 4; k++)
            line = strchr(line, '\n') + 1;
        const size_t whole = strcspn(line, "\n"), used = (size_t) (line - text);
        const size_t ends[] = { 0, whole / 2, whole, whole + 1 };
        char *part = strndup(text, used + ends[i % 4]);
        const int lines = i / 4 + (i % 4 >= 2);
        const int got = join_texts(part, NULL, false, message);
        ck_assert_int_eq(got, lines < 2 ? -1 : lines - 1);
        const char *told = lines < 1 ? "not what" : lines < 2 ? "no times" : got == cells ? ""
            : got == cells - 1 && i % 4 == 1 ? "1 of " : "one is cut off: ";
        ck_assert_msg(strstr(message, told), "%d: %s", i, message);
        free(part);
    }
    spoil(text, 3);
    ck_assert_int_eq(join_texts(text, NULL, false, message), cells - 1);
    ck_assert_msg(strstr(message, "left out: line 3") && !strstr(message, "others"), "%s", message);
    for (int line = 4; line < 8; line++)
        spoil(text, line);
    ck_assert_int_eq(join_texts(text, NULL, false, message), cells - 5);
    ck_assert_msg(strstr(message, "5 of ") &&
                  strstr(message, ": line 3, line 4, line 5 and others"), "%s", message);
    free(text);
}
END_TEST

/* Times of other software or other hosts are refused, of other jobs on such hosts are not. */
START_TEST(machines_are_compared)
{
#define RUN(mpi, processor, hosts) "{\"MPI\": \"" mpi "\", \"processor\": \"" processor \
    "\", \"cores\": \"24\", \"AnyP\": \"0.1\", \"binding\": \"none\", " hosts "}"
    static const char *const runs[] = {
        RUN("M 1", "P", "\"hosts\": \"1\", \"host names\": \"a\""),
        RUN("M 1", "P", "\"hosts\": \"1\", \"host names\": \"b\""),
        RUN("M 1", "P", "\"hosts\": \"2\", \"host names\": \"c\", \"kernel\": \"L 2\", "
            "\"clock\": \"1e-9\", \"date\": \"today\""),
        RUN("M 2", "P", "\"hosts\": \"1\""), RUN("M 2", "Q", "\"hosts\": \"1\""),
        RUN("M 1", "Q", "\"hosts\": \"1\""), NULL,
    };
    static const struct {
        int one, two;
        bool exact, other_exact, joined;
        const char *told;
    } pairs[] = {
        { 0, 0, false, false, true, "" }, { 0, 2, false, false, true, "" },
        { 0, 1, false, false, true, "one and two: the hosts are different" },
        { 0, 3, false, false, false, "MPI is \"M 1\" and \"M 2\"; tune" },
        { 0, 4, false, false, false, "MPI is \"M 1\" and \"M 2\"; processor is \"P\" and \"Q\"" },
        { 0, 5, false, false, false, "processor is \"P\" and \"Q\"" },
        { 0, 5, true, true, true, "" }, { 0, 3, true, true, false, "MPI is" },
        { 0, 0, true, false, false, "the first is simulated" },
        { 0, 0, false, true, false, "the second is simulated" },
        { 0, 6, false, false, true, "two does not say" },
    };
    char message[1024];
    int cells;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char *one = times_text(runs[pairs[i].one], pairs[i].exact, &cells);
        char *two = times_text(runs[pairs[i].two], pairs[i].other_exact, &cells);
        ck_assert_int_eq(join_texts(one, two, false, message), pairs[i].joined ? cells : -1);
        ck_assert_msg(*pairs[i].told ? strstr(message, pairs[i].told) != NULL : !*message,
                      "%zu: '%s'", i, message);
        ck_assert(pairs[i].joined || strstr(message, "--mixed"));
        ck_assert_int_eq(join_texts(one, two, true, message), cells);
        free(one);
        free(two);
    }
}
END_TEST

/* There was no time for some cells: those that were measured are saved. */
START_TEST(times_of_some_cells)
{
    static anypi_plan plan, joined;
    char message[256] = "";
    const char *const files[] = { "one" };
    int measured = 0;
    tune_make_plan(&plan, 5, "3,5", "16,2K,64K");
    plan.measured[0] = plan.measured[1] = plan.exact = plan.only_anyp = true;
    for (int i = 0; i < plan.cells_count; i += 2, measured++) {
        double ratio[ANYPI_MAX_CANDIDATES];
        for (int c = 0; c < plan.cells[i].candidates; c++)
            ratio[c] = 1 + c;
        tune_add_rounds(&plan.cells[i], ratio, 1);
    }
    char *text = anypi_times_write(&plan, NULL, "here");
    const char *const texts[] = { text };
    memset(&joined, 0, sizeof joined);
    ck_assert_msg(anypi_times_join(&joined, texts, files, 1, false, NULL, message, sizeof message),
                  "%s", message);
    ck_assert_int_eq(joined.cells_count, measured);
    ck_assert_int_eq(joined.procs_count, 2);
    anypi_plan_free(&joined);
    free(text);
    anypi_plan_free(&plan);
}
END_TEST

/* Times of nonblocking forms make rules for these, and do not mix with others. */
START_TEST(forms_are_joined_apart)
{
    static anypi_plan plans[2], joined;
    char *texts[2], message[256] = "";
    for (int form = 0; form < 2; form++) {
        anypi_form_set(form == 1);
        tune_make_plan(&plans[form], 3, "3", "16,2K");
        plans[form].measured[0] = plans[form].only_anyp = true;
        for (int k = 0; k < plans[form].cells_count; k++) {
            double ratio[ANYPI_MAX_CANDIDATES];
            const anypi_candidates *all = &plans[form].candidates[plans[form].cells[k].collective];
            for (int c = 0; c < plans[form].cells[k].candidates; c++)
                ratio[c] = all->list[c].algorithm ? 0.4 : 1;
            tune_add_rounds(&plans[form].cells[k], ratio, 1);
        }
        texts[form] = anypi_times_write(&plans[form], NULL, "here");
        ck_assert_ptr_nonnull(texts[form]);
    }
    const char *const files[] = { "one", "two" };
    for (int form = 0; form < 2; form++) {
        const char *const alone[] = { texts[form] }, *const both[] = { texts[form], texts[!form] };
        anypi_form_set(form == 0);
        memset(&joined, 0, sizeof joined);
        ck_assert_msg(anypi_times_join(&joined, alone, files, 1, false, NULL, message,
                                       sizeof message), "%s", message);
        ck_assert_int_eq(anypi_form_nonblocking(), form);
        ck_assert_int_eq(joined.cells_count, plans[form].cells_count);
        tune_choose(&joined, 0);
        char *rules = tune_write("here");
        ck_assert_ptr_nonnull(strstr(rules, form ? "\"collective=iallreduce\""
                                     : "\"collective=allreduce\""));
        ck_assert_ptr_nonnull(strstr(rules, form ? "MPIR_Iallreduce_intra_tsp_anyp_"
                                     : "MPIR_Allreduce_intra_anyp_"));
        ck_assert_ptr_null(strstr(rules, form ? "collective=allreduce" : "collective=iallreduce"));
        free(rules);
        anypi_plan_free(&joined);
        memset(&joined, 0, sizeof joined);
        ck_assert(!anypi_times_join(&joined, both, files, 2, false, NULL, message, sizeof message));
        ck_assert_msg(!strncmp(message, "two is not of the same forms", 28), "%s", message);
        anypi_plan_free(&joined);
    }
    anypi_form_set(false);
    for (int form = 0; form < 2; form++) {
        free(texts[form]);
        anypi_plan_free(&plans[form]);
    }
}
END_TEST

/* The maximum number of candidates, the first one with another text than the tuner's, and one more,
 * for which there is no room. */
START_TEST(fuller_files_are_refused)
{
    static char text[1 << 16];
    char message[256];
    const char *const texts[] = { text }, *const files[] = { "one" };
    for (int names = 3; names <= ANYPI_MAX_CANDIDATES + 1; names++) {
        static anypi_plan joined;
        int length = sprintf(text, HEAD "1}\n{\"collective\": \"reduce\", \"commutative\": true,"
                             " \"p\": 3, \"bytes\": 8, \"times\": {"
                             "\"anyp_bi_greedy segment=512\": [1]");
        for (int i = 2; i < names; i++)
            length += sprintf(text + length, ", \"anyp_chain segment=%d\": [2]", i);
        sprintf(text + length, "}}");
        memset(&joined, 0, sizeof joined);
        const bool good = anypi_times_join(&joined, texts, files, 1, false, NULL, message,
                                           sizeof message);
        ck_assert_msg(good == (names <= ANYPI_MAX_CANDIDATES), "%d candidates: %s", names,
                      good ? "taken" : message);
        anypi_plan_free(&joined);
        names = names < 10 ? ANYPI_MAX_CANDIDATES - 3 : names;
    }
}
END_TEST

START_TEST(files_are_whole_or_not_there)
{
    char name[] = "tune-test-XXXXXX", path[256], message[256] = "";
    ck_assert_ptr_nonnull(mkdtemp(name));
    snprintf(path, sizeof path, "%s/file", name);
    ck_assert(anypi_file_writable(path, "--save", message, sizeof message));
    ck_assert_int_ne(access(path, F_OK), 0);
    ck_assert_msg(anypi_file_replace(path, "--save", "one", message, sizeof message), "%s",
                  message);
    ck_assert_msg(anypi_file_replace(path, "--save", "other", message, sizeof message), "%s",
                  message);
    const char *reason;
    char *text = anypi_file_read(path, &reason);
    ck_assert_str_eq(text, "other");
    free(text);
    ck_assert_ptr_null(anypi_file_read(name, &reason));
    ck_assert_str_eq(reason, "it is not a regular file");
    ck_assert(anypi_file_replace(path, "--save", "\xef\xbb\xbf{}", message, sizeof message));
    text = anypi_file_read(path, &reason);
    ck_assert_str_eq(text, "{}");               /* without the byte order mark */
    free(text);
    unlink(path);
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    ck_assert_ptr_null(anypi_file_read(path, &reason));
    ck_assert_str_eq(reason, "it is not a regular file");
    unlink(path);
    /* a link stays one, and so does the mode */
    char link[256];
    struct stat status;
    snprintf(link, sizeof link, "%s/link", name);
    ck_assert(anypi_file_replace(path, "--save", "target", message, sizeof message));
    ck_assert(!chmod(path, 0600) && !symlink("file", link));
    ck_assert(anypi_file_same(path, link));
    ck_assert(anypi_file_replace(link, "--save", "by the link", message, sizeof message));
    ck_assert(!lstat(link, &status) && S_ISLNK(status.st_mode));
    ck_assert(!stat(path, &status) && (status.st_mode & 0777) == 0600);
    text = anypi_file_read(path, &reason);
    ck_assert_str_eq(text, "by the link");
    free(text);
    unlink(link);
    ck_assert(!anypi_file_same(path, link));
    ck_assert(!anypi_file_replace(name, "--save", "x", message, sizeof message));
    ck_assert_ptr_nonnull(strstr(message, name));
    ck_assert_ptr_nonnull(strstr(message, "with --save"));
    unlink(path);
    /* a link to nothing is not replaced; a new file has the mode that new files have */
    ck_assert(!symlink("file", link));
    ck_assert(!anypi_file_replace(link, "--save", "x", message, sizeof message));
    ck_assert(!lstat(link, &status) && S_ISLNK(status.st_mode) && access(path, F_OK));
    ck_assert_ptr_nonnull(strstr(message, "does not exist"));
    unlink(link);
    const mode_t mask = umask(027);
    ck_assert(anypi_file_replace(path, "--save", "x", message, sizeof message));
    umask(mask);
    ck_assert(!stat(path, &status) && (status.st_mode & 0777) == 0640);
    unlink(path);
    ck_assert_int_eq(rmdir(name), 0);           /* no other file is left in it */
    ck_assert(!anypi_file_writable(path, "--save", message, sizeof message));
    ck_assert_ptr_null(anypi_file_read(path, &reason));
    ck_assert_str_eq(reason, "No such file or directory");
}
END_TEST

/* Adds rounds to a row, whose median is `seconds`, and which differ by up to 2 %. */
static void add_times(anypi_bench *bench, int row, double seconds, int rounds)
{
    for (int i = 0; i < rounds; i++)
        bench->rows[row].times[bench->rows[row].count++] =
            seconds * (1 + 0.02 * (i - (rounds - 1) / 2.0) / rounds);
}

START_TEST(bench_files)
{
    static const char *const wrong[] = {
        "", "{}", "{\"anyp_bench\": 1, \"p\": 3, \"times\": [1]}",
        ("{\"anyp_bench\": 1, \"p\": 3, \"times\": [{\"collective\": \"reduce_all\","
         " \"commutative\": true, \"bytes\": 8, \"algorithm\": \"x\", \"rounds\": [1e-6]}]}"),
        ("{\"anyp_bench\": 1, \"p\": 3, \"times\": [{\"collective\": \"reduce\","
         " \"commutative\": true, \"bytes\": 8, \"algorithm\": \"x\"}]}"),
    };
    static anypi_bench bench, back;
    char message[256];
    for (int p = 1; p < 300; p++) {
        bool wanted[ANYP_COLLECTIVES];
        for (int i = 0; i < ANYP_COLLECTIVES; i++)
            wanted[i] = true;
        anypi_bench_cells(&bench, wanted, p, NULL);
        bench.shape = (anypi_uneven) (p % ANYPI_UNEVENS);
        ck_assert_int_le(bench.count, ANYPI_BENCH_CELLS);
        for (int i = 0; i < bench.count; i++)
            add_times(&bench, i, 1e-5 * (i + 1), p % 9);
        char *text = anypi_bench_text(&bench);
        ck_assert_msg(anypi_bench_parse(text, "f", &back, message, sizeof message), "%s", message);
        ck_assert_int_eq(back.count, bench.count);
        ck_assert_int_eq(back.p, p);
        ck_assert_int_eq(back.shape, bench.shape);
        free(text);
        for (int i = 0; i < bench.count; i++) {
            ck_assert_int_eq(back.rows[i].count, p % 9);
            if (p % 9)
                ck_assert_double_eq_tol(anypi_bench_interval(&back, i).median, 1e-5 * (i + 1),
                                        1e-9);
        }
        anypi_bench_merge(&bench, &back);
        ck_assert_int_eq(bench.rows[0].count, 2 * (p % 9));
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ck_assert(!anypi_bench_parse(wrong[i], "f", &back, message, sizeof message));

    const char *const one = "{\"anyp_bench\": 1, \"p\": 3, \"times\": [{\"collective\": \"reduce\","
        " \"commutative\": true, \"bytes\": 8, \"algorithm\": \"x\", \"rounds\": [3e-6, 0, -1]}]}";
    ck_assert(anypi_bench_parse(one, "f", &back, message, sizeof message));
    ck_assert_int_eq(back.rows[0].count, 1);

    /* the latest times of too many */
    for (int i = 0; i < 300; i++)
        anypi_bench_merge(&back, &bench);
    for (int i = 0; i < 2; i++) {
        add_times(&back, 0, 5e-6, ANYPI_BENCH_ROUNDS - back.rows[0].count);
        anypi_bench_merge(&back, &back);
        ck_assert_int_eq(back.rows[0].count, ANYPI_BENCH_ROUNDS);
    }
}
END_TEST

/* Does the table say so? */
static void table_says(const anypi_bench *bench, const anypi_bench *before, const char *expected,
                       bool says)
{
    char text[16384];
    FILE *file = tmpfile();
    ck_assert_ptr_nonnull(file);
    fflush(stdout);
    const int out = dup(STDOUT_FILENO);
    dup2(fileno(file), STDOUT_FILENO);
    anypi_bench_print(bench, before);
    fflush(stdout);
    dup2(out, STDOUT_FILENO);
    close(out);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    ck_assert_msg((strstr(text, expected) != NULL) == says, "%s%s: %s", says ? "" : "not ",
                  expected, text);
}

/* A ratio is a gain only if the algorithm differs, and if noise cannot explain it. */
START_TEST(bench_tables)
{
    static anypi_bench before, after;
    const bool wanted[ANYP_COLLECTIVES] = { [ANYP_BCAST] = true };
    enum { ROUNDS = 8 };
    anypi_bench *const runs[] = { &before, &after };
    for (int run = 0; run < 2; run++) {
        anypi_bench_cells(runs[run], wanted, 5, NULL);
        ck_assert_int_eq(runs[run]->count, 5);
        anypi_bench_choose(runs[run], NULL);
    }
    for (int i = 0; i < 5; i++) {
        /* of the library: the same, and 1.57 times as fast; of another algorithm: twice as fast,
         * 1 % faster, and twice as fast in one run of two */
        static const double gains[] = { 1, 1.57, 2, 1.01, 2 };
        if (i > 1)
            strcpy(after.rows[i].algorithm, "anyp_ring segment=auto");
        add_times(&before, i, 1e-4, ROUNDS);
        add_times(&after, i, 1e-4 / gains[i], ROUNDS);
        if (i == 4)
            add_times(&after, i, 1e-4, ROUNDS);
    }
    table_says(&after, &before, "1.57  disturbed     library's choice\n", true);
    table_says(&after, &before, "1.00  within noise  library's choice\n", true);
    table_says(&after, &before, "2.00  1.97 to 2.04  anyp_ring\n", true);
    table_says(&after, &before, "1.01  within noise  anyp_ring\n", true);
    table_says(&after, &before, "3 rows that the decision file changes: 1.39", true);
    table_says(&after, &before, "1.01 to 2.00; 2 within noise\n", true);
    table_says(&after, &before, "2 rows with the same algorithm in both, so that only noise", true);
    table_says(&after, &before, "1 of these are not within noise", true);
    table_says(&after, NULL, "noise", false);

    /* too few rounds for an interval */
    for (int i = 0; i < 5; i++)
        before.rows[i].count = 1;
    table_says(&after, &before, "disturbed", false);
    table_says(&after, &before, "3 rows that the decision file changes", true);
    table_says(&after, &before, "3 within noise", true);
}
END_TEST

/* Resumes a file by a run whose description is JSON; returns the cells, or -1. */
static int resume(const char *file, const char *run, const char *expected)
{
    static anypi_plan plan;
    char message[4096];
    struct json_object *parsed = json_tokener_parse(run);
    memset(&plan, 0, sizeof plan);
    const bool good = anypi_times_resume(&plan, file, parsed, message, sizeof message);
    ck_assert_msg(*expected ? strstr(message, expected) != NULL : !*message,
                  "\"%s\", not \"%s\"", message, expected);
    const int cells = plan.cells_count;
    anypi_plan_free(&plan);
    json_object_put(parsed);
    return good ? cells : -1;
}

/* A run is continued with the same MPI and the same calls, on any hosts. */
START_TEST(runs_go_on)
{
#define SIZES(mpi, hosts, sizes) "{\"MPI\": \"" mpi "\", \"host names\": \"" hosts \
    "\", \"clock\": \"" hosts "\", \"sizes\": \"" sizes "\"}"
    char name[] = "/tmp/anyp-times-XXXXXX", message[256];
    int cells;
    const int file = mkstemp(name);
    ck_assert(file >= 0);
    close(file);
    ck_assert_int_eq(resume(name, SIZES("M", "a", "16"), "not what anyp-tune --save writes"), -1);
    char *text = times_text(SIZES("M", "a", "16"), false, &cells);
    ck_assert(anypi_file_replace(name, "--save", text, message, sizeof message));
    ck_assert_int_eq(resume(name, SIZES("M", "a", "16"), ""), cells);
    ck_assert_int_eq(resume(name, SIZES("M", "b", "16"), ""), cells);
    ck_assert_int_eq(resume(name, SIZES("N", "a", "16"), "MPI was \"M\" and is now \"N\""), -1);
    ck_assert_int_eq(resume(name, SIZES("M", "a", "8"), "sizes was \"16\" and is now \"8\""), -1);
    ck_assert_int_eq(resume(name, "{\"MPI\": \"M\"}", "sizes was \"16\" and is now \"\""), -1);
    spoil(text, 3);
    ck_assert(anypi_file_replace(name, "--save", text, message, sizeof message));
    ck_assert_int_eq(resume(name, SIZES("M", "a", "16"), "left out: line 3"), cells - 1);
    spoil(text, 1);
    ck_assert(anypi_file_replace(name, "--save", text, message, sizeof message));
    ck_assert_int_eq(resume(name, SIZES("M", "a", "16"), "its first line is damaged"), -1);
    unlink(name);
    ck_assert_int_eq(resume(name, SIZES("M", "a", "16"), "cannot read"), -1);
    free(text);
}
END_TEST

/* A full disk: here, files that may have no byte. The old file stays, and no other beside it. */
START_TEST(files_without_room)
{
    char folder[] = "/tmp/anyp-room-XXXXXX", name[64], message[256];
    const char *reason;
    struct rlimit limit;
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(name, sizeof name, "%s/times", folder);
    ck_assert(anypi_file_replace(name, "--save", "old", message, sizeof message));
    signal(SIGXFSZ, SIG_IGN);
    ck_assert(!getrlimit(RLIMIT_FSIZE, &limit));
    const rlim_t before = limit.rlim_cur;
    limit.rlim_cur = 0;
    ck_assert(!setrlimit(RLIMIT_FSIZE, &limit));
    const bool done = anypi_file_replace(name, "--save", "new", message, sizeof message);
    limit.rlim_cur = before;
    ck_assert(!setrlimit(RLIMIT_FSIZE, &limit));
    ck_assert_msg(!done && strstr(message, "cannot write"), "%s", message);
    char *text = anypi_file_read(name, &reason);
    ck_assert_str_eq(text, "old");
    free(text);
    unlink(name);
    ck_assert(!rmdir(folder));
}
END_TEST

TCase *tune_files(void)
{
    TCase *tests = tcase_create("files");
    tcase_add_test(tests, saved_times_are_joined);
    tcase_add_test(tests, names_of_the_library_are_left_out);
    tcase_add_test(tests, good_lines_of_damaged_files);
    tcase_add_test(tests, machines_are_compared);
    tcase_add_test(tests, times_of_some_cells);
    tcase_add_test(tests, forms_are_joined_apart);
    tcase_add_test(tests, fuller_files_are_refused);
    tcase_add_test(tests, files_are_whole_or_not_there);
    tcase_add_test(tests, runs_go_on);
    tcase_add_test(tests, files_without_room);
    tcase_add_test(tests, bench_files);
    tcase_add_test(tests, bench_tables);
    return tests;
}
