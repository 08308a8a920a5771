/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_lowery_langou.c - the pipelines of Lowery & Langou 2013: the times of their Tables I (half
 * duplex) and III (full duplex), with s = 1 element, against the simulator.
 */
#include "unit/common.h"

#include "analysis/simulate.h"
#include "schedule/ranks.h"
#include "unit/half_duplex.h"

#include <string.h>

/* k segments of one element of one byte. */
static variant reduce_of(const char *name, int p, int root, int k)
{
    const variant v = { .algorithm = anyp_algorithm_find(name),
                        .call = { .collective = ANYP_REDUCE, .p = p, .root = root, .count = k,
                                  .type_size = 1, .commutative = true },
                        .parameters = { 1, strcmp(name, "bi_greedy") == 0 } };
    ck_assert_int_eq(anypi_blocks_of(v.algorithm, &v.call, v.parameters), k);
    return v;
}

static double simulate(const char *name, int p, int root, int k, anyp_model model)
{
    const variant v = reduce_of(name, p, root, k);
    return simulate_variant(&v, model).time;
}

static const anyp_model models[] = {
    { .alpha = 1 }, { .beta = 1 }, { .gamma = 1 }, { .alpha = 8, .beta = 2, .gamma = 1 },
    { .alpha = 8, .beta = 2, .gamma = 16 },
};

enum { MODELS = sizeof models / sizeof *models };

static double comm(int model)
{
    return models[model].alpha + models[model].beta;
}

static double comp(int model)
{
    return models[model].gamma;
}

/* Checks p up to a maximum with some k. */
static void each_size(int most, void (*check)(int p, int k, int model))
{
    static const int segments[] = { 1, 2, 3, 4, 5, 8, 13, 40 };
    for (int p = 2; p <= max_p(most); p++)
        for (size_t i = 0; i < sizeof segments / sizeof *segments; i++)
            for (int model = 0; model < MODELS; model++)
                check(p, segments[i], model);
}

static void check_table_3(int p, int k, int model)
{
    const int depth = anypi_log2_ceil((unsigned) p + 1), roots[] = { 0, 1, p - 1 };
    const double step = comm(model) + comp(model);
    const double pipeline = (p + k - 2) * step, binary = 2 * (depth + k - 2) * step;
    ck_assert_double_eq(simulate("chain", p, 0, k, models[model]), pipeline);
    for (int i = 0; i < 3; i++) {
        const int root = roots[i];
        const double time = simulate("binary_tree", p, root, k, models[model]);
        if (root > 0)           /* the root sends first, too */
            ck_assert_double_eq(simulate("chain", p, root, k, models[model]),
                                pipeline + comm(model));
        if (p == 2)             /* the formulas are for p > 3 */
            ck_assert_double_eq(time, k * step);
        else if (p == 1 << (depth - 1))
            ck_assert_double_eq(time, binary - step);
        else
            ck_assert_double_eq(time, binary);
    }
}

START_TEST(test_table_3)
{
    each_size(70, check_table_3);
}
END_TEST

/* One message at a time, in either direction. One message takes 1020 + its bytes, and block i is of
 * i + 1 bytes. */
START_TEST(half_duplex_times)
{
    static const anyp_model half = { .alpha = 1000, .beta = 1, .gamma = 0.5, .overhead = 10 };
    static const int64_t starts[] = { 0, 1, 3, 6 };
    static const struct {
        int p, n;
        const char *texts[5];
        double expected;
    } examples[] = {
        /* alone it is as in full duplex */
        { 2, 2, { ">1 I0-2", "<0 A0-2 +A0-2 O0-2" }, 1023 + 1.5 },
        { 2, 2, { "<1 A0-1 <1 A1-2", ">0 I0-1 >0 I1-2" }, 1023 },
        { 1, 3, { "=I0-3 O0-3" }, 0 },
        { 1, 3, { "+I0-3 O0-3 | +I0-1 O0-1" }, 3.5 },
        /* both directions, one after the other */
        { 2, 2, { ">1 I0-2 <1 A0-1", "<0 A0-2 >0 I0-1" }, 1023 + 1021 },
        /* a ring of three, then of four, whose messages go two by two */
        { 3, 1, { ">1 I0-1 <2 A0-1", ">2 I0-1 <0 A0-1", ">0 I0-1 <1 A0-1" }, 3 * 1021 },
        { 4, 1, { ">1 I0-1 <3 A0-1", ">2 I0-1 <0 A0-1", ">3 I0-1 <1 A0-1", ">0 I0-1 <2 A0-1" },
          2 * 1021 },
        /* two into one: the lower sender first, though the other is first in the round */
        { 4, 3, { "<2 A2-3 <1 A0-1", ">0 I0-1 | >3 I1-2", ">0 I2-3", "<1 A1-2" },
          1021 + 1023 },
        { 4, 3, { "<2 A0-1 <1 A2-3", ">0 I2-3", ">0 I0-1 | >3 I1-2", "<2 A1-2" },
          1023 + 1021 + 1022 },
        /* a late rank comes after those that waited for the port, which is free until then */
        { 3, 3, { "<1 A0-1 <2 A0-3", "+I0-3 O0-3 | >0 I0-1", ">0 I0-3" }, 1026 + 1021 },
        /* a port that is taken by a later message that can start: no time is kept for the first */
        { 4, 3, { ">1 I0-3", "<0 A0-3 <2 A0-1", ">1 I0-1 >3 I0-3", "<2 A0-3" }, 1026 + 1021 },
        /* reductions do not overlap with messages: receive, reduce, send */
        { 3, 2, { "<1 A0-2 +I0-2 A0-2 | <1 A0-2 +I0-2 A0-2",
                  "<2 A0-2 +I0-2 A0-2 | >0 A0-2 | <2 A0-2 +I0-2 A0-2 | >0 A0-2",
                  ">1 I0-2 | >1 I0-2" }, 4 * 1023 + 3 * 1.5 },
    };
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        const int p = examples[i].p, n = examples[i].n;
        const anypi_partition partition = { n, starts[n], starts, 1 };
        anyp_schedule *set = set_from_text(p, n, examples[i].texts);
        const double time = half_duplex_time(set, p, &partition, 1, &half);
        anypi_set_free(set, p);
        ck_assert_msg(time == examples[i].expected, "example %d: %g, not %g", (int) i, time,
                      examples[i].expected);
    }
}
END_TEST

