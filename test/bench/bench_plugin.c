/* SPDX-License-Identifier: BSD-3-Clause
 *
 * bench_plugin - what the plug-in adds to a small allreduce. It compares forwarded calls with
 * PMPI_Allreduce. If the MPI library has AnyP inside, it also compares AnyP's algorithms through
 * the plug-in with the same ones inside. All ways alternate in one run, in short blocks of calls,
 * so that disturbances of the machine affect all of them; medians of many rounds.
 */
#include "statistics.h"
#include "measure/steer.h"
#include "tuner/tuner_options.h"

#include "anyp_control.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "usage: mpiexec -n 2 bench_plugin [--mpich WHICH] [--check] [--help]\n"
    "Prints nanoseconds per MPI_Allreduce of 8 bytes (median), and the median difference to\n"
    "another way to call: of calls that the plug-in forwards to PMPI_Allreduce (limit: 30 ns\n"
    "more); and with the prefix of an MPICH with AnyP inside, of AnyP's algorithms through\n"
    "the plug-in to the same inside (limit: 10 % more). '!' marks a time above its limit; with\n"
    "--check the exit status is 1 then.\n";

enum { ROUNDS = 1001, CALLS = 50, WARM = 10, MAX_WAYS = 64 };
static const double max_more = 30;    /* nanoseconds */
static const double max_percent = 10;

static const char rules[] =
    "{\"collective=allreduce\": {\"comm_type=intra\": {\"comm_size<=1024\": "
    "{\"algorithm=MPIR_Allreduce_intra_recursive_doubling\": {}}}}}";

/* A way to call. */
typedef struct way {
    char name[64];
    bool direct;                /* PMPI_Allreduce */
    const char *algorithm, *file;       /* for the plug-in */
    anypi_candidate inside;     /* for the MPI library; .algorithm NULL: its own choice */
    int against;                /* the way to compare with; -1: none */
    double times[ROUNDS];
} way;

static way ways[MAX_WAYS];
static int count;
static bool steered;            /* the MPI library has AnyP inside */

static way *add(const char *name, bool direct, int against)
{
    way *new = &ways[count++];
    snprintf(new->name, sizeof new->name, "%s", name);
    new->direct = direct;
    new->against = against;
    return new;
}

/* Adds the ways with each algorithm of allreduce. */
static void add_algorithms(const anypi_cvars *names)
{
    int algorithms_count;
    const anyp_algorithm *algorithms = anyp_algorithms(&algorithms_count);
    for (int i = 0; i < algorithms_count; i++) {
        char text[64];
        const anyp_algorithm *algorithm = &algorithms[i];
        if (!(algorithm->collectives & ANYP_IN_SET(ANYP_ALLREDUCE)) || count + 2 > MAX_WAYS)
            continue;
        anypi_candidate inside = { .algorithm = algorithm };
        snprintf(inside.name, sizeof inside.name, "anyp_%s", algorithm->name);
        inside.value = steered ? anypi_cvars_find(names, "MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM",
                                                  inside.name, -1) : -1;
        anyp_parameters_default(algorithm, inside.parameters);
        if (inside.value >= 0) {
            snprintf(text, sizeof text, "%s inside MPICH", algorithm->name);
            add(text, true, -1)->inside = inside;
        }
        snprintf(text, sizeof text, "%s through the plug-in", algorithm->name);
        add(text, false, inside.value >= 0 ? count - 1 : -1)->algorithm = algorithm->name;
    }
}

static bool set(const char *name, const char *value)
{
    const char *reason;
    if (anyp_control_set(name, value, &reason) == 0)
        return true;
    fprintf(stderr, "bench_plugin: %s\n", reason);
    return false;
}

static bool prepare(const way *which)
{
    return (!steered || anypi_steer_select(ANYP_ALLREDUCE, &which->inside)) &&
        set("ALLREDUCE_ALGORITHM", which->algorithm) && set("TUNING_FILE", which->file);
}

