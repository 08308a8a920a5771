/* SPDX-License-Identifier: BSD-3-Clause
 *
 * threads - several threads of a process call collectives at the same time, each on a separate
 * communicator (MPI_THREAD_MULTIPLE), with every algorithm of the registry forced in turn: blocking
 * calls, two nonblocking ones at a time, and persistent ones.
 *
 * Then two threads wait for each other, across ranks: one for a nonblocking call, the other in a
 * barrier. If a thread had to complete the calls of others before it waits, they would hang. Last,
 * an operator needs a mutex that another thread holds while it frees a datatype.
 */
#include "control.h"

#include "measure/calls.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { THREADS = 4, CALLS = 60, FEWER = 12, MOST = 3000 };
enum form { BLOCKING, NONBLOCKING, PERSISTENT };
static const enum form last_form = MPI_VERSION < 4 ? NONBLOCKING : PERSISTENT;
static enum form form;

typedef struct worker {
    pthread_t thread;
    MPI_Comm comm;
    anyp_collective collective;
    int place;                  /* of the thread */
    long wrong;
} worker;

/* What rank has as element i in a thread's n-th call. */
static int value(int rank, int place, int n, int i)
{
    return rank * 7 + place * 1000 + n * 13 + i;
}

/* Calls two at a time, of which the other has its result in `other`. */
static void call_two(const anypi_mpi_call *call, int *other)
{
    anypi_mpi_call second = *call;
    MPI_Request requests[2];
    MPI_Status statuses[2];
    second.out = other;
    anypi_call_nonblocking(call, &requests[0]);
    anypi_call_nonblocking(&second, &requests[1]);
    MPI_Waitall(2, requests, statuses);
}

/* Calls in the present form. `other` receives another result. */
static void call_once(const anypi_mpi_call *call, int *other)
{
    if (form == BLOCKING)
        anypi_call_blocking(call);
    else if (form == NONBLOCKING)
        call_two(call, other);
#if MPI_VERSION >= 4
    else {
        MPI_Request request;
        int done = 0;
        anypi_call_persistent(call, &request);
        MPI_Start(&request);
        while (!done)
            MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
    }
#endif
}

static void *work(void *argument)
{
    worker *w = argument;
    int rank, p;
    MPI_Comm_rank(w->comm, &rank);
    MPI_Comm_size(w->comm, &p);
    int *in = malloc(sizeof *in * MOST), *out = malloc(sizeof *out * MOST);
    int *other = malloc(sizeof *other * MOST);
    int *counts = malloc(sizeof *counts * (size_t) p);
    for (int n = 0; n < (form == BLOCKING ? CALLS : FEWER); n++) {
        const int block = 1 + (n * 37 + w->place * 5) % (MOST / p);
        const anyp_call of_rank = { .collective = w->collective, .p = p };
        const int ranks = anypi_prefix_end(&of_rank, rank);
        int first = 0, mine = anypi_has_result(&of_rank, rank) ? block * p : 0;
        for (int i = 0; i < p; i++)
            counts[i] = block;
        if (anypi_has_counts(&of_rank) && p > 1) {
            counts[0] = 0;
            counts[p - 1] = 2 * block;
        }
        for (int i = 0; anypi_scatters(&of_rank) && i < rank; i++)
            first += counts[i];
        if (anypi_scatters(&of_rank))
            mine = counts[rank];
        for (int i = 0; i < block * p; i++)
            in[i] = value(rank, w->place, n, i);
        const anypi_mpi_call call = { .collective = w->collective, .in = in, .out = out,
                                      .count = block * p, .counts = counts, .type = MPI_INT,
                                      .op = MPI_SUM, .comm = w->comm };
        call_once(&call, other);
        if (form == NONBLOCKING)
            w->wrong += mine > 0 && memcmp(out, other, (size_t) mine * sizeof *out) != 0;
        for (int i = 0; i < mine; i++)
            w->wrong += out[i] != ranks * value(0, w->place, n, first + i) +
                7 * ranks * (ranks - 1) / 2;
    }
    free(in);
    free(out);
    free(other);
    free(counts);
    return NULL;
}

