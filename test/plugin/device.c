/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device LIBRARY early|late [rules] - if LIBRARY (driver.c) says that an input is in a device's
 * memory, the plug-in must not reduce it, but move it. LIBRARY is loaded before MPI_Init (early) or
 * after the first calls, unloaded, and loaded again. With `rules`, a decision file leaves moved
 * data in device memory to the MPI library, and the plug-in all nonblocking calls that move data,
 * because these cannot agree about the memory.
 */
#include "calls.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { COUNT = 100 };

static int wrong, p;
static bool rules;
static int buffers[3][COUNT];
static void (*owns)(const void *, size_t, int);

static void *load(const char *library)
{
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (handle)
        *(void **) &owns = dlsym(handle, "driver_owns");
    else
        wrong++;
    return handle;
}

static void check(const void *in, int *out, bool own, const char *what)
{
    for (int i = 0; i < COUNT; i++)
        buffers[0][i] = buffers[1][i] = i;
    MPI_Allreduce(in, out, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    const bool good = out[7] == 7 * p && !strcmp(what_ran(ANYP_ALLREDUCE), "own") == own;
    if (!good)
        printf("device: wrong: %s: %d, %s ran\n", what, out[7], what_ran(ANYP_ALLREDUCE));
    wrong += !good;
}

/* Rank 0 of an exscan, which has no output, decides as the others do. */
static void check_prefix(const int *in, int *out, bool own, const char *what)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < COUNT; i++)
        buffers[0][i] = buffers[1][i] = buffers[2][i] = i;
    MPI_Exscan(in, out, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    const bool good = (!out || out[7] == (rank ? 7 * rank : 7)) &&
        !strcmp(what_ran(ANYP_EXSCAN), "own") == own;
    if (!good)
        printf("device: wrong: exscan, %s: %s ran\n", what, what_ran(ANYP_EXSCAN));
    wrong += !good;
}

static void check_prefixes(void)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    check_prefix(buffers[0], buffers[1], true, "input on the device");
    check_prefix(buffers[1], rank ? buffers[0] : NULL, false, "output on the device");
    check_prefix(buffers[1], buffers[rank ? 2 : 0], false, "rank 0's output on the device");
    check_prefix(MPI_IN_PLACE, buffers[0], true, "in place on the device");
}

static bool is_own(anyp_collective collective)
{
    return !strcmp(what_ran(collective), "own");
}

/* Data that are moved are moved from and to anywhere, on one rank only, too. `own_runs`: by the MPI
 * library. */
