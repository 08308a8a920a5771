/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_greedy.c - the plans of uni_greedy and bi_greedy: their times, Lowery & Langou's comparison
 * of algorithms (section V-B), the conjecture on bi_greedy (section VI-B), and the cache.
 */
#include "unit/common.h"

#include "algorithms/shared/plans.h"
#include "algorithms/uni_greedy.h"
#include "analysis/simulate.h"
#include "schedule/memory.h"
#include "schedule/ranks.h"
#include "unit/half_duplex.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Times of messages and reductions of segments. */
typedef struct timing {
    double alpha, beta, gamma;
    int size, last;             /* elements of a segment, and of the last one */
} timing;

static double comm(const timing *t, bool last)
{
    return t->alpha + t->beta * (last ? t->last : t->size);
}

static double comp(const timing *t, bool last)
{
    return t->gamma * (last ? t->last : t->size);
}

/* Processes that follow a plan: when each is free, and what this segment's messages take. */
typedef struct follower {
    double *free_at, comm, comp;
} follower;

static void follow(void *state, int from, int to)
{
    const follower *f = state;
    const double start = fmax(f->free_at[from], f->free_at[to]);
    f->free_at[from] = start + f->comm;
    f->free_at[to] = f->free_at[from] + f->comp;
}

/* The time when all is done if processes follow uni_greedy's plan, made for 2 : 1. No message of it
 * is stored, so there may be more segments than anypi_uni_greedy_plan() is asked for. */
static double plan_time(int p, int k, timing t)
{
    anypi_waiting *waiting = calloc(2 * (size_t) p, sizeof *waiting);
    follower f = { .free_at = calloc((size_t) p, sizeof *f.free_at) };
    ck_assert(waiting && f.free_at);
    for (int process = 0; process < p; process++)
        waiting[process].process = process;
    for (int j = 0; j < k; j++) {
        f.comm = comm(&t, j == k - 1);
        f.comp = comp(&t, j == k - 1);
        anypi_uni_greedy_segment(waiting, waiting + p, p, 2, 1, follow, &f);
    }
    const double time = f.free_at[0];
    free(f.free_at);
    free(waiting);
    return time;
}

/* Algorithm 1 as printed, planned for the given times: p processes, k segments. */
static double greedy_time(int p, int k, timing t)
{
    anypi_waiting *waiting = calloc(2 * (size_t) p, sizeof *waiting);
    ck_assert_ptr_nonnull(waiting);
    for (int process = 0; process < p; process++)
        waiting[process].process = process;
    for (int j = 0; j < k; j++)
        anypi_uni_greedy_segment(waiting, waiting + p, p, comm(&t, j == k - 1),
                                 comp(&t, j == k - 1), NULL, NULL);
    const double time = waiting[p - 1].free;
    ck_assert_int_eq(waiting[p - 1].process, 0);
    free(waiting);
    return time;
}

static variant reduce_of(const char *name, int p, int root, int k)
{
    return (variant) { .algorithm = anyp_algorithm_find(name),
                       .call = { .collective = ANYP_REDUCE, .p = p, .root = root, .count = k,
                                 .type_size = 1, .commutative = true },
                       /* a segment per element; one lane */
                       .parameters = { 1, strcmp(name, "bi_greedy") == 0 } };
}

/* ---- uni_greedy ---- */

/* The schedules follow the plan; if it was made for these times, their time is that of Algorithm
 * 1. */
START_TEST(test_uni_greedy_schedules)
{
    const anyp_model planned = { .alpha = 1, .beta = 1, .gamma = 1 };
    const anyp_model other = { .alpha = 7, .beta = 1, .gamma = 3 };
    for (int p = 2; p <= max_p(40); p++) {
        for (int k = 1; k <= 20; k += 1 + k / 3) {
            const timing of_plan = { 1, 1, 1, 1, 1 }, of_other = { 7, 1, 3, 1, 1 };
            const variant v = reduce_of("uni_greedy", p, p / 3, k);
            ck_assert_double_eq(simulate_variant(&v, planned).time, greedy_time(p, k, of_plan));
            ck_assert_double_eq(half_duplex_variant(&v, planned), greedy_time(p, k, of_plan));
            ck_assert_double_eq(simulate_variant(&v, other).time, plan_time(p, k, of_other));
            ck_assert_double_eq(half_duplex_variant(&v, other), plan_time(p, k, of_other));
        }
    }
}
END_TEST

