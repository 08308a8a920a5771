/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pairs - random calls of the collectives in which only sender and receiver know a block's size.
 * Each group of calls forces an algorithm, with its parameters or a random limit, or leaves the
 * choice to the library. The calls of a group differ in all sizes, so that a communicator learns
 * from some and uses this in others. Each rank describes its blocks by other datatypes, and has
 * them anywhere in its memory; arguments that MPI ignores are wrong.
 */
#include "control.h"
#include "library.h"

#include "measure/calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RANKS = 64, NOT_SET = 0x5a };

static uint32_t mixed(uint32_t x)
{
    x = (x ^ x >> 16) * 0x45d9f3bu;
    x = (x ^ x >> 16) * 0x45d9f3bu;
    return x ^ x >> 16;
}

/* The same sequence on all ranks. */
static uint32_t drawn = 1;

static int draw(int below)
{
    return (int) (mixed(drawn++) % (uint32_t) below);
}

/* ---- datatypes ---- */

/* Two words, at `place` bytes from the element's address. */
enum { PLAIN, GAPS, SWAPPED, ALIKE, LAYOUTS };
static const struct layout {
    int place[2], extent;
} layouts[LAYOUTS] = {
    [PLAIN] = { { 0, 4 }, 8 }, [GAPS] = { { 8, 20 }, 24 }, [SWAPPED] = { { 4, 0 }, 8 },
    [ALIKE] = { { 0, 4 }, 8 },
};
static MPI_Datatype types[LAYOUTS];

static void make_types(void)
{
    types[PLAIN] = MPI_2INT;
    for (int i = GAPS; i < LAYOUTS; i++) {
        MPI_Datatype indexed;
        int places[2];
        for (int k = 0; k < 2; k++)
            places[k] = layouts[i].place[k] / (int) sizeof(int);
        MPI_Type_create_indexed_block(2, 1, places, MPI_INT, &indexed);
        MPI_Type_create_resized(indexed, 0, layouts[i].extent, &types[i]);
        MPI_Type_commit(&types[i]);
        MPI_Type_free(&indexed);
    }
}

static void free_types(void)
{
    for (int i = GAPS; i < LAYOUTS; i++)
        MPI_Type_free(&types[i]);
}

/* ---- a call ---- */

typedef struct drawn_call {
    MPI_Comm comm;
    int p, rank, root;
    anyp_collective collective;
    bool in_place;              /* on all ranks, or at the root */
    uint32_t seed;
    int sizes, mean;            /* which distribution of sizes, in elements */
    bool is_long;
    int form;
} drawn_call;

enum { BLOCKING, NONBLOCKING, PERSISTENT };
static const char *const forms[] = { "blocking", "nonblocking", "persistent" };

static bool typed(const drawn_call *c)
{
    return anypi_collectives[c->collective].arguments == ANYPI_TAKES_TYPED_PAIRS;
}

static bool pairs(const drawn_call *c)
{
    return anypi_transposes(c->collective);
}

static bool at_root(const drawn_call *c)
{
    return c->rank == c->root;
}

/* Elements from rank i to rank j; in place, the same both ways. */
static int size_of(const drawn_call *c, int i, int j)
{
    enum { EVEN, UNIFORM, POWERS, SPARSE, ONE_RANK, NOTHING };
    const bool turned = pairs(c) && c->in_place && i > j;
    const int from = turned ? j : i, to = turned ? i : j;
    const uint32_t any = mixed(c->seed + (uint32_t) (from * 8191 + to));
    switch (c->sizes) {
        case EVEN:
            return c->mean;
        case UNIFORM:
            return (int) (any % (uint32_t) (2 * c->mean + 1));
        case POWERS:
            return any % 32 == 0 ? 17 * c->mean : any % 4 == 0 ? c->mean : (int) (any % 3);
        case SPARSE:
            return any % 5 == 0 ? c->mean : 0;
        case ONE_RANK:
            return from == c->p / 2 || to == c->p / 2 ? c->mean : 1;
        default:
            return 0;
    }
}
enum { DISTRIBUTIONS = 6 };

