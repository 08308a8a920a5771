/* SPDX-License-Identifier: BSD-3-Clause
 *
 * many - many communicators, all with collectives on them: one after the other, without a memory
 * leak; as many at a time as the MPI library has (or enough), all of which AnyP serves; and in
 * several threads at the same time. With --count, writes only how many the library has.
 */
#include "calls.h"

#include "../mpi/library.h"

#include <limits.h>
#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* MPICH has about 2000, from 5.0 on more; of these, and of Open MPI's 65000, all would take long.
 * */
enum { MOST = 3000, FEW = 500 };
enum { ROUNDS = 1000, PART = 200, THREADS = 4, PER_THREAD = 50 };

static int wrong, rank, told, most;

static void check(bool good, const char *what, long number)
{
    if (good)
        return;
    printf("many: rank %d: wrong: %s: %ld\n", rank, what, number);
    __atomic_add_fetch(&wrong, 1, __ATOMIC_RELAXED);
}

/* If AnyP cannot make a communicator, the application must not get an error. */
static void handler(MPI_Comm *comm, int *error, ...)
{
    (void) comm;
    (void) error;
    __atomic_add_fetch(&told, 1, __ATOMIC_RELAXED);
}

static long memory(void)
{
    return (long) mallinfo2().uordblks;
}

static void one_after_the_other(void)
{
    long before = 0, least = LONG_MAX, lost = LONG_MAX;
    /* The library's own memory varies; a leak occurs each time. The second smallest growth, since
     * the library may once free more than leaks. */
    for (int i = 0; i <= ROUNDS; i++) {
        MPI_Comm comm, half;
        if (i % PART == 0) {
            const long now = memory(), more = (now - before) / PART;
            if (i > PART && more < least) {
                lost = least;
                least = more;
            } else if (i > PART && more < lost) {
                lost = more;
            }
            before = now;
        }
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        const int error = call_all(comm, 1);
        check(!error, "one after the other", error);
        MPI_Comm_split(comm, 0, -rank, &half);
        MPI_Comm_free(&comm);
        call_all(half, 1);
        MPI_Comm_free(&half);
    }
    check(lost < 32, "bytes are lost with each communicator", lost);
}

/* One more; false: there is none left. (MPICH 5.0.2 returns success after it has called the
 * application's error handler.) */
static bool is_made(MPI_Comm *comm)
{
    told = 0;
    return MPI_Comm_dup(MPI_COMM_WORLD, comm) == MPI_SUCCESS && !told;
}

/* How many there are; with calls on them when all are there. */
static int at_once(bool calls)
{
    static MPI_Comm comms[MOST];
    int count = 0, took = 0, refused = 0;
    while (count < most && is_made(&comms[count]))
        count++;
    told = 0;
    for (int i = 0; i < count && calls; i++) {
        const int error = call_all(comms[i], 1);
        check(!error, "at once", error);
        took += !!strcmp(what_ran(ANYP_ALLREDUCE), "own");
        refused += !strcmp(what_ran(ANYP_ALLREDUCE), "own");
    }
    for (int i = 0; i < count && calls; i++)
        check(!call_all(comms[i], 20), "again", i);
    check(!told, "errors that the application hears of", told);
    for (int i = 0; i < count; i++)
        MPI_Comm_free(&comms[i]);
    if (calls)
        check(!refused || !took, "not served", refused);
    return count;
}

/* Communicators that have collectives when the next are made. */
static int used_at_once(void)
{
    static MPI_Comm comms[MOST];
    int count = 0;
    while (count < most && is_made(&comms[count])) {
        const int error = call_all(comms[count], 1);
        check(!error, "used at once", error);
        count++;
    }
    for (int i = 0; i < count; i++)
        MPI_Comm_free(&comms[i]);
    return count;
}

static void *work(void *context)
{
    const MPI_Comm mine = *(MPI_Comm *) context;
    for (int i = 0; i < PER_THREAD; i++) {
        MPI_Comm comm;
        MPI_Comm_dup(mine, &comm);
        const int error = call_all(comm, 1 + i * 10);
        check(!error, "in threads", error);
        MPI_Comm_free(&comm);
    }
    return NULL;
}

static void in_threads(void)
{
    pthread_t threads[THREADS];
    MPI_Comm comms[THREADS];
    for (int i = 0; i < THREADS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, &comms[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++)
        MPI_Comm_free(&comms[i]);
}

int main(int argc, char **argv)
{
    int provided, count;
    MPI_Errhandler returning;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_create_errhandler(handler, &returning);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, returning);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    most = is_open_mpi() || mpich_major() >= 5 ? FEW : MOST;
    if (argc > 1 && !strcmp(argv[1], "--count")) {
        count = at_once(false);
    } else {
        check(provided == MPI_THREAD_MULTIPLE, "no threads", provided);
        at_once(true);
        count = used_at_once();
        check(!call_all(MPI_COMM_WORLD, 5), "afterwards", 0);
        one_after_the_other();
        in_threads();
    }
    MPI_Errhandler_free(&returning);
    if (rank == 0)
        printf("many: %d at once\n", count);
    if (wrong || rank == 0)
        printf("many: %s, %s ran\n", wrong ? "wrong" : "right", what_ran(ANYP_ALLREDUCE));
    MPI_Finalize();
    return wrong != 0;
}
