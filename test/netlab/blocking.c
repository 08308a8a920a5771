/* SPDX-License-Identifier: BSD-3-Clause
 *
 * blocking.c - preloaded into programs with Open MPI over TCP: a rank that waits sleeps until a
 * message arrives. Open MPI polls its sockets endlessly. The ranks of an emulated cluster are more
 * than the processors, and would keep them busy while they wait. From the third successive poll
 * that finds nothing, this waits in the kernel, for at most a millisecond.
 */
#include <dlfcn.h>
#include <poll.h>
#include <stddef.h>

int poll(struct pollfd *files, nfds_t count, int timeout)
{
    static __typeof__(&poll) original;
    static _Thread_local int empty;
    if (!original)
        *(void **) &original = dlsym(RTLD_NEXT, "poll");
    const int found = original(files, count, timeout == 0 && empty >= 2 ? 1 : timeout);
    empty = found ? 0 : empty + (empty < 2);
    return found;
}
