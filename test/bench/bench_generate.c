/* SPDX-License-Identifier: BSD-3-Clause
 *
 * bench_generate - the time to write one rank's schedule. The limits are 1 microsecond at p = 64
 * for algorithms of logarithmic latency and 200 microseconds at p = 4096 for the others: then no
 * communicator needs to keep schedules.
 */
#include "algorithms/settle.h"
#include "anyp.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static const char usage[] =
    "usage: bench_generate\n"
    "Prints the processor time to write one rank's schedule, in nanoseconds, and its steps\n"
    "(mean of all ranks), for every algorithm and collective and for vectors of 8 bytes and of\n"
    "1 MiB; and the limit, if there is one: 1000 ns at p = 64 where the latencies are\n"
    "logarithmic, 200000 ns at p = 4096 elsewhere. A time above it is marked '!'. Before it,\n"
    "the time to choose parameters that are auto, of which a call of another size class pays\n"
    "one: at most 20000 ns at p = 64, 50000 ns at p = 1000.\n";

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

/* The limits of choosing parameters that are "auto", nanoseconds. */
static double limit_of_auto(int p)
{
    return p == 64 ? 20000 : p == 1000 ? 50000 : 0;
}

/* Settles parameters that are "auto" repeatedly for a hundredth of a second; nanoseconds of one. */
static double measure_auto(const anyp_algorithm *algorithm, const anyp_call *call, int *settled)
{
    int parameters[ANYP_MAX_PARAMETERS];
    long times = 0;
    const double start = seconds();
    double now;
    anyp_parameters_default(algorithm, parameters);
    do {
        anypi_settle(algorithm, call, parameters, settled);
        times++;
        now = seconds();
    } while (now - start < 0.01);
    return 1e9 * (now - start) / (double) times;
}

/* Generates the schedules of all ranks repeatedly for a tenth of a second; false on error. */
static bool measure(const anyp_algorithm *algorithm, anyp_call *call, anyp_schedule *schedule,
                    const int *parameters, double *nanoseconds, double *steps)
{
    long schedules = 0;
    const double start = seconds();
    double now;
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

/* The limit in nanoseconds; 0: none. Logarithmic: at most 4 log2 p rounds. */
static double limit(const anyp_algorithm *algorithm, const anyp_call *call)
{
    int parameters[ANYP_MAX_PARAMETERS];
    anyp_call large = *call;
    large.p = 4096;
    anyp_parameters_default(algorithm, parameters);
    const bool logarithmic = anypi_cost_of(algorithm, &large, parameters).latencies <= 4 * 12;
    return logarithmic ? 1000 * (call->p == 64) : 200000 * (call->p == large.p);
}

static void print(const anyp_algorithm *algorithm, const anyp_call *call, double nanoseconds,
                  double steps, double automatic)
{
    const double max = limit(algorithm, call), max_auto = limit_of_auto(call->p);
    printf("%-18s %-20s %5d %9lld %8.0f%s", algorithm->name,
           anyp_collective_name(call->collective), call->p,
           (long long) (call->count * call->type_size), automatic,
           max_auto > 0 && automatic > max_auto ? "!" : " ");
    printf(" %8.0f %8.1f", nanoseconds, steps);
    if (max > 0)
        printf(" %8.0f%s", max, nanoseconds > max ? " !" : "");
    putchar('\n');
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
    printf("%-18s %-20s %5s %9s %8s  %8s %8s %8s\n", "algorithm", "collective", "p", "bytes",
           "auto ns", "ns", "steps", "limit");
    for (int i = 0; i < count; i++) {
        for (int collective = 0; collective < ANYP_COLLECTIVES; collective++) {
            if (!(all[i].collectives & ANYP_IN_SET(collective)))
                continue;
            for (size_t k = 0; k < 6; k++) {
                double nanoseconds, steps;
                int parameters[ANYP_MAX_PARAMETERS];
                anyp_call call = { .collective = (anyp_collective) collective, .p = sizes[k % 3],
                                   .count = counts[k / 3], .type_size = 8, .commutative = true };
                if (collective == ANYP_REDUCE_SCATTER_BLOCK)
                    call.count = (call.count + call.p - 1) / call.p * call.p;
                const double automatic = measure_auto(&all[i], &call, parameters);
                if (!measure(&all[i], &call, &schedule, parameters, &nanoseconds, &steps)) {
                    fprintf(stderr, "%s %s p=%d cannot be generated\n", all[i].name,
                            anyp_collective_name(call.collective), call.p);
                    return 1;
                }
                print(&all[i], &call, nanoseconds, steps, automatic);
            }
        }
    }
    anyp_schedule_free(&schedule);
    return 0;
}
