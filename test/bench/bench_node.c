/* SPDX-License-Identifier: BSD-3-Clause
 *
 * bench_node - times collectives of ranks that share a node in four ways: by the MPI library, by
 * the best of AnyP's algorithms with MPI messages, by the choice of a decision file, forced, and by
 * the best of AnyP's algorithms; the last two read the neighbours' memory if they can.
 *
 * In each cell (a collective and a size) short rounds over all of AnyP's candidates find the best,
 * which is then measured again, so that luck does not count. The four ways alternate in one run, in
 * short blocks of calls, so that disturbances of the machine affect all of them; the slowest rank
 * counts. Results are checked before they are timed. The last and the first rank take turns to be
 * the root: a root that only sends would run ahead. In a scan the first rank would; so a barrier
 * follows each scan, and its time in the same round is subtracted. If calls are so short and the
 * machine so busy that no time remains, the cell is left out.
 */
#include "statistics.h"

/* "The library" is called below the plug-in. */
#define ANYPI_BLOCKING_NAME(Name) PMPI_##Name
#define ANYPI_NONBLOCKING_NAME(name) PMPI_I##name
#include "measure/steer.h"
#include "measure/workload.h"
#include "tuner/tuner_options.h"

#include "anyp_control.h"
#include "select/decision.h"
#include "tuner/decision_file.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: mpiexec -n P bench_node [OPTION]...\n"
    "Prints rows collective,operator,p,bytes,who;microseconds;low;high;what. Times are of a call,\n"
    "medians with 95 % intervals. who: peer:NAME, the library itself; anyp, the choice of FILE;\n"
    "anyp:best, the best of AnyP's algorithms; anyp:messages, the best with MPI messages instead\n"
    "of shared memory; ratio:X, no time, but that of the library divided by X's;\n"
    "ratio:anyp:memory/messages, that of the best with messages divided by that of the best.\n\n";

#define ALL_SIZES "8,64,512,4K,16K,64K,256K,1M,4M,16M"
#define ALL_COLLECTIVES "allreduce,bcast,reduce,allgather,alltoall,reduce_scatter_block,scan"
enum { TUNING_FILE, PEER_NAME, COLLECTIVES, SIZES, SECONDS, NONBLOCKING, VERBOSE, HELP };
static const anypi_option rows[] = {
    [TUNING_FILE] = { "tuning-file", 0, ANYPI_WORD, 0, 0, "FILE",
                      "a decision file (default: none, and no rows of it)" },
    [PEER_NAME] = { "peer", 0, ANYPI_WORD, 0, 0, "NAME",
                    "the library's name in the rows (default: mpich)" },
    [COLLECTIVES] = { "collectives", 0, ANYPI_WORD, 0, 0, "LIST",
                      "(default: " ALL_COLLECTIVES ")" },
    [SIZES] = { "sizes", 0, ANYPI_WORD, 0, 0, "LIST", "bytes (default: " ALL_SIZES ")" },
    [SECONDS] = { "seconds", 0, ANYPI_REAL, 0.01, 1e6, "S",
                  "the time of a cell, about (default: 3)" },
    [NONBLOCKING] = { "nonblocking", 0, ANYPI_FLAG, 0, 0, NULL,
                      "time nonblocking calls with MPI_Wait" },
    [VERBOSE] = { "verbose", 0, ANYPI_FLAG, 0, 0, NULL,
                  "print the times of the candidates, too, on standard error" },
    [HELP] = { "help", 'h', ANYPI_FLAG, 0, 0, NULL, "print this" },
    { 0 }
};

static const double min_seconds = 0.0005;       /* a shorter time is noise */
enum { MIN_ROUNDS = 15, MAX_ROUNDS = 301, PASSES = 9, MIN_PASSES = 3, MAX_CALLS = 128 };

enum { PEER, MESSAGES, TUNED, BEST, WAYS };
static const char *const who[WAYS] = { "peer", "anyp:messages", "anyp", "anyp:best" };

typedef struct options {
    const char *file, *peer, *collectives, *sizes;
    double seconds;
    bool verbose, help;
} options;

static const anypi_candidate none;      /* the library's choice */
static int rank;
static anypi_work work;

/* ---- calls ---- */

/* Selects one of the ways for the next calls. candidate: NULL, the library. */
static bool prepare(const anypi_cell *cell, int way, const anypi_candidate *candidate)
{
    const char *reason;
    return anypi_steer_select(cell->collective, candidate ? candidate : &none) &&
        anyp_control_set("SHARED_MEMORY", way == MESSAGES ? "0" : NULL, &reason) == 0;
}