static void check_moved(bool own_runs)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int *const one = rank == 0 ? buffers[0] : buffers[1], own = 100 * rank, got[2] = { 0, 0 };
    one[7] = rank == 0 ? 77 : 0;
    MPI_Bcast(one, COUNT, MPI_INT, 0, MPI_COMM_WORLD);
    bool good = one[7] == 77 && is_own(ANYP_BCAST) == own_runs;
    one[3] = own;
    MPI_Allgather(&one[3], 1, MPI_INT, &buffers[2][5], 1, MPI_INT, MPI_COMM_WORLD);
    memcpy(got, &buffers[2][5], sizeof got);
    good = good && got[0] == 0 && got[1] == 100 && is_own(ANYP_ALLGATHER) == own_runs;
    MPI_Gather(&one[3], 1, MPI_INT, buffers[2], 1, MPI_INT, 0, MPI_COMM_WORLD);
    good = good && (rank || (buffers[2][0] == 0 && buffers[2][1] == 100)) &&
        is_own(ANYP_GATHER) == own_runs;
    MPI_Scatter(buffers[2], 1, MPI_INT, &one[8], 1, MPI_INT, 0, MPI_COMM_WORLD);
    good = good && one[8] == own && is_own(ANYP_SCATTER) == own_runs;
    one[0] = own + 1;
    one[1] = own + 2;
    MPI_Alltoall(one, 1, MPI_INT, buffers[2], 1, MPI_INT, MPI_COMM_WORLD);
    good = good && buffers[2][0] == 1 + rank && buffers[2][1] == 101 + rank &&
        is_own(ANYP_ALLTOALL) == own_runs;
    const int ones[] = { 1, 1 }, places[] = { 1, 0 }, bytes[] = { sizeof *one, 0 };
    const MPI_Datatype types[] = { MPI_INT, MPI_INT };
    MPI_Alltoallv(one, ones, places, MPI_INT, buffers[2], ones, places, MPI_INT, MPI_COMM_WORLD);
    good = good && buffers[2][1] == 2 - rank && buffers[2][0] == 102 - rank &&
        is_own(ANYP_ALLTOALLV) == own_runs;
    MPI_Alltoallw(one, ones, bytes, types, &buffers[2][4], ones, bytes, types, MPI_COMM_WORLD);
    good = good && buffers[2][5] == 2 - rank && buffers[2][4] == 102 - rank &&
        is_own(ANYP_ALLTOALLW) == own_runs;
    MPI_Gatherv(one, 1, MPI_INT, &buffers[2][8], ones, places, MPI_INT, 0, MPI_COMM_WORLD);
    good = good && (rank || (buffers[2][9] == 1 && buffers[2][8] == 101)) &&
        is_own(ANYP_GATHERV) == own_runs;
    MPI_Allgatherv(&one[3], 1, MPI_INT, &buffers[2][12], ones, places, MPI_INT, MPI_COMM_WORLD);
    good = good && buffers[2][13] == 0 && buffers[2][12] == 100 &&
        is_own(ANYP_ALLGATHERV) == own_runs;
    MPI_Scatterv(&buffers[2][8], ones, places, MPI_INT, &one[9], 1, MPI_INT, 0, MPI_COMM_WORLD);
    good = good && one[9] == own + 1 && is_own(ANYP_SCATTERV) == own_runs;
    if (!good)
        printf("device: wrong: data that are moved: %d, %d %d\n", one[7], got[0], got[1]);
    wrong += !good;
}

/* A nonblocking call has the same choice in all memory. */
static void check_nonblocking(void)
{
    int rank;
    MPI_Request request;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int *const one = rank == 0 ? buffers[0] : buffers[1];
    one[7] = rank == 0 ? 78 : 0;
    MPI_Ibcast(one, COUNT, MPI_INT, 0, MPI_COMM_WORLD, &request);
    bool good = is_own(ANYP_BCAST) == rules;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    good = good && one[7] == 78;
    if (!good)
        printf("device: wrong: nonblocking: %d, %s ran\n", one[7], what_ran(ANYP_BCAST));
    wrong += !good;
}

static void check_all(void)
{
    owns(buffers[0], sizeof buffers[0], 0);
    check(buffers[0], buffers[2], true, "input on the device");
    check(buffers[1], buffers[0], false, "output on the device");
    check(MPI_IN_PLACE, buffers[0], true, "in place on the device");
    check(buffers[1], buffers[2], false, "other memory");
    check_prefixes();
    check_moved(rules);
    check_nonblocking();
    owns(NULL, 0, 0);
    check_moved(false);
    check_nonblocking();
}

int main(int argc, char **argv)
{
    const bool early = argc > 2 && !strcmp(argv[2], "early");
    rules = argc > 3;
    void *handle = early ? load(argv[1]) : NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    check(buffers[1], buffers[2], false, "no driver asked");
    if (!handle)
        handle = load(argv[1]);
    check_all();
    owns(buffers[0], sizeof buffers[0], 1);
    check(buffers[0], buffers[2], false, "memory of both");
    dlclose(handle);
    check(buffers[1], buffers[2], false, "the driver is closed");
    load(argv[1]);
    check_all();
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Finalize();
    if (rank == 0)
        printf("device: %s\n", wrong ? "wrong" : "right");
    return wrong != 0;
}
