/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_hold.c - programs whose reductions read the sender's memory (hold.h): nobody writes what a
 * peer may still read, and nothing reads what has not come. Checked operation by operation for the
 * schedules of all algorithms. And loops are found without floating-point exceptions, which end a
 * program that traps them.
 */
#include "unit/common.h"

#include "execute/hold.h"
#include "node/choose_loop.h"
#include "schedule/set.h"

#include <fenv.h>

enum { MAX_REQUESTS = 4096, ELEMENT = 8 };

/* What a request is doing. A held message whose data have come to their place is COPIED until its
 * reduction. */
typedef enum work {
    IDLE, SENDS, RECEIVES, HOLDS, COPIED
} work;

/* Bytes of an area. */
typedef struct span {
    int area;
    int64_t begin, end;
} span;

typedef struct request {
    work work;
    span span;                  /* what it sends, or where the data come */
} request;

typedef struct rank_state {
    const variant *v;
    int rank;
    request requests[MAX_REQUESTS];
    int used;                   /* the requests that were ever used are below */
} rank_state;

typedef struct tally {
    kept_set set;
    int held;                   /* reductions that read the sender's memory */
    int late;                   /* waits that come after such a reduction */
} tally;

static span span_at(int area, int64_t at, int64_t elements)
{
    return (span) { area, at, at + elements * ELEMENT };
}

static bool meet(const rank_state *s, span a, span b)
{
    if (a.area != b.area)
        return s->v->call.in_place && a.area != ANYPI_AREA_SCRATCH && b.area != ANYPI_AREA_SCRATCH;
    return a.begin < b.end && b.begin < a.end;
}

/* No message is under way that forbids to read a span, or to write it; `own` is one that allows. */
static void assert_free(const rank_state *s, span a, bool writes, int own)
{
    for (int r = 0; r < s->used; r++) {
        const request *one = &s->requests[r];
        if (r == own || one->work == IDLE)
            continue;
        if (!writes && (one->work == SENDS || one->work == COPIED))
            continue;
        /* IN and OUT are one memory in place, but then what is read in both is the same */
        const bool same = writes || one->span.area == a.area;
        assert_often(!(same && meet(s, one->span, a)), "%s: rank %d: %s bytes %lld to %lld of "
                     "area %d, which request %d %s", variant_text(s->v), s->rank,
                     writes ? "writes" : "reads", (long long) a.begin, (long long) a.end, a.area,
                     r, one->work == SENDS ? "sends" : "receives");
    }
}

static void begin(rank_state *s, const anypi_op *op, work kind, span a)
{
    ck_assert_int_lt(op->first, MAX_REQUESTS);
    for (; s->used <= op->first; s->used++)
        s->requests[s->used].work = IDLE;
    request *one = &s->requests[op->first];
    assert_often(one->work == IDLE, "%s: rank %d: request %d is used twice", variant_text(s->v),
                 s->rank, op->first);
    assert_free(s, a, kind != SENDS, -1);
    *one = (request) { kind, a };
}

static void look_at_op(rank_state *s, const anypi_op *op, tally *t)
{
    const span from = span_at(op->from_area, op->from, op->elements);
    const span to = span_at(op->to_area, op->to, op->elements);
    switch ((anypi_op_kind) op->kind) {
        case ANYPI_OP_SEND:
            begin(s, op, SENDS, from);
            break;
        case ANYPI_OP_RECEIVE:
            begin(s, op, RECEIVES, to);
            break;
        case ANYPI_OP_HOLD:
            begin(s, op, HOLDS, to);
            break;
        case ANYPI_OP_WAIT:
            for (int r = op->first; r < op->first + op->count && r < s->used; r++) {
                request *one = &s->requests[r];
                t->late += one->work == SENDS && t->held > 0;
                one->work = one->work == HOLDS || one->work == COPIED ? COPIED : IDLE;
            }
            break;
        case ANYPI_OP_WAIT_RECEIVED:
            for (int r = op->first; r < op->first + op->count && r < s->used; r++)
                if (s->requests[r].work == RECEIVES)
                    s->requests[r].work = IDLE;
            break;
        case ANYPI_OP_REDUCE_LEFT:
        case ANYPI_OP_REDUCE_RIGHT: {
            const bool right = op->kind == ANYPI_OP_REDUCE_RIGHT;
            const request *held = &s->requests[op->first];
            assert_often(op->first < s->used && held->work >= HOLDS &&
                         held->span.area == (right ? to : from).area &&
                         held->span.begin == (right ? to : from).begin &&
                         held->span.end == (right ? to : from).end,
                         "%s: rank %d: request %d does not hold the operand", variant_text(s->v),
                         s->rank, op->first);
            assert_free(s, right ? from : to, false, op->first);
            assert_free(s, to, true, op->first);
            s->requests[op->first].work = IDLE;
            t->held++;
            break;
        }
        case ANYPI_OP_REDUCE:
            assert_free(s, to, false, -1);
            assert_free(s, from, false, -1);
            assert_free(s, to, true, -1);
            break;
        case ANYPI_OP_COPY:
            assert_free(s, from, false, -1);
            assert_free(s, to, true, -1);
            break;
        case ANYPI_OP_START:
            break;
        default:
            ck_abort_msg("%s: operation %d", variant_text(s->v), op->kind);
    }
}

