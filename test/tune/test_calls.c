/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_calls.c - --calls: which cells are made from records, and how their ranks arrive.
 */
#include "common.h"

#include "record/record.h"
#include "tuner/decision_file.h"
#include "tuner/tuner_options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { P = 5, MAX_KINDS = 9 };

static char folder[32];
static char message[4096];

static void make_folder(void)
{
    strcpy(folder, "/tmp/tune-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(chdir(folder), 0);
}

static void remove_folder(void)
{
    static const char *const names[] = { "one", "two", "bad" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlink(names[i]);
    ck_assert(!chdir("/") && !rmdir(folder));
}

/* A kind of blocking calls of all ranks, in which each works so many seconds. */
static anypi_calls kind(int collective, int p, int64_t bytes, double seconds)
{
    const int op = collective < ANYP_REDUCTIONS ? ANYPI_OP_SUM : ANYPI_OP_NONE;
    return (anypi_calls) {
        .size = bytes, .collective = collective, .p = p, .op = op, .uneven = 1, .type_size = 8,
        .least = bytes, .largest = bytes, .bytes = (double) bytes * 10 * P, .calls = 10 * P,
        .seconds = 2 * seconds * P, .ranks = P, .least_seconds = seconds,
        .largest_seconds = 3 * seconds, .samples = 10, .work = seconds / 10
    };
}

static void save(const char *file, anypi_calls *kinds, int count, const char *command)
{
    anypi_record record = { .version = "0.1.0", .library = "a library", .p = P, .seconds = 100,
                            .complete = true, .kinds = kinds, .count = count };
    snprintf(record.command, sizeof record.command, "%s", command);
    FILE *out = fopen(file, "w");
    ck_assert(out && anypi_record_write(&record, out) && !fclose(out));
}

/* Reads records for a run with P processes; the plan is that of the options. */
static bool read_calls(anypi_wanted_calls *calls, anypi_plan *plan, const char *one,
                       const char *other, const char *collectives)
{
    char *arguments[] = { "t", "--calls", (char *) one, (char *) other, "--collectives",
                          (char *) collectives };
    anypi_options options;
    if (!other) {
        arguments[3] = arguments[4];
        arguments[4] = arguments[5];
    }
    memset(plan, 0, sizeof *plan);
    optind = 0;
    ck_assert_msg(anypi_options_read((collectives ? 5 : 3) + (other != NULL), arguments, P,
                                     &options, plan, message, sizeof message), "%s", message);
    return anypi_wanted_read(calls, options.calls, options.calls_count, plan, P, message,
                             sizeof message);
}

static void says(const char *text)
{
    ck_assert_msg(strstr(message, text), "no '%s' in: %s", text, message);
}

/* Equal kinds of two records, or of two phases, are one cell; cells are ordered by what is at
 * stake; what is not measured is named. */
START_TEST(cells_of_records)
{
    static anypi_wanted_calls calls;
    static anypi_plan plan;
    anypi_calls kinds[MAX_KINDS] = {
        kind(ANYP_ALLREDUCE, P, 8, 2), kind(ANYP_ALLREDUCE, P, 8, 3), kind(ANYP_BCAST, 3, 1000, 4),
        kind(ANYP_REDUCE_SCATTER, P, 4000, 2), kind(ANYP_BARRIER, P, 0, 1),
        kind(ANYP_SCAN, P, 8, 0.04), kind(ANYP_ALLTOALLV, P, 8, 7),
        kind(ANYPI_NEIGHBOR_ALLTOALL, P, 8, 6), { 0 }
    };
    anypi_calls others[] = { kind(ANYP_ALLREDUCE, P, 8, 9), kind(ANYP_ALLGATHER, P + 1, 64, 5) };
    kinds[1].op = ANYPI_OP_USERS_ORDERED;
    kinds[3].uneven = 4;
    kinds[3].largest = 8000;            /* the mean counts */
    others[0].form = ANYPI_FORM_PERSISTENT;
    kinds[8] = kind(ANYP_ALLREDUCE, P, 8, 0.5);
    kinds[8].phase = 2;
    make_folder();
    save("one", kinds, MAX_KINDS, "./solver */ \x07");
    save("two", others, 2, "fft");
    ck_assert_msg(read_calls(&calls, &plan, "one", "two", NULL), "%s", message);
    ck_assert_int_eq(calls.count, 5);
    ck_assert_int_eq(calls.list[0].collective, ANYP_ALLREDUCE);
    ck_assert_int_eq(calls.list[0].bytes, 8);
    ck_assert_double_eq_tol(calls.list[0].stake, 11.5, 1e-9);
    ck_assert_int_eq(calls.list[1].p, 3);
    ck_assert(!calls.list[2].commutative);
    ck_assert_int_eq(calls.list[3].bytes, 4000);
    ck_assert_int_eq(calls.list[4].collective, ANYP_BARRIER);
    says("5 s of allgather are not measured: their communicators have up to 6 processes, this "
         "run has 5");
    says("7 s of alltoallv are not measured");
    says("6 s of neighbor_alltoall are not measured");
    ck_assert_int_eq(calls.list[3].blocks, ANYPI_ONE);
    says("0.04 s are not measured: each of these kinds of calls has less than 0.5 %");
    ck_assert_str_eq(calls.comment, "  one: ./solver */ \\x07 (5 processes)\n"
                     "  two: fft (5 processes)\n");

    ck_assert(read_calls(&calls, &plan, "one", NULL, "allreduce,scan"));
    ck_assert_int_eq(calls.count, 3);
    ck_assert_str_eq(message, "");
    remove_folder();
}
END_TEST

/* Work from few samples, or without any, is uncertain; not that of cells that are left out. */
START_TEST(uncertain_work)
{
    static anypi_wanted_calls calls;
    static anypi_plan plan;
    anypi_calls kinds[] = {
        kind(ANYP_ALLREDUCE, P, 8, 2), kind(ANYP_BCAST, P, 64, 4), kind(ANYP_REDUCE, P, 8, 3),
        kind(ANYP_SCAN, P, 8, 0.001)
    };
    kinds[1].samples = 0;               /* the root need not wait */
    kinds[1].least_seconds = 0;
    kinds[2].samples = 4;
    kinds[3].samples = 1;
    make_folder();
    save("one", kinds, 4, "program");
    ck_assert(read_calls(&calls, &plan, "one", NULL, NULL));
    says("--calls: 11 s of reduce, bcast at stake are uncertain, since few of these calls were "
         "sampled");
    ck_assert_double_eq(calls.list[0].program_calls, 10);
    remove_folder();
}
END_TEST

/* The plan has these cells only, and what is at stake in each. */
START_TEST(plan_of_records)
{
    static anypi_wanted_calls calls;
    static anypi_plan plan;
    anypi_calls kinds[] = {
        kind(ANYP_ALLREDUCE, P, 8, 2), kind(ANYP_BCAST, 3, 1000, 4), kind(ANYP_BARRIER, P, 0, 1),
        kind(ANYP_ALLTOALL, P, 10, 1), kind(ANYP_ALLTOALL, P, 25, 2)
    };
    double stake = 0;
    make_folder();
    save("one", kinds, 5, "program");
    ck_assert(read_calls(&calls, &plan, "one", NULL, NULL));
    ck_assert_str_eq(message, "");
    anypi_wanted_plan(&plan, &calls);
    ck_assert_int_eq(anypi_plan_candidates(&plan, NULL), ANYP_SUCCESS);
    ck_assert_int_eq(anypi_plan_cells(&plan), ANYP_SUCCESS);
    ck_assert_int_eq(plan.procs_count, 2);
    ck_assert_int_eq(plan.cells_count, 4);      /* the alltoalls have a number per block */
    for (int i = 0; i < plan.cells_count; i++)
        stake += plan.cells[i].stake;
    ck_assert_double_eq_tol(stake, 10, 1e-9);
    plan.cells[1].passed = plan.cells[3].passed = true;
    const anyp_collective kept = plan.cells[3].collective;
    ck_assert_int_eq(anypi_plan_drop(&plan), 2);
    ck_assert_int_eq(plan.cells_count, 2);
    ck_assert_int_eq(plan.cells[1].collective, kept);
    anypi_plan_free(&plan);
    remove_folder();
}
END_TEST

START_TEST(bad_records)
{
    static anypi_wanted_calls calls;
    static anypi_plan plan;
    anypi_calls larger = kind(ANYP_BCAST, P + 1, 8, 1);
    anypi_calls local = kind(ANYP_ALLTOALLV, P, 8, 1);
    make_folder();
    save("one", &larger, 1, "program");
    ck_assert(!read_calls(&calls, &plan, "one", NULL, NULL));
    says("\n--calls: nothing is left to measure; start as many processes as the program has");
    save("one", &local, 1, "program");
    ck_assert(!read_calls(&calls, &plan, "one", NULL, NULL));
    says("\n--calls: nothing is left to measure; anyp report prints what the records have");
    save("one", NULL, 0, "program");
    ck_assert(!read_calls(&calls, &plan, "one", NULL, NULL));
    says("one: the record has no collective");
    save("one", &local, 1, "program");
    ck_assert(!read_calls(&calls, &plan, "one", "none", NULL));
    says("none: ");
    FILE *bad = fopen("bad", "w");
    ck_assert(bad && fputs("{\"anyp-record\": 99}", bad) >= 0 && !fclose(bad));
    ck_assert(!read_calls(&calls, &plan, "one", "bad", NULL));
    says("bad: ");
    remove_folder();
}
END_TEST

/* How long after the first rank the last one comes, on average. */
static double spread_of(const anypi_arrivals *arrivals, int p)
{
    enum { DRAWS = 500 };
    double sum = 0;
    bool good = true;
    for (int draw = 0; draw < DRAWS; draw++) {
        const double last = anypi_arrival_last(arrivals, p, draw);
        double first = last;
        for (int rank = 0; rank < p; rank++) {
            const double its = anypi_arrival(arrivals, p, rank, draw);
            good = good && its >= 0 && its <= last;
            first = its < first ? its : first;
        }
        sum += last - first;
    }
    ck_assert(good);
    return sum / DRAWS;
}

/* Arrivals are as far apart as the record says, whether one rank is late, or all by chance. */
START_TEST(arrivals_have_their_spread)
{
    static const double cases[][3] = {          /* late, early, spread */
        { 0, 0, 1 }, { 0.9, 0.01, 1 }, { 0.4, 0.4, 1 }, { 1, 1, 2 }, { 0.01, 0.4, 0.5 },
        { 0.01, 0.01, 2 },
    };
    static const int procs[] = { 2, 3, 13, 100, 997 };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t k = 0; k < sizeof procs / sizeof *procs; k++)
            for (int latest = -1; latest < 2; latest++) {
                const int p = procs[k];
                const double late = cases[i][0], early = cases[i][1];
                const anypi_arrivals arrivals =
                    anypi_arrivals_fit(late, early, cases[i][2], latest, p);
                const double least = fmax(late, early / (p - 1)) + fmax(early, late / (p - 1));
                ck_assert(anypi_arrivals_apart(&arrivals));
                ck_assert_double_eq_tol(spread_of(&arrivals, p), fmax(least, cases[i][2]),
                                        0.15 * cases[i][2]);
            }
    const anypi_arrivals together = anypi_arrivals_fit(0, 0, 0, -1, 5);
    ck_assert(!anypi_arrivals_apart(&together));
    ck_assert_double_eq(anypi_arrival(&together, 5, 3, 2), 0);
}
END_TEST

/* The nearer a rank is to the latest, the later it comes; each place is taken once. */
START_TEST(neighbours_of_the_latest_are_late)
{
    for (int p = 2; p < 30; p++)
        for (int latest = 0; latest < p; latest++) {
            const anypi_arrivals arrivals = { .late = 1, .early = 1, .latest = latest };
            double sum = 0;
            for (int rank = 0; rank < p; rank++) {
                const double its = anypi_arrival(&arrivals, p, rank, 0);
                for (int other = 0; other < p; other++)
                    if (abs(other - latest) > abs(rank - latest))
                        ck_assert(anypi_arrival(&arrivals, p, other, 0) < its);
                sum += its;
            }
            ck_assert_double_eq(anypi_arrival(&arrivals, p, latest, 0), 2);
            ck_assert_double_eq_tol(sum, p, 1e-9);
        }
}
END_TEST

/* In a record one rank is late in allreduces, and the ranks come together to barriers. */
START_TEST(records_have_arrivals)
{
    static anypi_wanted_calls calls;
    static anypi_plan plan;
    anypi_calls kinds[] = { kind(ANYP_ALLREDUCE, P, 8, 3), kind(ANYP_BARRIER, P, 0, 1),
                            kind(ANYP_BCAST, P, 8, 0.5) };
    for (int i = 0; i < 3; i++) {       /* 10 calls of each rank */
        kinds[i].gap = 10 * P;
        kinds[i].least_gap = kinds[i].largest_gap = 10;
    }
    kinds[0].least_gap = kinds[2].least_gap = 9.5;
    kinds[0].largest_gap = kinds[2].largest_gap = 12;
    kinds[0].spread = 0.5;
    kinds[0].latest = 2;
    make_folder();
    save("one", kinds, 3, "program");
    ck_assert(read_calls(&calls, &plan, "one", NULL, NULL));
    ck_assert_int_eq(calls.count, 3);
    const anypi_arrivals *its = &calls.list[0].arrivals;
    ck_assert_int_eq(calls.list[0].collective, ANYP_ALLREDUCE);
    ck_assert_int_eq(its->latest, 2);
    ck_assert_double_eq_tol(its->late, 0.2, 1e-9);
    ck_assert_double_eq_tol(its->early, 0.05, 1e-9);
    ck_assert_double_eq_tol(spread_of(its, P), 0.5, 0.05);
    ck_assert(!anypi_arrivals_apart(&calls.list[1].arrivals));
    ck_assert(!anypi_arrivals_apart(&calls.list[2].arrivals));  /* its root waits for nobody */
    remove_folder();
}
END_TEST

TCase *tune_calls(void)
{
    TCase *tests = tcase_create("calls");
    tcase_add_test(tests, arrivals_have_their_spread);
    tcase_add_test(tests, neighbours_of_the_latest_are_late);
    tcase_add_test(tests, records_have_arrivals);
    tcase_add_test(tests, cells_of_records);
    tcase_add_test(tests, plan_of_records);
    tcase_add_test(tests, uncertain_work);
    tcase_add_test(tests, bad_records);
    return tests;
}
