/* SPDX-License-Identifier: BSD-3-Clause
 *
 * bench_generate - how long it takes to write one rank's schedule. The target is 1000 ns for
 * logarithmic algorithms at p = 64: then no communicator needs to keep schedules.
 */
#include "anyp.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static const char usage[] =
    "usage: bench_generate\n"
    "Prints the time to write one rank's schedule, in nanoseconds, and its steps (mean of all\n"
    "ranks), for every algorithm and collective and for vectors of 8 bytes and of 1 MiB.\n";

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

/* Generates all ranks' schedules again and again for a tenth of a second; returns false on error.
 * */
static bool measure(const anyp_algorithm *algorithm, anyp_call *call, anyp_schedule *schedule,
                    double *nanoseconds, double *steps)
{
    int parameters[ANYP_MAX_PARAMETERS];
    long schedules = 0;
    const double start = seconds();
    double now;
    anyp_parameters_default(algorithm, parameters);
    *steps = 0;
    do {
        for (call->rank = 0; call->rank < call->p; call->rank++) {
            if (anyp_generate(algorithm, call, parameters, schedule) != ANYP_SUCCESS)
                return false;
            *steps += schedule->steps_count;
        }
        schedules += call->p;
        now = seconds();
    } while (now - start < 0.1);
    *nanoseconds = 1e9 * (now - start) / (double) schedules;
    *steps /= (double) schedules;
    return true;
}

int main(int argc, char **argv)
{
    static const int sizes[] = { 64, 1000, 4096 };
    static const int64_t counts[] = { 1, 131072 };
    int count;
    const anyp_algorithm *all = anyp_algorithms(&count);
    anyp_schedule schedule;
    if (argc > 1) {
        fputs(usage, strcmp(argv[1], "--help") ? stderr : stdout);
        return strcmp(argv[1], "--help") ? 2 : 0;
    }
    anyp_schedule_init(&schedule);
    printf("%-16s %-22s %6s %10s %10s %8s\n", "algorithm", "collective", "p", "bytes", "ns",
           "steps");
    for (int i = 0; i < count; i++) {
        for (int collective = 0; collective < ANYP_COLLECTIVES; collective++) {
            if (!(all[i].collectives & ANYP_IN_SET(collective)))
                continue;
            for (size_t k = 0; k < 6; k++) {
                double nanoseconds, steps;
                anyp_call call = { .collective = (anyp_collective) collective, .p = sizes[k % 3],
                                   .count = counts[k / 3], .type_size = 8, .commutative = true };
                if (collective == ANYP_REDUCE_SCATTER_BLOCK)
                    call.count = (call.count + call.p - 1) / call.p * call.p;
                if (!measure(&all[i], &call, &schedule, &nanoseconds, &steps)) {
                    fprintf(stderr, "%s %s p=%d cannot be generated\n", all[i].name,
                            anyp_collective_name(call.collective), call.p);
                    return 1;
                }
                printf("%-16s %-22s %6d %10lld %10.0f %8.1f\n", all[i].name,
                       anyp_collective_name(call.collective), call.p, (long long) call.count * 8,
                       nanoseconds, steps);
            }
        }
    }
    anyp_schedule_free(&schedule);
    return 0;
}