/* The bounds that cost() gives, for each kind of time and all. */
static void check_bounds(int p)
{
    static const int segments[] = { 1, 2, 3, 4, 5, 6, 8, 11, 16, 32, 64, 150, 256, 1000 };
    for (size_t i = 0; i < sizeof segments / sizeof *segments; i++) {
        const int k = segments[i];
        const variant v = reduce_of("uni_greedy", p, 0, k);
        if (anypi_blocks_of(v.algorithm, &v.call, v.parameters) != k)
            continue;
        const anyp_cost cost = anypi_cost_of(v.algorithm, &v.call, v.parameters);
        const double messages = plan_time(p, k, (timing) { 1, 0, 0, 1, 1 });
        const double reductions = plan_time(p, k, (timing) { 0, 0, 1, 1, 1 });
        const double both = plan_time(p, k, (timing) { 1, 0, 1, 1, 1 });
        assert_often(messages <= cost.latencies && cost.latencies <= 2 * messages &&
                     reductions <= cost.bytes_reduced && cost.bytes_reduced <= 2 * reductions,
                     "p=%d k=%d: %g messages, %g reductions in a row, not %g and %g", p, k,
                     messages, reductions, cost.latencies, cost.bytes_reduced);
        ck_assert_double_le(cost.latencies + cost.bytes_reduced, 2 * both);
    }
}

START_TEST(test_uni_greedy_bounds)
{
    static const int large[] = { 2047, 4096, 8193, 10000, 16384, 32767, 65536, 100000, 131072 };
    for (int p = 2; p <= 1025; p++)
        if (is_tried(p, 200))
            check_bounds(p);
    for (size_t i = 0; i < sizeof large / sizeof *large; i++)
        check_bounds(large[i]);
}
END_TEST

/* The best k for a pipeline of `first` + `each` * (k-1) steps: Table I's s, rounded either way. */
static int best_segments(double first, double each, int elements, timing t, double *time)
{
    const double slope = (first - each) * (t.beta + t.gamma);
    const double best = slope > 0 ? sqrt(each * elements * t.alpha / slope) : elements;
    int segments = 1;
    *time = INFINITY;
    for (int up = 0; up < 2; up++) {
        const double size = fmin(fmax(floor(best) + up, 1), elements);
        const int k = (int) ceil(elements / size);
        const double steps = first + each * (k - 1);
        if (steps * (t.alpha + (t.beta + t.gamma) * size) < *time) {
            *time = steps * (t.alpha + (t.beta + t.gamma) * size);
            segments = k;
        }
    }
    return segments;
}

static timing cut(timing t, int elements, int *k)
{
    t.size = (elements + *k - 1) / *k;
    *k = (elements + t.size - 1) / t.size;
    t.last = elements - (*k - 1) * t.size;
    return t;
}

/* One point of the paper's comparison: some plan is as fast as the others. Up to that many
 * messages, Algorithm 1 with each of their segments is as fast as each of them, too. */
static void compare(int p, int elements, timing t, int messages)
{
    const int depth = anypi_log2_ceil((unsigned) p + 1);
    double chain, binary, planned = INFINITY;
    const double binomial = anypi_log2_ceil((unsigned) p) *
        (t.alpha + (t.beta + t.gamma) * elements);
    const int for_chain = best_segments(p - 1, 2, elements, t, &chain);
    const int for_binary = best_segments(2 * (depth - 1), 4, elements, t, &binary);
    const double standard = fmin(binomial, fmin(chain, binary)) * (1 + 1e-12);
    const int tried[] = { for_binary, for_chain, (for_chain + for_binary) / 2, 1 };
    const double limits[] = { binary, chain, INFINITY, binomial };
    for (int i = 0; i < 4; i++) {
        int k = tried[i];
        const timing parts = cut(t, elements, &k);
        if (planned > standard)
            planned = fmin(planned, plan_time(p, k, parts));
        if (k <= messages / p)
            ck_assert_double_le(greedy_time(p, k, parts), limits[i] * (1 + 1e-12));
    }
    assert_often(planned <= standard,
                 "p=%d m=%d alpha=%g gamma=%g: uni_greedy takes %g, others %g", p, elements,
                 t.alpha, t.gamma, planned, standard);
}

/* The whole comparison: alpha 0, 1, ... 1000, beta 1, gamma 0 and 1, p 4, 8, ... 1024, m 4, 8, ...
 * 65536. */
START_TEST(test_comparison)
{
    static const double alphas[] = { 0, 1, 10, 100, 1000 };
    const int most = is_fast() ? 64 : 1024;
    const int messages = max_p(300) < 1024 ? 1 << 16 : 1 << 20;
    int compared = 0;
    for (int p = 4; p <= most; p *= 2)
        for (int elements = 4; elements <= 65536; elements *= 2)
            for (int i = 0; i < 5; i++)
                for (int gamma = 0; gamma < 2; gamma++, compared++)
                    compare(p, elements, (timing) { alphas[i], 1, gamma, 0, 0 }, messages);
    ck_assert_int_eq(compared, is_fast() ? 750 : 1350);
}
END_TEST

/* ---- bi_greedy ---- */

