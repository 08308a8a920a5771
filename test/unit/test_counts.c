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

/* Up to this p all choices and kinds of sweep.h are counted and simulated, beyond in turn: at each p
 * one choice in TURNS, at least one, each with one kind. Models are in turn, too, but for small p. */
enum { ALL_P = 40, ALL_MODELS_P = 16, TURNS = 16, MODELS = sizeof models / sizeof *models };

static void is_bound(const variant *v, const char *what, double counted, double formula)
{
    ck_assert_msg(counted <= formula * (1 + 1e-9), "%s: %s: counted %g, but the formula says %g",
                  variant_text(v), what, counted, formula);
}

static void is_near(const variant *v, const char *what, double counted, double formula,
                    double more)
{
    is_bound(v, what, counted, formula);
    ck_assert_msg(formula <= (2 * counted + more) * (1 + 1e-9),
                  "%s: %s: the formula says %g, but counted are %g", variant_text(v), what, formula,
                  counted);
}

/* The simulated time never exceeds the closed form, which is not far off either. */
static void compare_time(const variant *v, const anyp_schedule *set, anyp_cost cost, int which,
                         anypi_counts *most)
{
    const anypi_partition partition = { set[0].blocks, v->call.count, NULL };
    anypi_simulation s;
    ck_assert_int_eq(anypi_simulate(set, v->call.p, &partition, v->call.type_size,
                                    &models[which].model, &s), ANYP_SUCCESS);
    is_near(v, models[which].name, s.time, anyp_cost_time(cost, &models[which].model), 0);
    *most = s.most;
}

/* Of all ranks the most rounds that have messages. */
static int most_rounds(const anyp_schedule *set, int p)
{
    int most = 0;
    for (int rank = 0; rank < p; rank++) {
        const anyp_schedule *s = &set[rank];
        int rounds = 0;
        for (int round = 0; round < s->rounds; round++) {
            const anyp_step *first = &s->steps[s->round_start[round]];
            rounds += first->kind == ANYP_SEND || first->kind == ANYP_RECV;
        }
        most = rounds > most ? rounds : most;
    }
    return most;
}

/* No rank has more of anything than the closed form says; and that says no more of copies and
 * scratch than twice the truth and two vectors. */
static void compare_kind(const variant *v, int kind)
{
    anyp_schedule *set = variant_set(v);
    const anyp_cost cost = v->algorithm->code->cost(&v->call, v->parameters);
    const double vector = (double) (v->call.count * v->call.type_size);
    const bool all_models = v->call.p <= ALL_MODELS_P;
    anypi_counts most = { 0 };
    for (int i = 0; i < MODELS; i++)
        if (all_models || i == (v->call.p + kind) % MODELS)
            compare_time(v, set, cost, i, &most);
    is_bound(v, "rounds", most_rounds(set, v->call.p), cost.latencies);
    is_bound(v, "bytes sent", (double) most.bytes_sent, cost.bytes_sent);
    is_bound(v, "bytes received", (double) most.bytes_received, cost.bytes_sent);
    is_bound(v, "bytes reduced", (double) most.bytes_reduced, cost.bytes_reduced);
    is_near(v, "bytes copied", (double) most.bytes_copied, cost.bytes_copied, 2 * vector);
    is_near(v, "bytes of scratch", (double) most.bytes_scratch, cost.bytes_scratch, 2 * vector);
    anypi_set_free(set, v->call.p);
}

/* Which choices are in turn. */
typedef struct turn {
    int place, turns;
} turn;

static void count_choice(const variant *choice, void *state)
{
    (void) choice;
    ++*(int *) state;
}

static void compare(const variant *choice, void *state)
{
    turn *t = state;
    variant v = *choice;
    const int p = v.call.p, kinds = anypi_kinds(v.algorithm, &v.call);
    if (p > ALL_P && ++t->place % t->turns)
        return;
    for (int kind = 0; kind < kinds; kind++) {
        if (p > ALL_P && kind != p % kinds)
            continue;
        anypi_set_kind(v.algorithm, &v.call, kind);
        compare_kind(&v, kind);
    }
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
                                     .count = 4 * p * power, .type_size = 4,
                                     .commutative = true };
            int choices = 0;
            if (!(algorithm->collectives & ANYP_IN_SET(collective)))
                continue;
            each_parameters(algorithm, &call, count_choice, &choices);
            ck_assert_int_gt(choices, 0);
            turn t = { .place = p, .turns = choices < TURNS ? choices : TURNS };
            each_parameters(algorithm, &call, compare, &t);
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
