/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_reproducible.c - reproducible results: their tree, and which algorithms keep it. The
 * schedules of all reproducible calls are proved with all others (test/tools/proofs.sh).
 */
#include "unit/common.h"

#include "anyp_tree.h"

#include "algorithms/registry.h"
#include "analysis/verify.h"
#include "schedule/bracketing.h"
#include "schedule/memory.h"

#include <math.h>
#include <string.h>

/* An allreduce of 4p elements. */
static anyp_call call_of(int p, bool reproducible)
{
    return (anyp_call) { .p = p, .count = 4 * p, .type_size = 8, .reproducible = reproducible };
}

START_TEST(trees)
{
    static const struct {
        int p;
        const char *tree;
    } known[] = {
        { 1, "x0" },
        { 2, "x0+x1" },
        { 3, "x0+x1+x2" },
        { 5, "x0+x1+x2+(x3+x4)" },
        { 6, "x0+x1+x2+(x3+x4+x5)" },
        { 7, "x0+x1+(x2+x3)+(x4+x5+x6)" },
        { 13, "x0+x1+(x2+x3)+(x4+x5+x6)+(x7+x8+x9+(x10+x11+x12))" },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const anyp_algorithm *exchange = anyp_algorithm_find("exchange");
        variant v = { .algorithm = exchange, .call = call_of(known[i].p, true) };
        anyp_parameters_default(exchange, v.parameters);
        anyp_schedule *set = variant_set(&v);
        char *text;
        ck_assert_int_eq(set_expression(set, &v.call, v.call.p / 2, 0, &text), ANYP_SUCCESS);
        ck_assert_str_eq(text, known[i].tree);
        anypi_free(text);
        anypi_set_free(set, v.call.p);
    }
}
END_TEST

/* Is operand i of n the right one of the sum that has only two operands or it and a larger sum? */
static bool is_right(int first, int n, int i)
{
    const int left = n > 1 ? anypi_bracketing_left(n) : 0;
    if (n == 1)
        return false;
    if (i < first + left)
        return left > 1 && is_right(first, left, i);
    return n - left == 1 || is_right(first + left, n - left, i);
}

/* Contributions are numbers, and any other tree of this operator gives another number. */
static uint64_t mix(uint64_t left, uint64_t right)
{
    return 3 * left + 5 * right + 1;
}

static uint64_t mix_all(const uint64_t *numbers, int n)
{
    const int left = n > 1 ? anypi_bracketing_left(n) : 0;
    return n == 1 ? numbers[0] : mix(mix_all(numbers, left), mix_all(numbers + left, n - left));
}

/* Runs of contributions, reduced by their trees, are operands of the tree of p. */
START_TEST(runs)
{
    uint64_t numbers[100], partial[100];
    for (int i = 0; i < 100; i++)
        numbers[i] = (uint64_t) (i * i) * 7919 + 1;
    for (int n = 1; n <= 100; n++)
        for (int p = 1; p <= n; p++) {
            int64_t next = 0, first, end, shortest = n, longest = 0;
            for (int rank = 0; rank < p; rank++) {
                anyp_tree_run(n, p, rank, &first, &end);
                ck_assert(first == next && end > first);
                next = end;
                shortest = end - first < shortest ? end - first : shortest;
                longest = end - first > longest ? end - first : longest;
                partial[rank] = mix_all(numbers + first, (int) (end - first));
            }
            ck_assert_int_eq(next, n);
            ck_assert_int_le(longest, 2 * shortest + 2);
            ck_assert(mix_all(partial, p) == mix_all(numbers, n));
        }
}
END_TEST

static double add_all(const double *numbers, int n)
{
    const int left = n > 1 ? anypi_bracketing_left(n) : 0;
    return n == 1 ? numbers[0] : add_all(numbers, left) + add_all(numbers + left, n - left);
}

