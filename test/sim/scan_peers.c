/* SPDX-License-Identifier: BSD-3-Clause
 *
 * scan_peers.c - MPI_Scan and MPI_Exscan of other MPI libraries, for programs under SMPI, whose own
 * ones send each vector to all higher ranks. The variable SCAN_PEER has the algorithm:
 *   doubling       recursive doubling, as MPICH and MVAPICH2: a rank sends the sum of all ranks
 *                  that it knows, the whole vector, in each of log2 p rounds; a scan with several
 *                  ranks on a node first scans inside nodes, then among these
 *   chain          Open MPI's: each rank waits for the one before it
 *   chain:S:W      the same with segments of S bytes, of which W are under way to a rank; no
 *                  library has it, but no chain is faster
 * Without the variable SMPI's own ones run. Written from descriptions of the algorithms. Not for
 * calls in place, nor for types that do not begin at 0.
 */
#include <mpi.h>
#include <simgrid/actor.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TAG = 1,
    MOST = 16,                  /* segments under way */
    SHORT = 64 << 10            /* bytes of a message with an overhead: test/sim/launch */
};

/* SMPI's overhead of receiving, which it does not add to a message that is sent synchronously */
static const double overhead = 0.5e-6;

typedef struct prefix {
    int count, rank, p;
    bool inclusive;             /* a scan */
    MPI_Datatype type;
    MPI_Op op;
    MPI_Comm comm;
    size_t extent;              /* bytes of an element */
} prefix;

static prefix prefix_of(bool inclusive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    MPI_Aint begin, extent;
    prefix made = { .count = count, .inclusive = inclusive, .type = type, .op = op, .comm = comm };
    PMPI_Comm_rank(comm, &made.rank);
    PMPI_Comm_size(comm, &made.p);
    PMPI_Type_get_extent(type, &begin, &extent);
    made.extent = (size_t) extent;
    return made;
}

static void *room(size_t bytes)
{
    void *made = malloc(bytes + 1);
    if (!made) {
        fprintf(stderr, "scan_peers: no memory\n");
        PMPI_Abort(MPI_COMM_WORLD, 1);
    }
    return made;
}

static void copy(const prefix *x, const void *from, void *to)
{
    memcpy(to, from, (size_t) x->count * x->extent);
}

/* right = left (+) right */
static void add(const prefix *x, const void *left, void *right)
{
    PMPI_Reduce_local((void *) left, right, x->count, x->type, x->op);
}

static void doubling(const prefix *x, const void *in, void *out)
{
    const size_t bytes = (size_t) x->count * x->extent;
    char *known = room(bytes), *received = room(bytes);
    bool empty = !x->inclusive;         /* nothing is in `out` */
    copy(x, in, known);
    if (x->inclusive)
        copy(x, in, out);
    for (int distance = 1; distance < x->p; distance *= 2) {
        const int peer = x->rank ^ distance;
        if (peer >= x->p)
            continue;
        PMPI_Sendrecv(known, x->count, x->type, peer, TAG, received, x->count, x->type, peer, TAG,
                      x->comm, MPI_STATUS_IGNORE);
        if (peer > x->rank) {
            char *const other = known;
            add(x, known, received);
            known = received;
            received = other;
            continue;
        }
        add(x, received, known);
        if (empty)
            copy(x, received, out);
        else
            add(x, received, out);
        empty = false;
    }
    free(known);
    free(received);
}

/* Segments of `length` elements. Without a window they are sent like any message. */
static void chain(const prefix *x, const void *in, void *out, int length, int window)
{
    const bool first = x->rank == 0, last = x->rank == x->p - 1;
    const int segments = (x->count + length - 1) / length;
    char *const sum = room((size_t) x->count * x->extent);      /* of the ranks up to this one */
    MPI_Request *const incoming = room((size_t) segments * sizeof *incoming);
    MPI_Request outgoing[MOST];
    prefix part = *x;
    for (int i = 0; i < MOST; i++)
        outgoing[i] = MPI_REQUEST_NULL;
    copy(x, in, sum);
    if (x->inclusive && first)
        copy(x, in, out);
    for (int i = 0; i < segments && !first; i++) {
        const int begin = i * length;
        PMPI_Irecv((char *) out + (size_t) begin * x->extent,
                   i + 1 < segments ? length : x->count - begin, x->type, x->rank - 1, TAG,
                   x->comm, &incoming[i]);
    }
    for (int i = 0; i < segments; i++) {
        const size_t at = (size_t) i * (size_t) length * x->extent;
        part.count = i + 1 < segments ? length : x->count - i * length;
        if (!first) {
            PMPI_Wait(&incoming[i], MPI_STATUS_IGNORE);
            if (window > 0 && (size_t) part.count * x->extent <= SHORT)
                sg_actor_sleep_for(overhead);
            add(&part, (char *) out + at, sum + at);
            if (x->inclusive)
                copy(&part, sum + at, (char *) out + at);
        }
        if (last)
            continue;
        if (window == 0) {
            PMPI_Send(sum + at, part.count, x->type, x->rank + 1, TAG, x->comm);
            continue;
        }
        MPI_Request *const oldest = &outgoing[i % window];
        PMPI_Wait(oldest, MPI_STATUS_IGNORE);
        PMPI_Issend(sum + at, part.count, x->type, x->rank + 1, TAG, x->comm, oldest);
    }
    PMPI_Waitall(MOST, outgoing, MPI_STATUSES_IGNORE);
    free(incoming);
    free(sum);
}

