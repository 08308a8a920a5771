/* SPDX-License-Identifier: BSD-3-Clause
 *
 * measure.c - times the bench's reductions: from a time that all ranks begin at until the last one
 * is done. One run serves MPICH's own choice and each of its algorithms, or a decision file; runs
 * take turns, and the script that starts them puts the samples together.
 *
 * Prints a line for each sample: collective,operator,p,bytes,who,seconds,what; and at the end
 * "late: N of M", the samples that are there although a rank began late at all tries.
 */
#include "together.h"

#include "bench.h"
#include "steer.h"
#include "work.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A sample for which a rank began late is taken again, but not for ever. */
static const double late_part = 0.02, late_latency = 0.25;
/* Seconds: what a first call takes for itself is nothing beside that. */
static const double long_call = 0.1;
/* So many times as long as the library's own choice: not the best of its algorithms. */
static const double hopeless = 1.3;
enum { MOST_TRIES = 3, MOST_RANKS = 64 };

static const char usage[] =
    "usage: mpiexec -n P netlab enter measure --latency US [--procs LIST] [--others LIST]\n"
    "                                         [--quick] [--file DECISIONS] [--single]\n"
    "                                         [--cvars FILE] [--repeats N]\n\n"
    "  --latency US      the network's\n"
    "  --procs LIST      numbers of processes, at most P (default: P)\n"
    "  --others LIST     those of them where other collectives than allreduce are timed, too\n"
    "                    (default: all)\n"
    "  --quick           a third of the cells\n"
    "  --file DECISIONS  this file is in force: the samples are AnyP's; else MPICH's own choice\n"
    "  --single          each of MPICH's own algorithms, too, where it fits; half of the samples,\n"
    "                    one if it is clearly slower than MPICH's own choice\n"
    "  --cvars FILE      the library's share/anyp/cvars.json\n"
    "  --repeats N       samples of each; half where they take long (default: 4)\n";

/* The cells that test/bench/targets.py has targets for. */
static const struct {
    anyp_collective collective;
    bool commutative, quick;
    int64_t bytes;
} cells[] = {
    { ANYP_ALLREDUCE, true, true, 8 },
    { ANYP_ALLREDUCE, true, false, 1 << 10 },
    { ANYP_ALLREDUCE, true, false, 8 << 10 },
    { ANYP_ALLREDUCE, true, false, 64 << 10 },
    { ANYP_ALLREDUCE, true, true, 128 << 10 },
    { ANYP_ALLREDUCE, true, false, 256 << 10 },
    { ANYP_ALLREDUCE, true, true, 1 << 20 },
    { ANYP_ALLREDUCE, false, false, 8 },
    { ANYP_ALLREDUCE, false, false, 1 << 10 },
    { ANYP_ALLREDUCE, false, false, 8 << 10 },
    { ANYP_ALLREDUCE, false, false, 64 << 10 },
    { ANYP_ALLREDUCE, false, false, 256 << 10 },
    { ANYP_ALLREDUCE, false, true, 1 << 20 },
    { ANYP_REDUCE_SCATTER_BLOCK, true, true, 128 << 10 },
    { ANYP_REDUCE, true, true, 1 << 20 },
};

typedef struct bench {
    double latency;
    int64_t procs[ANYPI_MAX_LIST], others[ANYPI_MAX_LIST];
    int procs_count, others_count;
    const char *file, *cvars;
    bool single, quick;
    int repeats;
    int samples, late;                  /* taken, and of them with a rank that began late */
    int rank;
    anypi_plan plan;                    /* for the candidates */
    anypi_decision *decision;
    anypi_work work;
} bench;

typedef struct sample {
    double seconds;                     /* until the last rank is done */
    double late;                        /* the latest beginning */
    double verdict;                     /* the worst anypi_verdict of any rank */
} sample;

/* One call, whose result is looked at if it is `checked`. All ranks learn the same. What the bench
 * says itself takes other collectives than those whose algorithm may be forced. */
