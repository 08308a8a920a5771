/* SPDX-License-Identifier: BSD-3-Clause
 *
 * stress - random collectives over the lanes of a node (src/node), with threads as its processes:
 *
 *   stress [--seconds S] [--seed N] [--processes N]
 *
 * Each call has a random collective, algorithm, number of processes, root, length and operator, and
 * the program of each process may hold its receives. All processes are delayed at random at each
 * word that they share. Results are compared with those of a loop over the inputs. A call that does
 * not end within a minute ends the program. Prints the number of calls and of elements that were
 * reduced where the sender has them, and exits with 1 if a result is wrong.
 *
 * Compiled twice: with the usual outbox, and with one so small that it is always full.
 */
#include "anyp.h"
#include "execute/hold.h"
#include "execute/workspace.h"
#include "node/lanes.h"
#include "node/outbox.h"
#include "schedule/collectives.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 13, WORDS = 4 };

/* An element: a 2x2 matrix of numbers modulo 2^32, whose product does not commute, or a number. */
typedef uint32_t matrix[WORDS];

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return *state >> 33;
}

/* ---- delays ---- */

static __thread uint64_t delays;

/* ANYPI_SHARED_DELAY: sometimes lets other threads run, or sleeps. */
void stress_delay(void)
{
    const uint64_t drawn = next_random(&delays) % 4096;
    if (drawn < 64)
        sched_yield();
    if (drawn == 64)
        usleep(50);
}

static void poll(void)
{
    stress_delay();
}

/* ---- the transport ---- */

typedef struct anypi_transport {
    anypi_lanes *lanes;
    int rank;
    uint32_t context;
    int64_t size;               /* of an element */
    bool multiplies;
    int64_t in_place;           /* elements that were reduced in the sender's memory */
    int wrong;                  /* messages without the sign of an error, or with a wrong one */
} anypi_transport;

typedef anypi_parcel anypi_request;

/* out = left (+) right */
static void combine(void *context, const char *left, const char *right, char *out, int64_t elements)
{
    anypi_transport *transport = context;
    for (int64_t i = 0; i < elements; i++) {
        const int64_t at = i * transport->size;
        matrix a = { 0 }, b = { 0 }, c;
        memcpy(a, left + at, (size_t) transport->size);
        memcpy(b, right + at, (size_t) transport->size);
        for (int k = 0; k < WORDS; k++)
            c[k] = transport->multiplies ? a[k & 2] * b[k & 1] + a[(k & 2) + 1] * b[2 + (k & 1)]
                : a[k] + b[k];
        memcpy(out + at, c, (size_t) transport->size);
    }
}

static void combine_held(void *context, const char *left, const char *right, char *out,
                         int64_t elements)
{
    anypi_transport *transport = context;
    transport->in_place += out != left && out != right ? 0 : elements;
    combine(context, left, right, out, elements);
}

/* Is a message to be sent as that of a rank that has failed? */
static bool is_failed(int rank, int peer)
{
    return (rank + peer) % 3 == 1;
}

/* Checks a message that was received. */
static void check_failed(anypi_transport *transport, const anypi_request *one)
{
    int peer = 0;
    while (anypi_lane_of(transport->lanes, peer) != one->lane)
        peer++;
    transport->wrong += one->failed != is_failed(peer, transport->rank);
}

static inline void anypi_transport_send(anypi_transport *transport, int peer, const char *from,
                                        int64_t elements, anypi_request *request)
{
    anypi_lane_send(transport->lanes, anypi_lane_of(transport->lanes, peer), transport->context,
                    from, elements * transport->size, transport->size,
                    is_failed(transport->rank, peer), request);
}

static inline void anypi_transport_receive(anypi_transport *transport, int peer, char *to,
                                           int64_t elements, anypi_request *request)
{
    anypi_lane_receive(transport->lanes, anypi_lane_of(transport->lanes, peer), transport->context,
                       to, elements * transport->size, transport->size, request);
}

static inline void anypi_transport_hold(anypi_transport *transport, int peer, char *to,
                                        int64_t elements, anypi_request *request)
{
    anypi_transport_receive(transport, peer, to, elements, request);
    request->held = true;
}

static inline void anypi_transport_start(anypi_transport *transport, anypi_request *requests,
                                         int count)
{
    (void) transport;
    (void) requests;
    (void) count;
}