/* All threads at once; the number of wrong elements. */
static long run(anyp_collective collective, worker *workers)
{
    long wrong = 0;
    for (int i = 0; i < THREADS; i++) {
        workers[i].collective = collective;
        workers[i].place = i;
        workers[i].wrong = 0;
        pthread_create(&workers[i].thread, NULL, work, &workers[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        wrong += workers[i].wrong;
    }
    return wrong;
}

/* Rank 0 begins its call at once, the others after their barrier, for which rank 0 waits. */
static void *meet(void *argument)
{
    MPI_Barrier(((worker *) argument)->comm);
    return NULL;
}

static void wait_for_each_other(worker *workers, int rank)
{
    int in = 1, out = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    if (rank == 0)
        MPI_Iallreduce(&in, &out, 1, MPI_INT, MPI_SUM, workers[0].comm, &request);
    pthread_create(&workers[1].thread, NULL, meet, &workers[1]);
    if (rank != 0) {
        pthread_join(workers[1].thread, NULL);
        MPI_Iallreduce(&in, &out, 1, MPI_INT, MPI_SUM, workers[0].comm, &request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 0)
        pthread_join(workers[1].thread, NULL);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void sum_with_mutex(void *left, void *right, int *length, MPI_Datatype *type)
{
    (void) type;
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < *length; i++)
        ((int *) right)[i] += ((int *) left)[i];
    pthread_mutex_unlock(&mutex);
}

static void *free_with_mutex(void *nothing)
{
    MPI_Datatype type;
    MPI_Type_contiguous(2, MPI_INT, &type);
    pthread_mutex_lock(&mutex);
    nanosleep(&(struct timespec) { .tv_nsec = 20000000 }, NULL);
    MPI_Type_free(&type);
    pthread_mutex_unlock(&mutex);
    return nothing;
}

static void share_mutex(worker *workers)
{
    int in = 1, out = 0;
    MPI_Op op;
    MPI_Request request;
    MPI_Op_create(sum_with_mutex, 1, &op);
    pthread_create(&workers[1].thread, NULL, free_with_mutex, NULL);
    MPI_Iallreduce(&in, &out, 1, MPI_INT, op, workers[0].comm, &request);
    MPI_Op_free(&op);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    pthread_join(workers[1].thread, NULL);
}

/* Forces every algorithm in turn; adds the number of wrong elements. Returns how many there are. */
static int run_all(worker *workers, long *wrong)
{
    int count, runs = 0;
    const anyp_algorithm *algorithms = anyp_algorithms(&count);
    for (anyp_collective c = 0; c < ANYP_REDUCTIONS; c++) {
        for (int a = 0; a < count; a++) {
            if (!(algorithms[a].collectives & ANYP_IN_SET(c)))
                continue;
            control_algorithm(c, &algorithms[a]);
            *wrong += run(c, workers);
            runs++;
        }
        control_algorithm(c, NULL);
    }
    return runs;
}

int main(int argc, char **argv)
{
    int provided, rank, p, runs = 0;
    long wrong = 0, all;
    worker workers[THREADS];
    if (argc != 1 + control_needs_file) {
        fputs("usage: mpiexec -n P threads [PREFIX/share/anyp/mpich.json]\n"
              "(the file if AnyP is inside MPICH)\n", stderr);
        return 2;
    }
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    if (provided != MPI_THREAD_MULTIPLE) {
        if (rank == 0)
            printf("threads: this MPI library has no MPI_THREAD_MULTIPLE: FAILED\n");
        MPI_Finalize();
        return 1;
    }
    control_open(argv[1]);
    for (int i = 0; i < THREADS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &workers[i].comm);
    for (form = BLOCKING; form <= last_form && control_nonblocking(form != BLOCKING); form++)
        runs += run_all(workers, &wrong);
    if (form > NONBLOCKING) {
        control_algorithm(ANYP_ALLREDUCE, anyp_algorithm_find("exchange"));
        wait_for_each_other(workers, rank);
        if (!control_needs_file)        /* MPICH itself calls operators with its lock held */
            share_mutex(workers);
        control_algorithm(ANYP_ALLREDUCE, NULL);
    }
    for (int i = 0; i < THREADS; i++)
        MPI_Comm_free(&workers[i].comm);
    MPI_Allreduce(&wrong, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    control_close();
    if (rank == 0)
        printf("threads: p=%d, %d times an algorithm in %d threads: %ld wrong: %s\n", p, runs,
               THREADS, all, all ? "FAILED" : "passed");
    MPI_Finalize();
    return all != 0;
}
