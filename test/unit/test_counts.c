/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_counts.c - the closed forms of the algorithms are the costs of their schedules.
 */
#include "unit/common.h"

#include "analysis/simulate.h"
#include "schedule/collectives.h"

#include <math.h>
#include <string.h>

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

/* Up to ALL_P all choices and kinds of sweep.h are counted and simulated with equal blocks, and all
 * choices with each of the other vectors and a kind in turn; beyond, at each p, one choice in
 * TURNS, at least one, with one vector and kind in turn; and from LARGE_P on of one collective in
 * turn. */
enum {
    ALL_P = 32,
    LARGE_P = 128,
    TURNS = 16,
    VECTORS = 6,
    MODELS = sizeof models / sizeof *models
};

static void is_bound(const variant *v, const char *what, double counted, double formula)
{
    assert_often(counted <= formula * (1 + 1e-9), "%s: %s: counted %g, but the formula says %g",
                 variant_text(v), what, counted, formula);
}

static void is_near(const variant *v, const char *what, double counted, double formula,
                    double more)
{
    is_bound(v, what, counted, formula);
    assert_often(formula <= (2 * counted + more) * (1 + 1e-9),
                 "%s: %s: the formula says %g, but counted are %g", variant_text(v), what, formula,
                 counted);
}

/* If all blocks are equal, is the closed form the exact time? A root may save some of the messages
 * that others wait for, and groups of ranks need not be equal. */
