/* SPDX-License-Identifier: BSD-3-Clause */
#include "soak.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

soak_now now[SOAK_LANES];

static pthread_t thread;
static long steps;
static volatile bool ended;

void watch_step(int lane, long number, const char *part, const soak_call *call)
{
    now[lane].number = number;
    now[lane].part = part;
    now[lane].call = call;
    __atomic_add_fetch(&steps, 1, __ATOMIC_RELAXED);
}

void watch_again(long number)
{
    static const char *const variables[] = { "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE",
                                         "ANYP_TUNING_FILE", "ANYP_NODES" };
    fprintf(stderr, "soak: again: ");
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++)
        if (getenv(variables[i]))
            fprintf(stderr, "%s=%s ", variables[i], getenv(variables[i]));
    fprintf(stderr, "test/soak/run --backend ... --ranks %d -- --seed %llu --from %ld --calls %d"
            "%s%s\n", world_size, (unsigned long long) options.seed, number, SOAK_EPISODE,
            options.threads ? " --threads" : "", options.reproducible ? " --reproducible" : "");
}

/* What this rank does. */
static void report(const char *what)
{
    char text[512];
    long number = -1;
    for (int i = 0; i < SOAK_LANES; i++) {
        const soak_now *n = &now[i];
        if (!n->part)
            continue;
        number = n->number;
        text[0] = '\0';
        if (n->call)
            call_text(&n->call->call, text, sizeof text);
        fprintf(stderr, "soak: rank %d %s in call %ld: %s: %s\n", world_rank, what, n->number,
                n->part, text);
        for (size_t j = 0; j < sizeof n->under_way / sizeof n->under_way[0]; j++)
            if (n->under_way[j] && n->under_way[j] != n->call) {
                call_text(&n->under_way[j]->call, text, sizeof text);
                fprintf(stderr, "soak: rank %d   under way: %s\n", world_rank, text);
            }
    }
    if (number >= 0)
        watch_again(number);
    fflush(stderr);
}

static void *watch(void *unused)
{
    long seen = -1;
    (void) unused;
    for (long same = 0; !ended; same++) {
        const long at = __atomic_load_n(&steps, __ATOMIC_RELAXED);
        if (at != seen)
            same = 0;
        seen = at;
        if (same >= options.limit) {
            char what[64];
            snprintf(what, sizeof what, "has waited for %ld s", options.limit);
            report(what);
            sleep(5);           /* so that the others report, too */
            _exit(3);
        }
        sleep(1);
    }
    return NULL;
}

/* Not safe in a handler, but the process ends in any case. */
static void crashed(int number)
{
    signal(number, SIG_DFL);
    report(strsignal(number));
    raise(number);
}

static void handler(MPI_Comm *comm, int *error, ...)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;
    (void) comm;
    MPI_Error_string(*error, text, &length);
    fprintf(stderr, "soak: rank %d: MPI says: %s\n", world_rank, text);
    report("gets an error");
    MPI_Abort(MPI_COMM_WORLD, 1);
}

void watch_open(void)
{
    MPI_Errhandler telling;
    MPI_Comm_create_errhandler(handler, &telling);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, telling);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, telling);
    MPI_Errhandler_free(&telling);
    static const int numbers[] = { SIGSEGV, SIGBUS, SIGFPE, SIGABRT };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        signal(numbers[i], crashed);
    pthread_create(&thread, NULL, watch, NULL);
}

void watch_close(void)
{
    ended = true;
    pthread_join(thread, NULL);
}
