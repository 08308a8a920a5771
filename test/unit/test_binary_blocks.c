/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_binary_blocks.c - the cost of the binary blocks, for which the paper gives no formula. The
 * simulated cost must equal the formula in the file's head, with the exponents of p, and the
 * code's.
 */
#include "unit/common.h"

#include <math.h>

enum { VECTOR = 1 << 20 };      /* bytes; one element each, so that all slices are equal */

static variant variant_of(anyp_collective collective, int p, int root)
{
    const int64_t count = collective == ANYP_REDUCE_SCATTER ? VECTOR / p * p : VECTOR;
    return (variant) { .algorithm = anyp_algorithm_find("binary_blocks"),
                       .call = { .collective = collective, .p = p, .root = root, .count = count,
                                 .type_size = 1, .commutative = true } };
}

/* The exponents of p, from the largest on; returns how many. */
static int exponents_of(int p, int *exponents)
{
    int count = 0;
    for (int e = 30; e >= 0; e--)
        if (p >> e & 1)
            exponents[count++] = e;
    return count;
}

/* Latencies, vectors sent and vectors reduced of the reduction, as the head writes them. */
static void formulas(int p, double *alpha, double *beta, double *gamma)
{
    int e[31];
    const int k = exponents_of(p, e);
    *alpha = k > 1 ? e[0] + 1 : e[0];
    *beta = k > 1 ? 1 - ldexp(1, -e[k - 2]) : 1 - ldexp(1, -e[0]);
    *gamma = k > 1 ? 1 : 1 - ldexp(1, -e[0]);
    for (int i = 1; i < k; i++)
        *beta += ldexp(1, -e[i]);
    for (int i = 0; i + 2 < k; i++)
        *gamma += ldexp(1, -e[i]);
}

/* T(1) of the head: latencies of ports that carry one message at a time. */
static double one_at_a_time(int p)
{
    int e[31];
    const int k = exponents_of(p, e);
    int t = e[k - 1];
    for (int i = k - 2; i >= 0; i--)
        t = (t > e[i] ? t : e[i]) + (1 << (e[i] - e[i + 1]));
    return t;
}

static void assert_time(const variant *v, anyp_model model, const char *name, double formula)
{
    const double time = simulate_variant(v, model).time;
    assert_often(time == formula, "%s, %s: %.17g, but its formula gives %.17g", variant_text(v),
                 name, time, formula);
    const anyp_cost cost = anypi_cost_of(v->algorithm, &v->call, v->parameters);
    assert_often(anyp_cost_time(cost, &model) == formula, "%s, %s: cost() gives %.17g, not %.17g",
                 variant_text(v), name, anyp_cost_time(cost, &model), formula);
}

/* Simulated with latency, bytes sent, bytes reduced and overheads alone. */
static void assert_cost(const variant *v, double alpha, double beta, double gamma, double overhead)
{
    assert_time(v, (anyp_model) { .alpha = 1 }, "alpha", alpha);
    assert_time(v, (anyp_model) { .beta = 1 }, "beta", beta * VECTOR);
    assert_time(v, (anyp_model) { .gamma = 1 }, "gamma", gamma * VECTOR);
    assert_time(v, (anyp_model) { .overhead = 1 }, "overhead", overhead);
}

START_TEST(test_formulas)
{
    const int most = max_p(300);
    for (int p = 1; p <= most; p++) {
        double alpha, beta, gamma;
        int e[31];
        exponents_of(p, e);
        const double t = one_at_a_time(p);
        formulas(p, &alpha, &beta, &gamma);
        const variant all = variant_of(ANYP_ALLREDUCE, p, 0);
        assert_cost(&all, 2 * alpha, 2 * beta, gamma, 4 * t);
        const int roots[] = { 0, p / 2, p - 1 };
        for (int i = 0; i < 3; i++) {
            const variant one = variant_of(ANYP_REDUCE, p, roots[i]);
            if (p - (1 << e[0]) == 1 && roots[i] == p - 1)
                continue;       /* the last block's only rank sends one slice less */
            assert_cost(&one, alpha + e[0], beta + 1 - ldexp(1, -e[0]), gamma, 2 * (t + e[0]));
        }
    }
}
END_TEST

