/* SPDX-License-Identifier: BSD-3-Clause
 *
 * bench_pair - times MPI's reductions with MPI_SUM of doubles in four ways: by the MPI library, by
 * the plug-in that forwards calls, by the choice of a decision file, and by the best of AnyP's
 * algorithms.
 *
 * In each cell (a collective and a size) short rounds over all of AnyP's candidates find the best,
 * which is then measured again, so that luck does not count. The four ways alternate in one run, in
 * short blocks of calls, so that disturbances of the machine affect all of them; the slowest rank
 * counts. Results are checked before they are timed. After each MPI_Reduce there is a barrier,
 * whose time in the same round is subtracted: otherwise ranks that only send run ahead of the root,
 * and the time is that of the library's queue of early messages. If calls are so short and the
 * machine so busy that no time remains, the cell is left out.
 */
#include "statistics.h"

#include "measure/steer.h"
#include "measure/workload.h"
#include "tuner/tuner_options.h"

#include "anyp_control.h"
#include "select/decision.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: mpiexec -n P bench_pair [OPTION]...\n"
    "Prints rows collective,operator,p,bytes,who;microseconds;low;high;what. Times are of a call,\n"
    "medians with 95 % intervals. who: peer:mpich, the library itself; anyp:pass, the plug-in\n"
    "that forwards calls; anyp, the choice of FILE; anyp:best, the best of AnyP's algorithms;\n"
    "ratio:X, no time, but that of peer:mpich divided by X's.\n\n";

#define ALL_SIZES "8,16,64,256,1K,4K,16K,64K,256K,1M,4M,16M,64M"
#define ALL_COLLECTIVES "allreduce,reduce,reduce_scatter_block"
enum { TUNING_FILE, COLLECTIVES, SIZES, SECONDS, VERBOSE, HELP };
static const anypi_option rows[] = {
    [TUNING_FILE] = { "tuning-file", 0, ANYPI_WORD, 0, 0, "FILE",
                      "a decision file (default: none, and no rows of it)" },
    [COLLECTIVES] = { "collectives", 0, ANYPI_WORD, 0, 0, "LIST",
                      "(default: " ALL_COLLECTIVES ")" },
    [SIZES] = { "sizes", 0, ANYPI_WORD, 0, 0, "LIST", "bytes (default: " ALL_SIZES ")" },
    [SECONDS] = { "seconds", 0, ANYPI_REAL, 0.01, 1e6, "S",
                  "the time of a cell, about (default: 3)" },
    [VERBOSE] = { "verbose", 0, ANYPI_FLAG, 0, 0, NULL,
                  "print the times of the candidates, too, on standard error" },
    [HELP] = { "help", 'h', ANYPI_FLAG, 0, 0, NULL, "print this" },
    { 0 }
};

static const double min_seconds = 0.0005;       /* a shorter time is noise */
enum { MIN_ROUNDS = 15, MAX_ROUNDS = 301, PASSES = 9, MIN_PASSES = 3, MAX_CALLS = 128 };

enum { PEER, PASS, TUNED, BEST, WAYS };
static const char *const who[WAYS] = { "peer:mpich", "anyp:pass", "anyp", "anyp:best" };

typedef struct options {
    const char *file, *collectives, *sizes;
    double seconds;
    bool verbose, help;
} options;

static const anypi_candidate none;      /* the library's choice */
static int rank;
static anypi_work work;
static const char *file;                /* NULL: TUNED is not measured */

/* ---- calls ---- */

/* Selects one of the ways for the next calls; BEST is `candidate`. */
static bool prepare(const anypi_cell *cell, int way, const anypi_candidate *candidate)
{
    const char *reason;
    return anypi_steer_select(cell->collective, way == BEST ? candidate : &none) &&
        anyp_control_set("TUNING_FILE", way == TUNED ? file : NULL, &reason) == 0;
}