static bool is_exact(const variant *v)
{
    static const char *const bounded[] = { "binary_blocks", "exchange", "uni_greedy" };
    for (size_t i = 0; i < sizeof bounded / sizeof *bounded; i++)
        if (!strcmp(v->algorithm->name, bounded[i]))
            return false;
    /* blocks of an alltoall have different ways to go, and groups of a gather need not be full */
    if ((v->call.collective == ANYP_ALLTOALL || v->call.collective == ANYP_GATHER ||
         v->call.collective == ANYP_SCATTER) && strcmp(v->algorithm->name, "ring"))
        return false;
    return v->call.collective != ANYP_BCAST &&      /* the root receives nothing */
        (strcmp(v->algorithm->name, "butterfly") || v->call.collective != ANYP_REDUCE);
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

/* Properties of any schedule. */
static void check_facts(const variant *v, const anypi_simulation *s)
{
    const int p = v->call.p;
    const int64_t bytes = v->call.count * v->call.type_size;
    const bool one_vector = v->call.collective == ANYP_GATHER ||
        v->call.collective == ANYP_SCATTER;
    ck_assert_int_eq(s->total.bytes_sent, s->total.bytes_received);
    ck_assert_int_le(s->total.messages, s->total.pieces);
    ck_assert_int_le(s->most.bytes_sent, s->total.bytes_sent);
    /* every element of p vectors is reduced p-1 times at least, and travels; the last one is not in
     * an exscan */
    const int sums = p > 1 && v->call.collective == ANYP_EXSCAN ? p - 2 : p - 1;
    if (anypi_moves(v->call.collective))
        ck_assert_int_eq(s->total.bytes_reduced, 0);
    else
        ck_assert_int_ge(s->total.bytes_reduced, sums * bytes);
    if (anypi_has_no_data(v->call.collective))
        ck_assert_int_eq(s->total.bytes_sent, 0);
    else
        ck_assert_int_ge(s->total.bytes_sent, (p - 1) * (one_vector ? bytes / p : bytes));
    assert_often(s->time >= (p > 1), "%s: takes no time", variant_text(v));
}

/* Where a test is. */
typedef struct place {
    kept_set kept;
    unsigned random;            /* from one turn to the next */
    int choice, turns;          /* which choices are in turn */
    bool equal;                 /* the vector has equal blocks, but for some numbers of segments */
} place;

/* One of n, in turn; independent of p and of other counters. */
static int next(place *here, int n)
{
    here->random = here->random * 1664525 + 1013904223;
    return (int) ((here->random >> 16) % (unsigned) n);
}

/* No rank's counts exceed those of the closed form, and no simulated time exceeds its time. If
 * blocks are equal it is the exact time (is_exact()), or at most twice the simulated one. */
static void compare_kind(const variant *v, place *here)
{
    const anyp_schedule *set = variant_set_again(v, &here->kept);
    const anyp_cost cost = anypi_cost_of(v->algorithm, &v->call, v->parameters);
    /* the formula of a ring has whole vectors that backwards are sent once, that of binary blocks
     * many messages to the root's block that may all be for the root */
    const bool counts_more = v->call.collective == ANYP_BCAST &&
        (!strcmp(v->algorithm->name, "butterfly") || !strcmp(v->algorithm->name, "binary_blocks"));
    /* with a root, few ranks of bases of different sizes send in both directions */
    const bool is_exchange = !strcmp(v->algorithm->name, "exchange");
    const double more = anypi_has_root(&v->call) && is_exchange ? 2 : 0;
    /* the first groups of a scan get no sum and the last give none: few ranks are in both */
    const bool reduces_less = anypi_is_prefix(v->call.collective) && is_exchange;
    const double near = here->equal && !counts_more ? more : INFINITY;
    const anypi_partition partition = anypi_partition_for(&v->call, set[0].blocks);
    anyp_model list[MODELS];
    double times[MODELS];
    anypi_simulation s;
    for (int i = 0; i < MODELS; i++)
        list[i] = models[i].model;
    ck_assert_int_eq(anypi_simulate_models(set, v->call.p, &partition, v->call.type_size, list,
                                           MODELS, &s, times), ANYP_SUCCESS);
    check_facts(v, &s);
    for (int i = 0; i < MODELS; i++)
        is_near(v, models[i].name, times[i], anyp_cost_time(cost, &list[i]),
                reduces_less && models[i].model.gamma > 0 && models[i].model.alpha == 0 ? INFINITY
                : near);
    const bool exact = here->equal && v->call.count % set[0].blocks == 0 && is_exact(v);
    for (int i = 0; i < MODELS && exact; i++)
        assert_often(times[i] >= anyp_cost_time(cost, &list[i]) * (1 - 1e-9),
                     "%s: %s: the formula says %g, but %g are simulated", variant_text(v),
                     models[i].name, anyp_cost_time(cost, &list[i]), times[i]);
    is_bound(v, "rounds", most_rounds(set, v->call.p), cost.latencies);
    is_bound(v, "bytes sent", (double) s.most.bytes_sent, cost.bytes_sent);
    is_bound(v, "bytes received", (double) s.most.bytes_received, cost.bytes_sent);
    is_bound(v, "bytes reduced", (double) s.most.bytes_reduced, cost.bytes_reduced);
}

static void count_choice(const variant *choice, void *state)
{
    (void) choice;
    ++*(int *) state;
}

static void compare(const variant *choice, void *state)
{
    place *here = state;
    variant v = *choice;
    const int p = v.call.p, kinds = anypi_kinds(v.algorithm, &v.call);
    if (p > ALL_P && ++here->choice % here->turns)
        return;
    const bool all = p <= ALL_P && here->equal;
    const int first = all ? 0 : next(here, kinds), end = all ? kinds : first + 1;
    for (int kind = first; kind < end; kind++) {
        anypi_set_kind(v.algorithm, &v.call, kind);
        compare_kind(&v, here);
    }
}

static void compare_vector(const anyp_algorithm *algorithm, anyp_call call, int vector, place *here)
{
    const int64_t p = call.p;
    int64_t power = 1;
    while (power < p)
        power *= 2;
    /* the first one is a multiple of p and of powers of two up to p: all blocks are equal */
    const int64_t counts[VECTORS] = { 4 * p * power, 1, p / 2, p - 1, p + 1, 65537 };
    int choices = 0;
    call.count = counts[vector];
    if (anypi_has_equal_blocks(&call))
        call.count = (call.count + p - 1) / p * p;
    each_parameters(algorithm, &call, count_choice, &choices);
    ck_assert_int_gt(choices, 0);
    here->equal = vector == 0;
    here->choice = call.p;
    here->turns = choices < TURNS ? choices : TURNS;
    each_parameters(algorithm, &call, compare, here);
}

START_TEST(formulas_hold)
{
    int count;
    const anyp_algorithm *algorithm = &anyp_algorithms(&count)[_i];
    place here = { .random = 1 };
    const int served = __builtin_popcount(algorithm->collectives);
    for (int p = 1; p <= 1025; p++) {
        if (!is_tried(p, 70))
            continue;
        int others = next(&here, served);       /* that many come before the one in turn */
        for (int collective = 0; collective < ANYP_COLLECTIVES; collective++) {
            const anyp_call call = { .collective = (anyp_collective) collective, .p = p,
                                     .type_size = 4, .commutative = true };
            if (!(algorithm->collectives & ANYP_IN_SET(collective)) ||
                anypi_has_local_sizes((anyp_collective) collective))
                continue;
            if (p >= LARGE_P && others-- != 0)
                continue;
            const int first = p <= ALL_P ? 0 : next(&here, VECTORS);
            for (int i = first; i < (p <= ALL_P ? VECTORS : first + 1); i++)
                compare_vector(algorithm, call, i, &here);
        }
    }
    kept_set_free(&here.kept);
}
END_TEST

Suite *suite_counts(void)
{
    int algorithms;
    TCase *tests;
    Suite *suite = suite_of("counts", &tests);
    anyp_algorithms(&algorithms);
    tcase_add_loop_test(tests, formulas_hold, 0, algorithms);
    return suite;
}