static sample call_once(bench *b, const anypi_cell *cell, MPI_Comm comm, bool checked)
{
    sample own = { 0 }, all[MOST_RANKS], most = { 0 };
    if (checked)
        anypi_work_prepare(&b->work, cell, comm);
    const double begin = netlab_together(comm, b->latency, &own.late);
    const int error = anypi_work_call(&b->work, cell, comm);
    own.seconds = netlab_clock() - begin;
    own.verdict = error ? ANYPI_REFUSED
        : checked ? anypi_work_verify(&b->work, cell, comm) : ANYPI_RIGHT;
    MPI_Gather(&own, 3, MPI_DOUBLE, all, 3, MPI_DOUBLE, 0, comm);
    for (int i = 0; !b->rank && i < cell->p; i++) {
        most.seconds = fmax(most.seconds, all[i].seconds);
        most.late = fmax(most.late, all[i].late);
        most.verdict = fmax(most.verdict, all[i].verdict);
    }
    MPI_Bcast(&most, 3, MPI_DOUBLE, 0, comm);
    return most;
}

static bool is_late(const bench *b, const sample *s)
{
    return s->late > fmax(late_part * s->seconds, late_latency * b->latency);
}

static void keep_sample(bench *b, const anypi_cell *cell, const char *who, const sample *kept)
{
    char what[3 * ANYPI_NAME_SIZE] = "";
    b->samples++;
    b->late += is_late(b, kept);
    if (b->rank)
        return;
    if (b->decision)
        anypi_bench_chosen(b->decision, cell, true, what, sizeof what);
    for (char *c = what; *c; c++)
        *c = *c == ',' ? ';' : *c;
    printf("%s,%s,%d,%lld,%s,%.7f,%s\n", anyp_collective_name(cell->collective),
           cell->commutative ? "sum" : "matrix", cell->p, (long long) cell->bytes, who,
           kept->seconds, what);
    fflush(stdout);
}

/* Samples, each taken again while a rank begins late. */
static void take_samples(bench *b, const anypi_cell *cell, MPI_Comm comm, int count,
                         const char *who)
{
    for (int i = 0; i < count; i++) {
        sample taken = { .late = INFINITY };
        for (int attempt = 0; is_late(b, &taken) && attempt < MOST_TRIES; attempt++)
            taken = call_once(b, cell, comm, false);
        keep_sample(b, cell, who, &taken);
    }
}

/* Times the candidate that is in force. Its first call is checked; where calls are long it is a
 * sample, if no rank was late. `rival`: seconds of the library's own choice; 0 for that itself.
 * Returns the seconds of the first call; 0 if the candidate does not fit. Wrong is worth an end. */
