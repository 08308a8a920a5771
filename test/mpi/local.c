/* SPDX-License-Identifier: BSD-3-Clause */
#include "local.h"

#include <stdlib.h>

/* Those of a buffer that the rank has. Memory is counted in words of 4 bytes. */
typedef struct local_blocks {
    int first, end;
    int counts[CALL_MOST_RANKS], displs[CALL_MOST_RANKS];
    const kind *kinds[CALL_MOST_RANKS];
    MPI_Datatype types[CALL_MOST_RANKS];
    int64_t start[CALL_MOST_RANKS];
} local_blocks;

struct local_buffers {
    local_blocks in, out;
};

static uint32_t mixed(uint32_t x)
{
    x = (x ^ x >> 16) * 0x45d9f3bu;
    x = (x ^ x >> 16) * 0x45d9f3bu;
    return x ^ x >> 16;
}

static bool has_types(const test_call *t)
{
    return anypi_collectives[t->collective].arguments == ANYPI_TAKES_TYPED_PAIRS;
}

static bool is_pairs(const test_call *t)
{
    return anypi_transposes(t->collective);
}

static bool gives_counts(const test_call *t)
{
    return anypi_collectives[t->collective].arguments == ANYPI_TAKES_ROOT_GIVES_COUNTS;
}

/* Elements from rank i to rank j; in place, the same both ways. */
static int size_of(const test_call *t, int i, int j)
{
    enum { EVEN, UNIFORM, POWERS, SPARSE, ONE_RANK, NOTHING, DISTRIBUTIONS };
    const bool turned = is_pairs(t) && t->in_place && i > j;
    const int from = turned ? j : i, to = turned ? i : j, mean = (int) t->count;
    const uint32_t any = mixed(t->seed + (uint32_t) (from * 8191 + to));
    switch (mixed(t->seed + 1) % DISTRIBUTIONS) {
        case EVEN:
            return mean;
        case UNIFORM:
            return (int) (any % (uint32_t) (2 * mean + 1));
        case POWERS:
            return any % 32 == 0 ? 17 * mean : any % 4 == 0 ? mean : (int) (any % 3);
        case SPARSE:
            return any % 5 == 0 ? mean : 0;
        case ONE_RANK:
            return from == t->p / 2 || to == t->p / 2 ? mean : 1;
        default:
            return 0;
    }
}

/* Places the blocks in any order, with gaps; returns the end of the memory. */
static int64_t place(const test_call *t, bool gives, local_blocks *b)
{
    const anypi_extent extent = gives ? anypi_collectives[t->collective].input
        : anypi_collectives[t->collective].output;
    const bool own = extent == ANYPI_HAS_OWN;
    uint32_t any = mixed(t->seed + (uint32_t) t->rank * 2 + gives);
    const kind *all = kind_of_local((int) (any % 64));
    const int order = (int) (any >> 8) % 3;
    const bool gaps = any >> 16 & 1;
    int64_t end = 0;
    b->first = own ? t->rank : 0;
    b->end = own ? t->rank + 1 : extent == ANYPI_HAS_ALL || t->rank == t->root ? t->p : 0;
    for (int i = b->first; i < b->end; i++) {
        const int k = own || order == 0 ? i : order == 1 ? t->p - 1 - i : (i + t->rank) % t->p;
        const int peer = own ? t->root : k;
        any = mixed(any);
        b->kinds[k] = has_types(t) ? kind_of_local((int) (any % 64)) : all;
        b->types[k] = b->kinds[k]->type;
        b->counts[k] = gives ? size_of(t, t->rank, peer) : size_of(t, peer, t->rank);
        /* between any two, so that data which begin below an element's address have room */
        const int64_t unit = has_types(t) ? 1 : all->extent / 4;
        end += has_types(t) ? KIND_WORDS : 0;
        end += gaps && !own ? (any >> 8) % 5 * unit : 0;
        b->start[k] = end;
        b->displs[k] = (int) (has_types(t) ? 4 * end : end / unit);
        end += b->counts[k] * b->kinds[k]->extent / 4;
    }
    return end;
}