static void wait_for(anypi_transport *transport, anypi_request *requests, int count, bool received)
{
    int turns = 0;
    for (bool all = false; !all;) {
        const bool moved = anypi_lanes_move(transport->lanes);
        all = true;
        for (int i = 0; i < count; i++) {
            anypi_parcel *one = &requests[i];
            if (one->over || (received && (one->sends || one->held)))
                continue;
            if (!one->sends && !one->held)
                anypi_lane_wants(one);
            all = false;
        }
        if (moved)
            turns = 0;
        else if (!all)
            anypi_lanes_idle(transport->lanes, &turns);
    }
    for (int i = 0; i < count; i++)
        if (requests[i].over && !requests[i].sends)
            check_failed(transport, &requests[i]);
    anypi_lanes_changed(transport->lanes);
}

static inline bool anypi_transport_wait(anypi_transport *transport, anypi_request *requests,
                                        int count)
{
    wait_for(transport, requests, count, false);
    return true;
}

static inline bool anypi_transport_wait_received(anypi_transport *transport,
                                                 anypi_request *requests, int count)
{
    wait_for(transport, requests, count, true);
    return true;
}

static inline void anypi_transport_reduce(anypi_transport *transport, const char *from, char *to,
                                          int64_t elements)
{
    anypi_lanes_changed(transport->lanes);
    combine(transport, from, to, to, elements);
}

static inline void anypi_transport_reduce_held(anypi_transport *transport, anypi_request *request,
                                               bool right, const char *from, char *to,
                                               int64_t elements)
{
    (void) elements;
    anypi_lanes_changed(transport->lanes);
    anypi_lane_reduce(transport->lanes, request, right, from, to, combine_held, transport);
    check_failed(transport, request);
}

static inline void anypi_transport_copy(anypi_transport *transport, const char *from, char *to,
                                        int64_t elements)
{
    anypi_lanes_changed(transport->lanes);
    memcpy(to, from, (size_t) (elements * transport->size));
}

static void anypi_transport_pack(anypi_transport *transport, char *to)
{
    (void) transport;
    (void) to;
}

static void anypi_transport_unpack(anypi_transport *transport, const char *from, int first, int end)
{
    (void) transport;
    (void) from;
    (void) first;
    (void) end;
}

#define ANYPI_TRANSPORT_HOLDS 1
#include "execute/execute.h"

/* ---- a call ---- */

static struct {
    anyp_call call;
    const anyp_algorithm *algorithm;
    int parameters[ANYP_MAX_PARAMETERS];
    bool holds;
    uint64_t number;            /* of the call, from 1 on; 0: end */
    char *segments[MOST];
    pthread_barrier_t begin, end;
    long wrong[MOST], in_place[MOST];
} all;

/* Sets x to the input of a rank: the element at index i of the whole vector. */
static void input(const anyp_call *call, int rank, int64_t i, matrix x)
{
    uint64_t state = all.number * 7919 + (uint64_t) rank * 104729 + (uint64_t) i * 1299709;
    memset(x, 0, sizeof (matrix));
    for (int64_t k = 0; k < call->type_size / (int64_t) sizeof *x; k++)
        x[k] = (uint32_t) next_random(&state) | 1;
}

/* Sets x to the element that a rank must have at index i of the whole vector. */
static void expected(anypi_transport *transport, const anyp_call *call, int rank, int64_t i,
                     matrix x)
{
    const int64_t block = call->count / call->p;
    int last = call->p - 1;
    matrix y, z;
    if (call->collective == ANYP_BCAST || call->collective == ANYP_SCATTER) {
        input(call, call->root, i, x);
        return;
    }
    if (anypi_moves(call->collective)) {        /* allgather, gather, alltoall */
        const bool transposes = call->collective == ANYP_ALLTOALL;
        input(call, (int) (i / block), transposes ? rank * block + i % block : i, x);
        return;
    }
    if (call->collective == ANYP_SCAN || call->collective == ANYP_EXSCAN)
        last = rank - (call->collective == ANYP_EXSCAN);
    input(call, 0, i, x);
    for (int r = 1; r <= last; r++) {
        input(call, r, i, y);
        combine(transport, (char *) x, (char *) y, (char *) z, 1);
        memcpy(x, z, sizeof z);
    }
}

/* The elements of a slice of p blocks, or of all. */
static int64_t at(const anyp_call *call, int block)
{
    return block == call->p ? call->count : call->count / call->p * block;
}