static void call_library(const anypi_cell *cell)
{
    const int count = (int) anypi_cell_count(cell);
    if (cell->collective == ANYP_ALLREDUCE)
        PMPI_Allreduce(work.send, work.receive, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    else if (cell->collective == ANYP_REDUCE)
        PMPI_Reduce(work.send, work.receive, count, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    else
        PMPI_Reduce_scatter_block(work.send, work.receive, count / cell->p, MPI_DOUBLE, MPI_SUM,
                                  MPI_COMM_WORLD);
}

static void call(const anypi_cell *cell, int way, int calls)
{
    for (int i = 0; i < calls; i++)
        if (way == PEER)
            call_library(cell);
        else
            anypi_work_call(&work, cell, MPI_COMM_WORLD);
}

/* This rank's seconds per call, with the barrier after it if there is one; the first calls, which
 * choose and warm up, are not timed. */
static double time_of(const anypi_cell *cell, int way, const anypi_candidate *candidate, int calls)
{
    const bool apart = cell->collective == ANYP_REDUCE;
    prepare(cell, way, candidate);
    call(cell, way, calls > 4 ? 4 : 1);
    PMPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int i = 0; i < calls; i++) {
        call(cell, way, 1);
        if (apart)
            PMPI_Barrier(MPI_COMM_WORLD);
    }
    return (MPI_Wtime() - begin) / calls;
}

/* The seconds of such a barrier alone; 0 if there is none. */
static double time_of_barrier(const anypi_cell *cell, int calls)
{
    if (cell->collective != ANYP_REDUCE)
        return 0;
    PMPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int i = 0; i < calls; i++)
        PMPI_Barrier(MPI_COMM_WORLD);
    return (MPI_Wtime() - begin) / calls;
}

/* Is the result right on all ranks, and did the selected algorithm run? */
static bool check(const anypi_cell *cell, int way, const anypi_candidate *candidate)
{
    int good = prepare(cell, way, candidate) &&
        anypi_work_check(&work, cell, MPI_COMM_WORLD, false, false) == ANYPI_RIGHT;
    if (way == PASS || way == BEST)
        good = good && anypi_steer_ran(cell->collective, way == BEST ? candidate : &none);
    PMPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return good;
}

/* ---- a cell ---- */

static int calls_for(const anypi_cell *cell)
{
    double seconds = time_of(cell, PEER, NULL, 1);
    seconds = fmin(seconds, time_of(cell, PEER, NULL, 1));
    PMPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    const double calls = min_seconds / fmax(seconds, 1e-9);
    return calls < 1 ? 1 : calls > MAX_CALLS ? MAX_CALLS : (int) calls;
}

