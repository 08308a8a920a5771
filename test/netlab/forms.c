/* SPDX-License-Identifier: BSD-3-Clause
 *
 * forms.c - times MPI_Allreduce, MPI_Iallreduce with MPI_Wait, and MPI_Start with MPI_Wait of a
 * persistent request, each by the MPI library's own choice and by AnyP, inside that library or as
 * the plug-in: its algorithm from the rule of a decision file for the blocking call, forced for all
 * forms. Then a nonblocking call while the process works for as long as the call takes by itself,
 * in pieces, with MPI_Test after each, and without. The work is a loop, with pieces of 10 us. In an
 * emulated cluster it is sleep, which leaves the processor to other ranks, with pieces of 100 us.
 *
 * All ways alternate in one run, in rounds; the slowest rank counts. Results are checked before
 * they are timed, and requests are made before.
 */
#include "together.h"

#include "bench/statistics.h"
#include "measure/steer.h"
#include "measure/workload.h"
#include "tuner/decision_file.h"
#include "tuner/tuner_options.h"
#include "select/decision.h"
#include "select/mpich.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char usage[] =
    "usage: mpiexec -n P forms --tuning-file FILE [OPTION]...\n"
    "Prints rows collective,operator,p,bytes,who;microseconds;low;high;what. Times are of a call,\n"
    "medians with 95 % intervals. who: peer:FORM, the library itself; anyp:FORM, AnyP;\n"
    "ratio:anyp:FORM, no time, but that of peer:FORM divided by AnyP's, and\n"
    "ratio:anyp:FORM/blocking, AnyP's blocking call divided by its FORM. FORM: blocking,\n"
    "nonblocking, persistent (since MPI 4), overlap (beside work that calls MPI_Test), untested\n"
    "(beside work that does not).\n\n";

enum { TUNING_FILE, PROCS, SIZES, OPERATORS, LATENCY, SECONDS, NAMES, HELP };
static const anypi_option rows[] = {
    [TUNING_FILE] = { "tuning-file", 0, ANYPI_WORD, 0, 0, "FILE", "a decision file" },
    [PROCS] = { "procs", 0, ANYPI_WORD, 0, 0, "LIST", "numbers of processes (default: P)" },
    [SIZES] = { "sizes", 0, ANYPI_WORD, 0, 0, "LIST", "bytes (default: 8,1K,64K,1M)" },
    [OPERATORS] = { "operators", 0, ANYPI_WORD, 0, 0, "LIST",
                    "sum, matrix, or both (the default)" },
    [LATENCY] = { "latency", 0, ANYPI_REAL, 0, 1e6, "US",
                  "ranks begin at a common time, in a network of that latency (default: 0: after a "
                  "barrier, several calls in a row)" },
    [SECONDS] = { "seconds", 0, ANYPI_REAL, 0.01, 1e6, "S",
                  "the time of a cell, about (default: 5)" },
    [NAMES] = { "mpich", 0, ANYPI_WORD, 0, 0, "WHICH",
                "with AnyP inside MPICH: its prefix, or its mpich.json" },
    [HELP] = { "help", 'h', ANYPI_FLAG, 0, 0, NULL, "print this" },
    { 0 }
};

enum { BLOCKING, NONBLOCKING, PERSISTENT, OVERLAP, UNTESTED, FORMS };
static const char *const form_names[FORMS] = { "blocking", "nonblocking", "persistent", "overlap",
                                               "untested" };
enum { PEER, ANYP, LIBRARIES };
static const char *const library_names[LIBRARIES] = { "peer", "anyp" };
enum { MIN_ROUNDS = 3, MAX_ROUNDS = 301, MAX_CALLS = 128 };
static const double min_seconds = 0.0005;       /* shorter times are noise */
static const double sleep_seconds = 0.0001, loop_seconds = 0.00001;    /* of a piece of work */

typedef struct options {
    const char *file, *procs, *sizes, *operators, *mpich;
    double latency, seconds;
    bool help;
} options;

/* A cell with what its calls need. */
typedef struct bench {
    const options *given;
    anypi_decision *decision;
    anypi_work work;
    anypi_cell cell;
    MPI_Comm comm;
    int rank;                           /* in comm */
    anypi_candidates candidates[2];     /* for blocking calls, and for others */
    anypi_candidate chosen[2];
    MPI_Request persistent[LIBRARIES];
    double alone[LIBRARIES];            /* seconds of a nonblocking call */
} bench;

/* ---- calls ---- */