static int word_of(const drawn_call *c, int from, int to, int i)
{
    return (int) mixed(c->seed * 7 + (uint32_t) (from * 64 + to) * 4099 + (uint32_t) i);
}

/* ---- the blocks of a buffer ---- */

typedef struct blocks {
    int first, end;             /* those that the rank has */
    int counts[MOST_RANKS], displs[MOST_RANKS], layout[MOST_RANKS];
    int64_t start[MOST_RANKS];  /* bytes */
    MPI_Datatype types[MOST_RANKS];
    size_t size;
    char *memory, *before;      /* what MPI is given, and what it must become */
} blocks;

/* Places the blocks in any order, with gaps. */
static void place(const drawn_call *c, bool gives, blocks *b)
{
    const anypi_extent extent = gives ? anypi_collectives[c->collective].input
        : anypi_collectives[c->collective].output;
    uint32_t any = mixed(c->seed + (uint32_t) c->rank * 2 + gives);
    const int layout = (int) (any % LAYOUTS), order = (int) (any >> 8) % 3;
    const bool gaps = any >> 16 & 1;
    int64_t end = 0;
    b->first = extent == ANYPI_HAS_OWN ? c->rank : 0;
    b->end = extent == ANYPI_HAS_OWN ? c->rank + 1
        : extent == ANYPI_HAS_ALL || at_root(c) ? c->p : 0;
    for (int k = b->first; k < b->end; k++) {
        const int turn = extent == ANYPI_HAS_OWN ? k : order == 0 ? k
            : order == 1 ? c->p - 1 - k : (k + c->rank) % c->p;
        any = mixed(any);
        b->layout[turn] = typed(c) ? (int) (any % LAYOUTS) : layout;
        const int unit = typed(c) ? 4 : layouts[layout].extent;
        const int peer = extent == ANYPI_HAS_OWN ? c->root : turn;
        b->counts[turn] = gives ? size_of(c, c->rank, peer) : size_of(c, peer, c->rank);
        b->types[turn] = types[b->layout[turn]];
        end += gaps && extent != ANYPI_HAS_OWN ? (int64_t) (any >> 8) % 5 * unit : 0;
        b->start[turn] = end;
        b->displs[turn] = (int) (end / (typed(c) ? 1 : unit));
        end += (int64_t) b->counts[turn] * layouts[b->layout[turn]].extent;
    }
    b->size = (size_t) end + 8;
    b->memory = malloc(b->size);
    b->before = malloc(b->size);
    memset(b->memory, NOT_SET, b->size);
    memset(b->before, NOT_SET, b->size);
}

/* Writes what one rank has for another. */
static void set(const drawn_call *c, const blocks *b, char *memory, int block, int from, int to)
{
    const struct layout *layout = &layouts[b->layout[block]];
    for (int i = 0; i < 2 * b->counts[block]; i++) {
        const int word = word_of(c, from, to, i);
        memcpy(memory + b->start[block] + (int64_t) (i / 2) * layout->extent + layout->place[i % 2],
               &word, sizeof word);
    }
}

static void set_input(const drawn_call *c, const blocks *b, char *memory)
{
    for (int k = b->first; k < b->end; k++)
        set(c, b, memory, k, c->rank, b->end - b->first == 1 && !pairs(c) ? c->root : k);
}

static void set_output(const drawn_call *c, const blocks *b, char *memory)
{
    const bool own = anypi_collectives[c->collective].output == ANYPI_HAS_OWN;
    for (int k = b->first; k < b->end; k++)
        set(c, b, memory, k, own ? c->root : k, c->rank);
}

/* ---- running it ---- */

static long failures, calls;

static int make(const drawn_call *c, const anypi_mpi_call *call)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int error = MPI_ERR_OTHER;
    if (c->form == BLOCKING)
        return anypi_call_blocking(call);
    if (c->form == NONBLOCKING)
        error = anypi_call_nonblocking(call, &request);
#if MPI_VERSION >= 4
    if (c->form == PERSISTENT) {
        error = anypi_call_persistent(call, &request);
        error = error ? error : MPI_Start(&request);
    }