START_TEST(sums)
{
    double numbers[200];
    for (int i = 0; i < 200; i++)
        numbers[i] = (i % 3 ? 1 : -1.5) * pow(10, i * 37 % 61 - 30);
    for (int n = 1; n <= 200; n++)
        ck_assert(anyp_tree_sum(numbers, n) == add_all(numbers, n));
}
END_TEST

START_TEST(right_operands)
{
    for (int n = 1; n <= 200; n++)
        for (int i = 0; i < n; i++)
            ck_assert_int_eq(anypi_bracketing_is_right(n, i), is_right(0, n, i));
}
END_TEST

/* How many choices there are, and how many keep the tree although the call does not demand it. */
typedef struct counted {
    int all, keep;
} counted;

static void count_one(const variant *one, void *state)
{
    counted *c = state;
    variant v = *one;
    char why[512];
    anyp_schedule *set = variant_set(&v);
    v.call.reproducible = true;
    const anyp_status status = anypi_verify(set, &v.call, 0, why, sizeof why);
    ck_assert(status == ANYP_SUCCESS || strstr(why, "as reproducible results must be"));
    c->keep += status == ANYP_SUCCESS;
    c->all++;
    anypi_set_free(set, v.call.p);
}

/* Next to powers of two, and of few ranks, trees are alike by chance: there nothing is demanded. */
START_TEST(who_keeps_the_tree)
{
    int count;
    const anyp_algorithm *algorithms = anyp_algorithms(&count);
    for (int a = 0; a < count; a++) {
        const unsigned properties = algorithms[a].properties;
        for (int p = 2; p <= max_p(40) && properties & ANYP_CANONICAL; p++) {
            counted c = { 0, 0 };
            const bool is_pow2 = (p & (p - 1)) == 0;
            const bool is_near = !is_pow2 && (!(p & (p + 1)) || !((p - 1) & (p - 2)));
            for (int collective = 0; collective < ANYP_REDUCTIONS; collective++) {
                anyp_call call = call_of(p, false);
                call.collective = (anyp_collective) collective;
                if (algorithms[a].collectives & ANYP_IN_SET(collective) &&
                    !anypi_is_prefix(call.collective))
                    each_parameters(&algorithms[a], &call, count_one, &c);
            }
            if (properties & ANYP_REPRODUCIBLE)
                continue;       /* by another schedule */
            if (is_pow2 && properties & ANYP_REPRODUCIBLE_POWERS)
                assert_often(c.keep == c.all, "%s p=%d: %d of %d", algorithms[a].name, p, c.keep,
                             c.all);
            else if (!is_near && (p >= 8 || !is_pow2))
                assert_often(c.keep < c.all, "%s p=%d: all %d", algorithms[a].name, p, c.all);
        }
    }
}
END_TEST

START_TEST(who_is_refused)
{
    int count, parameters[ANYP_MAX_PARAMETERS];
    const char *reason;
    const anyp_algorithm *algorithms = anyp_algorithms(&count);
    for (int a = 0; a < count; a++)
        for (int p = 1; p <= 9; p++) {
            anyp_call call = call_of(p, true);
            while (!(algorithms[a].collectives & ANYP_IN_SET(call.collective)))
                call.collective = (anyp_collective) (call.collective + 1);
            anyp_parameters_default(&algorithms[a], parameters);
            const bool serves = anyp_applicable(&algorithms[a], &call, parameters, &reason) ==
                ANYP_SUCCESS;
            ck_assert_int_eq(serves, anypi_reproduces(&algorithms[a], call.collective, p));
            if (!serves)
                ck_assert_str_eq(reason, "reproducible results have another bracketing");
        }
}
END_TEST

Suite *suite_reproducible(void)
{
    TCase *tests;
    Suite *suite = suite_of("reproducible", &tests);
    tcase_add_test(tests, trees);
    tcase_add_test(tests, runs);
    tcase_add_test(tests, sums);
    tcase_add_test(tests, right_operands);
    tcase_add_test(tests, who_keeps_the_tree);
    tcase_add_test(tests, who_is_refused);
    return suite;
}
