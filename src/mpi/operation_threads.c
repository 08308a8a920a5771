/* SPDX-License-Identifier: BSD-3-Clause
 *
 * operation_threads.c - with MPI_THREAD_MULTIPLE: the lock of all operations, and a thread that
 * moves them if the library has no callback for it.
 *
 * Threads that wait for requests move operations themselves. But a thread cannot complete the
 * operations of others before it waits for other ranks, as one thread alone does (operations.h):
 * ranks may expect that their threads make progress independently. So the thread moves operations
 * from time to time, and no function of the library is replaced.
 *
 * The lock is recursive, because MPI functions that AnyP calls may call AnyP. A thread that holds
 * it may wait for locks of the MPI library, which must therefore not wait for it: AnyP's callbacks
 * only try to take it, or do not need it.
 */
#include "mpi/operation.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

int anypi_operations_active;
int anypi_operations_count;

static const struct timespec nap = { .tv_nsec = 200000 };
enum { NAPS = 1000 };           /* without operations, until the thread sleeps */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    pthread_t thread;
    bool runs;                  /* there is a thread, */
    bool (*move)(void);         /* which calls this */
    bool sleeps;                /* it must be woken */
    bool ends;
} all = { .wake = PTHREAD_COND_INITIALIZER };

void anypi_operations_take_lock(void)
{
    pthread_mutex_lock(&all.lock);
}

bool anypi_operations_try_lock(void)
{
    return pthread_mutex_trylock(&all.lock) == 0;
}

void anypi_operations_drop_lock(void)
{
    pthread_mutex_unlock(&all.lock);
}

void anypi_operations_wake(void)
{
    if (all.sleeps)
        pthread_cond_signal(&all.wake);
}

/* Between two naps of the thread, which holds the lock once: sleeps if there was no operation for
 * long. Returns whether the thread must end. */
static bool rest(int *naps)
{
    *naps = anypi_operations_active > 0 ? 0 : *naps + 1;
    if (*naps > NAPS) {
        all.sleeps = true;
        while (anypi_operations_active == 0 && !all.ends)
            pthread_cond_wait(&all.wake, &all.lock);
        all.sleeps = false;
        *naps = 0;
    }
    return all.ends;
}

static void *move_operations(void *nothing)
{
    bool ends = false;
    for (int naps = 0; !ends;) {
        pthread_mutex_lock(&all.lock);
        ends = rest(&naps);
        pthread_mutex_unlock(&all.lock);
        if (ends)
            break;
        if (anypi_operations_running())
            all.move();
        nanosleep(&nap, NULL);
    }
    return nothing;
}

bool anypi_operations_threads_open(void)
{
    pthread_mutexattr_t recursive;
    if (pthread_mutexattr_init(&recursive))
        return false;
    const bool good = !pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE) &&
        !pthread_mutex_init(&all.lock, &recursive);
    pthread_mutexattr_destroy(&recursive);
    return good;
}

bool anypi_operations_thread_begin(bool (*move)(void))
{
    sigset_t every, before;
    all.move = move;
    sigfillset(&every);
    /* signals are for the program's threads */
    if (pthread_sigmask(SIG_SETMASK, &every, &before))
        return false;
    all.ends = all.sleeps = false;
    all.runs = pthread_create(&all.thread, NULL, move_operations, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (all.runs)
        pthread_setname_np(all.thread, "anyp");
    return all.runs;
}

void anypi_operations_thread_end(void)
{
    if (!all.runs)
        return;
    pthread_mutex_lock(&all.lock);
    all.ends = true;
    pthread_cond_signal(&all.wake);
    pthread_mutex_unlock(&all.lock);
    pthread_join(all.thread, NULL);
    all.runs = false;
}
