/* SPDX-License-Identifier: BSD-3-Clause */
#include "soak.h"

#include <stdio.h>
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
 * the first fifth. */
static long growth(bool own)
{
    long before = 0;
    const long first = options.communicators / 5;
    for (long i = 0; i < options.communicators; i++) {
        soak_random r = random_of(i, -1);
        soak_call c;
        MPI_Comm comm;
        int p, rank;
        if (i == first)
            before = resident();
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
    return resident() - before;
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