#endif
    error = error ? error : MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (request != MPI_REQUEST_NULL)
        MPI_Request_free(&request);
    return error;
}

/* Makes what MPI ignores on this rank wrong. */
static void spoil(const drawn_call *c, anypi_mpi_call *call)
{
    static const int wrong = -1;
    const anypi_arguments_word word = anypi_collectives[c->collective].arguments;
    const bool keeps = c->in_place && (pairs(c) || at_root(c));
    if (word == ANYPI_TAKES_ROOT_GIVES_COUNTS) {
        if (!at_root(c)) {
            call->in = NULL;
            call->in_counts = call->displs = NULL;
            call->in_type = MPI_DATATYPE_NULL;
        } else if (keeps) {
            call->out = MPI_IN_PLACE;
            call->counts = &wrong;
            call->type = MPI_DATATYPE_NULL;
        }
        return;
    }
    if (keeps) {
        call->in = MPI_IN_PLACE;
        call->in_counts = call->in_displs = NULL;
        call->in_types = NULL;
        call->in_type = MPI_DATATYPE_NULL;
        call->in_count = -1;
    }
    if (!pairs(c) && !at_root(c)) {
        call->out = NULL;
        call->counts = call->displs = NULL;
        call->type = MPI_DATATYPE_NULL;
    }
}

static void failed(const drawn_call *c, const char *algorithm, const char *what)
{
    if (failures++ < 5)
        fprintf(stderr, "FAILED %s %s %s p=%d rank=%d root=%d seed=%u sizes=%d of %d%s: %s\n",
                forms[c->form], anyp_collective_name(c->collective),
                algorithm ? algorithm : "automatic", c->p, c->rank, c->root, c->seed, c->sizes,
                c->mean, c->in_place ? " in place" : "", what);
}

static void run(const drawn_call *c, const char *algorithm, bool checks)
{
    /* it goes wrong by itself: test/library-faults/alltoallw-alone.c */
    if (c->p == 1 && c->collective == ANYP_ALLTOALLW && is_open_mpi())
        return;
    const bool gives_counts =
        anypi_collectives[c->collective].arguments == ANYPI_TAKES_ROOT_GIVES_COUNTS;
    const bool keeps = c->in_place && (pairs(c) || at_root(c));
    blocks in, out;
    place(c, true, &in);
    place(c, false, &out);
    if (keeps && !gives_counts && pairs(c))
        set_input(c, &out, out.memory);
    else if (keeps && !gives_counts)
        set(c, &out, out.memory, c->rank, c->rank, c->rank);
    set_input(c, &in, in.memory);
    set_input(c, &in, in.before);
    if (!(keeps && gives_counts))
        set_output(c, &out, out.before);
    anypi_mpi_call call = {
        .collective = c->collective, .in = in.memory, .out = out.memory, .comm = c->comm,
        .counts = gives_counts ? &out.counts[c->rank] : out.counts, .type = out.types[out.first],
        .displs = gives_counts ? in.displs : out.displs, .types = out.types,
        .in_count = in.counts[c->rank], .in_type = in.types[in.first], .in_counts = in.counts,
        .in_displs = in.displs, .in_types = in.types, .root = c->root,
    };
    spoil(c, &call);
    if (make(c, &call) != MPI_SUCCESS)
        failed(c, algorithm, "MPI returns an error");
    if (memcmp(out.memory, out.before, out.size) != 0)
        failed(c, algorithm, "the output is wrong");
    if (memcmp(in.memory, in.before, in.size) != 0)
        failed(c, algorithm, "the input has changed");
    const char *ran;
    if (checks && control_last(c->collective, &ran) && (!ran || strcmp(ran, algorithm) != 0))
        failed(c, algorithm, ran ? ran : "the library's own ran");
    free(in.memory);
    free(in.before);
    free(out.memory);
    free(out.before);
    calls++;
}

