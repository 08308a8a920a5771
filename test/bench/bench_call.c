/* SPDX-License-Identifier: BSD-3-Clause
 *
 * bench_call - the time of a small call without its messages: AnyP's allreduce against a loop
 * written by hand, both with messages and reductions that do nothing. The limit is 200 ns more at
 * p = 64.
 */
#include "anyp.h"
#include "execute/workspace.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "statistics.h"

static const char usage[] =
    "usage: bench_call\n"
    "Prints the time of an allreduce of 8 bytes on rank 21 of 64 (median), in nanoseconds, if\n"
    "messages and reductions take no time: of recursive doubling written by hand; and of AnyP's\n"
    "algorithms, called repeatedly as in an application, with the difference to the loop by hand;\n"
    "the difference between alternating four sizes and calling each of them alone; and the time\n"
    "of calls without an equal earlier one. '!' marks more than 200 ns for an algorithm with at\n"
    "most as many rounds as the loop by hand.\n";

enum { P = 64, RANK = 21, ROUNDS = 201, CALLS = 1000 };
static const double max_more = 200;

typedef int anypi_request;

typedef struct anypi_transport {
    int waits;
} anypi_transport;

/* Opaque to the compiler, as functions of another library. */
#define OPAQUE static __attribute__((noinline))

OPAQUE void anypi_transport_send(anypi_transport *transport, int peer, const char *from,
                                 int64_t elements, anypi_request *request)
{
    *request = 1;
    __asm__ volatile("" : : "r"(transport), "r"(peer), "r"(from), "r"(elements) : "memory");
}

OPAQUE void anypi_transport_receive(anypi_transport *transport, int peer, char *to,
                                    int64_t elements, anypi_request *request)
{
    *request = 2;
    __asm__ volatile("" : : "r"(transport), "r"(peer), "r"(to), "r"(elements) : "memory");
}

OPAQUE void anypi_transport_start(anypi_transport *transport, anypi_request *requests, int count)
{
    __asm__ volatile("" : : "r"(transport), "r"(requests), "r"(count) : "memory");
}

OPAQUE bool anypi_transport_wait(anypi_transport *transport, anypi_request *requests, int count)
{
    transport->waits++;
    __asm__ volatile("" : : "r"(transport), "r"(requests), "r"(count) : "memory");
    return true;
}

OPAQUE void anypi_transport_reduce(anypi_transport *transport, const char *from, char *to,
                                   int64_t elements)
{
    __asm__ volatile("" : : "r"(transport), "r"(from), "r"(to), "r"(elements) : "memory");
}

OPAQUE void anypi_transport_copy(anypi_transport *transport, const char *from, char *to,
                                 int64_t elements)
{
    __asm__ volatile("" : : "r"(transport), "r"(from), "r"(to), "r"(elements) : "memory");
}

OPAQUE void anypi_transport_pack(anypi_transport *transport, char *to)
{
    __asm__ volatile("" : : "r"(transport), "r"(to) : "memory");
}

OPAQUE void anypi_transport_unpack(anypi_transport *transport, const char *from, int first,
                                   int end)
{
    __asm__ volatile("" : : "r"(transport), "r"(from), "r"(first), "r"(end) : "memory");
}

#include "execute/execute.h"

static const double in = 1;
static double out;
static anypi_workspace workspace;
static anypi_transport transport;

static const anyp_algorithm *algorithm;
static int parameters[ANYP_MAX_PARAMETERS];
static int64_t smallest, sizes; /* elements of the smallest call; different sizes in turn */

/* p is a power of two. */
static void by_hand(void)
{
    const char *from = (const char *) &in;
    double received[2];
    for (int distance = 1; distance < P; distance *= 2) {
        anypi_request requests[2];
        const int peer = RANK ^ distance;
        char *const to = distance == P / 2 ? (char *) &out : (char *) &received[distance % 3 == 1];
        anypi_transport_receive(&transport, peer, to, 1, &requests[0]);
        anypi_transport_send(&transport, peer, from, 1, &requests[1]);
        anypi_transport_wait(&transport, requests, 2);
        anypi_transport_reduce(&transport, from, to, 1);
        from = to;
    }
}

static void by_anyp(void)
{
    static int64_t calls;
    const anyp_call call = { .collective = ANYP_ALLREDUCE, .p = P, .rank = RANK,
                             .count = smallest + calls++ % sizes, .type_size = 8,
                             .commutative = true };
    const anypi_element element = { 0, 8, 8 };
    const anypi_call_key key = anypi_key_of(&call, element, algorithm, parameters);
    anypi_entry *entry = anypi_cache_find(&workspace.cache, &key);
    if (!entry)
        entry = anypi_cache_add(&workspace.cache, &key, &call);
    if (entry && anypi_cache_program(&workspace.cache, entry, element) == ANYP_SUCCESS)
        anypi_execute_call(&workspace, anypi_one_part(entry->program), false, &in, &out,
                           &transport);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e9 * (double) time.tv_sec + (double) time.tv_nsec;
}

/* The median time of a call; *waits of each. */
static double measure(void (*call)(void), int *waits)
{
    static double times[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        transport.waits = 0;
        const double begin = now();
        for (int i = 0; i < CALLS; i++)
            call();
        times[round] = (now() - begin) / CALLS;
    }
    *waits = transport.waits / CALLS;
    return bench_median(times, ROUNDS);
}

/* The same of AnyP, with `in_turn` sizes in turn. */
static double measure_sizes(int64_t first, int64_t in_turn, int *waits)
{
    smallest = first;
    sizes = in_turn;
    return measure(by_anyp, waits);
}

int main(int argc, char **argv)
{
    int count, waits;
    const anyp_algorithm *all = anyp_algorithms(&count);
    if (argc > 1) {
        fputs(usage, strcmp(argv[1], "--help") ? stderr : stdout);
        return strcmp(argv[1], "--help") ? 2 : 0;
    }
    const double hand = measure(by_hand, &waits);
    const int rounds = waits;
    printf("%-20s %6s %8s %8s %10s %10s\n%-20s %6d %8.0f\n", "8 bytes, p = 64", "rounds", "ns",
           "more", "in turn", "not again", "by hand", rounds, hand);
    for (int i = 0; i < count; i++) {
        if (!(all[i].collectives & ANYP_IN_SET(ANYP_ALLREDUCE)))
            continue;
        algorithm = &all[i];
        anyp_parameters_default(algorithm, parameters);
        double alone = 0;
        for (int size = 4; size >= 1; size--)
            alone += measure_sizes(size, 1, &waits) / 4;
        const double in_turn = measure_sizes(1, 4, &waits);
        const double anew = measure_sizes(1, CALLS, &waits);
        const double again = measure_sizes(1, 1, &waits);
        printf("%-20s %6d %8.0f %+8.0f %+10.0f %10.0f%s\n", algorithm->name, waits, again,
               again - hand, in_turn - alone, anew,
               waits <= rounds && again - hand > max_more ? " !" : "");
    }
    anypi_workspace_free(&workspace);
    return 0;
}