static double time_candidate(bench *b, const anypi_cell *cell, MPI_Comm comm, double rival,
                             const char *who)
{
    const sample first = call_once(b, cell, comm, true);
    if (first.verdict == ANYPI_WRONG) {
        if (!b->rank)
            fprintf(stderr, "measure: ERROR: %s, %lld bytes, p=%d: %s gives a wrong result\n",
                    anyp_collective_name(cell->collective), (long long) cell->bytes, cell->p, who);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    if (first.verdict == ANYPI_REFUSED)
        return 0;
    const bool is_long = first.seconds >= long_call;
    int repeats = is_long ? (b->repeats + 1) / 2 : b->repeats;
    if (rival > 0)
        repeats = first.seconds > hopeless * rival ? 1 : (repeats + 1) / 2;
    const bool counts = is_long && !is_late(b, &first);
    if (counts)
        keep_sample(b, cell, who, &first);
    take_samples(b, cell, comm, repeats - counts, who);
    return first.seconds;
}

static void time_cell(bench *b, const anypi_cell *cell, MPI_Comm comm)
{
    const anypi_candidates *candidates = &b->plan.candidates[cell->collective];
    const double own = time_candidate(b, cell, comm, 0, b->file ? "anyp" : "peer:mpich");
    for (int c = 1; b->single && c < candidates->count; c++) {
        char who[2 * ANYPI_NAME_SIZE];
        if (candidates->list[c].algorithm)
            continue;
        snprintf(who, sizeof who, "single:%s", candidates->list[c].name);
        anypi_steer_select(cell->collective, &candidates->list[c]);
        time_candidate(b, cell, comm, own, who);
        anypi_steer_select(cell->collective, &candidates->list[0]);
    }
}

static bool other_collectives(const bench *b, int p)
{
    bool any = !b->others_count;
    for (int i = 0; i < b->others_count; i++)
        any = any || b->others[i] == p;
    return any;
}

static void time_all(bench *b)
{
    for (int i = 0; i < b->procs_count; i++) {
        MPI_Comm comm;
        const int p = (int) b->procs[i];
        MPI_Comm_split(MPI_COMM_WORLD, b->rank < p ? 0 : MPI_UNDEFINED, b->rank, &comm);
        if (comm == MPI_COMM_NULL)
            continue;
        MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
        for (size_t k = 0; k < sizeof cells / sizeof *cells; k++) {
            if ((b->quick && !cells[k].quick) ||
                (cells[k].collective != ANYP_ALLREDUCE && !other_collectives(b, p)))
                continue;
            const anypi_cell cell = { .collective = cells[k].collective, .p = p,
                                      .commutative = cells[k].commutative,
                                      .bytes = cells[k].bytes };
            time_cell(b, &cell, comm);
        }
        MPI_Comm_free(&comm);
    }
}

static bool read_options(bench *b, int argc, char **argv, int p)
{
    static const struct option names[] = {
        { "latency", 1, NULL, 'l' }, { "procs", 1, NULL, 'p' }, { "file", 1, NULL, 'f' },
        { "cvars", 1, NULL, 'v' }, { "single", 0, NULL, 's' }, { "repeats", 1, NULL, 'r' },
        { "quick", 0, NULL, 'q' }, { "others", 1, NULL, 'o' }, { NULL, 0, NULL, 0 }
    };
    const char *reason;
    b->procs[0] = p;
    b->repeats = 4;
    b->procs_count = 1;
    for (int option; (option = getopt_long(argc, argv, "", names, NULL)) != -1;) {
        switch (option) {
        case 'l': b->latency = 1e-6 * atof(optarg); break;
        case 'p': b->procs_count = anypi_parse_list(optarg, 2, p, b->procs, &reason); break;
        case 'o':
            b->others_count = anypi_parse_list(optarg, 2, p, b->others, &reason);
            if (!b->others_count)
                return false;
            break;
        case 'f': b->file = optarg; break;
        case 'v': b->cvars = optarg; break;
        case 's': b->single = true; break;
        case 'q': b->quick = true; break;
        case 'r': b->repeats = atoi(optarg); break;
        default: return false;
        }
    }
    return optind == argc && b->latency > 0 && b->procs_count && b->repeats > 0 && p <= MOST_RANKS;
}

/* All that may fail before anything is timed. */
static bool prepare(bench *b, int p, char *message, size_t size)
{
    anypi_names *names = NULL;
    anypi_diagnosis diagnosis = { .text = "no memory" };
    if (!anypi_steer_open(MPI_COMM_WORLD, b->cvars, &names, message, size))
        return false;
    snprintf(message, size, "this library cannot be measured: it is not MPICH with AnyP inside");
    for (int i = 0; i < ANYP_COLLECTIVES; i++)
        b->plan.wanted[i] = true;
    if (anypi_candidates_make(&b->plan, names) != ANYP_SUCCESS ||
        (b->single && !anypi_steer_strict()))
        return false;
    if (b->file && anypi_decision_read(b->file, &b->decision, &diagnosis) != ANYP_SUCCESS) {
        snprintf(message, size, "%s", diagnosis.text);
        return false;
    }
    return anypi_work_init(&b->work, 1 << 20, p);
}

/* Connections are made on first use, which belongs to no sample. */
static bool connect_all(int p)
{
    char *from = calloc((size_t) p, 1), *to = calloc((size_t) p, 1);
    if (from && to)
        MPI_Alltoall(from, 1, MPI_CHAR, to, 1, MPI_CHAR, MPI_COMM_WORLD);
    const bool done = from && to;
    free(from);
    free(to);
    return done;
}

int main(int argc, char **argv)
{
    static bench b;
    char message[1024] = "no memory";
    int p;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &b.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    if (!read_options(&b, argc, argv, p)) {
        if (!b.rank)
            fputs(usage, stderr);
        MPI_Finalize();
        return 2;
    }
    int own = prepare(&b, p, message, sizeof message) && connect_all(p), all;
    MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (all)
        time_all(&b);
    else if (!b.rank)
        fprintf(stderr, "measure: %s\n", message);
    if (all && !b.rank)
        printf("late: %d of %d\n", b.late, b.samples);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return !all;
}