/* Runs the present call as one rank. Returns whether its results are right. */
static bool run(anypi_transport *transport)
{
    anyp_call call = all.call;
    anyp_schedule schedule;
    anypi_program program;
    anypi_workspace workspace = { .starts = NULL };
    call.rank = transport->rank;
    anyp_schedule_init(&schedule);
    anypi_program_init(&program);
    if (anyp_generate(all.algorithm, &call, all.parameters, &schedule) != ANYP_SUCCESS)
        return false;
    const anypi_element element = { 0, call.type_size, call.type_size };
    const anypi_placement vector = anypi_placement_of(&call, schedule.blocks, element);
    if (anypi_program_make(&program, &schedule, &vector) != ANYP_SUCCESS ||
        (all.holds && anypi_program_let_hold(&program, call.in_place) != ANYP_SUCCESS))
        return false;
    const size_t bytes = (size_t) (call.count * call.type_size);
    char *in = calloc(1, bytes + 1), *out = calloc(1, bytes + 1);
    const anyp_slice given = anypi_input_of(&call, call.rank, call.p);
    const anyp_slice got = anypi_output_of(&call, call.rank, call.p);
    char *const source = call.in_place ? out : in;
    matrix x;
    for (int64_t i = at(&call, given.first); i < at(&call, given.end); i++) {
        input(&call, call.rank, i, x);
        memcpy(source + (i - at(&call, given.first)) * call.type_size, x, (size_t) call.type_size);
    }
    anypi_execute_call(&workspace, &program, call.in_place, in, out, transport);
    bool right = true;
    for (int64_t i = at(&call, got.first); i < at(&call, got.end) && right; i++) {
        expected(transport, &call, call.rank, i, x);
        right = !memcmp(out + (i - at(&call, got.first)) * call.type_size, x,
                        (size_t) call.type_size);
    }
    free(in);
    free(out);
    anypi_workspace_free(&workspace);
    anypi_program_free(&program);
    anyp_schedule_free(&schedule);
    return right;
}

static void *be_rank(void *argument)
{
    const int rank = *(const int *) argument;
    delays = (uint64_t) rank * 7;
    anypi_transport transport = { .rank = rank };
    int processes = 0;
    uint64_t done = 0;
    for (;; done++) {
        pthread_barrier_wait(&all.begin);
        if (!all.number)
            break;
        if (!transport.lanes || all.call.p != processes) {      /* new memory, other lanes */
            anypi_lanes_close(transport.lanes);
            processes = all.call.p;
            transport.lanes = rank < processes
                ? anypi_lanes_open(processes, rank, all.segments, 2, poll) : NULL;
        }
        pthread_barrier_wait(&all.begin);
        transport.context = (uint32_t) all.number & 0x7fffff;
        transport.size = all.call.type_size;
        transport.multiplies = !all.call.commutative;
        transport.wrong = 0;
        if (rank < processes && (!run(&transport) || transport.wrong))
            all.wrong[rank]++;
        all.in_place[rank] = (long) transport.in_place;
        pthread_barrier_wait(&all.end);
    }
    anypi_lanes_close(transport.lanes);
    return NULL;
}

/* ---- drawing calls ---- */

/* Draws a parameter of an algorithm, or leaves it. */
static void draw_parameters(uint64_t *state)
{
    const char *reason;
    anyp_parameters_default(all.algorithm, all.parameters);
    for (int i = 0; i < all.algorithm->parameters_count; i++) {
        const anyp_parameter *one = &all.algorithm->parameters[i];
        int before = all.parameters[i];
        static const int values[] = { 0, 1, 2, 3, 4, 8, 64, 1000, 1 << 30 };
        all.parameters[i] = values[next_random(state) % (sizeof values / sizeof *values)];
        if (!strcmp(one->name, "network") || next_random(state) % 2 ||
            anyp_applicable(all.algorithm, &all.call, all.parameters, &reason) != ANYP_SUCCESS)
            all.parameters[i] = before;
    }
}

