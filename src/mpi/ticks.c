/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ticks.c - a clock that is read in a few nanoseconds: the processor's counter, if it has one that
 * never stops; otherwise nanoseconds. With SMPI, simulated picoseconds.
 */
#include "mpi/recorder.h"

#include <time.h>
#if defined(__x86_64__) && !defined(SMPI_NO_OVERRIDE_MALLOC)
#include <cpuid.h>
#endif

#if defined(__x86_64__) && !defined(SMPI_NO_OVERRIDE_MALLOC)
/* Returns whether the processor has a counter that never stops and has a constant rate. */
static bool has_counter(void)
{
    static int known;           /* 1: no, 2: yes; all threads find the same */
    unsigned a, b, c, d = 0;
    int its = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (!its) {
        its = __get_cpuid(0x80000007, &a, &b, &c, &d) && d & 1u << 8 ? 2 : 1;
        __atomic_store_n(&known, its, __ATOMIC_RELAXED);
    }
    return its == 2;
}
#endif

uint64_t anypi_ticks(void)
{
#ifdef SMPI_NO_OVERRIDE_MALLOC
    return (uint64_t) (anypi_mpi.Wtime() * 1e12) + 1;   /* simulated */
#else
    struct timespec now;
#ifdef __x86_64__
    if (has_counter())
        return __builtin_ia32_rdtsc();
#endif
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t) now.tv_sec * 1000000000u + (uint64_t) now.tv_nsec;
#endif
}
