/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_rabenseifner.c - the formulas of Rabenseifner 2004 for both kinds of p, with full duplex
 * (f_alpha = f_beta = 1 there); and the exact copies and scratch of the algorithms.
 */
#include "unit/common.h"

#include "schedule/shape.h"

#include <limits.h>

enum { VECTOR = 1 << 20 };      /* bytes; one element each */

static variant call_of(const char *name, anyp_collective collective, int p, int root)
{
    return (variant) { .algorithm = anyp_algorithm_find(name),
                       .call = { .collective = collective, .p = p, .root = root, .count = VECTOR,
                                 .type_size = 1, .commutative = true } };
}

/* Simulated, with each part of the model alone and with all together: rounds, bytes sent
 * and bytes reduced. And the closed form says the same. */
static void assert_cost(const variant *v, double rounds, double sent, double reduced)
{
    static const anyp_model models[] = {
        { .alpha = 1 }, { .beta = 1 }, { .gamma = 1 },
        { .alpha = 1 << 20, .beta = 3, .gamma = 2 }, { .alpha = 1, .beta = 2, .gamma = 8 },
    };
    const anyp_cost cost = anypi_cost_of(v->algorithm, &v->call, v->parameters);
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        const anyp_model *m = &models[i];
        const double paper = rounds * m->alpha + sent * m->beta + reduced * m->gamma;
        const double time = simulate_variant(v, *m).time, closed = anyp_cost_time(cost, m);
        ck_assert_msg(time == paper && closed == paper,
                      "%s, model %d: %.17g simulated and %.17g by formula instead of %.17g",
                      variant_text(v), (int) i, time, closed, paper);
    }
}

/* Copies and scratch of the rank that has most of them, in bytes. */
static void assert_memory(const variant *v, int64_t copied, int64_t scratch)
{
    const anypi_counts most = simulate_variant(v, (anyp_model) { .alpha = 1 }).most;
    ck_assert_msg(most.bytes_copied == copied && most.bytes_scratch == scratch,
                  "%s: %lld copied, %lld of scratch instead of %lld, %lld", variant_text(v),
                  (long long) most.bytes_copied, (long long) most.bytes_scratch,
                  (long long) copied, (long long) scratch);
}

START_TEST(test_recursive_doubling)
{
    for (int p = 1; p <= max_p(130); p++) {
        variant v = call_of("recursive_doubling", ANYP_ALLREDUCE, p, 0);
        const int rounds = log2_floor(p), folds = !is_power(p);
        assert_cost(&v, rounds + 2 * folds, (rounds + 2.0 * folds) * VECTOR,
                    (rounds + folds) * (double) VECTOR);

        const int power = 1 << rounds, scratch = p > 1 ? VECTOR : 0;
        assert_memory(&v, VECTOR, scratch);
        /* in place a rank copies that is the left operand an odd number of times */
        v.call.in_place = true;
        assert_memory(&v, p > 1 && p < 2 * power - 1 ? VECTOR : 0, scratch);
        v.call.commutative = false;
        assert_memory(&v, p > 1 && p != 3 ? VECTOR : 0, scratch);
    }
}
END_TEST

static void assert_halving_doubling(int p, int root)
{
    const double m = VECTOR, power = 1 << log2_floor(p), rounds = log2_floor(p);
    const variant all = call_of("halving_doubling", ANYP_ALLREDUCE, p, 0);
    const variant one = call_of("halving_doubling", ANYP_REDUCE, p, root);
    if (is_power(p)) {
        assert_cost(&all, 2 * rounds, 2 * m * (1 - 1.0 / p), m * (1 - 1.0 / p));
        assert_cost(&one, 2 * rounds, 2 * m * (1 - 1.0 / p), m * (1 - 1.0 / p));
    } else {
        assert_cost(&all, 2 * rounds + 3, m * (4 - 2 / power), m * (1.5 - 1 / power));
        assert_cost(&one, 2 * rounds + 2, m * (3 - 2 / power), m * (1.5 - 1 / power));
    }
}

START_TEST(test_halving_doubling)
{
    for (int p = 1; p <= max_p(130); p++) {
        assert_halving_doubling(p, 0);
        assert_halving_doubling(p, p > 1);      /* drops out, but for the root */
        assert_halving_doubling(p, p - 1);
    }
}
END_TEST

/* Equal blocks. After z rounds that halve, n(z) of them at most are left. */
START_TEST(test_halving_reduce_scatter)
{
    for (int p = 2; p <= max_p(130); p++) {
        variant v = call_of("halving_doubling", ANYP_REDUCE_SCATTER_BLOCK, p, 0);
        const int rounds = log2_floor(p), power = 1 << rounds, r = p - power, block = 64;
        double left = 0;
        v.call.count = p * block;
        for (int z = 1; z <= rounds; z++)
            left += (power >> z) + (r + (1 << z) - 1) / (1 << z);
        const int half = (p + 1) / 2, fold = r == 0 ? 0 : r == 1 ? p : 2 * half;
        assert_cost(&v, rounds + (r ? 3 : 0), (fold + (r > 0) + left) * block,
                    ((r ? half : 0) + left) * block);
    }
}
END_TEST