/* Draws a call; false: the algorithm does not serve it. */
static bool draw(uint64_t *state, int processes)
{
    static const anyp_collective collectives[] = {
        ANYP_ALLREDUCE, ANYP_REDUCE, ANYP_REDUCE_SCATTER_BLOCK, ANYP_SCAN, ANYP_EXSCAN, ANYP_BCAST,
        ANYP_ALLGATHER, ANYP_GATHER, ANYP_SCATTER, ANYP_ALLTOALL, ANYP_BARRIER
    };
    static const int64_t counts[] = { 1, 2, 7, 100, 1000, 30000 };
    int algorithms;
    const char *reason;
    const anyp_algorithm *list = anyp_algorithms(&algorithms);
    const bool multiplies = next_random(state) % 2;
    all.algorithm = &list[next_random(state) % (uint64_t) algorithms];
    all.holds = next_random(state) % 4 > 0;
    all.call = (anyp_call) {
        .collective = collectives[next_random(state) % (sizeof collectives / sizeof *collectives)],
        .p = next_random(state) % 4 ? all.call.p : 2 + (int) (next_random(state) %
                                                             (uint64_t) (processes - 1)),
        .commutative = !multiplies, .type_size = multiplies ? sizeof (matrix) : 4,
    };
    anyp_call *call = &all.call;
    call->p = call->p > 1 ? call->p : 2;
    call->root = (int) (next_random(state) % (uint64_t) call->p);
    const int64_t most = counts[next_random(state) % (sizeof counts / sizeof *counts)];
    call->count = 1 + (int64_t) (next_random(state) % (uint64_t) most);
    if (anypi_has_equal_blocks(call))
        call->count = (call->count + call->p - 1) / call->p * call->p;
    if (anypi_has_no_data(call->collective))
        call->count = 0;
    call->in_place = call->collective == ANYP_BCAST ||
        ((call->collective == ANYP_ALLREDUCE || call->collective == ANYP_SCAN) &&
         next_random(state) % 3 == 0);
    if (!anypi_has_root(call))
        call->root = 0;
    if (!(all.algorithm->collectives & ANYP_IN_SET(call->collective)))
        return false;
    draw_parameters(state);
    return anyp_applicable(all.algorithm, call, all.parameters, &reason) == ANYP_SUCCESS;
}

static void print_call(void)
{
    const anyp_call *call = &all.call;
    printf("# wrong: call %llu: %s by %s, p=%d root=%d count=%lld%s%s%s, parameters",
           (unsigned long long) all.number, anyp_collective_name(call->collective),
           all.algorithm->name, call->p, call->root, (long long) call->count,
           call->commutative ? "" : ", does not commute", call->in_place ? ", in place" : "",
           all.holds ? ", holds" : "");
    for (int i = 0; i < all.algorithm->parameters_count; i++)
        printf(" %d", all.parameters[i]);
    printf("\n");
}

int main(int argc, char **argv)
{
    double seconds = 3;
    uint64_t state = 1;
    int processes = MOST, numbers[MOST];
    for (int i = 1; i + 1 < argc; i += 2)
        if (!strcmp(argv[i], "--seconds"))
            seconds = atof(argv[i + 1]);
        else if (!strcmp(argv[i], "--seed"))
            state = strtoull(argv[i + 1], NULL, 10);
        else if (!strcmp(argv[i], "--processes"))
            processes = atoi(argv[i + 1]);
    if (argc % 2 == 0 || processes < 2 || processes > MOST) {
        fprintf(stderr, "usage: stress [--seconds S] [--seed N] [--processes 2..%d]\n", MOST);
        return 2;
    }
    pthread_t threads[MOST];
    pthread_barrier_init(&all.begin, NULL, MOST + 1);
    pthread_barrier_init(&all.end, NULL, MOST + 1);
    for (int i = 0; i < MOST; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, be_rank, &numbers[i]);
    }
    const time_t end = time(NULL) + (time_t) seconds;
    const size_t size = anypi_lanes_size(MOST);
    long calls = 0, wrong = 0, in_place = 0;
    int before = 0;
    while (time(NULL) < end) {
        if (!draw(&state, processes))
            continue;
        for (int i = 0; i < MOST && all.call.p != before; i++) {
            free(all.segments[i]);
            all.segments[i] = aligned_alloc(64, (size + 63) / 64 * 64);
            memset(all.segments[i], 0, size);
        }
        before = all.call.p;
        all.number = (uint64_t) ++calls;
        alarm(60);
        pthread_barrier_wait(&all.begin);
        pthread_barrier_wait(&all.begin);
        pthread_barrier_wait(&all.end);
        long now = 0;
        for (int i = 0; i < MOST; i++)
            now += all.wrong[i];
        if (now > wrong)
            print_call();
        wrong = now;
    }
    all.number = 0;
    pthread_barrier_wait(&all.begin);
    for (int i = 0; i < MOST; i++) {
        pthread_join(threads[i], NULL);
        in_place += all.in_place[i];
        free(all.segments[i]);
    }
    printf("%sok 1 - %ld random calls over an outbox of %d bytes; %ld elements reduced in place\n"
           "1..1\n", wrong || !calls || !in_place ? "not " : "", calls, ANYPI_OUTBOX_SIZE,
           in_place);
    return wrong != 0;
}
