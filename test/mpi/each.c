/* SPDX-License-Identifier: BSD-3-Clause
 *
 * each - tests each collective on a few sizes of vectors, blocking and nonblocking, in any MPI
 * library. Collectives whose blocks have counts also run with most of the vector at one rank. Rank
 * 0 writes "each: p=5: right". With the plug-in it first writes what ran each blocking collective
 * last: "each: bcast: binomial", or "own" for the MPI library's algorithm. Inside MPICH the lines
 * of MPIR_CVAR_ANYP_VERBOSE tell what ran.
 */
#include "anyp.h"

#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const names[ANYP_COLLECTIVES] = {
#define ANYP_COLLECTIVE(NAME, Name, name, ...) [ANYP_##NAME] = #name,
#include "schedule/collectives.def"
};

static int rank, p, root;
static int count, all;          /* elements of a block, of all blocks */
static int *in, *out;
static int *counts, *places;     /* of the blocks, where each has its count */
static int *bytes;              /* the places in bytes */
static MPI_Datatype *types;

/* Element i of rank r's input. */
static int value(int r, int i)
{
    return 1000 * r + i % 997;
}

/* Of the ranks before `end`. */
static int sum(int end, int i)
{
    int total = 0;
    for (int r = 0; r < end; r++)
        total += value(r, i);
    return total;
}

#define CALL(Blocking, nonblocking, ...)                                                           \
    (request ? MPI_I##nonblocking(__VA_ARGS__, request) : MPI_##Blocking(__VA_ARGS__))
#define SENT in, count, MPI_INT
#define RECEIVED out, count, MPI_INT

static int call(anyp_collective collective, MPI_Request *request)
{
    const MPI_Comm comm = MPI_COMM_WORLD;
    switch (collective) {
    case ANYP_ALLREDUCE:
        return CALL(Allreduce, allreduce, in, out, all, MPI_INT, MPI_SUM, comm);
    case ANYP_REDUCE:
        return CALL(Reduce, reduce, in, out, all, MPI_INT, MPI_SUM, root, comm);
    case ANYP_REDUCE_SCATTER:
        return CALL(Reduce_scatter, reduce_scatter, in, out, counts, MPI_INT, MPI_SUM, comm);
    case ANYP_REDUCE_SCATTER_BLOCK:
        return CALL(Reduce_scatter_block, reduce_scatter_block, in, RECEIVED, MPI_SUM, comm);
    case ANYP_SCAN:
        return CALL(Scan, scan, in, out, all, MPI_INT, MPI_SUM, comm);
    case ANYP_EXSCAN:
        return CALL(Exscan, exscan, in, out, all, MPI_INT, MPI_SUM, comm);
    case ANYP_BCAST:
        return CALL(Bcast, bcast, rank == root ? in : out, all, MPI_INT, root, comm);
    case ANYP_ALLGATHER:
        return CALL(Allgather, allgather, SENT, RECEIVED, comm);
    case ANYP_ALLGATHERV:
        return CALL(Allgatherv, allgatherv, in, counts[rank], MPI_INT, out, counts, places,
                    MPI_INT, comm);
    case ANYP_GATHER:
        return CALL(Gather, gather, SENT, RECEIVED, root, comm);
    case ANYP_SCATTER:
        return CALL(Scatter, scatter, SENT, RECEIVED, root, comm);
    case ANYP_ALLTOALL:
        return CALL(Alltoall, alltoall, SENT, RECEIVED, comm);
    case ANYP_ALLTOALLV:
        return CALL(Alltoallv, alltoallv, in, counts, places, MPI_INT, out, counts, places,
                    MPI_INT, comm);
    case ANYP_ALLTOALLW:
        return CALL(Alltoallw, alltoallw, in, counts, bytes, types, out, counts, bytes, types,
                    comm);
    case ANYP_GATHERV:
        return CALL(Gatherv, gatherv, in, counts[rank], MPI_INT, out, counts, places, MPI_INT,
                    root, comm);
    case ANYP_SCATTERV:
        return CALL(Scatterv, scatterv, in, counts, places, MPI_INT, out, counts[rank], MPI_INT,
                    root, comm);
    case ANYP_BARRIER:
        return request ? MPI_Ibarrier(comm, request) : MPI_Barrier(comm);
    case ANYP_COLLECTIVES:
        break;
    }
    return MPI_ERR_OTHER;
}

/* Element i of this rank's result; -1: it has no such element. */
static int expected(anyp_collective collective, int i)
{
    const int mine = rank * count + i, block = i / count, at = i % count;
    int owner = 0;
    switch (collective) {
    case ANYP_ALLREDUCE:
        return sum(p, i);
    case ANYP_REDUCE:
        return rank == root ? sum(p, i) : -1;
    case ANYP_REDUCE_SCATTER:
        return i < counts[rank] ? sum(p, places[rank] + i) : -1;
    case ANYP_REDUCE_SCATTER_BLOCK:
        return i < count ? sum(p, mine) : -1;
    case ANYP_SCAN:
        return sum(rank + 1, i);
    case ANYP_EXSCAN:
        return rank > 0 ? sum(rank, i) : -1;
    case ANYP_BCAST:
        return rank == root ? -1 : value(root, i);
    case ANYP_ALLGATHER:
        return value(block, at);
    case ANYP_ALLGATHERV:
    case ANYP_GATHERV:
        while (owner < p && i >= places[owner] + counts[owner])
            owner++;
        return owner < p && (collective == ANYP_ALLGATHERV || rank == root)
            ? value(owner, i - places[owner]) : -1;
    case ANYP_GATHER:
        return rank == root ? value(block, at) : -1;
    case ANYP_SCATTER:
        return i < count ? value(root, mine) : -1;
    case ANYP_SCATTERV:
        return i < counts[rank] ? value(root, places[rank] + i) : -1;
    case ANYP_ALLTOALL:
    case ANYP_ALLTOALLV:        /* with equal blocks */
    case ANYP_ALLTOALLW:
        return value(block, rank * count + at);
    case ANYP_BARRIER:
        return -1;
    case ANYP_COLLECTIVES:
        break;
    }
    return -2;
}

/* Whether a call is wrong. */
static int check(anyp_collective collective, int nonblocking)
{
    MPI_Request request;
    for (int i = 0; i < all; i++)
        out[i] = -1;
    int wrong = call(collective, nonblocking ? &request : NULL);
    if (nonblocking && !wrong)
        wrong = MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < all && !wrong; i++)
        wrong = out[i] != expected(collective, i);
    if (wrong)
        printf("each: rank %d: %s%s of %d elements: wrong\n", rank, nonblocking ? "i" : "",
               names[collective], all);
    return wrong != 0;
}