/* A function of the library itself, or of AnyP. */
#define OF(library, name) ((library) == PEER ? PMPI_##name : MPI_##name)

static bool has_form(int form)
{
    return form != PERSISTENT || MPI_VERSION >= 4;
}

/* The name of a form, for steering. The plug-in has one choice for all. */
static void use_form(int form)
{
    anypi_form_set(form > BLOCKING && anypi_steer.inside);
}

/* Forces AnyP's choice in all forms, or leaves it to the library. */
static bool set_library(const bench *b, int library)
{
    bool done = true;
    for (int form = BLOCKING; form <= NONBLOCKING; form++) {
        use_form(form);
        done = anypi_steer_select(ANYP_ALLREDUCE, library == ANYP ? &b->chosen[form]
                                  : &b->candidates[form].list[0]) && done;
    }
    use_form(BLOCKING);
    return done;
}

/* Finds the decision file's algorithm for the cell. */
static bool choose(bench *b)
{
    anypi_choice choice;
    anypi_candidate chosen;
    if (!anypi_chosen(b->decision, &b->cell, true, &choice, &chosen))
        return false;
    if (anypi_steer.inside)
        anypi_candidate_settle(&b->cell, &chosen);
    for (int form = BLOCKING; form <= NONBLOCKING; form++) {
        const anypi_candidates *all = &b->candidates[form];
        int found = 0;
        while (found < all->count && all->list[found].algorithm != chosen.algorithm)
            found++;
        if (found == all->count)
            return false;
        b->chosen[form] = all->list[found];
        memcpy(b->chosen[form].parameters, chosen.parameters, sizeof chosen.parameters);
    }
    return true;
}

/* Makes the candidates of both forms, for their numbers. */
static bool make_candidates(bench *b, const anypi_cvars *names)
{
    bool good = true;
    for (int form = BLOCKING; form <= NONBLOCKING; form++) {
        use_form(form);
        good = anypi_candidates_make(&b->candidates[form], ANYP_ALLREDUCE, names, true) ==
            ANYP_SUCCESS && good;
    }
    use_form(BLOCKING);
    return good;
}

static MPI_Datatype type_of(const bench *b)
{
    return b->cell.commutative ? MPI_DOUBLE : b->work.matrix;
}

static MPI_Op op_of(const bench *b)
{
    return b->cell.commutative ? MPI_SUM : b->work.product;
}

static int begin(const bench *b, int library, MPI_Request *request)
{
    return OF(library, Iallreduce)(b->work.send, b->work.receive, (int) anypi_cell_count(&b->cell),
                                   type_of(b), op_of(b), b->comm, request);
}

/* Makes the persistent request of a library. */
static int make(bench *b, int library)
{
#if MPI_VERSION >= 4
    return OF(library, Allreduce_init)(b->work.send, b->work.receive,
                                       (int) anypi_cell_count(&b->cell), type_of(b), op_of(b),
                                       b->comm, MPI_INFO_NULL, &b->persistent[library]);
#else
    b->persistent[library] = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
#endif
}

static void work(double seconds, bool sleeps)
{
    const struct timespec piece = { .tv_nsec = (long) (1e9 * seconds) };
    const double end = netlab_clock() + seconds;
    if (sleeps)
        nanosleep(&piece, NULL);
    else
        while (netlab_clock() < end)
            continue;
}

/* Works for as long as a nonblocking call takes, and perhaps tests the request between pieces of
 * work. The time of the tests does not count as work. */
static void work_beside(const bench *b, int library, MPI_Request *request, bool tests)
{
    const bool sleeps = b->given->latency > 0;
    const double piece = sleeps ? sleep_seconds : loop_seconds;
    double left = b->alone[library];
    for (int done; left > 0; left -= piece) {
        work(fmin(left, piece), sleeps);
        if (tests)
            OF(library, Test)(request, &done, MPI_STATUS_IGNORE);
    }
}

static int call(bench *b, int library, int form)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int error;
    switch (form) {
        case BLOCKING:
            return OF(library, Allreduce)(b->work.send, b->work.receive,
                                          (int) anypi_cell_count(&b->cell), type_of(b), op_of(b),
                                          b->comm);
        case PERSISTENT:
            error = OF(library, Start)(&b->persistent[library]);
            return error ? error : OF(library, Wait)(&b->persistent[library], MPI_STATUS_IGNORE);
        default:
            error = begin(b, library, &request);
            if (!error && form >= OVERLAP)
                work_beside(b, library, &request, form == OVERLAP);
            return error ? error : OF(library, Wait)(&request, MPI_STATUS_IGNORE);
    }
}