static void call(const way *which, int calls)
{
    double in = 1, out;
    if (which->direct)
        for (int i = 0; i < calls; i++)
            PMPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    else
        for (int i = 0; i < calls; i++)
            MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* Times all ways; false if another algorithm runs than the selected one. */
static bool measure(void)
{
    for (int round = 0; round < ROUNDS; round++)
        for (int k = 0; k < count; k++) {
            way *which = &ways[(k + round) % count];
            if (!prepare(which))
                return false;
            call(which, WARM);
            const char *ran = anyp_control_last("allreduce");
            if (!which->direct && (ran ? !which->algorithm || strcmp(ran, which->algorithm)
                                   : which->algorithm != NULL)) {
                fprintf(stderr, "bench_plugin: %s: %s runs\n", which->name,
                        ran ? ran : "an algorithm of the MPI library");
                return false;
            }
            const double begin = MPI_Wtime();
            call(which, CALLS);
            which->times[round] = 1e9 * (MPI_Wtime() - begin) / CALLS;
        }
    return true;
}

/* Prints a way; false if it is above its limit. */
static bool print(const way *which)
{
    bool high = false;
    printf("%-42s %8.0f", which->name, bench_median(which->times, ROUNDS));
    if (which->against >= 0) {
        const way *other = &ways[which->against];
        static double more[ROUNDS];
        for (int i = 0; i < ROUNDS; i++)
            more[i] = which->times[i] - other->times[i];
        const double difference = bench_median(more, ROUNDS);
        const double percent = 100 * difference / bench_median(other->times, ROUNDS);
        high = which->algorithm ? percent > max_percent : difference > max_more;
        printf(" %+8.0f %+7.1f %%%s", difference, percent, high ? " !" : "");
    }
    putchar('\n');
    return !high;
}

/* Writes a file with rules and its name, for all ranks; they share the machine. */
static bool write_rules(int rank, char *name, size_t size)
{
    int good = 1;
    snprintf(name, size, "/tmp/bench_plugin.XXXXXX");
    if (rank == 0) {
        const int file = mkstemp(name);
        good = file >= 0 && write(file, rules, sizeof rules - 1) == (ssize_t) sizeof rules - 1;
        good = file >= 0 && !close(file) && good;
    }
    MPI_Bcast(&good, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(name, (int) size, MPI_CHAR, 0, MPI_COMM_WORLD);
    return good;
}

/* Measures and prints; returns the exit status. */
static int run(int rank, const char *mpich, bool check)
{
    char file[64], message[512];
    anypi_cvars *names = NULL;
    if (mpich && (!anypi_names_open(mpich, message, sizeof message) ||
                  !anypi_steer_open(MPI_COMM_WORLD, &names, message, sizeof message))) {
        if (rank == 0)
            fprintf(stderr, "bench_plugin: %s\n", message);
        return 1;
    }
    steered = names;
    if (!write_rules(rank, file, sizeof file)) {
        fprintf(stderr, "bench_plugin: cannot write to /tmp\n");
        return 1;
    }
    add("PMPI_Allreduce", true, -1);
    add("passed on: nothing is set", false, 0);
    add("passed on: a rule names no algorithm of AnyP's", false, 0)->file = file;
    add_algorithms(names);
    const bool good = measure();
    int high = 0;
    if (rank == 0) {
        unlink(file);
        printf("%-42s %8s %8s %9s\n", "8 bytes, 2 processes", "ns", "more", "");
        for (int k = 0; good && k < count; k++)
            high += !print(&ways[k]);
    }
    MPI_Bcast(&high, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (steered)
        anypi_steer_close();
    return !good || (check && high);
}

int main(int argc, char **argv)
{
    int rank, p, status = 0;
    bool help = false, check = false, wrong = false;
    const char *mpich = NULL;
    for (int i = 1; i < argc; i++) {
        help = help || !strcmp(argv[i], "--help");
        check = check || !strcmp(argv[i], "--check");
        if (!strcmp(argv[i], "--mpich") && i + 1 < argc)
            mpich = argv[++i];
        else
            wrong = wrong || (strcmp(argv[i], "--help") && strcmp(argv[i], "--check"));
    }
    anypi_steer_clean();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    if (help || wrong || p != 2) {
        if (rank == 0)
            fputs(usage, help ? stdout : stderr);
        status = help ? 0 : 2;
    } else {
        status = run(rank, mpich, check);
    }
    MPI_Finalize();
    return status;
}
