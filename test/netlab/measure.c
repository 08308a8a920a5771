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
enum { MOST_TRIES = 3, MOST_RANKS = 64 };

static const char usage[] =
    "usage: mpiexec -n P netlab enter measure --latency US [--procs LIST] [--file DECISIONS]\n"
    "                                         [--single] [--cvars FILE] [--repeats N]\n\n"
    "  --latency US      the network's\n"
    "  --procs LIST      numbers of processes, at most P (default: P)\n"
    "  --file DECISIONS  this file is in force: the samples are AnyP's; else MPICH's own choice\n"
    "  --single          each of MPICH's own algorithms, too, where it fits; a third of the "
    "samples\n"
    "  --cvars FILE      the library's share/anyp/cvars.json\n"
    "  --repeats N       samples of each; fewer where they take long (default: 6)\n";

/* The cells that test/bench/targets.py has targets for. */
static const struct {
    anyp_collective collective;
    bool commutative;
    int64_t bytes;
} cells[] = {
    { ANYP_ALLREDUCE, true, 8 },
    { ANYP_ALLREDUCE, true, 128 << 10 },
    { ANYP_ALLREDUCE, true, 1 << 20 },
    { ANYP_ALLREDUCE, false, 1 << 20 },
    { ANYP_REDUCE_SCATTER_BLOCK, true, 128 << 10 },
    { ANYP_REDUCE, true, 1 << 20 },
};

typedef struct bench {
    double latency;
    int procs[ANYPI_MAX_LIST], procs_count;
    const char *file, *cvars;
    bool single;
    int repeats;
    int samples, late;                  /* taken, and of them with a rank that began late */
    int rank;
    anypi_plan plan;                    /* for the candidates */
    anypi_decision *decision;
    anypi_work work;
} bench;

/* One call: seconds until the last rank is done, on rank 0; *late: the latest beginning. What the
 * bench says itself takes other collectives than those whose algorithm may be forced. */
static double sample(bench *b, const anypi_cell *cell, MPI_Comm comm, double *late)
{
    double own[2], all[2 * MOST_RANKS], seconds = 0;
    const double begin = netlab_together(comm, b->latency, &own[1]);
    anypi_work_call(&b->work, cell, comm);
    own[0] = netlab_clock() - begin;
    MPI_Gather(own, 2, MPI_DOUBLE, all, 2, MPI_DOUBLE, 0, comm);
    *late = 0;
    for (int i = 0; !b->rank && i < cell->p; i++) {
        seconds = fmax(seconds, all[2 * i]);
        *late = fmax(*late, all[2 * i + 1]);
    }
    return seconds;
}

static void print_sample(const bench *b, const anypi_cell *cell, const char *who, double seconds)
{
    char what[3 * ANYPI_NAME_SIZE] = "";
    if (b->decision)
        anypi_bench_chosen(b->decision, cell, true, what, sizeof what);
    for (char *c = what; *c; c++)
        *c = *c == ',' ? ';' : *c;
    printf("%s,%s,%d,%lld,%s,%.7f,%s\n", anyp_collective_name(cell->collective),
           cell->commutative ? "sum" : "matrix", cell->p, (long long) cell->bytes, who, seconds,
           what);
    fflush(stdout);
}

/* The samples: `repeats`, a third of them if the call that was checked was `slow`. */
static void time_candidate(bench *b, const anypi_cell *cell, MPI_Comm comm, int repeats, bool slow,
                           const char *who)
{
    double late, seconds;
    if (slow)
        repeats = (repeats + 2) / 3;
    for (int i = 0; i < repeats; i++) {
        int again = 1;
        for (int attempt = 0; again && attempt < MOST_TRIES; attempt++) {
            seconds = sample(b, cell, comm, &late);
            again = late > fmax(late_part * seconds, late_latency * b->latency);
            MPI_Bcast(&again, 1, MPI_INT, 0, comm);
        }
        b->samples++;
        b->late += again;
        if (!b->rank)
            print_sample(b, cell, who, seconds);
    }
}

/* Is the candidate one that fits, and right on all ranks? Wrong is worth an end. The answers of all
 * are put together by what the library chooses. *slow: it took long. */
static bool check(bench *b, const anypi_cell *cell, const anypi_candidate *candidate, MPI_Comm comm,
                  bool *slow, const char *who)
{
    const anypi_candidate *chosen = &b->plan.candidates[cell->collective].list[0];
    const double begin = netlab_clock();
    int own[2], most[2];
    anypi_steer_select(cell->collective, candidate);
    own[0] = (int) anypi_work_check(&b->work, cell, comm, false);
    anypi_steer_select(cell->collective, chosen);
    own[1] = netlab_clock() - begin >= 0.1;
    MPI_Allreduce(own, most, 2, MPI_INT, MPI_MAX, comm);
    const int worst = most[0];
    *slow = most[1];
    if (worst == ANYPI_WRONG) {
        if (!b->rank)
            fprintf(stderr, "measure: ERROR: %s, %lld bytes, p=%d: %s gives a wrong result\n",
                    anyp_collective_name(cell->collective), (long long) cell->bytes, cell->p, who);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return worst == ANYPI_RIGHT;
}

static void time_cell(bench *b, const anypi_cell *cell, MPI_Comm comm)
{
    const anypi_candidates *candidates = &b->plan.candidates[cell->collective];
    const char *own = b->file ? "anyp" : "peer:mpich";
    bool slow;
    anypi_work_fill(&b->work, cell, comm);
    if (check(b, cell, &candidates->list[0], comm, &slow, own))
        time_candidate(b, cell, comm, b->repeats, slow, own);
    for (int c = 1; b->single && c < candidates->count; c++) {
        char who[2 * ANYPI_NAME_SIZE];
        if (candidates->list[c].algorithm)
            continue;
        snprintf(who, sizeof who, "single:%s", candidates->list[c].name);
        if (!check(b, cell, &candidates->list[c], comm, &slow, who))
            continue;
        anypi_steer_select(cell->collective, &candidates->list[c]);
        time_candidate(b, cell, comm, (b->repeats + 2) / 3, slow, who);
        anypi_steer_select(cell->collective, &candidates->list[0]);
    }
}

static void time_all(bench *b)
{
    for (int i = 0; i < b->procs_count; i++) {
        MPI_Comm comm;
        MPI_Comm_split(MPI_COMM_WORLD, b->rank < b->procs[i] ? 0 : MPI_UNDEFINED, b->rank, &comm);
        if (comm == MPI_COMM_NULL)
            continue;
        MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
        for (size_t k = 0; k < sizeof cells / sizeof *cells; k++) {
            const anypi_cell cell = { .collective = cells[k].collective, .p = b->procs[i],
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
        { NULL, 0, NULL, 0 }
    };
    const char *reason;
    int64_t list[ANYPI_MAX_LIST] = { p };
    b->repeats = 6;
    b->procs_count = 1;
    for (int option; (option = getopt_long(argc, argv, "", names, NULL)) != -1;) {
        switch (option) {
        case 'l': b->latency = 1e-6 * atof(optarg); break;
        case 'p': b->procs_count = anypi_parse_list(optarg, 2, p, list, &reason); break;
        case 'f': b->file = optarg; break;
        case 'v': b->cvars = optarg; break;
        case 's': b->single = true; break;
        case 'r': b->repeats = atoi(optarg); break;
        default: return false;
        }
    }
    for (int i = 0; i < b->procs_count; i++)
        b->procs[i] = (int) list[i];
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
