/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_reproducible.c - reproducible results: their tree, and which algorithms keep it. That all
 * schedules of reproducible calls keep it, is proved with all others (test_proof.c).
 */
#include "unit/common.h"

#include "algorithms/registry.h"
#include "analysis/expression.h"
#include "analysis/verify.h"
#include "schedule/bracketing.h"
#include "schedule/memory.h"

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
        ck_assert_int_eq(anypi_expression(set, &v.call, v.call.p / 2, 0, &text), ANYP_SUCCESS);
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

/* Next to powers of two, trees are alike by chance: there nothing is demanded. */
START_TEST(who_keeps_the_tree)
{
    int count;
    const anyp_algorithm *algorithms = anyp_algorithms(&count);
    for (int a = 0; a < count; a++) {
        const unsigned properties = algorithms[a].properties;
        for (int p = 2; p <= max_p(40) && properties & ANYP_CANONICAL; p++) {
            counted c = { 0, 0 };
            const bool is_pow2 = (p & (p - 1)) == 0;
            const bool is_near = !(p & (p + 1)) || !((p - 1) & (p - 2));
            for (int collective = 0; collective < ANYP_COLLECTIVES; collective++) {
                anyp_call call = call_of(p, false);
                call.collective = (anyp_collective) collective;
                if (algorithms[a].collectives & ANYP_IN_SET(collective))
                    each_parameters(&algorithms[a], &call, count_one, &c);
            }
            if (properties & ANYP_REPRODUCIBLE)
                continue;       /* by another schedule */
            if (is_pow2 && properties & ANYP_REPRODUCIBLE_POWERS)
                ck_assert_msg(c.keep == c.all, "%s p=%d: %d of %d", algorithms[a].name, p, c.keep,
                              c.all);
            else if (!is_pow2 && !is_near)
                ck_assert_msg(c.keep < c.all, "%s p=%d: all %d", algorithms[a].name, p, c.all);
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
            if (!(algorithms[a].collectives & ANYP_IN_SET(ANYP_ALLREDUCE)))
                call.collective = ANYP_REDUCE;
            anyp_parameters_default(&algorithms[a], parameters);
            const bool serves = anyp_applicable(&algorithms[a], &call, parameters, &reason) ==
                ANYP_SUCCESS;
            ck_assert_int_eq(serves, anypi_reproduces(&algorithms[a], p));
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
    tcase_add_test(tests, right_operands);
    tcase_add_test(tests, who_keeps_the_tree);
    tcase_add_test(tests, who_is_refused);
    return suite;
}