/* Seconds per call until the last rank is done; the same on all ranks. */
static double time_of(bench *b, int library, int form, int calls)
{
    double late, seconds;
    set_library(b, library);
    if (b->given->latency > 0) {
        const double start = netlab_together(b->comm, 1e-6 * b->given->latency, &late);
        call(b, library, form);
        seconds = netlab_clock() - start;
    } else {
        for (int i = 0; i < (calls > 4 ? 4 : 1); i++)
            call(b, library, form);
        MPI_Barrier(b->comm);
        const double start = netlab_clock();
        for (int i = 0; i < calls; i++)
            call(b, library, form);
        seconds = (netlab_clock() - start) / calls;
    }
    set_library(b, PEER);
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, b->comm);
    return seconds;
}

/* ---- a cell ---- */

/* Makes the persistent requests, and checks one call of each way. */
static bool prepare(bench *b)
{
    int good = true;
    for (int library = 0; library < LIBRARIES; library++) {
        good = set_library(b, library) && good;
        good = good && !make(b, library);
        for (int form = 0; good && form < FORMS; form++) {
            if (!has_form(form))
                continue;
            anypi_work_prepare(&b->work, &b->cell, b->comm);
            good = !call(b, library, form) && (library == PEER || form == PERSISTENT ||
                                               anypi_steer_ran(ANYP_ALLREDUCE, &b->chosen[0])) &&
                anypi_work_verify(&b->work, &b->cell, b->comm) == ANYPI_RIGHT;
        }
    }
    set_library(b, PEER);
    MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, b->comm);
    anypi_work_fill(&b->work, &b->cell, b->comm);
    return good;
}

static void print_time(const bench *b, const char *prefix, int library, int form,
                       const char *suffix, double scale, bench_estimate of)
{
    printf(",%s%s:%s%s;%.4f;%.4f;%.4f", prefix, library_names[library], form_names[form], suffix,
           scale * of.value, scale * of.low, scale * of.high);
    if (library == ANYP)
        printf(";%s", b->chosen[0].algorithm->name);
}

/* One row of the data: the times of all forms in the cell. */
static void print_cell(const bench *b, double times[LIBRARIES][FORMS][MAX_ROUNDS], int rounds)
{
    printf("allreduce,%s,%d,%lld", b->cell.commutative ? "sum" : "matrix", b->cell.p,
           (long long) b->cell.bytes);
    for (int form = 0; form < FORMS; form++) {
        if (!has_form(form))
            continue;
        for (int library = 0; library < LIBRARIES; library++)
            print_time(b, "", library, form, "", 1e6,
                       bench_median_estimate(times[library][form], rounds));
        print_time(b, "ratio:", ANYP, form, "", 1,
                   bench_ratio_estimate(times[PEER][form], times[ANYP][form], rounds));
        if (form == NONBLOCKING || form == PERSISTENT)
            print_time(b, "ratio:", ANYP, form, "/blocking", 1,
                       bench_ratio_estimate(times[ANYP][BLOCKING], times[ANYP][form], rounds));
    }
    putchar('\n');
    fflush(stdout);
}

/* False: a result is wrong, or a variable cannot be set. */
static bool measure_cell(bench *b)
{
    static double times[LIBRARIES][FORMS][MAX_ROUNDS];
    if (!choose(b)) {
        if (!b->rank)
            fprintf(stderr, "forms: p = %d, %lld bytes: no rule chooses AnyP; left out\n",
                    b->cell.p, (long long) b->cell.bytes);
        return true;
    }
    b->alone[PEER] = b->alone[ANYP] = 0;
    if (!prepare(b))
        return false;
    const double once = fmax(time_of(b, PEER, NONBLOCKING, 1), 1e-9);
    const int calls = min_seconds / once < 1 ? 1 :
        min_seconds / once > MAX_CALLS ? MAX_CALLS : (int) (min_seconds / once);
    int rounds = 0;
    const double end = MPI_Wtime() + b->given->seconds;
    for (int more = true; more && rounds < MAX_ROUNDS; rounds++) {
        for (int way = 0; way < LIBRARIES * FORMS; way++) {
            /* every other round in the opposite order */
            const int i = rounds % 2 ? LIBRARIES * FORMS - 1 - way : way;
            const int library = i % LIBRARIES, form = i / LIBRARIES;
            if (!has_form(form))
                continue;
            times[library][form][rounds] = time_of(b, library, form, calls);
            if (form == NONBLOCKING)
                b->alone[library] = bench_median(times[library][form], rounds + 1);
        }
        more = rounds + 1 < MIN_ROUNDS || MPI_Wtime() < end;
        MPI_Bcast(&more, 1, MPI_INT, 0, b->comm);
    }
    for (int library = 0; library < LIBRARIES; library++)
        if (has_form(PERSISTENT))
            OF(library, Request_free)(&b->persistent[library]);
    if (!b->rank)
        print_cell(b, times, rounds);
    return true;
}

