/* SPDX-License-Identifier: BSD-3-Clause
 *
 * check - a collective of the plug-in under SMPI: is every element right on every rank, did the
 * algorithm run, how long does it take in the simulated network? Run under smpirun by test/sim/run.
 *
 * Element i of rank r is the map x -> scale x + shift modulo 2^64, with shift = w(r) a(i) + b(i),
 * all three scrambled numbers. Maps are composed, which does not commute; with scale 1 it is a sum
 * of shifts, and MPI_SUM does it. All ranks together give
 *   x -> scale^p x + U a(i) + V b(i),  U = sum of scale^r w(r),  V = sum of scale^r,
 * so that each element is known without a message, and an operand that is missing, doubled, in the
 * wrong order or from the wrong place is detected.
 *
 * A scan or exscan gives the same of the ranks up to its own, or before it.
 *
 * Linked without the plug-in, it times SMPI's own collectives, and the scans of scan_peers.c.
 */
#include "anyp_control.h"
#include "measure/calls.h"
#include "meet.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma weak anyp_control_set
#pragma weak anyp_control_last

static const char usage[] =
    "usage: check [OPTION...] COLLECTIVE BYTES...\n"
    "Under smpirun: a line for each size of the vector (in a reduce-scatter, of all blocks).\n"
    "  --algorithm NAME  of AnyP; default: none, SMPI's own runs\n"
    "  --set NAME=VALUE  as if the environment variable ANYP_NAME had this value\n"
    "  --maps            compose maps instead of summing up: does not commute\n"
    "  --declined        the algorithm does not serve the call: SMPI's own must run\n"
    "Exit status: 0 if all is right, 1 if not, 2 for a wrong command line.\n";

/* The call; the same on all ranks but for `rank`. */
typedef struct test {
    anyp_collective collective;
    const char *algorithm;      /* NULL: SMPI's own */
    bool maps, declined;
    int p, rank, root;
    MPI_Datatype type;
    MPI_Op op;
    int words;                  /* of an element: [scale,] shift */
    uint64_t scale, all_scale, u, v;
} test;

static const char *name_of(const test *t)
{
    return anypi_collectives[t->collective].name;
}

/* ---- data ---- */

static uint64_t scramble(uint64_t x)
{
    x = (x ^ x >> 31) * UINT64_C(0x7fb5d329728ea185);
    x = (x ^ x >> 27) * UINT64_C(0x81dadef4bc2dd44d);
    return x ^ x >> 33;
}

static void compose(void *left, void *right, int *count, MPI_Datatype *type)
{
    const uint64_t *l = left;
    uint64_t *r = right;
    (void) type;
    for (int i = 0; i < *count; i++) {
        r[2 * i + 1] = l[2 * i] * r[2 * i + 1] + l[2 * i + 1];
        r[2 * i] *= l[2 * i];
    }
}

static void fill(const test *t, int64_t count, uint64_t *data)
{
    const uint64_t weight = scramble((uint64_t) t->rank + 1);
    for (int64_t i = 0; i < count; i++) {
        if (t->words == 2)
            *data++ = t->scale;
        *data++ = weight * scramble(2 * (uint64_t) i) + scramble(2 * (uint64_t) i + 1);
    }
}

/* The first of `count` elements that is not the result's element `first` + i; -1: all are. */
static int64_t wrong_result(const test *t, int64_t first, int64_t count, const uint64_t *data)
{
    for (int64_t i = 0; i < count; i++) {
        const uint64_t place = (uint64_t) (first + i);
        if (t->words == 2 && *data++ != t->all_scale)
            return i;
        if (*data++ != t->u * scramble(2 * place) + t->v * scramble(2 * place + 1))
            return i;
    }
    return -1;
}

static void prepare(test *t)
{
    const anyp_call call = { .collective = t->collective, .p = t->p };
    t->words = t->maps ? 2 : 1;
    t->scale = t->maps ? 3 : 1;
    t->all_scale = 1;
    t->u = t->v = 0;
    for (int r = 0; r < anypi_prefix_end(&call, t->rank); r++) {
        t->u += t->all_scale * scramble((uint64_t) r + 1);
        t->v += t->all_scale;
        t->all_scale *= t->scale;
    }
    t->type = MPI_UINT64_T;
    t->op = MPI_SUM;
    if (t->maps) {
        MPI_Type_contiguous(2, MPI_UINT64_T, &t->type);
        MPI_Type_commit(&t->type);
        MPI_Op_create(compose, 0, &t->op);
    }
}

static void release(test *t)
{
    if (t->maps) {
        MPI_Type_free(&t->type);
        MPI_Op_free(&t->op);
    }
}

/* ---- calls ---- */

/* Did the right algorithm run on this rank? */
static bool ran(const test *t)
{
    const char *last = anyp_control_last ? anyp_control_last(name_of(t)) : NULL;
    const bool ours = t->algorithm && !t->declined && t->p > 1;     /* one rank: MPI's copy */
    return ours ? last && !strcmp(last, t->algorithm) : !last || t->p == 1;
}

/* A vector of that size; one line if something is wrong, or always if `tell`; true if all is right.
 * Collective. */
