/* SPDX-License-Identifier: BSD-3-Clause
 *
 * waiter.h - how a process of a node waits for others if there are more processes than cores. It
 * yields its core first. It sleeps if it has waited for some time, or if it got its core back late
 * after a yield: then another program computes there, which would keep the core each time, but
 * loses it to a process that is woken.
 *
 * It sleeps on a word of its own segment, which others can only read. It announces that it sleeps,
 * and looks once more whether there is work; another process that has made work for it looks
 * whether it sleeps. So at least one of them sees the other. If it is about to sleep when the other
 * one wakes it, it sleeps for NAP nanoseconds.
 */
#ifndef ANYPI_WAITER_H_INCLUDED
#define ANYPI_WAITER_H_INCLUDED

#include "schedule/threads.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct anypi_waiter {
    anypi_shared *sleeps;       /* in the own segment: whether it sleeps */
    int64_t since;              /* when it began to wait, in nanoseconds; 0: it does not wait */
    int64_t busy;               /* until then, it does not yield */
} anypi_waiter;

/* Yields the core. */
void anypi_waiter_yield(anypi_waiter *waiter);

/* Returns whether the process should sleep instead of yielding. `waits`: it has nothing else to do,
 * so it also sleeps because it has waited for some time. */
bool anypi_waiter_is_tired(anypi_waiter *waiter, bool waits);

/* Announces that the process sleeps; afterwards it must look for work. */
void anypi_waiter_announce(anypi_waiter *waiter);

/* Sleeps until another process wakes this one, or for NAP nanoseconds. Without `sleeps`, does not.
 * */
void anypi_waiter_sleep(anypi_waiter *waiter, bool sleeps);

/* Wakes a process that sleeps on this word. Call it after work was made for this process. */
void anypi_wake(const anypi_shared *sleeps);

#endif
