/* SPDX-License-Identifier: BSD-3-Clause */
#include "call.h"
#include "local.h"
#include "schedule/collectives.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

test_tally tally;
bool (*call_again)(int error);

const char *const form_names[FORMS] = { "blocking", "nonblocking", "persistent" };

void call_text(const test_call *t, char *text, size_t size)
{
    const candidate *c = t->candidate;
    char chosen[384];
    size_t length = (size_t) snprintf(chosen, sizeof chosen, "%s",
                                      c->algorithm ? c->algorithm->name : "automatic");
    for (int i = 0; c->algorithm && i < c->algorithm->parameters_count; i++) {
        char value[ANYP_VALUE_SIZE];
        const anyp_parameter *parameter = &c->algorithm->parameters[i];
        anyp_parameter_text(parameter, c->parameters[i], value, sizeof value);
        if (length < sizeof chosen)
            length += (size_t) snprintf(chosen + length, sizeof chosen - length, " %s=%s",
                                        parameter->name, value);
    }
    static const char *const places[] = { "", " at absolute addresses", " at one address" };
    snprintf(text, size, "%s %s %s p=%d rank=%d kind=%s count=%lld %s root=%d%s%s%s",
             form_names[t->form], anyp_collective_name(t->collective), chosen, t->p, t->rank,
             t->kind->name, (long long) t->count, t->shape, t->root,
             t->in_place ? " in place" : "", places[t->place], t->frees ? " freed" : "");
}

void failed(const test_call *t, const char *format, ...)
{
    char text[512], what[256];
    va_list arguments;
    if (__atomic_fetch_add(&tally.failures, 1, __ATOMIC_RELAXED) >= 5)
        return;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    call_text(t, text, sizeof text);
    fprintf(stderr, "FAILED %s: %s\n", text, what);
}

/* Does this rank pass MPI_IN_PLACE in a call in place, and an output buffer in any? */
static bool has_output(const test_call *t)
{
    return anypi_collectives[t->collective].output != ANYPI_AT_ROOT || t->rank == t->root;
}

/* Rank 0 of an exscan passes an output buffer that must not change. */
static bool gets_result(const test_call *t)
{
    const anyp_call of = { .collective = t->collective, .p = t->p };
    return has_output(t) && (!anypi_is_prefix(t->collective) || anypi_prefix_end(&of, t->rank) > 0);
}

uint32_t *expected_of(const test_call *t, int64_t elements)
{
    const anyp_call of = { .collective = t->collective, .p = t->p };
    return reference(t->kind, anypi_prefix_end(&of, t->rank), elements,
                     t->reproducible && !anypi_is_prefix(t->collective));
}

/* Elements first .. first + n - 1 of the whole vector are this rank's result. */
static void my_result(const test_call *t, int64_t *first, int64_t *n)
{
    *first = 0;
    *n = gets_result(t) ? t->count : 0;
    if (t->counts) {
        for (int i = 0; i < t->rank; i++)
            *first += t->counts[i];
        *n = t->counts[t->rank];
    }
}

static bool is_scatter(const test_call *t)
{
    return anypi_collectives[t->collective].input == ANYPI_AT_ROOT &&
        anypi_collectives[t->collective].output == ANYPI_HAS_OWN;
}

/* Where MPI ignores the input or a gather's output, its count and type are wrong; and its buffer,
 * of a gather or scatter, and of a reduce on some ranks. */
static void spoil_ignored(const test_call *t, bool in_place, anypi_mpi_call *c)
{
    static const int wrong = -1;
    const bool rooted = anypi_collectives[t->collective].arguments == ANYPI_TAKES_ROOTED_BLOCK;
    if (is_scatter(t) && t->rank != t->root)
        c->in = MPI_IN_PLACE;
    if ((rooted || t->rank % 2) && !has_output(t) && !t->in_place)
        c->out = MPI_IN_PLACE;
    if (!anypi_moves(t->collective) || (!rooted && !in_place))
        return;
    if (is_scatter(t) && t->rank != t->root) {
        c->in_count = wrong;
        c->in_type = MPI_DATATYPE_NULL;
    } else if (is_scatter(t) ? in_place : rooted && t->rank != t->root) {
        c->counts = &wrong;
        c->type = MPI_DATATYPE_NULL;
    } else if (in_place) {
        c->in_count = wrong;
        c->in_type = MPI_DATATYPE_NULL;
    }
}

static int call_in_form(const anypi_mpi_call *c, test_form form, MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    if (form == BLOCKING)
        return anypi_call_blocking(c);
#if MPI_VERSION >= 4
    if (form == PERSISTENT)
        return anypi_call_persistent(c, request);
#endif
    return anypi_call_nonblocking(c, request);
}