static double half_duplex(const char *name, int p, int root, int k, int model)
{
    const variant v = reduce_of(name, p, root, k);
    return half_duplex_variant(&v, models[model]);
}

static void check_table_1(int p, int k, int model)
{
    const int depth = anypi_log2_ceil((unsigned) p + 1);
    const double step = comm(model) + comp(model);
    /* in the paper a rank that sends waits as long as one that receives and reduces */
    const double waits = (k - 1) * comp(model);
    const double pipeline = ((p - 1) + 2 * (k - 1)) * step;
    const double binary = (2 * (depth - 1) + 4 * (k - 1)) * step;
    const double tree = half_duplex("binary_tree", p, 1, k, model);
    if (p > 2)
        ck_assert_double_eq(half_duplex("chain", p, 0, k, model), pipeline - waits);
    /* with two segments, the second may get into the way of the first, whose send is as urgent */
    ck_assert_double_le(tree, k == 2 ? binary + step : binary);
    if (k == 1 && p != 1 << (depth - 1))
        ck_assert_double_eq(tree, binary);
}

START_TEST(test_table_1)
{
    each_size(70, check_table_1);
}
END_TEST

/* Ranks send, copy and need no more than the algorithms' heads say. */
static void check_memory(const variant *v)
{
    const anyp_call *call = &v->call;
    const bool around = v->algorithm->properties & ANYP_CANONICAL && call->root > 0;
    const anypi_simulation s = simulate_variant(v, (anyp_model) { .alpha = 1 });
    ck_assert_msg(s.most.bytes_copied <= (call->commutative ? 0 : call->count), "%s: %lld copied",
                  variant_text(v), (long long) s.most.bytes_copied);
    ck_assert_msg(s.most.bytes_scratch <= (call->p > 2 ? 2 : 1) * call->count, "%s: scratch %lld",
                  variant_text(v), (long long) s.most.bytes_scratch);
    ck_assert_int_eq(s.most.bytes_sent, call->count);
    ck_assert_int_eq(s.total.bytes_sent, (call->p - 1 + around) * call->count);
    ck_assert_int_eq(s.total.bytes_reduced, (call->p - 1) * call->count);
}

START_TEST(test_memory_of_pipelines)
{
    static const char *const names[] = { "chain", "binary_tree", "uni_greedy", "bi_greedy" };
    const anyp_algorithm *algorithm = anyp_algorithm_find(names[_i]);
    const bool canonical = algorithm->properties & ANYP_CANONICAL;
    for (int p = 2; p <= max_p(40); p++) {
        const int roots[] = { 0, p / 2, p - 1 };
        for (int i = 0; i < 3; i++) {
            for (int kind = 0; kind < (canonical ? 4 : 2); kind++) {
                for (int k = 1; k <= 9; k += 4) {
                    const variant v = {
                        .algorithm = algorithm,
                        .call = { .collective = ANYP_REDUCE, .p = p, .root = roots[i], .count = k,
                                  .type_size = 1, .in_place = kind & 1, .commutative = kind < 2 },
                        .parameters = { 1, algorithm->parameters_count == 3 } };
                    check_memory(&v);
                }
            }
        }
    }
}
END_TEST

Suite *suite_lowery_langou(void)
{
    TCase *tests;
    Suite *suite = suite_of("lowery_langou", &tests);
    tcase_add_test(tests, test_table_3);
    tcase_add_test(tests, half_duplex_times);
    tcase_add_test(tests, test_table_1);
    tcase_add_loop_test(tests, test_memory_of_pipelines, 0, 4);
    return suite;
}
