/* SPDX-License-Identifier: BSD-3-Clause
 *
 * stress - random collectives over the lanes of a node (src/node), with threads as its processes:
 *
 *   stress [--seconds S] [--seed N] [--processes N]
 *
 * Each call has a random collective, algorithm, number of processes, root, length and operator, and
 * the program of each process may hold its receives. One to five calls are under way at a time:
 * each process begins them in its own order, waits in one, and continues the others meanwhile. All
 * processes are delayed at random at each word that they share. Results are compared with those of
 * a loop over the inputs. Calls that do not end within a minute end the program. Prints the number
 * of calls and of elements that were reduced where the sender has them, and exits with 1 if a
 * result is wrong.
 *
 * Compiled twice: with the usual outbox, and with one so small that it is always full.
 */
#include "anyp.h"
#include "execute/hold.h"
#include "execute/workspace.h"
#include "node/lanes.h"
#include "node/outbox.h"
#include "schedule/collectives.h"
#include "stress_transport.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 13, MOST_CALLS = 5 };

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

/* ---- a call ---- */

typedef struct plan {
    anyp_call call;
    const anyp_algorithm *algorithm;
    int parameters[ANYP_MAX_PARAMETERS];
    bool holds;
    uint64_t number;            /* of the call, from 1 on */
} plan;

static struct {
    plan plans[MOST_CALLS];     /* of the calls that are under way together */
    int count;                  /* of these; 0: end */
    char *segments[MOST];
    pthread_barrier_t begin, end;
    long wrong[MOST], in_place[MOST];
} all;

/* A call on one rank. */
typedef struct task {
    const plan *plan;
    anypi_transport transport;
    anyp_call call;
    anypi_program program;
    char *in, *out, *memory;    /* `memory`: requests and scratch */
    char *areas[ANYPI_AREAS];
    int next;
    bool begun, done;
} task;

/* The tasks of this thread's rank; those that have begun continue whenever it waits for others. */
static __thread task *tasks;

static void poll(void)
{
    stress_delay();
    for (int i = 0; tasks && i < all.count; i++) {
        task *one = &tasks[i];
        if (one->begun && !one->done && one->transport.polls)
            one->done = anypi_resume(&one->program, one->areas, &one->transport,
                                     (anypi_request *) (void *) one->memory, &one->next);
    }
}

/* Sets x to the input of a rank: the element at index i of the whole vector. */
static void input(const plan *its, int rank, int64_t i, matrix x)
{
    const anyp_call *call = &its->call;
    uint64_t state = its->number * 7919 + (uint64_t) rank * 104729 + (uint64_t) i * 1299709;
    memset(x, 0, sizeof (matrix));
    for (int64_t k = 0; k < call->type_size / (int64_t) sizeof *x; k++)
        x[k] = (uint32_t) next_random(&state) | 1;
}

/* Sets x to the element that a rank must have at index i of the whole vector. */
static void expected(anypi_transport *transport, const plan *its, int rank, int64_t i, matrix x)
{
    const anyp_call *call = &its->call;
    const int64_t block = call->count / call->p;
    int last = call->p - 1;
    matrix y, z;
    if (call->collective == ANYP_BCAST || call->collective == ANYP_SCATTER) {
        input(its, call->root, i, x);
        return;
    }
    if (anypi_moves(call->collective)) {        /* allgather, gather, alltoall */
        const bool transposes = call->collective == ANYP_ALLTOALL;
        input(its, (int) (i / block), transposes ? rank * block + i % block : i, x);
        return;
    }
    if (call->collective == ANYP_SCAN || call->collective == ANYP_EXSCAN)
        last = rank - (call->collective == ANYP_EXSCAN);
    input(its, 0, i, x);
    for (int r = 1; r <= last; r++) {
        input(its, r, i, y);
        combine(transport, (char *) x, (char *) y, (char *) z, 1);
        memcpy(x, z, sizeof z);
    }
}

/* The elements of a slice of p blocks, or of all. */
static int64_t at(const anyp_call *call, int block)
{
    return block == call->p ? call->count : call->count / call->p * block;
}