/* Forces an algorithm of the collective's, or none; returns it. */
static const anyp_algorithm *force(anyp_collective collective)
{
    int count;
    const anyp_algorithm *all = anyp_algorithms(&count), *one = NULL;
    if (draw(10) == 0) {
        control_algorithm(collective, NULL);
        return NULL;
    }
    do
        one = &all[draw(count)];
    while (!(one->collectives & ANYP_IN_SET(collective)));
    control_algorithm(collective, one);
    for (int i = 0; i < one->parameters_count; i++) {
        const anyp_parameter *parameter = &one->parameters[i];
        if (!strcmp(parameter->name, "limit"))
            control_parameter(collective, parameter, draw(3) ? 16 << draw(10)
                              : parameter->default_value);
    }
    return one;
}

/* Calls of one collective by one algorithm. */
static void run_group(MPI_Comm comm, bool forces, bool has_forms)
{
    static const anyp_collective collectives[] = { ANYP_ALLTOALLV, ANYP_ALLTOALLW, ANYP_GATHERV,
                                                   ANYP_SCATTERV };
    drawn_call c = { .comm = comm, .collective = collectives[draw(4)] };
    MPI_Comm_size(comm, &c.p);
    MPI_Comm_rank(comm, &c.rank);
    const int form = has_forms && draw(3) == 0 ? 1 + draw(MPI_VERSION >= 4 ? 2 : 1) : BLOCKING;
    control_nonblocking(form != BLOCKING);
    const anyp_algorithm *algorithm = forces ? force(c.collective) : NULL;
    const int any_p = draw(1 << 20), number = draw(4) ? 1 + draw(8) : 1 + draw(100);
    const bool is_long = draw(6) == 0;
    for (int i = 0; i < number; i++) {
        c.form = form;
        c.seed = mixed((uint32_t) draw(1 << 30));
        c.sizes = draw(DISTRIBUTIONS);
        c.mean = 1 + draw(is_long ? 4000 : draw(2) ? 100 : 4);
        c.in_place = draw(3) == 0;
        c.root = pairs(&c) ? 0 : (any_p + draw(2)) % c.p;
        run(&c, algorithm ? algorithm->name : NULL, algorithm && c.p > 1 && form == BLOCKING);
    }
    if (forces) {
        control_algorithm(c.collective, NULL);
        control_nonblocking(false);
    }
}

static const char usage[] =
    "usage: mpiexec -n P pairs [--mpich FILE] [--calls N] [--seed N] [--automatic]\n"
    "Random calls of MPI_Alltoallv, MPI_Alltoallw, MPI_Gatherv and MPI_Scatterv by AnyP's\n"
    "algorithms, in the plug-in or in an MPICH with AnyP inside, whose\n"
    "PREFIX/share/anyp/mpich.json is FILE. --calls: how many at least, by default 2000.\n"
    "--automatic: nothing is forced.\n";

int main(int argc, char **argv)
{
    const char *table = NULL;
    long wanted = 2000;
    bool forces = true;
    for (int i = 1; i < argc; i++) {
        const bool more = i + 1 < argc;
        if (!strcmp(argv[i], "--automatic"))
            forces = false;
        else if (more && !strcmp(argv[i], "--mpich"))
            table = argv[++i];
        else if (more && !strcmp(argv[i], "--calls"))
            wanted = strtol(argv[++i], NULL, 10);
        else if (more && !strcmp(argv[i], "--seed"))
            drawn = (uint32_t) strtoul(argv[++i], NULL, 10) * 1000003u;
        else {
            fputs(usage, stderr);
            return 2;
        }
    }
    int rank, p;
    long all[2];
    MPI_Comm half;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    if (p > MOST_RANKS) {
        fputs("pairs: too many processes\n", stderr);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    if (forces)
        control_open(table);
    const bool has_forms = forces && control_nonblocking(true);
    make_types();
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    while (calls < wanted)
        run_group(draw(4) ? MPI_COMM_WORLD : half, forces, has_forms);
    MPI_Comm_free(&half);
    free_types();
    if (forces)
        control_close();
    MPI_Allreduce((long[]) { calls, failures }, all, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("pairs: p=%d, %ld calls: %s\n", p, all[0] / p, all[1] ? "FAILED" : "passed");
    MPI_Finalize();
    return all[1] > 0;
}
