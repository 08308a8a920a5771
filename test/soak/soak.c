/* SPDX-License-Identifier: BSD-3-Clause
 *
 * soak - random calls of all collectives, in all forms, with random algorithms, parameters, types,
 * operators and counts, on communicators that come and go, several under way at once, in threads,
 * with messages of the program's own between them; against a plain reference. AnyP is inside MPICH
 * or in the plug-in, as for the other tests (control.h). Run under mpiexec by test/soak/run.
 */
#include "soak.h"

#include "../mpi/control.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

soak_options options = { .calls = 1000, .limit = 300 };
int world_rank, world_size;

static const char usage[] =
    "usage: mpiexec -n P soak [--mpich FILE] [--seed N] [--from CALL] [--calls N] [--seconds N]\n"
    "                         [--threads] [--reproducible] [--limit SECONDS] [--verbose]\n"
    "       mpiexec -n P soak [--mpich FILE] [--seed N] --communicators N\n"
    "Makes random calls of collectives and compares them with a plain reference. FILE is an\n"
    "MPICH's PREFIX/share/anyp/mpich.json, if AnyP is inside it. The seed (default: from the\n"
    "clock) is printed; with it and the same P, all is repeated; --from begins near that call.\n"
    "--calls: how many (default 1000). --seconds: no more after this time. --threads: some of\n"
    "them in several threads. --reproducible: MPIR_CVAR_ANYP_REPRODUCIBLE or ANYP_REPRODUCIBLE\n"
    "is set. --limit: a call that takes longer is reported, and all ends (default 300).\n"
    "--verbose: each call is written before it is made. --communicators: makes so many, one\n"
    "after the other, with a call on each, and measures memory; then many persistent requests,\n"
    "which exist at the same time, and 10,000 starts of one. Exit status: 0 all right, 1\n"
    "something was wrong, 2 it could not run, 3 a call did not end.\n";

static bool parse_number(const char *text, long *value)
{
    char *end;
    *value = strtol(text, &end, 10);
    return *text && !*end && *value >= 0;
}

static bool parse(int argc, char **argv)
{
    long seed = -1;
    const struct {
        const char *name;
        bool *on;
        long *number;
    } all[] = {
        { "--threads", &options.threads, NULL },
        { "--reproducible", &options.reproducible, NULL },
        { "--verbose", &options.verbose, NULL },
        { "--seed", NULL, &seed },
        { "--from", NULL, &options.from },
        { "--calls", NULL, &options.calls },
        { "--seconds", NULL, &options.seconds },
        { "--limit", NULL, &options.limit },
        { "--communicators", NULL, &options.communicators },
    };
    const size_t count = sizeof all / sizeof all[0];
    for (int i = 1; i < argc; i++) {
        size_t which = 0;
        if (!strcmp(argv[i], "--mpich") && i + 1 < argc) {
            options.table = argv[++i];
            continue;
        }
        while (which < count && strcmp(argv[i], all[which].name))
            which++;
        if (which == count)
            return false;
        if (all[which].on)
            *all[which].on = true;
        else if (i + 1 == argc || !parse_number(argv[++i], all[which].number))
            return false;
    }
    options.seed = seed >= 0 ? (uint64_t) seed : (uint64_t) time(NULL);
    options.from -= options.from % SOAK_EPISODE;
    return options.limit > 0 && !options.table == !control_needs_file;
}

/* Results that all ranks of a communicator have must have the same bits. */
static void compare_bits(const soak_bits *mine, long first)
{
    soak_bits *all = malloc(sizeof *all * SOAK_EPISODE * (size_t) world_size);
    enum { COUNT = SOAK_EPISODE * 2 };
    MPI_Allgather(mine, COUNT, MPI_UINT64_T, all, COUNT, MPI_UINT64_T, MPI_COMM_WORLD);
    for (int i = 0; i < SOAK_EPISODE; i++)
        if (mine[i].bits && mine[i].bits != all[mine[i].first * SOAK_EPISODE + (size_t) i].bits) {
            tally.failures++;
            fprintf(stderr, "FAILED call=%ld rank=%d of the world: bits differ from rank %d's\n",
                    first + i, world_rank, (int) mine[i].first);
        }
    free(all);
}