/* Calls in a row, each with a barrier after it if `apart`; returns this rank's seconds per call. */
static double row(const anypi_cell *cell, int way, int calls, bool apart)
{
    PMPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int i = 0; i < calls; i++) {
        work.root = i % 2 ? 0 : cell->p - 1;
        if (way == PEER) {
            const anypi_mpi_call one = anypi_work_arguments(&work, cell, MPI_COMM_WORLD);
            MPI_Request request;
            if (!anypi_form_nonblocking())
                anypi_call_blocking(&one);
            else if (!anypi_call_nonblocking(&one, &request))
                PMPI_Wait(&request, MPI_STATUS_IGNORE);
        } else {
            anypi_work_call(&work, cell, MPI_COMM_WORLD);
        }
        if (apart)
            PMPI_Barrier(MPI_COMM_WORLD);
    }
    work.root = 0;
    return (MPI_Wtime() - begin) / calls;
}

/* Does a barrier follow each call? */
static bool is_apart(const anypi_cell *cell)
{
    return cell->collective == ANYP_SCAN;
}

/* This rank's seconds per call, with the barrier after it if there is one; the first calls, which
 * choose and warm up, are not timed. */
static double time_of(const anypi_cell *cell, int way, const anypi_candidate *candidate, int calls)
{
    prepare(cell, way, candidate);
    row(cell, way, calls > 4 ? 4 : 2, false);
    return row(cell, way, calls, is_apart(cell));
}