/* Makes the program of a call, with its buffers. Returns whether that was possible. */
static bool prepare(task *it)
{
    anyp_schedule schedule;
    anypi_workspace workspace = { .starts = NULL };
    anyp_call *call = &it->call;
    *call = it->plan->call;
    call->rank = it->transport.rank;
    anyp_schedule_init(&schedule);
    anypi_program_init(&it->program);
    if (anyp_generate(it->plan->algorithm, call, it->plan->parameters, &schedule) != ANYP_SUCCESS)
        return false;
    const anypi_element element = { 0, call->type_size, call->type_size };
    const anypi_placement vector = anypi_placement_of(call, schedule.blocks, element);
    if (anypi_program_make(&it->program, &schedule, &vector) != ANYP_SUCCESS ||
        (it->plan->holds && anypi_program_let_hold(&it->program, call->in_place) != ANYP_SUCCESS))
        return false;
    anyp_schedule_free(&schedule);
    const size_t bytes = (size_t) (call->count * call->type_size);
    it->in = calloc(1, bytes + 1);
    it->out = calloc(1, bytes + 1);
    it->memory = anypi_execute_memory(&workspace, &it->program, &it->areas[ANYPI_AREA_SCRATCH]);
    it->areas[ANYPI_AREA_OUT] = it->out;
    char *const source = it->areas[ANYPI_AREA_IN] = call->in_place ? it->out : it->in;
    const anyp_slice given = anypi_input_of(call, call->rank, call->p);
    matrix x;
    for (int64_t i = at(call, given.first); i < at(call, given.end); i++) {
        input(it->plan, call->rank, i, x);
        memcpy(source + (i - at(call, given.first)) * call->type_size, x,
               (size_t) call->type_size);
    }
    return true;
}

/* Frees the memory of a call. Returns whether its results are right. */
static bool finish(task *it)
{
    const anyp_call *call = &it->call;
    const anyp_slice got = anypi_output_of(call, call->rank, call->p);
    bool right = !it->transport.wrong;
    matrix x;
    for (int64_t i = at(call, got.first); i < at(call, got.end) && right; i++) {
        expected(&it->transport, it->plan, call->rank, i, x);
        right = !memcmp(it->out + (i - at(call, got.first)) * call->type_size, x,
                        (size_t) call->type_size);
    }
    free(it->in);
    free(it->out);
    anypi_free(it->memory);
    anypi_program_free(&it->program);
    return right;
}

/* Runs the calls as one rank: begins them in an order of its own, and waits in the first one.
 * Returns whether all results are right. */
static bool run(int rank, anypi_lanes *lanes)
{
    task mine[MOST_CALLS] = { { .begun = false } };
    bool right = true;
    for (int i = 0; i < all.count && right; i++) {
        const plan *its = &all.plans[i];
        mine[i] = (task) { .plan = its, .transport = {
            .lanes = lanes, .rank = rank, .context = its->number, .polls = i > 0,
            .size = its->call.type_size, .multiplies = !its->call.commutative } };
        right = prepare(&mine[i]);
    }
    if (!right)
        return false;
    tasks = mine;
    for (int left = all.count; left > 0;) {
        task *one = &mine[next_random(&delays) % (uint64_t) all.count];
        left -= !one->begun;
        if (!one->begun && !one->transport.polls)
            anypi_execute(&one->program, one->areas, &one->transport,
                          (anypi_request *) (void *) one->memory);
        one->begun = true;
        one->done |= !one->transport.polls;
        poll();
    }
    int turns = 0;
    for (bool done = false; !done;) {
        done = true;
        for (int i = 0; i < all.count; i++)
            done &= mine[i].done;
        if (!done && anypi_lanes_move(lanes))
            turns = 0;
        else if (!done)
            anypi_lanes_idle(lanes, &turns, true);
        poll();
    }
    tasks = NULL;
    for (int i = 0; i < all.count; i++) {
        all.in_place[rank] += (long) mine[i].transport.in_place;
        right &= finish(&mine[i]);
    }
    return right;
}

static void *be_rank(void *argument)
{
    const int rank = *(const int *) argument;
    delays = (uint64_t) rank * 7;
    anypi_lanes *lanes = NULL;
    int processes = 0;
    for (;;) {
        pthread_barrier_wait(&all.begin);
        if (!all.count)
            break;
        const int p = all.plans[0].call.p;
        if (!lanes || p != processes) { /* new memory, other lanes */
            anypi_lanes_close(lanes);
            processes = p;
            lanes = rank < p ? anypi_lanes_open(p, rank, all.segments, 2, poll) : NULL;
        }
        pthread_barrier_wait(&all.begin);
        if (rank < processes && !run(rank, lanes))
            all.wrong[rank]++;
        pthread_barrier_wait(&all.end);
    }
    anypi_lanes_close(lanes);
    return NULL;
}