static void look(const variant *v, void *state)
{
    static rank_state s;
    tally *t = state;
    const anyp_schedule *set = variant_set_again(v, &t->set);
    const anypi_element element = { 0, ELEMENT, ELEMENT };
    if (v->call.gaps_in || v->call.gaps_out)
        return;                 /* its programs hold nothing */
    for (int rank = 0; rank < v->call.p; rank++) {
        anypi_program program;
        anyp_call call = v->call;
        call.rank = rank;
        const anypi_placement vector = anypi_placement_of(&call, set[rank].blocks, element);
        anypi_program_init(&program);
        ck_assert_int_eq(anypi_program_make(&program, &set[rank], &vector), ANYP_SUCCESS);
        ck_assert_int_eq(anypi_program_let_hold(&program, call.in_place), ANYP_SUCCESS);
        s.v = v;
        s.rank = rank;
        s.used = 0;
        for (int i = 0; i < program.count; i++)
            look_at_op(&s, &program.ops[i], t);
        for (int r = 0; r < s.used; r++)
            assert_often(s.requests[r].work == IDLE, "%s: rank %d: request %d is not complete",
                         variant_text(v), rank, r);
        anypi_program_free(&program);
    }
}

START_TEST(nothing_is_disturbed)
{
    int count;
    tally t = { .held = 0 };
    const anyp_algorithm *algorithm = &anyp_algorithms(&count)[_i];
    for (int p = 1; p <= 8; p++)
        if (is_tried(p, 8))
            each_variant(algorithm, p, look, &t);
    kept_set_free(&t.set);
}
END_TEST

/* It does happen, and the waits for what others hold come later. */
START_TEST(reductions_hold)
{
    tally t = { .held = 0 };
    variant v = { .algorithm = anyp_algorithm_find("exchange"),
                  .call = { .collective = ANYP_ALLREDUCE, .p = 7, .count = 70, .type_size = 8,
                            .commutative = true } };
    anyp_parameters_default(v.algorithm, v.parameters);
    look(&v, &t);
    ck_assert_int_ge(t.held, 7 * 2);
    ck_assert_int_gt(t.late, 0);
    kept_set_free(&t.set);
}
END_TEST

/* As an MPI library reduces; all of its operands are doubles. */
static bool add_doubles(const void *handles, const char *left, char *right, int elements)
{
    (void) handles;
    for (int i = 0; i < elements; i++)
        ((double *) (void *) right)[i] += ((const double *) (const void *) left)[i];
    return true;
}

START_TEST(loops_are_found_silently)
{
    feclearexcept(FE_ALL_EXCEPT);
    const anypi_own_loop own = anypi_own_loop_of(&(anypi_reduction) {
        .type = 1, .operator = 1, .loops = ANYPI_LOOP_SUM, .size = sizeof (double),
        .reduce = add_doubles
    });
    ck_assert(own.loop == anypi_loop_of(ANYPI_LOOP_SUM, ANYPI_LOOP_DOUBLE, 0));
#ifdef __SSE2__
    ck_assert_int_eq(fetestexcept(FE_ALL_EXCEPT), 0);
#endif
}
END_TEST

/* As MPICH reduces floats by MPI_LXOR, which the standard does not define. */
static bool xor_floats(const void *handles, const char *left, char *right, int elements)
{
    (void) handles;
    for (int i = 0; i < elements; i++) {
        float a, b;
        memcpy(&a, left + i * (int) sizeof a, sizeof a);
        memcpy(&b, right + i * (int) sizeof b, sizeof b);
        b = !a != !b;
        memcpy(right + i * (int) sizeof b, &b, sizeof b);
    }
    return true;
}

/* The loop for integers writes 1 as an integer. */
START_TEST(floats_have_no_logical_loop)
{
    const anypi_own_loop own = anypi_own_loop_of(&(anypi_reduction) {
        .type = 2, .operator = 2, .loops = ANYPI_LOOP_LXOR, .size = sizeof (float),
        .reduce = xor_floats
    });
    ck_assert_ptr_null(own.loop);
}
END_TEST

Suite *suite_hold(void)
{
    int algorithms;
    TCase *tests;
    Suite *suite = suite_of("hold", &tests);
    anyp_algorithms(&algorithms);
    tcase_add_loop_test(tests, nothing_is_disturbed, 0, algorithms);
    tcase_add_test(tests, reductions_hold);
    tcase_add_test(tests, loops_are_found_silently);
    tcase_add_test(tests, floats_have_no_logical_loop);
    return suite;
}