/* Types and an operator of the call's own. */
typedef struct own_handles {
    MPI_Datatype in, out;
    MPI_Op op;
} own_handles;

static bool is_shared(const test_call *t)
{
    return t->place == PLACE_SHARED;
}

static MPI_Aint address_of(const void *memory)
{
    MPI_Aint address;
    MPI_Get_address(memory, &address);
    return address;
}

/* Puts the data where the call has them, or only makes types that can be freed. */
static void place_data(const test_call *t, anypi_mpi_call *c, own_handles *own)
{
    const bool behind = is_shared(t) && !t->displs, absolute = t->place == PLACE_ABSOLUTE;
    *own = (own_handles) { MPI_DATATYPE_NULL, MPI_DATATYPE_NULL, MPI_OP_NULL };
    if (is_shared(t))
        c->in = c->out;
    if (t->frees && t->kind->user && !anypi_moves(t->collective))
        c->op = own->op = kind_op(t->kind);
    if (absolute || t->frees)
        c->in_type = own->in = kind_type(t->in_kind, absolute ? address_of(c->in) : 0);
    if (absolute || behind || t->frees)
        c->type = own->out = kind_type(t->kind, absolute ? address_of(c->out)
                                       : behind ? t->counts[t->rank] * t->kind->extent : 0);
    if (absolute) {
        c->in = MPI_BOTTOM;
        c->out = MPI_BOTTOM;
    }
}

static void free_handles(own_handles *own)
{
    if (own->in != MPI_DATATYPE_NULL)
        MPI_Type_free(&own->in);
    if (own->out != MPI_DATATYPE_NULL)
        MPI_Type_free(&own->out);
    if (own->op != MPI_OP_NULL)
        MPI_Op_free(&own->op);
}

/* Prepares the call, and makes it if it is not persistent. */
static int begin(const test_call *t, test_run *r)
{
    const bool no_output = t->in_place && !has_output(t), stays = r->in_place && is_scatter(t);
    anypi_mpi_call c = { .collective = t->collective,
                               .in = r->in_place && !stays ? MPI_IN_PLACE : r->in.base,
                               .out = stays ? MPI_IN_PLACE : no_output ? NULL : r->out.base,
                               .count = (int) t->count, .counts = t->counts, .type = t->kind->type,
                               .in_count = t->counts ? t->counts[t->rank] : 0,
                               .in_type = t->in_kind->type, .displs = t->displs,
                               .op = t->kind->op, .root = t->root, .comm = t->comm };
    own_handles own;
    place_data(t, &c, &own);
    if (r->local)
        local_give(t, r, &c);
    else
        spoil_ignored(t, r->in_place, &c);
    int error = call_in_form(&c, t->form, &r->request);
    while (error && call_again && call_again(error))
        error = call_in_form(&c, t->form, &r->request);
    free_handles(&own);
    return error;
}

/* ---- data that are moved ---- */

static int blocks_of(const test_call *t)
{
    return anypi_has_no_data(t->collective) ? 0 : t->counts ? t->p : 1;
}

/* Where a block begins in the vector, and how many elements it has. */
static int64_t first_of(const test_call *t, int block)
{
    int64_t first = 0;
    for (int i = 0; i < block; i++)
        first += t->counts[i];
    return first;
}

static int64_t count_of(const test_call *t, int block)
{
    return t->counts ? t->counts[block] : t->count;
}

/* Where it begins in the output, in elements. */
static int64_t place_of(const test_call *t, int block)
{
    return is_scatter(t) ? 0 : t->displs ? t->displs[block]
        : first_of(t, block) + (is_shared(t) ? t->counts[t->rank] : 0);
}

/* Sets the blocks first .. end - 1 of the output to what they must be. */
static void set_blocks(const test_call *t, int first, int end, vector *v)
{
    const bool transposes = anypi_transposes(t->collective);
    for (int block = first; block < end; block++) {
        const int64_t place = place_of(t, block);
        const int64_t before = first_of(t, transposes ? t->rank : block);
        for (int64_t i = 0; i < count_of(t, block); i++) {
            uint32_t words[KIND_WORDS];
            t->moved->value(t->counts && !is_scatter(t) ? block : t->root, before + i, words);
            vector_set(v, place + i, words);
        }
    }
}

