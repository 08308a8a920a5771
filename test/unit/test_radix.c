/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_radix.c - binomial and gather_reduce, trees of radix k: their rounds and messages
 * for every p, k and root; what they copy; and how they bracket.
 */
#include "unit/common.h"

#include "analysis/simulate.h"

enum { ELEMENTS = 5 };

typedef void (*tree_function)(const variant *variant);

/* One collective with one radix: all roots for small p, some for others. */
static void each_call(const char *name, anyp_collective collective, int p, int radix,
                      tree_function function)
{
    for (int root = 0; root < p; root += p <= 20 || root == 0 ? 1 : (p - 1) / 3) {
        for (int kind = 0; kind < 4; kind++) {
            const variant v = { .algorithm = anyp_algorithm_find(name),
                                .call = { .collective = collective, .p = p, .root = root,
                                          .count = ELEMENTS, .type_size = 1,
                                          .commutative = kind & 1, .in_place = kind & 2 },
                                .parameters = { radix } };
            function(&v);
        }
        if (collective == ANYP_ALLREDUCE)
            break;
    }
}

static void each_tree(const char *name, tree_function function)
{
    static const int radices[] = { 2, 3, 4, 5, 8, 63, 64 };
    for (int p = 1; p <= max_p(70); p++)
        for (size_t i = 0; i < sizeof radices / sizeof *radices; i++) {
            each_call(name, ANYP_ALLREDUCE, p, radices[i], function);
            each_call(name, ANYP_REDUCE, p, radices[i], function);
        }
}

static void check_binomial(const variant *v)
{
    const int p = v->call.p, phases = v->call.collective == ANYP_ALLREDUCE ? 2 : 1;
    const anypi_simulation s = simulate_variant(v, (anyp_model) { .alpha = 1 });
    ck_assert(s.time == phases * rounds_of_radix(p, v->parameters[0]));
    ck_assert_int_eq(s.total.messages, phases * (p - 1));
    ck_assert_int_eq(s.total.bytes_reduced, (p - 1) * ELEMENTS);
    ck_assert_int_le(s.total.bytes_copied, ELEMENTS);
    if (v->call.commutative && p > 1)
        ck_assert_msg(s.total.bytes_copied == 0, "%s: copies", variant_text(v));
    ck_assert_int_le(s.most.bytes_scratch, v->parameters[0] * ELEMENTS);
}

START_TEST(test_binomial)
{
    each_tree("binomial", check_binomial);
}
END_TEST

static void check_gather_reduce(const variant *v)
{
    const int p = v->call.p, all = v->call.collective == ANYP_ALLREDUCE;
    const anypi_simulation s = simulate_variant(v, (anyp_model) { .alpha = 1 });
    ck_assert(s.time == rounds_of_radix(p, v->parameters[0]));
    ck_assert_int_eq(s.most.bytes_received, (p - 1) * ELEMENTS);
    ck_assert_int_eq(s.total.bytes_reduced, (all ? p : 1) * (p - 1) * ELEMENTS);
    ck_assert_int_le(s.most.bytes_copied, 2 * ELEMENTS);
    ck_assert_int_eq(s.most.bytes_scratch, (p - 1 + (all && p > v->parameters[0] + 1)) * ELEMENTS);
}

START_TEST(test_gather_reduce)
{
    each_tree("gather_reduce", check_gather_reduce);
}
END_TEST

START_TEST(test_brackets)
{
    static const struct {
        const char *name;
        anyp_collective collective;
        int p, root, radix;
        const char *sum;
    } rows[] = {
        { "binomial", ANYP_REDUCE, 5, 2, 2, "x0+x1+(x2+x3)+x4" },
        { "binomial", ANYP_REDUCE, 7, 6, 2, "x0+x1+(x2+x3)+(x4+x5+x6)" },
        { "binomial", ANYP_REDUCE, 13, 7, 3, "x0+x1+x2+(x3+x4+x5+(x6+(x7+x8)))+(x9+x10+x11+x12)" },
        { "binomial", ANYP_ALLREDUCE, 7, 0, 3, "x0+x1+x2+(x3+x4+x5)+x6" },
        { "gather_reduce", ANYP_REDUCE, 6, 3, 2, "x0+x1+x2+x3+x4+x5" },
        { "gather_reduce", ANYP_REDUCE, 6, 5, 3, "x0+x1+x2+x3+x4+x5" },
        { "gather_reduce", ANYP_ALLREDUCE, 6, 0, 4, "x0+x1+x2+x3+x4+x5" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (int in_place = 0; in_place < 2; in_place++) {
            const variant v = { .algorithm = anyp_algorithm_find(rows[i].name),
                                .call = { .collective = rows[i].collective, .p = rows[i].p,
                                          .root = rows[i].root, .count = ELEMENTS, .type_size = 1,
                                          .in_place = in_place },
                                .parameters = { rows[i].radix } };
            if (rows[i].collective == ANYP_REDUCE)
                assert_sum_is(&v, rows[i].root, 0, rows[i].sum);
            else
                for (int rank = 0; rank < rows[i].p; rank++)
                    assert_sum_is(&v, rank, 0, rows[i].sum);
        }
    }
}
END_TEST

Suite *suite_radix(void)
{
    TCase *tests;
    Suite *suite = suite_of("radix", &tests);
    tcase_add_test(tests, test_binomial);
    tcase_add_test(tests, test_gather_reduce);
    tcase_add_test(tests, test_brackets);
    return suite;
}
