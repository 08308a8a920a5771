/* SPDX-License-Identifier: BSD-3-Clause
 *
 * contexts - communicators that are made, used and freed in random order, each result checked:
 *
 *   contexts --steps N [--threads T] [--seed S]
 *   contexts --alive N
 *
 * --steps: N communicators, calls or frees in each of T threads (1); the numbers drawn from the
 * seed (1) are the same on all ranks. --alive: N communicators at once, two allreduces on each;
 * writes the seconds of one creation, of one first and of one later call, and the bytes that
 * the first calls have kept for each communicator.
 *
 * With threads, Open MPI 4.1.4 hangs by itself if they split communicators: there they only
 * duplicate them.
 *
 * Writes in how many of the calls the MPI library's own collective ran (not with threads).
 */
#include "calls.h"

#include "../mpi/library.h"

#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 40, MOST_THREADS = 16 };

static int steps, alive, threads = 1, seed = 1, wrong, own;
static bool dups;               /* only duplicates are made */

/* One thread, and its communicators; this rank may have none in a slot. */
typedef struct worker {
    uint64_t drawn;
    MPI_Comm comm[SLOTS];
    bool made[SLOTS];
} worker;

static int draw(worker *w, int limit)
{
    w->drawn = w->drawn * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int) ((w->drawn >> 33) % (uint64_t) limit);
}

static void check(bool good, const char *what, int p)
{
    if (good)
        return;
    if (!__atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED))
        printf("contexts: wrong %s, p=%d\n", what, p);
}

static void use(MPI_Comm comm, int number)
{
    int p, rank;
    MPI_Comm_size(comm, &p);
    MPI_Comm_rank(comm, &rank);
    int in[3] = { rank + number, 1, -number }, out[3] = { 0 };
    int error = MPI_Allreduce(in, out, 3, MPI_INT, MPI_SUM, comm);
    check(!error && out[0] == p * (p - 1) / 2 + p * number && out[1] == p && out[2] == -p * number,
          "allreduce", p);
    if (p > 1 && threads == 1 && !strcmp(what_ran(ANYP_ALLREDUCE), "own"))
        own++;
    int root = number % p, data = rank == root ? number + p : -1;
    error = MPI_Bcast(&data, 1, MPI_INT, root, comm);
    check(!error && data == number + p, "bcast", p);
}

/* A duplicate, halves in any order, or some of the ranks with a table of their own. */
static MPI_Comm make(worker *w, MPI_Comm from)
{
    const int drawn = draw(w, 3), kind = dups ? 0 : drawn, salt = draw(w, 1000);
    MPI_Comm made = MPI_COMM_NULL;
    int rank;
    if (from == MPI_COMM_NULL)
        return made;
    MPI_Comm_rank(from, &rank);
    if (kind == 0)
        MPI_Comm_dup(from, &made);
    else if (kind == 1)
        MPI_Comm_split(from, (rank + salt) % 2, salt % 3 ? -rank : rank, &made);
    else
        MPI_Comm_split(from, (rank * 7 + salt) % 4 == 0 ? MPI_UNDEFINED : 0, (rank * 5 + salt) % 7,
                       &made);
    return made;
}

static void *work(void *data)
{
    worker *w = data;
    for (int i = 0; i < steps; i++) {
        const int slot = 1 + draw(w, SLOTS - 1), from = draw(w, SLOTS), action = draw(w, 4);
        if (w->made[slot] && action > 0) {
            if (w->comm[slot] != MPI_COMM_NULL)
                use(w->comm[slot], i);
        } else if (w->made[slot]) {
            if (w->comm[slot] != MPI_COMM_NULL)
                MPI_Comm_free(&w->comm[slot]);
            w->made[slot] = false;
        } else {
            w->comm[slot] = make(w, w->comm[w->made[from] ? from : 0]);
            w->made[slot] = true;
        }
    }
    for (int i = 0; i < SLOTS; i++)
        if (w->made[i] && w->comm[i] != MPI_COMM_NULL)
            MPI_Comm_free(&w->comm[i]);
    return NULL;
}

static void in_threads(void)
{
    static worker all[MOST_THREADS];
    pthread_t thread[MOST_THREADS];
    for (int i = 0; i < threads; i++) {
        all[i].drawn = (uint64_t) seed * MOST_THREADS + (uint64_t) i;
        all[i].made[0] = true;
        MPI_Comm_dup(MPI_COMM_WORLD, &all[i].comm[0]);
    }
    if (threads == 1) {
        work(&all[0]);
        return;
    }
    for (int i = 0; i < threads; i++)
        pthread_create(&thread[i], NULL, work, &all[i]);
    for (int i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
}

static double allreduce_on_each(const MPI_Comm *comms)
{
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int i = 0; i < alive; i++) {
        int in = 1, out = 0, p;
        MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, comms[i]);
        MPI_Comm_size(comms[i], &p);
        check(out == p, "allreduce", p);
        own += p > 1 && !strcmp(what_ran(ANYP_ALLREDUCE), "own");
    }
    return MPI_Wtime() - begin;
}

static void at_once(int rank)
{
    MPI_Comm *comms = malloc((size_t) alive * sizeof (MPI_Comm));
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int i = 0; i < alive; i++)
        if (i % 2)
            MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comms[i]);
        else
            MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    const double made = MPI_Wtime() - begin;
    const size_t before = mallinfo2().uordblks;
    const double first = allreduce_on_each(comms);
    const size_t kept = mallinfo2().uordblks - before;
    const double later = allreduce_on_each(comms);
    if (rank == 0)
        printf("contexts: %d alive: %.1f us to make one, %.1f us for the first call, %.1f us for "
               "a later one, %.0f bytes each\n", alive, made / alive * 1e6, first / alive * 1e6,
               later / alive * 1e6, (double) kept / alive);
    for (int i = 0; i < alive; i++)
        MPI_Comm_free(&comms[i]);
    free(comms);
}

int main(int argc, char **argv)
{
    int rank, provided;
    for (int i = 1; i + 1 < argc; i += 2) {
        int *option = !strcmp(argv[i], "--steps") ? &steps : !strcmp(argv[i], "--alive") ? &alive
            : !strcmp(argv[i], "--threads") ? &threads : &seed;
        *option = atoi(argv[i + 1]);
    }
    MPI_Init_thread(&argc, &argv, threads > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    dups = threads > 1 && is_open_mpi();
    if (alive)
        at_once(rank);
    else
        in_threads();
    if (wrong || rank == 0)
        printf("contexts: %s, %d calls by the library\n", wrong ? "wrong" : "right", own);
    MPI_Finalize();
    return wrong != 0;
}
