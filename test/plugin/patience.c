/* SPDX-License-Identifier: BSD-3-Clause
 *
 * patience.c - for tests with more processes than processors. An MPICH over UCX, such as Debian's,
 * polls endlessly while it waits, although the processes that it waits for need its processor: a
 * small allreduce of 13 processes on 2 processors takes 0.1 s. Preloaded, this puts itself in front
 * of UCX's poll, and sleeps for a moment at every second successive poll that finds nothing. Then
 * the allreduce takes 1 ms. The MPI library itself is not changed.
 */
#include <dlfcn.h>
#include <sys/prctl.h>
#include <time.h>

unsigned ucp_worker_progress(void *worker);

unsigned ucp_worker_progress(void *worker)
{
    static __typeof__(&ucp_worker_progress) poll;
    static _Thread_local int empty;
    const struct timespec moment = { .tv_nsec = 100000 };
    if (!poll) {
        *(void **) &poll = dlsym(RTLD_NEXT, "ucp_worker_progress");
        prctl(PR_SET_TIMERSLACK, 1);
    }
    const unsigned found = poll(worker);
    empty = found ? 0 : empty + 1;
    if (empty == 2) {
        nanosleep(&moment, NULL);
        empty = 0;
    }
    return found;
}
