/* SPDX-License-Identifier: BSD-3-Clause
 *
 * threads.h - locks and atomic counters of src/schedule, algorithms, execute and mpir: inside MPICH
 * those of its portability layer (MPL), otherwise those of POSIX and C11. A thread that holds a
 * lock must not wait for another thread: MPL's lock does not let user-level threads (Argobots)
 * yield. And words in memory that processes share.
 */
#ifndef ANYPI_THREADS_H_INCLUDED
#define ANYPI_THREADS_H_INCLUDED

#include <stdatomic.h>
#include <stdint.h>

#ifdef ANYP_IN_MPICH

#include "mpl.h"

typedef MPL_initlock_t anypi_lock;
#define ANYPI_UNLOCKED MPL_INITLOCK_INITIALIZER
#define anypi_lock_enter MPL_initlock_lock
#define anypi_lock_leave MPL_initlock_unlock

typedef MPL_atomic_int_t anypi_atomic;
#define ANYPI_ATOMIC(value) MPL_ATOMIC_INT_T_INITIALIZER(value)
#define anypi_atomic_load MPL_atomic_acquire_load_int
#define anypi_atomic_store MPL_atomic_release_store_int
#define anypi_atomic_add MPL_atomic_fetch_add_int

#else

#include <pthread.h>

typedef pthread_mutex_t anypi_lock;
#define ANYPI_UNLOCKED PTHREAD_MUTEX_INITIALIZER
#define anypi_lock_enter pthread_mutex_lock
#define anypi_lock_leave pthread_mutex_unlock

typedef atomic_int anypi_atomic;
#define ANYPI_ATOMIC(value) (value)

/* What was stored before the value that it returns can be read. */
static inline int anypi_atomic_load(const anypi_atomic *counter)
{
    return atomic_load_explicit(counter, memory_order_acquire);
}

static inline void anypi_atomic_store(anypi_atomic *counter, int value)
{
    atomic_store_explicit(counter, value, memory_order_release);
}

/* Returns the old value. */
static inline int anypi_atomic_add(anypi_atomic *counter, int value)
{
    return atomic_fetch_add_explicit(counter, value, memory_order_acq_rel);
}

#endif

/* A word in memory that processes share (src/node). What was stored before a value can be read by
 * the process that has loaded the value. A test delays ranks there. */
typedef _Atomic uint64_t anypi_shared;
#ifndef ANYPI_SHARED_DELAY
#define ANYPI_SHARED_DELAY()
#endif

static inline uint64_t anypi_shared_load(const anypi_shared *word)
{
    ANYPI_SHARED_DELAY();
    return atomic_load_explicit(word, memory_order_acquire);
}

static inline void anypi_shared_store(anypi_shared *word, uint64_t value)
{
    ANYPI_SHARED_DELAY();
    atomic_store_explicit(word, value, memory_order_release);
}

/* Of two processes that each store a word and then load the other's, at least one loads what the
 * other has stored, if both call this in between. (ThreadSanitizer knows no fences; without one, a
 * process may sleep too long.) */
static inline void anypi_shared_fence(void)
{
#ifndef __SANITIZE_THREAD__
    atomic_thread_fence(memory_order_seq_cst);
#endif
}

/* Tells the processor that the caller waits in a loop. */
static inline void anypi_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb");
#endif
}

#endif
