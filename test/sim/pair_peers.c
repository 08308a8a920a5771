/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pair_peers.c - MPI_Alltoallv, MPI_Gatherv and MPI_Scatterv of others, for programs under SMPI.
 * The variable PAIR_PEER has the algorithm:
 *   linear         MPICH's alltoallv: all messages at once, from rank - i and to rank + i, without
 *                  empty ones; gatherv and scatterv: the root exchanges a message with each rank
 *                  whose block is not empty
 *   linear:T       alltoallv has at most T of these under way in each direction (MPICH's throttle)
 *   radix:K        alltoallv by digits to base K of the distance that a block has to go (TuNA, by
 *                  K. Fan, J. Domke, S. Ba and S. Kumar): in each round a message with the sizes of
 *                  its blocks, then one with the blocks
 *   layers:K       the same inside nodes, each rank with all blocks for the ranks with one number
 *                  in their nodes; then a message to such a rank of each node (TuNA of two layers).
 *                  Only for nodes with the same number of ranks
 * Without the variable SMPI's own ones run. Written from descriptions of the algorithms, with less
 * to do than these in two points: there is no maximum of all sizes, and messages for all values of
 * a digit are sent at once. Only for bytes, and not in place.
 */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TAG = 1 };

static void *room(size_t bytes)
{
    void *made = malloc(bytes + 1);
    if (!made) {
        fprintf(stderr, "pair_peers: no memory\n");
        PMPI_Abort(MPI_COMM_WORLD, 1);
    }
    return made;
}

/* ---- messages that are under way together ---- */

typedef struct batch {
    MPI_Comm comm;
    MPI_Request *requests;
    int number;
} batch;

static batch batch_of(MPI_Comm comm, int most)
{
    return (batch) { .comm = comm,
                     .requests = room((size_t) most * sizeof(MPI_Request)) };
}

static void receive(batch *x, void *to, int bytes, int peer)
{
    if (bytes > 0)
        PMPI_Irecv(to, bytes, MPI_BYTE, peer, TAG, x->comm, &x->requests[x->number++]);
}

static void send(batch *x, const void *from, int bytes, int peer)
{
    if (bytes > 0)
        PMPI_Isend(from, bytes, MPI_BYTE, peer, TAG, x->comm, &x->requests[x->number++]);
}

static void wait(batch *x)
{
    PMPI_Waitall(x->number, x->requests, MPI_STATUSES_IGNORE);
    x->number = 0;
}

/* ---- alltoallv ---- */

typedef struct exchange {
    const char *in;
    char *out;
    const int *in_counts, *in_displs, *out_counts, *out_displs;
    int p, rank;
    MPI_Comm comm;
} exchange;

static void linear(const exchange *x, int throttle)
{
    batch messages = batch_of(x->comm, 2 * x->p);
    memcpy(x->out + x->out_displs[x->rank], x->in + x->in_displs[x->rank],
           (size_t) x->in_counts[x->rank]);
    for (int begin = 1; begin < x->p; begin += throttle) {
        const int end = begin + throttle < x->p ? begin + throttle : x->p;
        for (int i = begin; i < end; i++) {
            const int from = (x->rank - i + x->p) % x->p;
            receive(&messages, x->out + x->out_displs[from], x->out_counts[from], from);
        }
        for (int i = begin; i < end; i++) {
            const int to = (x->rank + i) % x->p;
            send(&messages, x->in + x->in_displs[to], x->in_counts[to], to);
        }
        wait(&messages);
    }
    free(messages.requests);
}

typedef struct block {
    const char *data;
    int bytes;
} block;

/* Memory that is freed after the call */
typedef struct arena {
    void **pieces;
    int number;
} arena;

static void *keep(arena *memory, size_t bytes)
{
    memory->pieces = realloc(memory->pieces,
                             (size_t) (memory->number + 1) * sizeof *memory->pieces);
    if (!memory->pieces)
        PMPI_Abort(MPI_COMM_WORLD, 1);
    return memory->pieces[memory->number++] = room(bytes);
}

static void free_all(arena *memory)
{
    for (int i = 0; i < memory->number; i++)
        free(memory->pieces[i]);
    free(memory->pieces);
}

/* A message with blocks: their sizes, and their bytes one after the other */
typedef struct message {
    int *sizes;
    char *data;
    int blocks, bytes;
} message;

/* The next distance of which a digit has a value, after `last` */
static int next(int last, int p, int radix, int unit, int value)
{
    for (last++; last < p && last / unit % radix != value; last++)
        ;
    return last;
}