/* The seconds of such a barrier alone; 0 if there is none. */
static double time_of_barrier(const anypi_cell *cell, int calls)
{
    if (!is_apart(cell))
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
        anypi_work_check(&work, cell, MPI_COMM_WORLD, false) == ANYPI_RIGHT;
    if (way != PEER)
        good = good && anypi_steer_ran(cell->collective, candidate ? candidate : &none);
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

/* The candidate with the smallest median by a way; slow ones are dropped early. The same on all
 * ranks; -1: there is none. */
static int find_best(const anypi_cell *cell, int way, const anypi_candidates *candidates, int calls,
                     double end, bool verbose)
{
    static double times[ANYPI_MAX_CANDIDATES][PASSES];
    bool left[ANYPI_MAX_CANDIDATES];
    double medians[ANYPI_MAX_CANDIDATES], own[ANYPI_MAX_CANDIDATES] = { 0 };
    int best = -1;
    for (int c = 1; c < cell->candidates; c++)
        left[c] = cell->trials[c].running;
    for (int pass = 0; pass < PASSES && (pass < MIN_PASSES || !late(end)); pass++) {
        for (int c = 1; c < cell->candidates; c++)
            own[c] = left[c] ? time_of(cell, way, &candidates->list[c], calls) : 0;
        PMPI_Allreduce(MPI_IN_PLACE, own, cell->candidates, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        best = -1;
        for (int c = 1; c < cell->candidates; c++) {
            times[c][pass] = own[c];
            medians[c] = left[c] ? bench_median(times[c], pass + 1) : INFINITY;
            if (left[c] && (best < 0 || medians[c] < medians[best]))
                best = c;
        }
        for (int c = 1; c < cell->candidates; c++) {
            if (verbose && !rank && left[c] && pass == MIN_PASSES - 1)
                fprintf(stderr, "%s %lld: %10.2f %s %s\n", anyp_collective_name(cell->collective),
                        (long long) cell->bytes, 1e6 * medians[c], who[way],
                        anypi_candidate_text(&candidates->list[c]).text);
            if (left[c] && medians[c] > (pass < MIN_PASSES - 1 ? 4 : 1.3) * medians[best])
                left[c] = false;
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

static void print_time(const char *name, bench_estimate of, double scale,
                       const anyp_algorithm *algorithm, const int *parameters)
{
    printf(",%s;%.4f;%.4f;%.4f", name, scale * of.value, scale * of.low, scale * of.high);
    print_what(algorithm, parameters);
}

static void print_cell(const anypi_cell *cell, double times[WAYS][MAX_ROUNDS], int rounds,
                       const anypi_candidate *const ran[WAYS], const options *given)
{
    for (int way = 0; way < WAYS; way++)
        if ((way != TUNED || given->file) && bench_median_estimate(times[way], rounds).low <= 0) {
            fprintf(stderr, "bench_node: %s, %lld bytes is left out: the machine is too busy to "
                    "separate its time from a barrier's\n", anyp_collective_name(cell->collective),
                    (long long) cell->bytes);
            return;
        }
    printf("%s,%s,%d,%lld", anyp_collective_name(cell->collective),
           anypi_moves(cell->collective) ? "none" : "sum", cell->p, (long long) cell->bytes);
    for (int way = 0; way < WAYS; way++) {
        const anyp_algorithm *algorithm = ran[way] ? ran[way]->algorithm : NULL;
        const int *parameters = ran[way] ? ran[way]->parameters : NULL;
        char name[64];
        if (way == TUNED && !given->file)
            continue;
        snprintf(name, sizeof name, "%s%s%s", who[way], way == PEER ? ":" : "",
                 way == PEER ? given->peer : "");
        print_time(name, bench_median_estimate(times[way], rounds), 1e6, algorithm, parameters);
        snprintf(name, sizeof name, "ratio:%s", who[way]);
        if (way != PEER)
            print_time(name, bench_ratio_estimate(times[PEER], times[way], rounds), 1, NULL, NULL);
    }
    print_time("ratio:anyp:memory/messages",
               bench_ratio_estimate(times[MESSAGES], times[BEST], rounds), 1, NULL, NULL);
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
    const anypi_candidate *ran[WAYS] = { NULL };
    int rounds = 0, order[WAYS] = { 0, 1, 2, 3 };
    anypi_candidate tuned;
    anypi_choice choice;
    if (decision && anypi_chosen(decision, cell, true, &choice, &tuned))
        ran[TUNED] = &tuned;
    if (!check(cell, PEER, NULL))
        return "the library gives a wrong result";
    if (!check(cell, TUNED, ran[TUNED]))
        return "the decision file's choice gives a wrong result, or does not run";
    anypi_work_fill(&work, cell, MPI_COMM_WORLD);
    const int calls = calls_for(cell);
    for (int way = MESSAGES; way < WAYS; way += BEST - MESSAGES) {
        const int best = find_best(cell, way, candidates, calls, MPI_Wtime() + given->seconds / 4,
                                   given->verbose);
        if (best < 0)
            return "none of AnyP's algorithms serves";
        ran[way] = &candidates->list[best];
        if (!check(cell, way, ran[way]))
            return "the best of AnyP's algorithms gives a wrong result, or does not run";
        anypi_work_fill(&work, cell, MPI_COMM_WORLD);
    }
    const double end = MPI_Wtime() + given->seconds / 2;
    while (rounds < MAX_ROUNDS && (rounds < MIN_ROUNDS || !late(end))) {
        next_order(order);
        for (int i = 0; i < WAYS; i++) {
            const int way = order[i];
            if (way != TUNED || decision)
                times[way][rounds] = time_of(cell, way, ran[way], calls);
        }
        times[WAYS][rounds] = time_of_barrier(cell, calls);
        rounds++;
    }
    PMPI_Allreduce(MPI_IN_PLACE, times, (WAYS + 1) * MAX_ROUNDS, MPI_DOUBLE, MPI_MAX,
                   MPI_COMM_WORLD);
    prepare(cell, PEER, NULL);
    for (int way = 0; way < WAYS; way++)
        for (int round = 0; round < rounds; round++)
            times[way][round] -= times[WAYS][round];
    if (!rank)
        print_cell(cell, times, rounds, ran, given);
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
        if (collective == ANYP_COLLECTIVES || collective == ANYP_BARRIER)
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
            fprintf(stderr, "bench_node: no such collectives or sizes\n%s", usage);
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
    for (int i = 0; i < plan.cells_count && !wrong; i++) {
        anypi_cell *cell = &plan.cells[i];
        wrong = measure_cell(cell, &plan.candidates[cell->collective], decision, given);
        if (wrong && !rank)
            fprintf(stderr, "bench_node: %s, %lld bytes: ",
                    anyp_collective_name(cell->collective), (long long) cell->bytes);
    }
    if (wrong && !rank)
        fprintf(stderr, "%s%s\n", plan.cells_count ? "" : "bench_node: ", wrong);
    anypi_plan_free(&plan);
    anypi_decision_free(decision);
    return wrong != NULL;
}

static bool read_options(int argc, char **argv, options *given)
{
    anypi_command_line line = { .options = rows, .accepted = UINT64_MAX, .argc = argc,
                                .argv = argv };
    *given = (options) { .peer = "mpich", .collectives = ALL_COLLECTIVES, .sizes = ALL_SIZES,
                         .seconds = 3 };
    for (int option; (option = anypi_option_next(&line)) != ANYPI_OPTIONS_END;) {
        switch (option) {
        case TUNING_FILE: given->file = line.word; break;
        case PEER_NAME: given->peer = line.word; break;
        case COLLECTIVES: given->collectives = line.word; break;
        case SIZES: given->sizes = line.word; break;
        case SECONDS: given->seconds = line.real; break;
        case NONBLOCKING: anypi_form_set(true); break;
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
