/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_counts.c - what algorithms say that they cost is what their schedules cost.
 */
#include "unit/common.h"

#include "core/simulate.h"

static const struct {
    const char *name;
    anyp_model model;
} models[] = {
    { "alpha", { .alpha = 1 } },
    { "beta", { .beta = 1 } },
    { "gamma", { .gamma = 1 } },
    { "overhead", { .overhead = 1 } },
    { "all", { .alpha = 1e4, .beta = 1, .gamma = 0.25, .overhead = 1e3 } },
};

/* The simulated time never exceeds the closed form, which is not far off either. */
static void compare(const variant *v, void *state)
{
    (void) state;
    anyp_schedule *set = variant_set(v);
    const anypi_partition partition = { set[0].blocks, v->call.count, NULL };
    const anyp_cost cost = v->algorithm->code->cost(&v->call, v->parameters);
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        anypi_simulation s;
        ck_assert_int_eq(anypi_simulate(set, v->call.p, &partition, v->call.type_size,
                                        &models[i].model, &s), ANYP_SUCCESS);
        const double formula = anyp_cost_time(cost, &models[i].model);
        ck_assert_msg(s.time <= formula * (1 + 1e-9),
                      "%s, %s: simulated %g, but its formula says %g", variant_text(v),
                      models[i].name, s.time, formula);
        ck_assert_msg(formula <= 2 * s.time, "%s, %s: its formula says %g, but simulated is %g",
                      variant_text(v), models[i].name, formula, s.time);
    }
    anypi_set_free(set, v->call.p);
}

START_TEST(formulas_hold)
{
    int count;
    const anyp_algorithm *algorithm = &anyp_algorithms(&count)[_i];
    for (int p = 1; p <= max_p(70); p++) {
        int64_t power = 1;
        while (power < p)
            power *= 2;
        for (int collective = 0; collective < ANYP_COLLECTIVES; collective++) {
            /* a multiple of p and of powers of two up to p: all blocks are equal, but for some
             * numbers of segments */
            const anyp_call call = { .collective = (anyp_collective) collective, .p = p,
                                     .root = p / 2, .count = 4 * p * power, .type_size = 4,
                                     .commutative = true };
            if (algorithm->collectives & ANYP_IN_SET(collective))
                ck_assert_int_gt(each_parameters(algorithm, &call, compare, NULL), 0);
        }
    }
}
END_TEST

/* What must be so for any schedule. */
static void check_facts(const variant *v, void *state)
{
    (void) state;
    anyp_schedule *set = variant_set(v);
    const int p = v->call.p;
    const anyp_model rounds = { .alpha = 1 };
    const anypi_partition partition = { set[0].blocks, v->call.count, NULL };
    const int64_t bytes = v->call.count * v->call.type_size;
    anypi_simulation s;
    ck_assert_int_eq(anypi_simulate(set, p, &partition, v->call.type_size, &rounds, &s),
                     ANYP_SUCCESS);
    ck_assert_int_eq(s.total.bytes_sent, s.total.bytes_received);
    ck_assert_int_le(s.total.messages, s.total.pieces);
    ck_assert_int_le(s.most.bytes_sent, s.total.bytes_sent);
    /* every element of p vectors is reduced p-1 times at least, and travels */
    ck_assert_int_ge(s.total.bytes_reduced, (p - 1) * bytes);
    ck_assert_int_ge(s.total.bytes_sent, (p - 1) * bytes);
    ck_assert_msg(s.time >= (p > 1), "%s: takes no time", variant_text(v));
    anypi_set_free(set, p);
}

START_TEST(facts_hold)
{
    int count;
    const anyp_algorithm *algorithm = &anyp_algorithms(&count)[_i];
    for (int p = 1; p <= max_p(40); p++)
        each_variant(algorithm, p, check_facts, NULL);
}
END_TEST

Suite *suite_counts(void)
{
    int algorithms;
    TCase *tests;
    Suite *suite = suite_of("counts", &tests);
    anyp_algorithms(&algorithms);
    tcase_add_loop_test(tests, formulas_hold, 0, algorithms);
    tcase_add_loop_test(tests, facts_hold, 0, algorithms);
    return suite;
}