static int plan_rounds(int p, int k, anypi_planned *messages)
{
    const size_t count = (size_t) (p - 1) * (size_t) k;
    ck_assert_int_eq(anypi_bi_greedy_plan(p, k, messages), ANYP_SUCCESS);
    return messages[count - 1].round;
}

/* The conjecture: q+k-1 rounds. No exception is known; one that turns up belongs into the head of
 * bi_greedy.c, and into its cost(). */
START_TEST(test_conjecture)
{
    anypi_planned *messages = malloc((size_t) 1024 * 256 * sizeof *messages);
    ck_assert_ptr_nonnull(messages);
    for (int p = 2; p <= 128; p++)
        for (int k = 1; k <= 64; k++)
            ck_assert_int_eq(plan_rounds(p, k, messages), anypi_log2_ceil((unsigned) p) + k - 1);
    for (int p = 129; p <= 1024; p++)
        for (int k = 2; k <= ANYPI_PLAN_MESSAGES / p && is_tried(p, 140); k *= 2)
            ck_assert_int_eq(plan_rounds(p, k, messages), anypi_log2_ceil((unsigned) p) + k - 1);
    free(messages);
}
END_TEST

START_TEST(test_bi_greedy_schedules)
{
    static const anyp_model models[] = {
        { .alpha = 1 }, { .beta = 1 }, { .gamma = 1 }, { .alpha = 2, .beta = 1, .gamma = 5 } };
    for (int p = 2; p <= max_p(40); p++) {
        for (int k = 1; k <= 20; k += 1 + k / 3) {
            const int rounds = anypi_log2_ceil((unsigned) p) + k - 1;
            const variant v = reduce_of("bi_greedy", p, p - 1, k);
            for (int i = 0; i < 4; i++) {
                const anyp_model *m = &models[i];
                const double time = simulate_variant(&v, *m).time;
                ck_assert_double_le(time, rounds * (m->alpha + m->beta + m->gamma));
                if (m->gamma == 0)
                    ck_assert_double_eq(time, rounds * (m->alpha + m->beta));
            }
        }
    }
}
END_TEST

/* ---- what is kept ---- */

static void generate(const variant *v, anyp_schedule *schedule)
{
    ck_assert_int_eq(anyp_generate(v->algorithm, &v->call, v->parameters, schedule),
                     ANYP_SUCCESS);
}

/* Does the next call allocate nothing but what the schedule has already? */
static bool is_kept(const variant *v, anyp_schedule *schedule)
{
    anypi_fail_allocation(0);
    const anyp_status status = anyp_generate(v->algorithm, &v->call, v->parameters, schedule);
    anypi_fail_allocation(-1);
    ck_assert(status == ANYP_SUCCESS || status == ANYP_ERR_MEMORY);
    return status == ANYP_SUCCESS;
}

START_TEST(test_plans_are_kept)
{
    anyp_schedule schedule;
    variant small = reduce_of("bi_greedy", 13, 0, 40);
    anyp_schedule_init(&schedule);
    anypi_plans_free();
    ck_assert_uint_eq(anypi_plans_bytes(), 0);
    generate(&small, &schedule);
    ck_assert_uint_ge(anypi_plans_bytes(), (size_t) 16 * 12 * 40);
    for (small.call.root = 0; small.call.root < 13; small.call.root++)
        ck_assert(is_kept(&small, &schedule));
    small.call.root = 5;
    variant other = reduce_of("uni_greedy", 13, 5, 40);
    ck_assert(!is_kept(&other, &schedule));

    /* recently used plans stay, and the total stays small */
    for (int p = 260; p < 300; p++) {
        const variant large = reduce_of("uni_greedy", p, 1, ANYPI_PLAN_MESSAGES / p);
        generate(&large, &schedule);
        ck_assert(is_kept(&large, &schedule));
        ck_assert(is_kept(&small, &schedule));
        ck_assert_uint_le(anypi_plans_bytes(), ANYPI_PLANS_BYTES);
    }
    for (int k = 1; k <= 100; k++) {
        const variant many = reduce_of("bi_greedy", 3, 0, k);
        generate(&many, &schedule);
    }
    ck_assert(!is_kept(&small, &schedule));

    anypi_plans_free();
    ck_assert_uint_eq(anypi_plans_bytes(), 0);
    ck_assert(!is_kept(&small, &schedule));
    anyp_schedule_free(&schedule);
}
END_TEST

Suite *suite_greedy(void)
{
    TCase *tests;
    Suite *suite = suite_of("greedy", &tests);
    tcase_add_test(tests, test_uni_greedy_schedules);
    tcase_add_test(tests, test_uni_greedy_bounds);
    tcase_add_test(tests, test_comparison);
    tcase_add_test(tests, test_conjecture);
    tcase_add_test(tests, test_bi_greedy_schedules);
    tcase_add_test(tests, test_plans_are_kept);
    return suite;
}