/* The elements that this rank has before the call: *first and as many as returned of the vector. */
static int64_t given(const test_call *t, int64_t *first)
{
    const anypi_extent input = anypi_collectives[t->collective].input;
    *first = input == ANYPI_HAS_OWN ? first_of(t, t->rank) : 0;
    return input == ANYPI_HAS_NOTHING ? 0
        : input == ANYPI_HAS_OWN ? t->counts[t->rank]
        : input == ANYPI_HAS_ALL || t->rank == t->root ? t->count : 0;
}

/* Sets the input to what it must be, from the element `place` of a vector on. */
static void set_input(const test_call *t, int64_t place, vector *v)
{
    int64_t first;
    const int64_t own = given(t, &first);
    for (int64_t i = 0; i < own; i++) {
        uint32_t words[KIND_WORDS];
        t->moved->value(t->rank, first + i, words);
        vector_set(v, place + i, words);
    }
}

static bool has_one_buffer(const test_call *t)
{
    return anypi_collectives[t->collective].arguments == ANYPI_TAKES_BUFFER;
}

/* What is in the output before the call. */
static void set_moved(const test_call *t, bool in_place, vector *out)
{
    if (is_shared(t))
        set_input(t, 0, out);
    if (has_one_buffer(t) || (in_place && !is_scatter(t)))
        set_input(t, anypi_transposes(t->collective) || !t->counts ? 0 : place_of(t, t->rank),
                  out);
}

/* The blocks *first .. *end - 1 of the output that this rank gets. */
static void my_blocks(const test_call *t, bool in_place, int *first, int *end)
{
    *first = is_scatter(t) ? t->rank : 0;
    *end = is_scatter(t) ? t->rank + !in_place : has_output(t) ? blocks_of(t) : 0;
}

static void open_moved(const test_call *t, bool in_place, vector *in, vector *in_before,
                       vector *out, vector *wanted)
{
    int64_t before, room = 0;
    const int64_t own = has_one_buffer(t) ? 0 : given(t, &before);
    int first, end;
    my_blocks(t, in_place, &first, &end);
    for (int i = first; i < end; i++)
        if (place_of(t, i) + count_of(t, i) > room)
            room = place_of(t, i) + count_of(t, i);
    vector_open(in, t->in_kind, own);
    vector_open(in_before, t->in_kind, own);
    vector_open(out, t->kind, room);
    vector_open(wanted, t->kind, room);
    if (own > 0) {
        set_input(t, 0, in);
        set_input(t, 0, in_before);
    }
}

/* ---- results ---- */

static bool close_floats(const uint32_t *one, const uint32_t *other)
{
    float a, b;
    memcpy(&a, one, sizeof a);
    memcpy(&b, other, sizeof b);
    return fabsf(a - b) <= 1e-5f * fabsf(b);
}

/* Is the result right? Floats may differ in their last bits from the reference, but not between
 * ranks, unless they must be reproducible. Right data is put into `wanted`, so that the rest of the
 * bytes can be compared at once. */
static void check_data(const test_call *t, const vector *out, vector *wanted)
{
    const int words = t->kind->words;
    int64_t first, n;
    my_result(t, &first, &n);
    for (int64_t i = 0; i < n; i++) {
        const uint32_t *expected = t->expected + (first + i) * words;
        uint32_t got[KIND_WORDS];
        vector_get(out, i, got);
        if (t->kind->exact || t->reproducible ? memcmp(got, expected, (size_t) words * sizeof *got)
                           : !close_floats(got, expected)) {
            failed(t, "element %lld is %x %x, not %x %x", (long long) i, got[0],
                   words > 1 ? got[1] : 0, expected[0], words > 1 ? expected[1] : 0);
            return;
        }
        vector_set(wanted, i, got);
    }
}

/* A hash of all of a result. */
static uint64_t bits_of(const test_call *t, const vector *out)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (int64_t i = 0; i < t->count; i++) {
        uint32_t words[KIND_WORDS];
        vector_get(out, i, words);
        for (int j = 0; j < t->kind->words; j++)
            hash = (hash ^ words[j]) * 0x100000001b3u;
    }
    return hash;
}

static void open_buffers(const test_call *t, test_run *b)
{
    int64_t first, n;
    b->in_place = t->in_place && has_output(t) && (!is_scatter(t) || t->rank == t->root);
    if (anypi_has_local_sizes(t->collective)) {
        local_open(t, b);
        return;
    }
    if (anypi_moves(t->collective)) {
        open_moved(t, b->in_place, &b->in, &b->in_before, &b->out, &b->wanted);
        return;
    }
    my_result(t, &first, &n);
    const int64_t room = b->in_place || anypi_is_prefix(t->collective) ? t->count : n;
    vector_open(&b->in, t->kind, t->count);
    vector_open(&b->in_before, t->kind, t->count);
    vector_open(&b->out, t->kind, room);
    vector_open(&b->wanted, t->kind, room);
    vector_fill(&b->in, t->rank, 0);
    vector_fill(&b->in_before, t->rank, 0);
}