/* What halving_doubling copies and needs at most, in vectors. */
static void halving_memory(const anyp_call *call, double *copied, double *scratch)
{
    const int p = call->p, power = 1 << log2_floor(p);
    const bool folds = !is_power(p), ordered = !call->commutative;
    /* in order a pair's sum is in scratch if it will change its place an odd number of times */
    const bool odd = call->in_place || p > power + 1 || log2_floor(p) % 2;
    if (call->collective == ANYP_ALLREDUCE) {
        *copied = !ordered ? 0 : !call->in_place ? 0.5 : p == 3 ? 0 : 1.0 / power;
        if (ordered)
            *scratch = folds && odd ? 1 : 0.5;
        else
            *scratch = folds || call->in_place ? 0.5 : p == 2 ? 0 : 0.25;
    } else if (call->collective == ANYP_REDUCE) {
        *copied = !ordered || (p == 2 && call->in_place) ? 0 : 0.5;
        if (folds)
            *scratch = p > 3 ? 1.5 : ordered ? 1 : 0.5;
        else
            *scratch = p == 2 ? 0.5 : ordered ? 1 : 0.75;
    } else {
        *copied = 1 + 1.0 / p;
        *scratch = 1 + (folds && ordered ? 1 : (p + 1) / 2 / (double) p);
    }
}

START_TEST(test_halving_memory)
{
    for (int p = 2; p <= max_p(130); p++) {
        for (int collective = 0; collective < ANYP_SCAN; collective++) {
            for (int kind = 0; kind < 4; kind++) {
                variant v = call_of("halving_doubling", (anyp_collective) collective, p, p / 2);
                double copied, scratch;
                v.call.count = p * (int64_t) VECTOR;
                v.call.in_place = kind & 1;
                v.call.commutative = !(kind & 2);
                halving_memory(&v.call, &copied, &scratch);
                assert_memory(&v, (int64_t) (copied * (double) v.call.count + 0.5),
                              (int64_t) (scratch * (double) v.call.count + 0.5));
            }
        }
    }
}
END_TEST

/* Equal blocks, `ports` messages a round. */
static void assert_ring(anyp_collective collective, int p, int ports)
{
    enum { BLOCK = 64 };
    variant v = call_of("ring", collective, p, p / 3);
    const bool scatters = collective >= ANYP_REDUCE_SCATTER, reduce = collective == ANYP_REDUCE;
    const int used = ports < p - 1 ? ports : p - 1, rounds = (p + used - 2) / used;
    const int phases = scatters ? 1 : 2;
    const double volume = (p - 1.0) * BLOCK;
    v.call.count = p * BLOCK;
    v.parameters[0] = ports;
    assert_cost(&v, phases * rounds, phases * volume, volume);
    ck_assert(simulate_variant(&v, (anyp_model) { .overhead = 1 }).time == 2.0 * phases * (p - 1));

    /* off the root of a reduce, a block is the sum */
    const int cells = used - (rounds == 1);
    assert_memory(&v, 0, (cells + reduce) * BLOCK);
    v.call.in_place = true;
    assert_memory(&v, scatters ? BLOCK : 0, (scatters || reduce ? cells + 1 : used) * BLOCK);
}

START_TEST(test_ring)
{
    for (int p = 2; p <= max_p(40); p++) {
        const int ports[] = { 1, 2, 3, p / 2, p - 1, INT_MAX };
        for (size_t i = 0; i < sizeof ports / sizeof *ports; i++)
            for (int collective = 0; collective < ANYP_SCAN; collective++)
                assert_ring((anyp_collective) collective, p, ports[i] > 0 ? ports[i] : 1);
    }
}
END_TEST

/* Each rank sends to the next one only, in the order of the nodes. In the simulation segments do
 * not overlap. */
static void assert_neighbours(anyp_collective collective, int p, const anyp_shape *nodes,
                              int ports)
{
    enum { BLOCK = 64 };
    const char *reason;
    variant v = call_of("ring", collective, p, 0);
    const int phases = collective == ANYP_ALLREDUCE ? 2 : 1, rounds = phases * (p - 1);
    v.call.count = p * BLOCK;
    v.call.nodes = nodes;
    anyp_parameters_default(v.algorithm, v.parameters);
    ck_assert_int_eq(anyp_parameter_set(v.algorithm, v.parameters, "partners", "neighbours",
                                        &reason), ANYP_SUCCESS);
    v.parameters[0] = ports;
    assert_cost(&v, ports * rounds, rounds * (double) BLOCK, (p - 1.0) * BLOCK);
    anyp_schedule *set = variant_set(&v);
    assert_verified(&v, set);
    for (int i = 0; i < p; i++) {
        const int next = (i + 1) % p;
        const anyp_schedule *s = &set[nodes ? anypi_shape_rank(nodes, i) : i];
        for (const anyp_step *step = s->steps; step < s->steps + s->steps_count; step++)
            if (step->kind == ANYP_SEND)
                ck_assert_int_eq(step->peer, nodes ? anypi_shape_rank(nodes, next) : next);
    }
    anypi_set_free(set, p);
}

START_TEST(test_ring_of_neighbours)
{
    static const anyp_collective collectives[] = {
        ANYP_ALLREDUCE, ANYP_REDUCE_SCATTER, ANYP_REDUCE_SCATTER_BLOCK
    };
    const char *reason;
    anyp_shape *nodes = anypi_shape_read("5,2,4,1:cyclic", 0, &reason);
    ck_assert_ptr_nonnull(nodes);
    for (size_t i = 0; i < sizeof collectives / sizeof *collectives; i++) {
        for (int p = 2; p <= max_p(40); p++)
            assert_neighbours(collectives[i], p, NULL, 1 + p % 3);
        assert_neighbours(collectives[i], anypi_shape_ranks(nodes), nodes, 1);
    }
    anypi_shape_free(nodes);
}
END_TEST

Suite *suite_rabenseifner(void)
{
    TCase *tests;
    Suite *suite = suite_of("rabenseifner", &tests);
    tcase_add_test(tests, test_recursive_doubling);
    tcase_add_test(tests, test_halving_doubling);
    tcase_add_test(tests, test_halving_reduce_scatter);
    tcase_add_test(tests, test_halving_memory);
    tcase_add_test(tests, test_ring);
    tcase_add_test(tests, test_ring_of_neighbours);
    return suite;
}