/* ---- all cells ---- */

static bool measure_all(bench *b, const int64_t *procs, int procs_count, const int64_t *sizes,
                        int sizes_count)
{
    int rank, good = true;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < procs_count && good; i++) {
        MPI_Comm_split(MPI_COMM_WORLD, rank < procs[i] ? 0 : MPI_UNDEFINED, rank, &b->comm);
        for (int k = 0; k < 2 * sizes_count && good && b->comm != MPI_COMM_NULL; k++) {
            const bool commutative = k < sizes_count;
            if (!strstr(b->given->operators, commutative ? "sum" : "matrix"))
                continue;
            MPI_Comm_rank(b->comm, &b->rank);
            b->cell = (anypi_cell) { .collective = ANYP_ALLREDUCE, .p = (int) procs[i],
                                     .commutative = commutative, .bytes = sizes[k % sizes_count] };
            good = measure_cell(b);
            if (!good && !b->rank)
                fprintf(stderr, "forms: p = %d, %lld bytes: a result is wrong, or AnyP's "
                        "algorithm does not run\n", b->cell.p, (long long) b->cell.bytes);
        }
        if (b->comm != MPI_COMM_NULL)
            MPI_Comm_free(&b->comm);
        MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    }
    return good;
}

static bool read_options(int argc, char **argv, options *given)
{
    anypi_command_line line = { .options = rows, .accepted = UINT64_MAX, .argc = argc,
                                .argv = argv };
    *given = (options) { .sizes = "8,1K,64K,1M", .operators = "sum,matrix", .seconds = 5 };
    for (int option; (option = anypi_option_next(&line)) != ANYPI_OPTIONS_END;) {
        switch (option) {
        case TUNING_FILE: given->file = line.word; break;
        case PROCS: given->procs = line.word; break;
        case SIZES: given->sizes = line.word; break;
        case OPERATORS: given->operators = line.word; break;
        case LATENCY: given->latency = line.real; break;
        case SECONDS: given->seconds = line.real; break;
        case NAMES: given->mpich = line.word; break;
        case HELP: given->help = true; break;
        default: return false;
        }
    }
    return optind == argc && (given->help || given->file);
}

/* Returns the exit status. */
static int run(const options *given, int p, int rank)
{
    int64_t procs[ANYPI_MAX_LIST] = { p }, sizes[ANYPI_MAX_LIST];
    const char *reason;
    char message[1024] = "no memory";
    anypi_diagnosis diagnosis = { .text = "no memory" };
    anypi_cvars *names;
    bench b = { .given = given };
    const int sizes_count = anypi_parse_list(given->sizes, 8, 1 << 28, sizes, &reason);
    const int procs_count = given->procs ? anypi_parse_list(given->procs, 2, p, procs, &reason) : 1;
    if (!sizes_count || !procs_count) {
        if (!rank)
            fprintf(stderr, "forms: no such sizes or numbers of processes\n%s", usage);
        return 2;
    }
    int good = !anypi_steer.inside ||
        anypi_mpich_open(given->mpich, message, sizeof message) == ANYP_SUCCESS;
    if (good && anypi_decision_read(given->file, &b.decision, &diagnosis) != ANYP_SUCCESS) {
        snprintf(message, sizeof message, "%s", diagnosis.text);
        good = false;
    }
    MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    good = good && anypi_steer_open(MPI_COMM_WORLD, &names, message, sizeof message) &&
        make_candidates(&b, names) &&
        anypi_work_init(&b.work, sizes[sizes_count - 1], p);
    if (!good && !rank)
        fprintf(stderr, "forms: %s\n", message);
    good = good && measure_all(&b, procs, procs_count, sizes, sizes_count);
    anypi_decision_free(b.decision);
    return !good;
}

int main(int argc, char **argv)
{
    options given;
    int p, rank, status = 0;
    anypi_steer_clean();
    /* inside MPICH, no other algorithm may replace AnyP's in silence */
    setenv("MPIR_CVAR_COLLECTIVE_FALLBACK", "error", 1);
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
        status = run(&given, p, rank);
    }
    MPI_Finalize();
    return status;
}