/* Before the first call, and before the next one in the same buffers. */
static void prepare(const test_call *t, test_run *b)
{
    vector_clear(&b->out);
    vector_clear(&b->wanted);
    if (b->local) {
        local_prepare(t, b);
        return;
    }
    if (is_shared(t))
        set_input(t, 0, &b->wanted);
    if (anypi_moves(t->collective))
        set_moved(t, b->in_place, &b->out);
    else if (b->in_place)
        vector_fill(&b->out, t->rank, 0);
    if (b->in_place && !gets_result(t))
        vector_fill(&b->wanted, t->rank, 0);
}

/* The result of a reduction; `wanted` becomes what the output must be. */
static void check_reduced(const test_call *t, test_run *b)
{
    int64_t first, n;
    my_result(t, &first, &n);
    check_data(t, &b->out, &b->wanted);
    for (int64_t i = n; b->in_place && gets_result(t) && i < t->count; i++) {
        uint32_t words[KIND_WORDS];     /* after the result in place: any bytes */
        vector_get(&b->out, i, words);
        vector_set(&b->wanted, i, words);
    }
}

void run_begin(test_run *r, const test_call *t)
{
    *r = (test_run) { .call = t };
    open_buffers(t, r);
    prepare(t, r);
    if (begin(t, r) != MPI_SUCCESS)
        failed(t, "MPI returns an error");
}

void run_start(test_run *r)
{
    if (r->starts++ > 0)
        prepare(r->call, r);
    if (MPI_Start(&r->request) != MPI_SUCCESS)
        failed(r->call, "MPI_Start returns an error");
}

uint64_t run_check(test_run *r)
{
    const test_call *t = r->call;
    int first, end;
    my_blocks(t, r->in_place, &first, &end);
    if (anypi_moves(t->collective) && !r->local)
        set_blocks(t, first, end, &r->wanted);
    else if (!r->local)
        check_reduced(t, r);
    if (vector_compare(&r->out, &r->wanted) >= 0)
        failed(t, "the output buffer is wrong, or touched beyond its data, at byte %td",
               vector_compare(&r->out, &r->wanted));
    if (vector_compare(&r->in, &r->in_before) >= 0)
        failed(t, "the input buffer is changed, at byte %td",
               vector_compare(&r->in, &r->in_before));
    const bool shared = !anypi_moves(t->collective) &&
        anypi_collectives[t->collective].output == ANYPI_HAS_ALL && !t->kind->exact;
    return shared ? bits_of(t, &r->out) : 0;
}

void run_end(test_run *r)
{
    if (r->request != MPI_REQUEST_NULL)
        MPI_Request_free(&r->request);
    vector_close(&r->in);
    vector_close(&r->in_before);
    vector_close(&r->out);
    vector_close(&r->wanted);
    local_close(r);
    __atomic_add_fetch(&tally.calls, 1, __ATOMIC_RELAXED);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

/* Before a barrier: when this rank enters it, one of them late. */
static double enter(const test_call *t)
{
    if (tally.calls % t->p == t->rank)
        nanosleep(&(struct timespec) { .tv_nsec = 50000 }, NULL);
    return seconds();
}

/* After it: no rank may have left before all have entered. All are on one machine. */
static void check_met(const test_call *t, double entered)
{
    double times[2] = { entered, -seconds() };
    MPI_Allreduce(MPI_IN_PLACE, times, 2, MPI_DOUBLE, MPI_MAX, t->comm);
    if (times[0] > -times[1])
        failed(t, "a rank leaves %g s before another enters", times[0] + times[1]);
}

void run_call(const test_call *t)
{
    const bool meets = anypi_has_no_data(t->collective);
    test_run r;
    double entered = meets ? enter(t) : 0;
    run_begin(&r, t);
    for (int i = 0; i < (t->form == PERSISTENT ? 2 : 1); i++) {
        if (meets && t->form == PERSISTENT)
            entered = enter(t);
        if (t->form == PERSISTENT)
            run_start(&r);
        if (MPI_Wait(&r.request, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            failed(t, "MPI_Wait returns an error");
        if (meets)
            check_met(t, entered);
        const uint64_t bits = run_check(&r);
        uint64_t of_root = bits;
        if (bits)
            MPI_Bcast(&of_root, 1, MPI_UINT64_T, 0, t->comm);
        if (bits != of_root)
            failed(t, "bits differ from rank 0's");
    }
    run_end(&r);
}