/* All calls of an episode, in one thread or several. */
static void episode(long first, MPI_Comm *comms)
{
    soak_random r = random_of(first, -2);
    const bool several = once_in(&r, 4) && options.threads;
    const int count = several ? SOAK_LANES : 1;
    soak_lane lanes[SOAK_LANES];
    soak_bits results[SOAK_EPISODE] = { { 0, 0 } };
    soak_forced forced;
    pthread_t threads[SOAK_LANES];
    for (int c = 0; several && c < ANYP_COLLECTIVES; c++)
        for (int other = 0; other < 2; other++) {
            candidate *one = &forced.candidates[c][other];
            draw_candidate(&r, (anyp_collective) c, one);
            force((anyp_collective) c, !other, one);
        }
    memset(now, 0, sizeof now);
    for (int i = 0; i < count; i++) {
        lanes[i] = (soak_lane) { .index = i, .world = several ? comms[i] : MPI_COMM_WORLD,
                                 .first = first, .end = first + SOAK_EPISODE, .step = count,
                                 .forced = several ? &forced : NULL, .results = results };
        if (several)
            pthread_create(&threads[i], NULL, lane_run, &lanes[i]);
    }
    if (!several)
        lane_run(&lanes[0]);
    for (int i = 0; i < count && several; i++)
        pthread_join(threads[i], NULL);
    memset(now, 0, sizeof now);
    watch_step(0, first, "end of an episode", NULL);
    compare_bits(results, first);
}

/* Makes the calls; returns how many. All ranks end with the same. */
static long run(void)
{
    MPI_Comm comms[SOAK_LANES];
    const time_t begin = time(NULL);
    time_t said = begin;
    long number = options.from;
    for (int i = 0; i < SOAK_LANES; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    while (number < options.from + options.calls) {
        long state[2], all[2];
        episode(number, comms);
        number += SOAK_EPISODE;
        state[0] = tally.failures;
        state[1] = world_rank == 0 && options.seconds && time(NULL) - begin >= options.seconds;
        MPI_Allreduce(state, all, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
        if (all[0] > 0 && world_rank == 0)
            watch_again(number - SOAK_EPISODE);
        if (all[0] > 0 || all[1] > 0)
            break;
        if (world_rank == 0 && time(NULL) - said >= 60) {
            said = time(NULL);
            printf("soak: %ld calls in %ld s\n", number - options.from, (long) (said - begin));
            fflush(stdout);
        }
    }
    for (int i = 0; i < SOAK_LANES; i++)
        MPI_Comm_free(&comms[i]);
    return number - options.from;
}

int main(int argc, char **argv)
{
    int provided;
    bool flat = true;
    long calls = 0, all = 0;
    if (argc == 2 && !strcmp(argv[1], "--help")) {
        fputs(usage, stdout);
        return 0;
    }
    if (!parse(argc, argv)) {
        fputs(usage, stderr);
        return 2;
    }
    MPI_Init_thread(&argc, &argv, options.threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED,
                    &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    if (world_size > CALL_MOST_RANKS || (options.threads && provided != MPI_THREAD_MULTIPLE)) {
        fprintf(stderr, "soak: it needs at most %d ranks%s\n", CALL_MOST_RANKS,
                options.threads ? " and MPI_THREAD_MULTIPLE" : "");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Bcast(&options.seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    if (world_rank == 0)
        printf("soak: %d ranks, seed %llu, from call %ld\n", world_size,
               (unsigned long long) options.seed, options.from);
    fflush(stdout);
    control_open(options.table);
    kinds_open();
    watch_open();
    if (options.communicators > 0) {
        flat = memory_is_flat();
        memory_of_requests();
    } else {
        calls = run();
    }
    watch_close();
    kinds_close();
    const long wrong = tally.failures;
    MPI_Allreduce(&wrong, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    control_close();
    if (world_rank == 0 && options.communicators == 0)
        printf("soak: %ld calls, seed %llu: %s\n", calls, (unsigned long long) options.seed,
               all ? "FAILED" : "passed");
    MPI_Finalize();
    return all > 0 || !flat;
}
