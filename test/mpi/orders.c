/* SPDX-License-Identifier: BSD-3-Clause
 *
 * orders - nonblocking and persistent collectives that each rank begins and ends in its own order:
 *
 *   orders ROUNDS
 *
 * In each round, each of some communicators has one collective, one of them a blocking one, and
 * each rank also exchanges a message with its neighbours. A call on one of them has failed before.
 * The order of these calls, and in which their requests are waited for or tested, differs from rank
 * to rank. A program that runs a collective only while it waits for it, or that lets a message wait
 * for one behind it, hangs.
 */
#include <mpi.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { COMMS = 6, TASKS = COMMS + 1, MOST = 60000, AGAIN = 1000 };

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return *state >> 33;
}

/* What a communicator does in a round; the same on all ranks. */
typedef struct task {
    MPI_Comm comm;
    int kind;                   /* -2: an allreduce that is started again in each round; -1: a
                                 * blocking one; 0, 1: allreduce; 2: bcast; 3: allgather */
    int count, root;
    int persistent;
    int begun, done;
    MPI_Request requests[2];
    int *in, *out;
} task;

static int rank, p;

static int input(int from, int i, int round)
{
    return from * 7 + i * 3 + round;
}

static void begin(task *one)
{
    const MPI_Comm comm = one->comm;
    MPI_Request *request = one->requests;
    one->begun = 1;
    if (comm == MPI_COMM_NULL) {        /* to the next rank, from the one before */
        MPI_Irecv(one->out, one->count, MPI_INT, (rank + p - 1) % p, 1, MPI_COMM_WORLD, request);
        MPI_Isend(one->in, one->count, MPI_INT, (rank + 1) % p, 1, MPI_COMM_WORLD, request + 1);
    } else if (one->kind == -2) {
        MPI_Start(request);
    } else if (one->kind < 0) {
        MPI_Allreduce(one->in, one->out, one->count, MPI_INT, MPI_SUM, comm);
    } else if (one->kind == 0 && one->persistent) {
        MPI_Allreduce_init(one->in, one->out, one->count, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL,
                           request);
        MPI_Start(request);
    } else if (one->kind < 2) {
        MPI_Iallreduce(one->in, one->out, one->count, MPI_INT, MPI_SUM, comm, request);
    } else if (one->kind == 2) {
        MPI_Ibcast(rank == one->root ? one->in : one->out, one->count, MPI_INT, one->root, comm,
                   request);
    } else {
        MPI_Iallgather(one->in, one->count, MPI_INT, one->out, one->count, MPI_INT, comm, request);
    }
}

/* Waits for a task or tests it. */
static void end(task *one, int tests)
{
    one->done = 1;
    for (int i = 0; i < 2; i++) {
        int done = 1;
        if (tests)
            MPI_Test(&one->requests[i], &done, MPI_STATUS_IGNORE);
        else
            MPI_Wait(&one->requests[i], MPI_STATUS_IGNORE);
        one->done &= done;
        if (done && one->requests[i] != MPI_REQUEST_NULL && one->kind != -2)
            MPI_Request_free(&one->requests[i]);
    }
}

/* Returns the number of wrong elements. */
static int check(const task *one, int round)
{
    int wrong = 0;
    const int gathers = one->comm != MPI_COMM_NULL && one->kind == 3;
    for (int i = 0; i < one->count * (gathers ? p : 1); i++) {
        int right = input((rank + p - 1) % p, i, round);
        if (one->comm != MPI_COMM_NULL && one->kind < 2)
            right = 7 * (p * (p - 1) / 2) + p * (3 * i + round);
        else if (one->comm != MPI_COMM_NULL && one->kind == 2)
            right = rank == one->root ? 0 : input(one->root, i, round);
        else if (gathers)
            right = input(i / one->count, i % one->count, round);
        wrong += one->out[i] != right;
    }
    return wrong;
}

/* Makes a call that ends with an error: rank 0 sends more than the others expect. */
static void spoil(MPI_Comm comm)
{
    int x[11] = { 0 };
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Bcast(x, rank == 0 ? 11 : 10, MPI_INT, 0, comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);
}

int main(int argc, char **argv)
{
    const int rounds = argc > 1 ? atoi(argv[1]) : 100;
    static const int counts[] = { 1, 10, 1000, MOST };
    task tasks[TASKS] = { { .count = 0 } };
    uint64_t common = 1;
    int wrong = 0, any = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    uint64_t own = (uint64_t) rank + 1;
    for (int i = 0; i < TASKS; i++) {
        tasks[i].comm = MPI_COMM_NULL;
        if (i < COMMS)
            MPI_Comm_dup(MPI_COMM_WORLD, &tasks[i].comm);
        tasks[i].in = malloc(MOST * sizeof(int));
        tasks[i].out = malloc((size_t) p * MOST * sizeof(int));
    }
    spoil(tasks[1].comm);
    tasks[0].requests[1] = MPI_REQUEST_NULL;
    MPI_Allreduce_init(tasks[0].in, tasks[0].out, AGAIN, MPI_INT, MPI_SUM, tasks[0].comm,
                       MPI_INFO_NULL, &tasks[0].requests[0]);
    for (int round = 0; round < rounds; round++) {
        alarm(60);
        for (int i = 0; i < TASKS; i++) {
            task *one = &tasks[i];
            one->begun = one->done = 0;
            one->kind = i < 2 ? i - 2 : (int) (next_random(&common) % 4);
            one->count = i ? counts[next_random(&common) % 4] : AGAIN;
            one->root = (int) (next_random(&common) % (uint64_t) p);
            one->persistent = (int) (next_random(&common) % 2);
            if (i > 0)
                one->requests[0] = one->requests[1] = MPI_REQUEST_NULL;
            for (int k = 0; k < one->count; k++)
                one->in[k] = input(rank, k, round);
            for (int k = 0; k < p * one->count; k++)
                one->out[k] = 0;
        }
        for (int left = TASKS; left > 0; ) {
            task *one = &tasks[next_random(&own) % TASKS];
            left -= !one->begun;
            if (!one->begun)
                begin(one);
            else if (!one->done && next_random(&own) % 2)
                end(one, 1);
        }
        for (int left = TASKS; left > 0; ) {
            left = 0;
            for (int i = 0; i < TASKS; i++)
                left += !tasks[i].done;
            task *one = &tasks[next_random(&own) % TASKS];
            if (!one->done)
                end(one, next_random(&own) % 2);
        }
        for (int i = 0; i < TASKS; i++)
            wrong += check(&tasks[i], round);
    }
    MPI_Allreduce(&wrong, &any, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("orders: p=%d: %d rounds of %d calls: %s\n", p, rounds, TASKS,
               any ? "FAILED" : "passed");
    MPI_Request_free(&tasks[0].requests[0]);
    for (int i = 0; i < TASKS; i++) {
        if (i < COMMS)
            MPI_Comm_free(&tasks[i].comm);
        free(tasks[i].in);
        free(tasks[i].out);
    }
    MPI_Finalize();
    return any != 0;
}