/* Of MPI_COMM_WORLD, made in the first scan: the ranks of a node, and the first rank of each; the
 * node's number among these; whether a node has several ranks */
static MPI_Comm node = MPI_COMM_NULL, nodes = MPI_COMM_NULL;
static int number;
static bool several;

/* Collective. */
static void find_nodes(const prefix *x)
{
    int rank, size, most;
    if (node != MPI_COMM_NULL)
        return;
    PMPI_Comm_split_type(x->comm, MPI_COMM_TYPE_SHARED, x->rank, MPI_INFO_NULL, &node);
    PMPI_Comm_rank(node, &rank);
    PMPI_Comm_size(node, &size);
    PMPI_Comm_split(x->comm, rank == 0 ? 0 : MPI_UNDEFINED, x->rank, &nodes);
    if (rank == 0)
        PMPI_Comm_rank(nodes, &number);
    PMPI_Bcast(&number, 1, MPI_INT, 0, node);
    PMPI_Allreduce(&size, &most, 1, MPI_INT, MPI_MAX, x->comm);
    several = most > 1;
}

/* The ranks of a node follow each other. A scan of each node; one of their sums, from each of which
 * the next node gets what is before it; all its ranks add this. */
static void of_nodes(const prefix *x, const void *in, void *out)
{
    const prefix mine = prefix_of(true, x->count, x->type, x->op, node);
    const bool leads = mine.rank == 0;
    const size_t bytes = (size_t) x->count * x->extent;
    char *const sum = room(bytes), *const before = room(bytes);
    doubling(&mine, in, out);
    if (leads && mine.p > 1)
        PMPI_Recv(sum, x->count, x->type, mine.p - 1, TAG, node, MPI_STATUS_IGNORE);
    else if (leads)
        copy(x, out, sum);
    else if (mine.rank == mine.p - 1)
        PMPI_Send(out, x->count, x->type, 0, TAG, node);
    if (leads) {
        const prefix among = prefix_of(true, x->count, x->type, x->op, nodes);
        char *const up_to = room(bytes);
        doubling(&among, sum, up_to);
        PMPI_Sendrecv(up_to, x->count, x->type, number + 1 < among.p ? number + 1 : MPI_PROC_NULL,
                      TAG, before, x->count, x->type, number > 0 ? number - 1 : MPI_PROC_NULL, TAG,
                      nodes, MPI_STATUS_IGNORE);
        free(up_to);
    }
    if (number > 0) {
        PMPI_Bcast(before, x->count, x->type, 0, node);
        add(x, before, out);
    }
    free(before);
    free(sum);
}

static int run(const prefix *x, const char *peer, const void *in, void *out)
{
    int bytes, window;
    if (in == MPI_IN_PLACE)
        return MPI_ERR_BUFFER;
    if (!strcmp(peer, "doubling")) {
        find_nodes(x);
        if (several && x->inclusive)
            of_nodes(x, in, out);
        else
            doubling(x, in, out);
    } else if (!strcmp(peer, "chain")) {
        chain(x, in, out, x->count, 0);
    } else if (sscanf(peer, "chain:%d:%d", &bytes, &window) == 2 && window > 0 && window <= MOST) {
        const int length = bytes / (int) x->extent;
        chain(x, in, out, length > 0 ? length : 1, window);
    } else {
        return MPI_ERR_ARG;
    }
    return MPI_SUCCESS;
}

int MPI_Scan(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    const prefix x = prefix_of(true, count, type, op, comm);
    const char *peer = getenv("SCAN_PEER");
    return peer ? run(&x, peer, in, out) : PMPI_Scan(in, out, count, type, op, comm);
}

int MPI_Exscan(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    const prefix x = prefix_of(false, count, type, op, comm);
    const char *peer = getenv("SCAN_PEER");
    return peer ? run(&x, peer, in, out) : PMPI_Exscan(in, out, count, type, op, comm);
}
