/* SPDX-License-Identifier: BSD-3-Clause
 *
 * requests - nonblocking and persistent reductions as programs use them, with every algorithm of
 * the registry forced in turn:
 *
 *   order      several under way on one communicator, completed in an order that differs from that
 *              of the calls and from rank to rank, with blocking calls among them
 *   freed      the datatype, the operator and the communicator are freed before completion
 *   restart    a persistent request is started and completed many times
 *   forgotten  a persistent request is started after many other calls on its communicator
 *   idle       a persistent request that is never started is freed
 *   threads    threads with requests of their own (MPI_THREAD_MULTIPLE)
 *
 * and 1000 persistent requests that exist at the same time, whose memory is printed.
 */
#include "control.h"

#include "measure/calls.h"

#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNDER_WAY = 6, MOST = 4000, THREADS = 4, CALLS = 20, ALIVE = 1000, OTHERS = 40 };

static int rank, p;

/* One collective with its buffers: the sum of ints, by a user-defined operator. */
typedef struct reduction {
    anyp_collective collective;
    MPI_Comm comm;
    MPI_Datatype type;
    MPI_Op op;
    int block;                  /* elements of a block, of which there are p */
    int in[MOST], out[MOST];
    int counts[64];
    MPI_Request request;
} reduction;

static void add(void *left, void *right, int *length, MPI_Datatype *type)
{
    (void) type;
    for (int i = 0; i < *length; i++)
        ((int *) right)[i] += ((int *) left)[i];
}

static int value(int of_rank, int call, int i)
{
    return of_rank * 7 + call * 13 + i;
}

static void fill(reduction *r, int call)
{
    for (int i = 0; i < r->block * p; i++)
        r->in[i] = value(rank, call, i);
    memset(r->out, 0, sizeof r->out);
    for (int i = 0; i < p; i++)
        r->counts[i] = r->block;
}

static anypi_mpi_call call_of(reduction *r)
{
    return (anypi_mpi_call) { .collective = r->collective, .in = r->in, .out = r->out,
                              .count = r->block * p, .counts = r->counts, .type = r->type,
                              .op = r->op, .root = p / 3, .comm = r->comm };
}

static void begin(reduction *r)
{
    const anypi_mpi_call call = call_of(r);
    anypi_call_nonblocking(&call, &r->request);
}

static void prepare(reduction *r)
{
    const anypi_mpi_call call = call_of(r);
    anypi_call_persistent(&call, &r->request);
}

/* Wrong elements after the n-th call. */
static long wrong(const reduction *r, int call)
{
    const anyp_call call_of_rank = { .collective = r->collective, .p = p, .root = p / 3 };
    const anyp_slice mine = anypi_output_of(&call_of_rank, rank, p);
    const int first = mine.first * r->block, count = (mine.end - mine.first) * r->block;
    const int ranks = anypi_prefix_end(&call_of_rank, rank);
    long found = 0;
    for (int i = 0; i < count; i++)
        found += r->out[i] != ranks * value(0, call, first + i) + 7 * ranks * (ranks - 1) / 2;
    return found;
}

static reduction *new_reduction(anyp_collective collective, MPI_Comm comm, MPI_Op op)
{
    reduction *r = calloc(1, sizeof *r);
    if (!r)
        MPI_Abort(MPI_COMM_WORLD, 2);
    *r = (reduction) { .collective = collective, .comm = comm, .type = MPI_INT, .op = op,
                       .block = 1 };
    return r;
}

/* ---- tests: each returns how many elements were wrong ---- */

