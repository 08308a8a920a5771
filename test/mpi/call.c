/* SPDX-License-Identifier: BSD-3-Clause */
#include "call.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

test_tally tally;

static const char *candidate_text(const candidate *c)
{
    static char text[256];
    size_t length = (size_t) snprintf(text, sizeof text, "%s",
                                      c->algorithm ? c->algorithm->name : "automatic");
    for (int i = 0; c->algorithm && i < c->algorithm->parameters_count; i++) {
        char value[32];
        const anyp_parameter *parameter = &c->algorithm->parameters[i];
        length += (size_t) snprintf(text + length, sizeof text - length, " %s=%s", parameter->name,
                                    anyp_parameter_text(parameter, c->parameters[i], value,
                                                        sizeof value));
    }
    return text;
}

void failed(const test_call *t, const char *format, ...)
{
    char what[256];
    va_list arguments;
    if (tally.failures++ >= 5)
        return;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    fprintf(stderr, "FAILED %s %s p=%d rank=%d kind=%s count=%lld %s root=%d%s: %s\n",
            anyp_collective_name(t->collective), candidate_text(t->candidate), t->p, t->rank,
            t->kind->name, (long long) t->count, t->shape, t->root, t->in_place ? " in place" : "",
            what);
}

/* Elements first .. first + n - 1 of the whole vector are this rank's result. */
static void my_result(const test_call *t, int64_t *first, int64_t *n)
{
    *first = 0;
    *n = t->collective == ANYP_REDUCE && t->rank != t->root ? 0 : t->count;
    if (t->counts) {
        for (int i = 0; i < t->rank; i++)
            *first += t->counts[i];
        *n = t->counts[t->rank];
    }
}

static int call_mpi(const test_call *t, const void *in, void *out)
{
    const kind *k = t->kind;
    switch (t->collective) {
        case ANYP_ALLREDUCE:
            return MPI_Allreduce(in, out, (int) t->count, k->type, k->op, t->comm);
        case ANYP_REDUCE:
            return MPI_Reduce(in, out, (int) t->count, k->type, k->op, t->root, t->comm);
        case ANYP_REDUCE_SCATTER:
            return MPI_Reduce_scatter(in, out, t->counts, k->type, k->op, t->comm);
        default:
            return MPI_Reduce_scatter_block(in, out, t->counts[0], k->type, k->op, t->comm);
    }
}

static bool close_floats(const uint32_t *one, const uint32_t *other)
{
    float a, b;
    memcpy(&a, one, sizeof a);
    memcpy(&b, other, sizeof b);
    return fabsf(a - b) <= 1e-5f * fabsf(b);
}

/* Is the result right? Floats may differ in their last bits from the reference, but not between
 * ranks. Right data is put into `wanted`, so that the rest of the bytes can be compared at once. */
static void check_data(const test_call *t, const vector *out, vector *wanted)
{
    const int words = t->kind->words;
    int64_t first, n;
    my_result(t, &first, &n);
    for (int64_t i = 0; i < n; i++) {
        const uint32_t *expected = t->expected + (first + i) * words;
        uint32_t got[KIND_WORDS];
        vector_get(out, i, got);
        if (t->kind->exact ? memcmp(got, expected, (size_t) words * sizeof *got)
                           : !close_floats(got, expected)) {
            failed(t, "element %lld is %x %x, not %x %x", (long long) i, got[0],
                   words > 1 ? got[1] : 0, expected[0], words > 1 ? expected[1] : 0);
            return;
        }
        vector_set(wanted, i, got);
    }
}

static void check_same_bits(const test_call *t, const vector *out)
{
    uint64_t hash = 0xcbf29ce484222325u, of_root;
    for (int64_t i = 0; i < t->count; i++) {
        uint32_t words[KIND_WORDS];
        vector_get(out, i, words);
        for (int j = 0; j < t->kind->words; j++)
            hash = (hash ^ words[j]) * 0x100000001b3u;
    }
    of_root = hash;
    MPI_Bcast(&of_root, 1, MPI_UINT64_T, 0, t->comm);
    if (hash != of_root)
        failed(t, "bits differ from rank 0's");
}

void run_call(const test_call *t)
{
    int64_t first, n;
    vector in, in_before, out, wanted;
    const bool in_place = t->in_place && (t->collective != ANYP_REDUCE || t->rank == t->root);
    my_result(t, &first, &n);
    vector_open(&in, t->kind, t->count);
    vector_open(&in_before, t->kind, t->count);
    vector_open(&out, t->kind, in_place ? t->count : n);
    vector_open(&wanted, t->kind, in_place ? t->count : n);
    vector_fill(&in, t->rank, 0);
    vector_fill(&in_before, t->rank, 0);
    if (in_place)
        vector_fill(&out, t->rank, 0);

    const bool no_output = t->in_place && !in_place;
    if (call_mpi(t, in_place ? MPI_IN_PLACE : in.base, no_output ? NULL : out.base) != MPI_SUCCESS)
        failed(t, "MPI returns an error");
    check_data(t, &out, &wanted);
    for (int64_t i = n; in_place && i < t->count; i++) {
        uint32_t words[KIND_WORDS];     /* behind the result in place: anything */
        vector_get(&out, i, words);
        vector_set(&wanted, i, words);
    }
    if (vector_compare(&out, &wanted) >= 0)
        failed(t, "the output buffer is touched beyond its data, at byte %td",
               vector_compare(&out, &wanted));
    if (vector_compare(&in, &in_before) >= 0)
        failed(t, "the input buffer is changed, at byte %td", vector_compare(&in, &in_before));
    if (t->collective == ANYP_ALLREDUCE && !t->kind->exact)
        check_same_bits(t, &out);
    vector_close(&in);
    vector_close(&in_before);
    vector_close(&out);
    vector_close(&wanted);
    tally.calls++;
}