/* ---- drawing calls ---- */

/* Draws a parameter of an algorithm, or leaves it. */
static void draw_parameters(uint64_t *state, plan *its)
{
    const char *reason;
    anyp_parameters_default(its->algorithm, its->parameters);
    for (int i = 0; i < its->algorithm->parameters_count; i++) {
        const anyp_parameter *one = &its->algorithm->parameters[i];
        int before = its->parameters[i];
        static const int values[] = { 0, 1, 2, 3, 4, 8, 64, 1000, 1 << 30 };
        its->parameters[i] = values[next_random(state) % (sizeof values / sizeof *values)];
        if (!strcmp(one->name, "network") || next_random(state) % 2 ||
            anyp_applicable(its->algorithm, &its->call, its->parameters, &reason) != ANYP_SUCCESS)
            its->parameters[i] = before;
    }
}

/* Draws a call of p processes; false: the algorithm does not serve it. */
static bool draw(uint64_t *state, int p, plan *its)
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
    its->algorithm = &list[next_random(state) % (uint64_t) algorithms];
    its->holds = next_random(state) % 4 > 0;
    its->call = (anyp_call) {
        .collective = collectives[next_random(state) % (sizeof collectives / sizeof *collectives)],
        .p = p, .commutative = !multiplies,
        .type_size = multiplies ? sizeof (matrix) : 4,
    };
    anyp_call *call = &its->call;
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
    if (!(its->algorithm->collectives & ANYP_IN_SET(call->collective)))
        return false;
    draw_parameters(state, its);
    return anyp_applicable(its->algorithm, call, its->parameters, &reason) == ANYP_SUCCESS;
}

static void print_call(const plan *its)
{
    const anyp_call *call = &its->call;
    printf("# wrong: call %llu: %s by %s, p=%d root=%d count=%lld%s%s%s, parameters",
           (unsigned long long) its->number, anyp_collective_name(call->collective),
           its->algorithm->name, call->p, call->root, (long long) call->count,
           call->commutative ? "" : ", does not commute", call->in_place ? ", in place" : "",
           its->holds ? ", holds" : "");
    for (int i = 0; i < its->algorithm->parameters_count; i++)
        printf(" %d", its->parameters[i]);
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
    for (int p = 0, before = 0; time(NULL) < end; before = p) {
        if (!p || next_random(&state) % 4 == 0)
            p = 2 + (int) (next_random(&state) % (uint64_t) (processes - 1));
        all.count = next_random(&state) % 2 ? 1 : 1 + (int) (next_random(&state) % MOST_CALLS);
        for (int i = 0; i < all.count; i++) {
            while (!draw(&state, p, &all.plans[i]))
                ;
            all.plans[i].number = (uint64_t) ++calls;
        }
        for (int i = 0; i < MOST && p != before; i++) {
            free(all.segments[i]);
            all.segments[i] = aligned_alloc(64, (size + 63) / 64 * 64);
            memset(all.segments[i], 0, size);
        }
        alarm(60);
        pthread_barrier_wait(&all.begin);
        pthread_barrier_wait(&all.begin);
        pthread_barrier_wait(&all.end);
        long now = 0;
        for (int i = 0; i < MOST; i++)
            now += all.wrong[i];
        for (int i = 0; now > wrong && i < all.count; i++)
            print_call(&all.plans[i]);
        wrong = now;
    }
    all.count = 0;
    pthread_barrier_wait(&all.begin);
    for (int i = 0; i < MOST; i++) {
        pthread_join(threads[i], NULL);
        in_place += all.in_place[i];
        free(all.segments[i]);
    }
    printf("%sok 1 - %ld random calls over an outbox of %d bytes; %ld elements reduced in place\n"
           "1..1\n", wrong || !calls || !in_place ? "not " : "", calls, ANYPI_OUTBOX_SIZE,
           in_place);
    return wrong || !calls || !in_place;
}
