/* SPDX-License-Identifier: BSD-3-Clause */
#include "soak.h"

#include "../mpi/control.h"

#include <limits.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* What may be lost with each communicator, and for other reasons, in bytes. */
enum { LOST_EACH = 16, LOST_ONCE = 1 << 20 };

static long resident(void)
{
    long all, pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%ld %ld", &all, &pages) != 2)
        pages = 0;
    if (file)
        fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

/* Makes, uses and frees the communicators; returns by how many bytes memory grew, without those of
 * the first fifth: by those of the least of the other fifths, times four. What a long call takes
 * once is no leak. */
static long growth(bool own)
{
    enum { PARTS = 4 };
    long before = 0, least = LONG_MAX;
    const long part = options.communicators > PARTS ? options.communicators / (PARTS + 1) : 1;
    for (long i = 0; i < options.communicators; i++) {
        soak_random r = random_of(i, -1);
        soak_call c;
        MPI_Comm comm;
        int p, rank;
        if (i % part == 0) {
            const long here = resident();
            if (i > part && here - before < least)
                least = here - before;
            before = here;
        }
        watch_step(0, i, "make a communicator and use it", NULL);
        if (once_in(&r, 2))
            MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        else
            MPI_Comm_split(MPI_COMM_WORLD, draw(&r, 3) == world_rank, -world_rank, &comm);
        MPI_Comm_size(comm, &p);
        MPI_Comm_rank(comm, &rank);
        soak_forced none = { 0 };
        if (draw_call(&r, i, 100, comm, p, rank, own ? &none : NULL, &c)) {
            call_prepare(&c);
            run_call(&c.call);
            call_free(&c);
        }
        MPI_Comm_free(&comm);
    }
    const long last = resident() - before;
    return PARTS * (last < least ? last : least);
}

bool memory_is_flat(void)
{
    long grown[2], most[2];
    for (int i = 0; i < 2; i++)
        grown[i] = growth(i == 0);
    MPI_Allreduce(grown, most, 2, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
    const long counted = options.communicators - options.communicators / 5;
    const bool flat = most[1] <= (most[0] > 0 ? most[0] : 0) + LOST_ONCE + LOST_EACH * counted;
    if (world_rank == 0)
        printf("soak: over %ld communicators memory grew by %ld bytes with the library's own "
               "algorithms, by %ld with AnyP's: %s\n", counted, most[0], most[1],
               flat ? "passed" : "FAILED");
    return flat;
}

static size_t allocated(void)
{
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

static void start_and_check(test_run *r)
{
    run_start(r);
    MPI_Wait(&r->request, MPI_STATUS_IGNORE);
    run_check(r);
}

/* Persistent allreduces by an algorithm, or NULL for the library's own. */
static void requests_of(const anyp_algorithm *algorithm, int count)
{
    enum { ALIVE = 1000, STARTS = 10000 };
    candidate forced = { .algorithm = algorithm };
    test_call t = { .collective = ANYP_ALLREDUCE, .form = PERSISTENT, .candidate = &forced,
                    .kind = kind_of_words(), .in_kind = kind_of_words(), .comm = MPI_COMM_WORLD,
                    .p = world_size, .rank = world_rank, .count = count, .shape = "",
                    .reproducible = options.reproducible };
    test_run *runs = calloc(ALIVE, sizeof *runs);
    uint32_t *expected = expected_of(&t, count);
    t.expected = expected;
    if (algorithm)
        anyp_parameters_default(algorithm, forced.parameters);
    force(t.collective, false, &forced);
    for (int i = 0; i < ALIVE; i++)
        run_begin(&runs[i], &t);
    for (int i = 0; i < ALIVE; i++)
        run_start(&runs[i]);
    for (int i = 0; i < ALIVE; i++) {
        MPI_Wait(&runs[i].request, MPI_STATUS_IGNORE);
        run_check(&runs[i]);
    }
    for (int i = 0; i < STARTS; i++) {
        watch_step(0, i, "start a persistent request", NULL);
        start_and_check(&runs[i % 2]);
    }
    const size_t before = allocated();
    for (int i = 0; i < ALIVE; i++)
        MPI_Request_free(&runs[i].request);
    const size_t after = allocated();
    for (int i = 0; i < ALIVE; i++)
        run_end(&runs[i]);
    if (world_rank == 0)
        printf("soak: %d persistent allreduces of %d bytes at the same time, %s: %zu bytes each\n",
               ALIVE, 4 * count, algorithm ? algorithm->name : "the library's own",
               (before > after ? before - after : 0) / ALIVE);
    free(expected);
    free(runs);
}

void memory_of_requests(void)
{
    int count;
    const anyp_algorithm *algorithms = anyp_algorithms(&count);
    if (MPI_VERSION < 4 || !control_nonblocking(true))
        return;
    requests_of(NULL, 2);
    requests_of(algorithms, 2);
    requests_of(algorithms, 1024);
}