/* Reduce-scatter: q rounds at any p, of blocks of any sizes. */
START_TEST(test_reduce_scatter)
{
    const int most = max_p(300);
    for (int p = 2; p <= most; p++) {
        const variant v = variant_of(ANYP_REDUCE_SCATTER, p, 0);
        int q = 0;
        while (1 << q < p)
            q++;
        ck_assert(simulate_variant(&v, (anyp_model) { .alpha = 1 }).time == q);
    }
}
END_TEST

/* All roots: right, no slower than root 0, and with at most one message more: none if the root is
 * in the first two blocks, one elsewhere. */
START_TEST(test_roots)
{
    for (int p = 1; p <= 48; p++) {
        const variant zero = variant_of(ANYP_REDUCE, p, 0);
        const anyp_model model = { .alpha = 1, .beta = 1 };
        const anypi_simulation best = simulate_variant(&zero, model);
        int e[31];
        const int k = exponents_of(p, e);
        for (int root = 0; root < p; root++) {
            variant v = variant_of(ANYP_REDUCE, p, root);
            const anypi_simulation s = simulate_variant(&v, model);
            const int more = root >= (1 << e[0]) + (k > 1 ? 1 << e[1] : 0);
            assert_often(s.time <= best.time, "%s is slower than root 0", variant_text(&v));
            assert_often(s.total.messages == best.total.messages + more, "%s: %d messages, not %d",
                         variant_text(&v), (int) s.total.messages,
                         (int) best.total.messages + more);
            for (int kind = 0; kind < 4; kind++) {
                v.call.commutative = !(kind & 1);
                v.call.in_place = kind & 2;
                anyp_schedule *set = variant_set(&v);
                assert_verified(&v, set);
                anypi_set_free(set, p);
            }
        }
    }
}
END_TEST

/* A reduce-scatter copies the vector and a block; the others half of the vector, if the operator
 * does not commute. Scratch is half of it in an allreduce, all of it in a reduce, one and a half,
 * in whole blocks, in a reduce-scatter. */
START_TEST(test_copies)
{
    static const anyp_collective collectives[] = { ANYP_ALLREDUCE, ANYP_REDUCE,
                                                   ANYP_REDUCE_SCATTER };
    for (int i = 0; i < 3; i++) {
        for (int p = 2; p <= 130; p++) {
            for (int kind = 0; kind < 4; kind++) {
                variant v = variant_of(collectives[i], p, p / 2);
                v.call.commutative = !(kind & 1);
                v.call.in_place = kind & 2;
                const anypi_counts most = simulate_variant(&v, (anyp_model) { .alpha = 1 }).most;
                const int64_t m = v.call.count, block = m / p;
                const int64_t half = i < 2 ? m / 2 : (p + 1) / 2 * block;
                const int64_t copied = i == 2 ? m + block : v.call.commutative ? 0 : half;
                const int64_t scratch = i == 0 ? half : i == 1 ? m : m + half;
                assert_often(most.bytes_copied <= copied && most.bytes_scratch <= scratch,
                             "%s: %lld bytes copied, %lld of scratch", variant_text(&v),
                             (long long) most.bytes_copied, (long long) most.bytes_scratch);
            }
        }
    }
}
END_TEST

START_TEST(test_bracketing)
{
    static const struct {
        int p;
        const char *sum;
    } rows[] = {
        { 1, "x0" },
        { 3, "x0+x1+x2" },
        { 6, "x0+x1+(x2+x3)+(x4+x5)" },
        { 7, "x0+x1+(x2+x3)+(x4+x5+x6)" },
        { 13, "x0+x1+(x2+x3)+(x4+x5+(x6+x7))+(x8+x9+(x10+x11)+x12)" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (int rank = 0; rank < rows[i].p; rank++) {
            variant v = variant_of(ANYP_REDUCE_SCATTER, rows[i].p, 0);
            v.call.commutative = false;
            assert_sum_is(&v, rank, rank, rows[i].sum);
        }
    }
}
END_TEST

Suite *suite_binary_blocks(void)
{
    TCase *tests;
    Suite *suite = suite_of("binary_blocks", &tests);
    tcase_add_test(tests, test_formulas);
    tcase_add_test(tests, test_reduce_scatter);
    tcase_add_test(tests, test_roots);
    tcase_add_test(tests, test_copies);
    tcase_add_test(tests, test_bracketing);
    return suite;
}