/* Writes what one rank has for another. */
static void set(const test_call *t, const local_blocks *b, vector *v, int block, int from, int to)
{
    for (int64_t i = 0; i < b->counts[block]; i++) {
        uint32_t words[2];
        for (int j = 0; j < 2; j++)
            words[j] = mixed(t->seed * 7 + (uint32_t) (from * 64 + to) * 4099 +
                             (uint32_t) (2 * i + j));
        kind_set(b->kinds[block], v->base + 4 * b->start[block], i, words);
    }
}

static void set_input(const test_call *t, const local_blocks *b, vector *v)
{
    const bool own = anypi_collectives[t->collective].input == ANYPI_HAS_OWN;
    for (int k = b->first; k < b->end; k++)
        set(t, b, v, k, t->rank, own ? t->root : k);
}

static void set_output(const test_call *t, const local_blocks *b, vector *v)
{
    const bool own = anypi_collectives[t->collective].output == ANYPI_HAS_OWN;
    for (int k = b->first; k < b->end; k++)
        set(t, b, v, k, own ? t->root : k, t->rank);
}

void local_open(const test_call *t, test_run *r)
{
    r->local = calloc(1, sizeof *r->local);
    if (!r->local)
        MPI_Abort(MPI_COMM_WORLD, 2);
    const int64_t in = place(t, true, &r->local->in) + KIND_WORDS;
    const int64_t out = place(t, false, &r->local->out) + KIND_WORDS;
    vector_open(&r->in, kind_of_words(), in);
    vector_open(&r->in_before, kind_of_words(), in);
    vector_open(&r->out, kind_of_words(), out);
    vector_open(&r->wanted, kind_of_words(), out);
    set_input(t, &r->local->in, &r->in);
    set_input(t, &r->local->in, &r->in_before);
}

void local_close(test_run *r)
{
    free(r->local);
    r->local = NULL;
}

void local_prepare(const test_call *t, test_run *r)
{
    const local_blocks *out = &r->local->out;
    if (r->in_place && is_pairs(t))
        set_input(t, out, &r->out);
    else if (r->in_place && !gives_counts(t))
        set(t, out, &r->out, t->rank, t->rank, t->rank);
    if (!r->in_place || !gives_counts(t))
        set_output(t, out, &r->wanted);
}

/* Makes what MPI ignores on this rank wrong. */
static void spoil(const test_call *t, bool in_place, anypi_mpi_call *c)
{
    static const int wrong = -1;
    const bool at_root = t->rank == t->root;
    if (gives_counts(t)) {
        if (!at_root) {
            c->in = NULL;
            c->in_counts = c->displs = NULL;
            c->in_type = MPI_DATATYPE_NULL;
        } else if (in_place) {
            c->out = MPI_IN_PLACE;
            c->counts = &wrong;
            c->type = MPI_DATATYPE_NULL;
        }
        return;
    }
    if (in_place) {
        c->in = MPI_IN_PLACE;
        c->in_counts = c->in_displs = NULL;
        c->in_types = NULL;
        c->in_type = MPI_DATATYPE_NULL;
        c->in_count = -1;
    }
    if (!is_pairs(t) && !at_root) {
        c->out = NULL;
        c->counts = c->displs = NULL;
        c->type = MPI_DATATYPE_NULL;
    }
}

void local_give(const test_call *t, const test_run *r, anypi_mpi_call *c)
{
    const local_blocks *in = &r->local->in, *out = &r->local->out;
    c->in = r->in.base;
    c->out = r->out.base;
    c->counts = gives_counts(t) ? &out->counts[t->rank] : out->counts;
    c->displs = gives_counts(t) ? in->displs : out->displs;
    c->type = out->types[out->first];
    c->types = out->types;
    c->in_count = in->counts[t->rank];
    c->in_type = in->types[in->first];
    c->in_counts = in->counts;
    c->in_displs = in->displs;
    c->in_types = in->types;
    spoil(t, r->in_place, c);
}