/* held[i * parts] and the parts - 1 after it, from rank r, go to rank r + i. Afterwards they are
 * what came from rank r - i. */
static void by_digits(MPI_Comm comm, int radix, int parts, block *held, arena *memory)
{
    int p, rank;
    PMPI_Comm_size(comm, &p);
    PMPI_Comm_rank(comm, &rank);
    batch messages = batch_of(comm, 2 * radix);
    message *const out = room((size_t) radix * sizeof *out), *const in = room(radix * sizeof *in);
    for (int unit = 1; unit < p; unit *= radix) {
        for (int value = 1; value < radix && value * unit < p; value++) {
            message *const to = &out[value], *const from = &in[value];
            *to = (message) { .sizes = keep(memory, (size_t) (p * parts) * sizeof(int)) };
            *from = (message) { .sizes = keep(memory, (size_t) (p * parts) * sizeof(int)) };
            for (int i = next(0, p, radix, unit, value); i < p; i = next(i, p, radix, unit, value))
                for (int part = 0; part < parts; part++) {
                    const block *one = &held[i * parts + part];
                    to->sizes[to->blocks++] = one->bytes;
                    to->bytes += one->bytes;
                }
            from->blocks = to->blocks;
            receive(&messages, from->sizes, from->blocks * (int) sizeof(int),
                    (rank - value * unit + p) % p);
            send(&messages, to->sizes, to->blocks * (int) sizeof(int), (rank + value * unit) % p);
        }
        wait(&messages);
        for (int value = 1; value < radix && value * unit < p; value++) {
            message *const to = &out[value], *const from = &in[value];
            for (int b = 0; b < from->blocks; b++)
                from->bytes += from->sizes[b];
            from->data = keep(memory, (size_t) from->bytes);
            char *end = to->data = keep(memory, (size_t) to->bytes);
            for (int i = next(0, p, radix, unit, value); i < p; i = next(i, p, radix, unit, value))
                for (int part = 0; part < parts; part++) {
                    const block *one = &held[i * parts + part];
                    memcpy(end, one->data, (size_t) one->bytes);
                    end += one->bytes;
                }
            receive(&messages, from->data, from->bytes, (rank - value * unit + p) % p);
            send(&messages, to->data, to->bytes, (rank + value * unit) % p);
        }
        wait(&messages);
        for (int value = 1; value < radix && value * unit < p; value++) {
            const char *data = in[value].data;
            int b = 0;
            for (int i = next(0, p, radix, unit, value); i < p; i = next(i, p, radix, unit, value))
                for (int part = 0; part < parts; part++) {
                    held[i * parts + part] = (block) { data, in[value].sizes[b] };
                    data += in[value].sizes[b++];
                }
        }
    }
    free(out);
    free(in);
    free(messages.requests);
}

static block block_to(const exchange *x, int rank)
{
    return (block) { x->in + x->in_displs[rank], x->in_counts[rank] };
}

static void by_radix(const exchange *x, int radix)
{
    arena memory = { 0 };
    block *const held = keep(&memory, (size_t) x->p * sizeof *held);
    for (int i = 0; i < x->p; i++)
        held[i] = block_to(x, (x->rank + i) % x->p);
    by_digits(x->comm, radix, 1, held, &memory);
    for (int i = 0; i < x->p; i++)
        memcpy(x->out + x->out_displs[(x->rank - i + x->p) % x->p], held[i].data,
               (size_t) held[i].bytes);
    free_all(&memory);
}

/* Of MPI_COMM_WORLD, whose ranks of a node follow each other: those of a node */
static MPI_Comm node = MPI_COMM_NULL;