static long order(anyp_collective collective, MPI_Op op)
{
    reduction *all[UNDER_WAY];
    long found = 0;
    for (int i = 0; i < UNDER_WAY; i++) {
        all[i] = new_reduction(collective, MPI_COMM_WORLD, op);
        all[i]->block = 1 + i * i * 15 % (MOST / p);
        fill(all[i], i);
        begin(all[i]);
        if (i == UNDER_WAY / 2) {       /* while others are under way */
            int one = 1, sum = 0;
            MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            found += sum != p;
        }
    }
    for (int k = 0; k < UNDER_WAY; k++) {
        const int i = (rank * 5 + (rank % 2 ? k : UNDER_WAY - 1 - k)) % UNDER_WAY;
        int done = 0;
        while (k % 2 && !done)
            MPI_Test(&all[i]->request, &done, MPI_STATUS_IGNORE);
        MPI_Wait(&all[i]->request, MPI_STATUS_IGNORE);
        found += wrong(all[i], i);
        free(all[i]);
    }
    return found;
}

static long freed(anyp_collective collective, bool persistent)
{
    MPI_Op op;
    MPI_Comm comm;
    MPI_Datatype type;
    reduction *r = new_reduction(collective, MPI_COMM_NULL, MPI_OP_NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Type_contiguous(1, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(add, 0, &op);
    r->comm = comm;
    r->type = type;
    r->op = op;
    r->block = MOST / p;
    fill(r, 1);
    if (persistent)
        prepare(r);
    else
        begin(r);
    MPI_Op_free(&op);
    MPI_Type_free(&type);
    MPI_Comm_free(&comm);
    if (persistent)
        MPI_Start(&r->request);
    MPI_Wait(&r->request, MPI_STATUS_IGNORE);
    const long found = wrong(r, 1);
    if (persistent)
        MPI_Request_free(&r->request);
    free(r);
    return found;
}

static long restart(anyp_collective collective, MPI_Op op, int starts)
{
    reduction *r = new_reduction(collective, MPI_COMM_WORLD, op);
    long found = 0;
    r->block = 3;
    fill(r, 0);
    prepare(r);
    for (int n = 0; n < starts; n++) {
        fill(r, n);
        MPI_Start(&r->request);
        MPI_Wait(&r->request, MPI_STATUS_IGNORE);
        found += wrong(r, n);
    }
    MPI_Request_free(&r->request);
    free(r);
    return found;
}

static long forgotten(anyp_collective collective, MPI_Op op)
{
    reduction *r = new_reduction(collective, MPI_COMM_WORLD, op);
    reduction *other = new_reduction(collective, MPI_COMM_WORLD, op);
    long found = 0;
    r->block = 3;
    fill(r, 0);
    prepare(r);
    for (int n = 0; n < OTHERS; n++) {
        other->block = 4 + n;
        fill(other, n);
        begin(other);
        MPI_Wait(&other->request, MPI_STATUS_IGNORE);
        found += wrong(other, n);
    }
    fill(r, 1);
    MPI_Start(&r->request);
    MPI_Wait(&r->request, MPI_STATUS_IGNORE);
    found += wrong(r, 1);
    MPI_Request_free(&r->request);
    free(r);
    free(other);
    return found;
}

static long idle(anyp_collective collective, MPI_Op op)
{
    reduction *r = new_reduction(collective, MPI_COMM_WORLD, op);
    fill(r, 0);
    prepare(r);
    MPI_Request_free(&r->request);
    free(r);
    return 0;
}

typedef struct worker {
    pthread_t thread;
    MPI_Comm comm;
    anyp_collective collective;
    long found;
} worker;

static void *work(void *argument)
{
    worker *w = argument;
    reduction *r = new_reduction(w->collective, w->comm, MPI_SUM);
    for (int n = 0; n < CALLS; n++) {
        r->block = 1 + n * 37 % (MOST / p);
        fill(r, n);
        if (n % 2) {
            begin(r);
        } else {
            prepare(r);
            MPI_Start(&r->request);
        }
        MPI_Wait(&r->request, MPI_STATUS_IGNORE);
        w->found += wrong(r, n);
        if (r->request != MPI_REQUEST_NULL)
            MPI_Request_free(&r->request);
    }
    free(r);
    return NULL;
}

static long threads(anyp_collective collective)
{
    static worker workers[THREADS];
    long found = 0;
    for (int i = 0; i < THREADS; i++) {
        workers[i].collective = collective;
        workers[i].found = 0;
        MPI_Comm_dup(MPI_COMM_WORLD, &workers[i].comm);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_create(&workers[i].thread, NULL, work, &workers[i]);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        found += workers[i].found;
        MPI_Comm_free(&workers[i].comm);
    }
    return found;
}

/* Many requests at once, in buffers of their own; prints their memory on rank 0. */
static long alive(const char *what, int elements)
{
    MPI_Request *requests = malloc(ALIVE * sizeof *requests);
    int *in = malloc((size_t) elements * sizeof *in), *out = malloc(ALIVE * sizeof *out *
                                                                    (size_t) elements);
    long found = 0;
    if (!requests || !in || !out)
        MPI_Abort(MPI_COMM_WORLD, 2);
    for (int i = 0; i < elements; i++)
        in[i] = rank + i;
    const size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
    for (int i = 0; i < ALIVE; i++)
        MPI_Allreduce_init(in, out + (size_t) i * (size_t) elements, elements, MPI_INT, MPI_SUM,
                           MPI_COMM_WORLD, MPI_INFO_NULL, &requests[i]);
    const size_t used = mallinfo2().uordblks + mallinfo2().hblkhd - before;
    MPI_Startall(ALIVE, requests);
    for (int i = 0; i < ALIVE; i++) {
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
        for (int k = 0; k < elements; k++)
            found += out[(size_t) i * (size_t) elements + (size_t) k] !=
                p * k + p * (p - 1) / 2;
        MPI_Request_free(&requests[i]);
    }
    if (rank == 0)
        printf("requests: p=%d, %d persistent allreduces of %d bytes alive, %s: %zu bytes each\n",
               p, ALIVE, elements * (int) sizeof(int), what, used / ALIVE);
    free(requests);
    free(in);
    free(out);
    return found;
}

int main(int argc, char **argv)
{
    int provided, count, tested = 0;
    long found = 0, all;
    MPI_Op op;
    if (argc != 2 || !control_needs_file) {
        fputs("usage: mpiexec -n P requests PREFIX/share/anyp/mpich.json\n", stderr);
        return 2;
    }
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    control_open(argv[1]);
    control_nonblocking(true);
    MPI_Op_create(add, 0, &op);
    const anyp_algorithm *algorithms = anyp_algorithms(&count);
    for (anyp_collective c = 0; c < ANYP_REDUCTIONS; c++) {
        for (int a = 0; a < count; a++) {
            if (!(algorithms[a].collectives & ANYP_IN_SET(c)))
                continue;
            /* operators that do not commute where the algorithm serves them */
            const MPI_Op used = algorithms[a].properties & ANYP_CANONICAL ? op : MPI_SUM;
            control_algorithm(c, &algorithms[a]);
            found += order(c, used);
            found += freed(c, false) + freed(c, true);
            found += restart(c, used, c == ANYP_ALLREDUCE && a == 0 ? 10000 : 20);
            found += forgotten(c, used);
            found += idle(c, used);
            if (provided == MPI_THREAD_MULTIPLE)
                found += threads(c);
            tested++;
        }
        control_algorithm(c, NULL);
    }
    control_algorithm(ANYP_ALLREDUCE, NULL);
    found += alive("MPICH's own", 2);
    control_algorithm(ANYP_ALLREDUCE, &algorithms[0]);
    found += alive(algorithms[0].name, 2);
    found += alive(algorithms[0].name, 1024);
    control_algorithm(ANYP_ALLREDUCE, NULL);
    MPI_Op_free(&op);
    MPI_Allreduce(&found, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    control_close();
    if (rank == 0)
        printf("requests: p=%d, %d times an algorithm%s: %ld wrong: %s\n", p, tested,
               provided == MPI_THREAD_MULTIPLE ? "" : ", without threads", all,
               all ? "FAILED" : "passed");
    MPI_Finalize();
    return all != 0;
}