static bool check(const test *t, int64_t bytes, bool tell)
{
    const int64_t size = 8 * t->words;
    const anyp_call of_rank = { .collective = t->collective, .p = t->p, .root = t->root };
    const bool scatters = anypi_scatters(&of_rank);
    int64_t count = bytes < size ? 1 : bytes / size, first = 0, mine = 0;
    int *counts = malloc((size_t) t->p * sizeof *counts);
    if (anypi_has_equal_blocks(&of_rank))
        count = (count + t->p - 1) / t->p * t->p;
    for (int r = 0; r < t->p; r++) {
        counts[r] = (int) (count / t->p + (r < count % t->p));
        first += r < t->rank ? counts[r] : 0;
    }
    if (scatters)
        mine = counts[t->rank];
    else if (anypi_has_result(&of_rank, t->rank))
        mine = count;
    uint64_t *in = malloc((size_t) (count * size)), *out = calloc((size_t) mine + 1, (size_t) size);
    if (!counts || !in || !out) {
        fprintf(stderr, "check: no memory on rank %d\n", t->rank);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    fill(t, count, in);

    const anypi_mpi_call call = { .collective = t->collective, .in = in, .out = out,
                                  .count = (int) count, .counts = counts, .type = t->type,
                                  .op = t->op, .root = t->root, .comm = MPI_COMM_WORLD };
    const double begin = meet();
    const int error = anypi_call_blocking(&call);
    const double took = simgrid_get_clock() - begin;

    const int64_t at = wrong_result(t, scatters ? first : 0, mine, out);
    const char *fault = error ? "an error is returned" :
        !ran(t) ? "another algorithm ran" :
        at >= 0 ? "a wrong result" :
        out[t->words * mine] ? "written beyond the end" : NULL;
    const int rank = fault ? t->rank : t->p;
    int blamed;
    double longest;
    PMPI_Allreduce(&rank, &blamed, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    PMPI_Allreduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    const char *what = t->algorithm && !t->declined ? t->algorithm : "smpi";
    if (blamed == t->rank)
        printf("%s %s p=%d bytes=%lld: WRONG: rank %d: %s (element %lld)\n", name_of(t), what,
               t->p, (long long) (count * size), t->rank, fault, (long long) at);
    else if (tell && blamed == t->p && t->rank == 0)
        printf("%s %s p=%d bytes=%lld %s: right, %.2f us simulated\n", name_of(t), what, t->p,
               (long long) (count * size), t->maps ? "maps" : "sum", longest * 1e6);
    fflush(stdout);
    free(counts);
    free(in);
    free(out);
    return blamed == t->p;
}

/* ---- command line ---- */

static void fail(const test *t, const char *message, const char *what)
{
    if (t->rank == 0)
        fprintf(stderr, "check: %s%s\n%s", message, what, usage);
    MPI_Finalize();
    exit(2);
}

/* Sets ANYP_NAME, or ANYP_<COLLECTIVE>_NAME. */
static void set(const test *t, bool each, const char *name, const char *value)
{
    char full[200];
    const char *reason = "the program is linked without the plug-in";
    snprintf(full, sizeof full, "%s%s%s", each ? name_of(t) : "", each ? "_" : "", name);
    for (char *c = full; *c; c++)
        *c = (char) toupper((unsigned char) *c);
    if (!anyp_control_set || anyp_control_set(full, value, &reason))
        fail(t, full, reason);
}

int main(int argc, char **argv)
{
    test t = { .collective = ANYP_COLLECTIVES };
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &t.p);
    MPI_Comm_rank(MPI_COMM_WORLD, &t.rank);
    t.root = t.p / 2;
    int i = 1;
    for (; i < argc && !strncmp(argv[i], "--", 2); i++) {
        if (!strcmp(argv[i], "--maps")) {
            t.maps = true;
        } else if (!strcmp(argv[i], "--declined")) {
            t.declined = true;
        } else if (!strcmp(argv[i], "--algorithm") && i + 1 < argc) {
            t.algorithm = argv[++i];
        } else if (!strcmp(argv[i], "--set") && i + 1 < argc && strchr(argv[i + 1], '=')) {
            char *name = strdup(argv[++i]), *equal = strchr(name, '=');
            *equal = 0;
            set(&t, false, name, equal + 1);
            free(name);
        } else {
            fail(&t, "what is ", argv[i]);
        }
    }
    for (int c = 0; i < argc && c < ANYP_REDUCTIONS; c++)
        if (!strcmp(argv[i], anypi_collectives[c].name))
            t.collective = (anyp_collective) c;
    if (t.collective == ANYP_COLLECTIVES || i + 1 == argc)
        fail(&t, "which collective, and how many bytes?", "");
    if (t.algorithm)
        set(&t, true, "algorithm", t.algorithm);
    prepare(&t);
    bool right = check(&t, 1, false);   /* the first call makes the plug-in's communicator */
    for (i++; i < argc; i++)
        right = check(&t, atoll(argv[i]), true) && right;
    release(&t);
    MPI_Finalize();
    return right ? 0 : 1;
}
