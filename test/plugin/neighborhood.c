/* SPDX-License-Identifier: BSD-3-Clause
 *
 * neighborhood - neighborhood collectives on many topologies: the results are those of the MPI
 * library, and what no neighbour sends stays as it was. Blocks of all sizes follow each other, also
 * larger ones than AnyP combines, and datatypes with gaps.
 */
#include <mpi.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64, CALLS = 40, LARGE = 4096 };

static int p, rank, wrong;
static uint32_t state = 1;      /* the same on all ranks */

static unsigned draw(unsigned n)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 16) % n;
}

/* The edges of this rank, and the call's arguments. */
static int out, in, to[MOST], from[MOST];
static int weights[2][MOST];    /* all 0 */
static int *volatile unweighted;        /* so that compilers do not look behind it */
static int counts[2][MOST], places[2][MOST];
static MPI_Datatype spread;
static int *data, *result[2];
static size_t room;

/* ---- topologies ---- */

static void ask_neighbors(MPI_Comm comm)
{
    int kind, dims, weighted;
    MPI_Topo_test(comm, &kind);
    if (kind == MPI_CART) {
        MPI_Cartdim_get(comm, &dims);
        out = in = 2 * dims;
        for (int i = 0; i < dims; i++)
            MPI_Cart_shift(comm, i, 1, &to[2 * i], &to[2 * i + 1]);
        memcpy(from, to, sizeof from);
    } else if (kind == MPI_GRAPH) {
        MPI_Graph_neighbors_count(comm, rank, &out);
        in = out;
        MPI_Graph_neighbors(comm, rank, MOST, to);
        memcpy(from, to, sizeof from);
    } else {
        MPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
        MPI_Dist_graph_neighbors(comm, in, from, weights[0], out, to, weights[1]);
    }
}

/* A grid of all ranks, with some sides periodic. Returns false if it would not fit. */
static MPI_Comm grid(int dims, int width, int periodic)
{
    int sides[3] = { 0, 0, 0 }, periods[3];
    MPI_Comm comm;
    if (dims > 1 && p % width == 0)
        sides[0] = width;
    MPI_Dims_create(p, dims, sides);
    for (int i = 0; i < dims; i++)
        periods[i] = periodic >> i & 1;
    MPI_Cart_create(MPI_COMM_WORLD, dims, sides, periods, 0, &comm);
    return comm;
}

/* A ring with chords, in which each rank knows all edges. */
static MPI_Comm ring(void)
{
    int index[MOST], edges[4 * MOST], n = 0;
    MPI_Comm comm;
    for (int i = 0; i < p; i++) {
        for (int k = 1; k <= 2 && k < p; k++) {
            edges[n++] = (i + k) % p;
            edges[n++] = (i + p - k) % p;
        }
        index[i] = n;
    }
    MPI_Graph_create(MPI_COMM_WORLD, p, index, edges, 0, &comm);
    return comm;
}

/* Random edges, some of them twice, or to the rank itself. */
static MPI_Comm graph(unsigned degree)
{
    int edges[MOST][2], count = 0, n_in = 0, n_out = 0, sources[MOST], receivers[MOST];
    MPI_Comm comm;
    for (; count < MOST && count < (int) degree * p; count++) {
        edges[count][0] = (int) draw((unsigned) p);
        edges[count][1] = (int) draw((unsigned) p);
    }
    for (int i = 0; i < count; i++) {
        if (edges[i][0] == rank)
            receivers[n_out++] = edges[i][1];
        if (edges[i][1] == rank)
            sources[n_in++] = edges[i][0];
    }
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, n_in, sources,
                                   degree % 2 ? unweighted : weights[0], n_out, receivers,
                                   degree % 2 ? unweighted : weights[1], MPI_INFO_NULL, 0, &comm);
    return comm;
}

/* ---- calls ---- */

/* Elements of the block between two ranks: few, none or, in some calls, many. */
static int elements(int a, int b, unsigned call)
{
    const uint32_t of = (uint32_t) (a * 131 + b) * 2654435761u + call * 40503u;
    return of >> 28 == 0 && call % 5 == 4 ? LARGE : of >> 28 < 4 ? 0 : (int) (of >> 20 & 31);
}

/* Sets the counts and displacements of one side. */
static void lay_out(int side, unsigned call, int n, const int *others, int each)
{
    int at = 0;
    for (int i = 0; i < n; i++) {
        const int other = others[i];
        const int size = each >= 0 ? each : other < 0 ? 3
            : side == 0 ? elements(rank, other, call) : elements(other, rank, call);
        counts[side][i] = size;
        places[side][i] = at;
        at += size + i % 3;
    }
}

/* Makes the same call by one of the two functions: MPI or PMPI. */
#define CALL(prefix, kind, count, type, result, comm)                                              \
    do {                                                                                           \
        if ((kind) == 0)                                                                           \
            prefix##_Neighbor_alltoall(data, count, MPI_INT, result, count, type, comm);           \
        else if ((kind) == 1)                                                                      \
            prefix##_Neighbor_allgather(data, count, MPI_INT, result, count, type, comm);          \
        else if ((kind) == 2)                                                                      \
            prefix##_Neighbor_alltoallv(data, counts[0], places[0], MPI_INT, result, counts[1],    \
                                        places[1], type, comm);                                    \
        else                                                                                       \
            prefix##_Neighbor_allgatherv(data, count, MPI_INT, result, counts[1], places[1],       \
                                         type, comm);                                              \
    } while (0)

static void call_all(MPI_Comm comm, const char *name)
{
    for (unsigned call = 0; call < CALLS; call++) {
        const unsigned kind = draw(4);
        const int large = call > 4 && draw(4) == 0;
        const int count = large ? LARGE : (int) draw(20);
        const MPI_Datatype type = draw(3) == 0 ? spread : MPI_INT;
        lay_out(0, call, out, to, -1);
        lay_out(1, call, in, from, kind == 3 ? count : -1);
        memset(result[0], 0x5a, room);
        memset(result[1], 0x5a, room);
        CALL(MPI, kind, count, type, result[0], comm);
        CALL(PMPI, kind, count, type, result[1], comm);
        if (memcmp(result[0], result[1], room) != 0 && wrong++ == 0)
            printf("%s: call %u, kind %u, %d elements: rank %d has another result\n", name, call,
                   kind, count, rank);
    }
}

static void try_topology(MPI_Comm comm, const char *name)
{
    ask_neighbors(comm);
    call_all(comm, name);
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    unweighted = MPI_UNWEIGHTED;
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &spread);
    MPI_Type_commit(&spread);
    room = (size_t) MOST * 2 * (LARGE + 2) * sizeof(int);
    data = malloc(room);
    result[0] = malloc(room);
    result[1] = malloc(room);
    if (!data || !result[0] || !result[1])
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (size_t i = 0; i < room / sizeof(int); i++)
        data[i] = rank * 1000003 + (int) i;
    for (int dims = 1; dims <= 3; dims++)
        for (int width = 1; width <= 2; width++)
            for (int periodic = 0; periodic < 1 << dims; periodic += dims)
                try_topology(grid(dims, width, periodic), "grid");
    try_topology(ring(), "ring");
    for (unsigned degree = 0; degree < 8; degree += 1 + degree / 3)
        try_topology(graph(degree), "graph");
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("neighbors: %s\n", wrong ? "wrong" : "right");
    free(data);
    free(result[0]);
    free(result[1]);
    MPI_Type_free(&spread);
    MPI_Finalize();
    return wrong != 0;
}