/* Is it later than `end` on rank 0? The same on all ranks. */
static bool late(double end)
{
    int is = MPI_Wtime() > end;
    PMPI_Bcast(&is, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return is;
}

static bool running(const anypi_cell *cell, int c)
{
    return cell->trials[c].running;
}

/* The candidate with the smallest median; slow ones are dropped early. The same on all ranks; -1:
 * there is none. */
static int find_best(const anypi_cell *cell, const anypi_candidates *candidates, int calls,
                     double end, bool verbose)
{
    static double times[ANYPI_MAX_CANDIDATES][PASSES];
    double medians[ANYPI_MAX_CANDIDATES], own[ANYPI_MAX_CANDIDATES] = { 0 };
    int best = -1;
    for (int pass = 0; pass < PASSES && (pass < MIN_PASSES || !late(end)); pass++) {
        for (int c = 1; c < cell->candidates; c++)
            own[c] = running(cell, c) ? time_of(cell, BEST, &candidates->list[c], calls) : 0;
        PMPI_Allreduce(MPI_IN_PLACE, own, cell->candidates, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        best = -1;
        for (int c = 1; c < cell->candidates; c++) {
            times[c][pass] = own[c];
            medians[c] = running(cell, c) ? bench_median(times[c], pass + 1) : INFINITY;
            if (running(cell, c) && (best < 0 || medians[c] < medians[best]))
                best = c;
        }
        for (int c = 1; c < cell->candidates; c++) {
            if (verbose && !rank && running(cell, c) && pass == MIN_PASSES - 1)
                fprintf(stderr, "%s %lld: %10.2f %s\n", anyp_collective_name(cell->collective),
                        (long long) cell->bytes, 1e6 * medians[c],
                        anypi_candidate_text(&candidates->list[c]).text);
            if (running(cell, c) && medians[c] > (pass < MIN_PASSES - 1 ? 4 : 1.3) * medians[best])
                cell->trials[c].running = false;
        }
    }
    return best;
}

/* ";circulant(skips=halving;...)", without commas: these separate the times of a row. */
static void print_what(const anyp_algorithm *algorithm, const int *parameters)
{
    if (!algorithm)
        return;
    printf(";%s", algorithm->name);
    for (int i = 0; i < algorithm->parameters_count; i++) {
        char value[ANYP_VALUE_SIZE];
        anyp_parameter_text(&algorithm->parameters[i], parameters[i], value, sizeof value);
        for (char *c = value; *c; c++)
            *c = *c == ',' ? ' ' : *c;
        printf("%s%s=%s", i ? ";" : "(", algorithm->parameters[i].name, value);
    }
    printf("%s", algorithm->parameters_count ? ")" : "");
}

/* The choice of the decision file. */
static anypi_choice tuned_choice(const anypi_cell *cell, const anypi_decision *decision)
{
    const anyp_call of = anypi_cell_call(cell);
    anypi_signature signature;
    anypi_choice choice;
    anypi_signature_init(&signature, anyp_collective_name(cell->collective), cell->p, of.count,
                         of.type_size);
    if (!decision || anypi_decision_select(decision, &signature, &choice) != ANYP_SUCCESS)
        choice.algorithm = NULL;
    return choice;
}

static void print_time(const char *prefix, int way, bench_estimate of, double scale,
                       const anyp_algorithm *algorithm, const int *parameters)
{
    printf(",%s%s;%.4f;%.4f;%.4f", prefix, who[way], scale * of.value, scale * of.low,
           scale * of.high);
    print_what(algorithm, parameters);
}

static void print_cell(const anypi_cell *cell, double times[WAYS][MAX_ROUNDS], int rounds,
                       const anypi_candidate *best, const anypi_decision *decision)
{
    const anypi_choice tuned = tuned_choice(cell, decision);
    for (int way = 0; way < WAYS; way++)
        if ((way != TUNED || decision) && bench_median_estimate(times[way], rounds).low <= 0) {
            fprintf(stderr, "bench_pair: %s, %lld bytes is left out: the machine is too busy to "
                    "separate its time from a barrier's\n", anyp_collective_name(cell->collective),
                    (long long) cell->bytes);
            return;
        }
    printf("%s,sum,%d,%lld", anyp_collective_name(cell->collective), cell->p,
           (long long) cell->bytes);
    for (int way = 0; way < WAYS; way++) {
        const anyp_algorithm *algorithm = way == TUNED ? tuned.algorithm
            : way == BEST ? best->algorithm : NULL;
        const int *parameters = way == TUNED ? tuned.parameters : best->parameters;
        if (way == TUNED && !decision)
            continue;
        print_time("", way, bench_median_estimate(times[way], rounds), 1e6, algorithm, parameters);
        if (way != PEER)
            print_time("ratio:", way, bench_ratio_estimate(times[PEER], times[way], rounds), 1,
                       algorithm, parameters);
    }
    putchar('\n');
    fflush(stdout);
}

/* The next permutation in lexical order, after the last the first: so the content of the caches
 * that a way leaves behind does not always affect the same other way. */
static void next_order(int order[WAYS])
{
    int i = WAYS - 2, j = WAYS - 1, swapped;
    while (i >= 0 && order[i] > order[i + 1])
        i--;
    if (i >= 0) {
        while (order[j] < order[i])
            j--;
        swapped = order[i];
        order[i] = order[j];
        order[j] = swapped;
    }
    for (int left = i + 1, right = WAYS - 1; left < right; left++, right--) {
        swapped = order[left];
        order[left] = order[right];
        order[right] = swapped;
    }
}

/* Measures a cell; NULL, or what is wrong (static text). */
static const char *measure_cell(anypi_cell *cell, const anypi_candidates *candidates,
                                const anypi_decision *decision, const options *given)
{
    static double times[WAYS + 1][MAX_ROUNDS];         /* the last: of barriers */
    int rounds = 0, order[WAYS] = { 0, 1, 2, 3 };
    for (int way = PEER; way < BEST; way++)
        if ((way != TUNED || file) && !check(cell, way, NULL))
            return way == TUNED ? "the decision file's choice gives a wrong result"
                : "the library gives a wrong result, or the plug-in does not pass on";
    anypi_work_fill(&work, cell, MPI_COMM_WORLD);
    const int calls = calls_for(cell);
    const int best = find_best(cell, candidates, calls, MPI_Wtime() + given->seconds / 3,
                               given->verbose);
    if (best < 0)
        return "none of AnyP's algorithms serves";
    const anypi_candidate *candidate = &candidates->list[best];
    if (!check(cell, BEST, candidate))
        return "the best of AnyP's algorithms gives a wrong result, or does not run";
    anypi_work_fill(&work, cell, MPI_COMM_WORLD);
    const double end = MPI_Wtime() + 2 * given->seconds / 3;
    while (rounds < MAX_ROUNDS && (rounds < MIN_ROUNDS || !late(end))) {
        next_order(order);
        for (int i = 0; i < WAYS; i++) {
            const int way = order[i];
            if (way != TUNED || file)
                times[way][rounds] = time_of(cell, way, candidate, calls);
        }
        times[WAYS][rounds] = time_of_barrier(cell, calls);
        rounds++;
    }
    PMPI_Allreduce(MPI_IN_PLACE, times, (WAYS + 1) * MAX_ROUNDS, MPI_DOUBLE, MPI_MAX,
                   MPI_COMM_WORLD);
    prepare(cell, PASS, NULL);
    for (int way = 0; way < WAYS; way++)
        for (int round = 0; round < rounds; round++)
            times[way][round] -= times[WAYS][round];
    if (!rank)
        print_cell(cell, times, rounds, candidate, decision);
    return NULL;
}

/* ---- all cells ---- */

/* Sets plan->wanted, procs and sizes; false if a list is wrong. */
static bool read_plan(const options *given, int p, anypi_plan *plan)
{
    const char *reason;
    plan->procs[0] = p;
    plan->procs_count = 1;
    plan->unwanted[1] = true;
    plan->sizes_count = anypi_parse_list(given->sizes, 8, 1 << 30, plan->sizes, &reason);
    for (const char *at = given->collectives; *at; at += *at == ',') {
        char name[64];
        const int length = (int) strcspn(at, ",");
        snprintf(name, sizeof name, "%.*s", length, at);
        const int collective = (int) anyp_collective_find(name);
        if (collective != ANYP_ALLREDUCE && collective != ANYP_REDUCE &&
            collective != ANYP_REDUCE_SCATTER_BLOCK)
            return false;
        plan->wanted[collective] = true;
        at += length;
    }
    return plan->sizes_count > 0;
}

/* Measures all cells; returns the exit status. */
static int run(const options *given, int p)
{
    static anypi_plan plan;
    anypi_cvars *cvars = NULL;
    anypi_decision *decision = NULL;
    anypi_diagnosis diagnosis;
    char message[512];
    const char *wrong = NULL;
    if (!read_plan(given, p, &plan)) {
        if (!rank)
            fprintf(stderr, "bench_pair: no such collectives or sizes\n%s", usage);
        return 2;
    }
    if (given->file && anypi_decision_read(given->file, &decision, &diagnosis) != ANYP_SUCCESS)
        wrong = diagnosis.text;
    else if (!anypi_steer_open(MPI_COMM_WORLD, &cvars, message, sizeof message))
        wrong = message;
    else if (anypi_plan_candidates(&plan, cvars) != ANYP_SUCCESS ||
             anypi_plan_cells(&plan) != ANYP_SUCCESS ||
             !anypi_work_init(&work, plan.sizes[plan.sizes_count - 1], p))
        wrong = "no memory";
    file = given->file;
    for (int i = 0; i < plan.cells_count && !wrong; i++) {
        anypi_cell *cell = &plan.cells[i];
        wrong = measure_cell(cell, &plan.candidates[cell->collective], decision, given);
        if (wrong && !rank)
            fprintf(stderr, "bench_pair: %s, %lld bytes: ",
                    anyp_collective_name(cell->collective), (long long) cell->bytes);
    }
    if (wrong && !rank)
        fprintf(stderr, "%s%s\n", plan.cells_count ? "" : "bench_pair: ", wrong);
    anypi_plan_free(&plan);
    anypi_decision_free(decision);
    return wrong != NULL;
}

static bool read_options(int argc, char **argv, options *given)
{
    anypi_command_line line = { .options = rows, .accepted = UINT64_MAX, .argc = argc,
                                .argv = argv };
    *given = (options) { .collectives = ALL_COLLECTIVES, .sizes = ALL_SIZES, .seconds = 3 };
    for (int option; (option = anypi_option_next(&line)) != ANYPI_OPTIONS_END;) {
        switch (option) {
        case TUNING_FILE: given->file = line.word; break;
        case COLLECTIVES: given->collectives = line.word; break;
        case SIZES: given->sizes = line.word; break;
        case SECONDS: given->seconds = line.real; break;
        case VERBOSE: given->verbose = true; break;
        case HELP: given->help = true; break;
        default: return false;
        }
    }
    return optind == argc;
}

int main(int argc, char **argv)
{
    options given;
    int p, status;
    anypi_steer_clean();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    const bool good = read_options(argc, argv, &given);
    if (!good || given.help) {
        if (!rank) {
            fputs(usage, good ? stdout : stderr);
            anypi_option_help(rows, UINT64_MAX, 0, good ? stdout : stderr);
        }
        status = good ? 0 : 2;
    } else {
        status = run(&given, p);
    }
    MPI_Finalize();
    return status;
}