/* Blocks of `count` elements; or the root has half of all, and others one or none: less in all,
 * since verbose lines name each class of sizes once. */
static void set_blocks(int uneven)
{
    for (int i = 0; i < p; i++) {
        counts[i] = !uneven ? count : i == root ? all / 2 : count > 1;
        places[i] = i ? places[i - 1] + counts[i - 1] : 0;
        bytes[i] = places[i] * (int) sizeof *out;
        types[i] = MPI_INT;
    }
}

int main(int argc, char **argv)
{
    enum { SIZES = 3 };
    static const int sizes[SIZES] = { 1, 100, 60000 };
    const char *(*last)(const char *);
    int wrong = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    root = p / 2;
    in = malloc(sizeof *in * (size_t) (sizes[SIZES - 1] * p));
    out = malloc(sizeof *out * (size_t) (sizes[SIZES - 1] * p));
    counts = malloc(sizeof *counts * (size_t) p);
    places = malloc(sizeof *places * (size_t) p);
    bytes = malloc(sizeof *bytes * (size_t) p);
    types = malloc(sizeof *types * (size_t) p);
    for (int i = 0; i < sizes[SIZES - 1] * p; i++)
        in[i] = value(rank, i);
    for (int s = 0; s < SIZES; s++) {
        count = sizes[s];
        all = count * p;
        set_blocks(0);
        for (int c = 0; c < ANYP_COLLECTIVES; c++)
            wrong += check((anyp_collective) c, 0) + check((anyp_collective) c, 1);
        set_blocks(1);
        for (int form = 0; form < 2; form++)
            wrong += check(ANYP_REDUCE_SCATTER, form) + check(ANYP_ALLGATHERV, form) +
                check(ANYP_GATHERV, form) + check(ANYP_SCATTERV, form);
    }
    *(void **) &last = dlsym(RTLD_DEFAULT, "anyp_control_last");
    for (int c = 0; c < ANYP_COLLECTIVES && last && rank == 0; c++) {
        const char *ran = last(names[c]);
        printf("each: %s: %s\n", names[c], ran ? ran : "own");
    }
    if (wrong || rank == 0)
        printf("each: p=%d: %s\n", p, wrong ? "wrong" : "right");
    free(in);
    free(out);
    free(counts);
    free(places);
    free(bytes);
    free(types);
    MPI_Finalize();
    return wrong != 0;
}