/* How many ranks each node has; 0: not all the same. Collective in the first call. */
static int node_ranks(void)
{
    static int known = -1;
    int size, ends[2];
    if (known >= 0)
        return known;
    PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    PMPI_Comm_size(node, &size);
    PMPI_Allreduce((int[2]) { size, -size }, ends, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return known = ends[0] == -ends[1] ? size : 0;
}

static int by_layers(const exchange *x, int radix)
{
    const int size = node_ranks(), nodes = size ? x->p / size : 0;
    if (size == 0)
        return MPI_ERR_COMM;
    const int mine = x->rank / size, number = x->rank % size;
    arena memory = { 0 };
    block *const held = keep(&memory, (size_t) x->p * sizeof *held);
    batch messages = batch_of(x->comm, 2 * nodes);
    for (int i = 0; i < size; i++)
        for (int n = 0; n < nodes; n++)
            held[i * nodes + n] = block_to(x, n * size + (number + i) % size);
    by_digits(node, radix, nodes, held, &memory);
    /* with each node a message of this node's blocks, in the order of their ranks */
    char **const from = keep(&memory, (size_t) nodes * sizeof *from);
    for (int i = 0; i < nodes; i++) {
        const int n = (mine - i + nodes) % nodes;
        int bytes = 0;
        for (int r = 0; r < size; r++)
            bytes += x->out_counts[n * size + r];
        from[n] = keep(&memory, (size_t) bytes);
        receive(&messages, from[n], bytes, n * size + number);
    }
    for (int i = 0; i < nodes; i++) {
        const int n = (mine + i) % nodes;
        int bytes = 0;
        for (int r = 0; r < size; r++)
            bytes += held[r * nodes + n].bytes;
        char *const data = keep(&memory, (size_t) bytes), *end = data;
        for (int r = 0; r < size; r++) {
            const block *one = &held[(number - r + size) % size * nodes + n];
            memcpy(end, one->data, (size_t) one->bytes);
            end += one->bytes;
        }
        send(&messages, data, bytes, n * size + number);
    }
    wait(&messages);
    for (int r = 0; r < x->p; r++) {
        memcpy(x->out + x->out_displs[r], from[r / size], (size_t) x->out_counts[r]);
        from[r / size] += x->out_counts[r];
    }
    free(messages.requests);
    free_all(&memory);
    return MPI_SUCCESS;
}

int MPI_Alltoallv(const void *in, const int *in_counts, const int *in_displs, MPI_Datatype in_type,
                  void *out, const int *out_counts, const int *out_displs, MPI_Datatype out_type,
                  MPI_Comm comm)
{
    const char *peer = getenv("PAIR_PEER");
    exchange x = { .in = in, .out = out, .in_counts = in_counts, .in_displs = in_displs,
                   .out_counts = out_counts, .out_displs = out_displs, .comm = comm };
    int number;
    if (!peer)
        return PMPI_Alltoallv(in, in_counts, in_displs, in_type, out, out_counts, out_displs,
                              out_type, comm);
    PMPI_Comm_size(comm, &x.p);
    PMPI_Comm_rank(comm, &x.rank);
    if (!strcmp(peer, "linear"))
        linear(&x, x.p);
    else if (sscanf(peer, "linear:%d", &number) == 1 && number > 0)
        linear(&x, number);
    else if (sscanf(peer, "radix:%d", &number) == 1 && number > 1)
        by_radix(&x, number);
    else if (sscanf(peer, "layers:%d", &number) == 1 && number > 1)
        return by_layers(&x, number);
    else
        return MPI_ERR_ARG;
    return MPI_SUCCESS;
}

/* ---- gatherv and scatterv ---- */

int MPI_Gatherv(const void *in, int in_count, MPI_Datatype in_type, void *out, const int *counts,
                const int *displs, MPI_Datatype out_type, int root, MPI_Comm comm)
{
    int p, rank;
    if (!getenv("PAIR_PEER"))
        return PMPI_Gatherv(in, in_count, in_type, out, counts, displs, out_type, root, comm);
    PMPI_Comm_size(comm, &p);
    PMPI_Comm_rank(comm, &rank);
    batch messages = batch_of(comm, p + 1);
    for (int r = 0; r < p && rank == root; r++)
        if (r == root)
            memcpy((char *) out + displs[r], in, (size_t) in_count);
        else
            receive(&messages, (char *) out + displs[r], counts[r], r);
    if (rank != root)
        send(&messages, in, in_count, root);
    wait(&messages);
    free(messages.requests);
    return MPI_SUCCESS;
}

int MPI_Scatterv(const void *in, const int *counts, const int *displs, MPI_Datatype in_type,
                 void *out, int out_count, MPI_Datatype out_type, int root, MPI_Comm comm)
{
    int p, rank;
    if (!getenv("PAIR_PEER"))
        return PMPI_Scatterv(in, counts, displs, in_type, out, out_count, out_type, root, comm);
    PMPI_Comm_size(comm, &p);
    PMPI_Comm_rank(comm, &rank);
    batch messages = batch_of(comm, p + 1);
    if (rank != root)
        receive(&messages, out, out_count, root);
    for (int r = 0; r < p && rank == root; r++)
        if (r == root)
            memcpy(out, (const char *) in + displs[r], (size_t) out_count);
        else
            send(&messages, (const char *) in + displs[r], counts[r], r);
    wait(&messages);
    free(messages.requests);
    return MPI_SUCCESS;
}
