/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_nodes.c - the schedules of `exchange` with groups=nodes: proved for shapes of all kinds and
 * depths; few rounds; the volume of a node's network card.
 */
#include "unit/common.h"

#include "analysis/verify.h"
#include "schedule/collectives.h"
#include "schedule/memory.h"
#include "schedule/shape.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static anyp_shape *read_nodes(const char *text)
{
    const char *reason;
    anyp_shape *nodes = anypi_shape_read(text, 0, &reason);
    assert_often(nodes != NULL, "%s: %s", text, reason);
    return nodes;
}

/* ---- proofs ---- */

/* Numbers that are the same in each run. */
static int draw(uint64_t *state, int end)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (int) ((*state >> 33) % (uint64_t) end);
}

static void set_parameter(variant *v, const char *name, int value)
{
    for (int i = 0; i < v->algorithm->parameters_count; i++)
        if (strcmp(v->algorithm->parameters[i].name, name) == 0) {
            v->parameters[i] = value;
            return;
        }
    ck_abort_msg("exchange has no parameter %s", name);
}

/* exchange over nodes, with the defaults of other parameters. */
static variant over_nodes(anyp_collective collective, const anyp_shape *nodes, int64_t count)
{
    variant v = { .algorithm = anyp_algorithm_find("exchange"),
                  .call = { .collective = collective, .p = anypi_shape_ranks(nodes),
                            .count = count, .type_size = 8, .nodes = nodes } };
    anyp_parameters_default(v.algorithm, v.parameters);
    set_parameter(&v, "groups", 1);
    return v;
}

/* The i-th collective that exchange does, again and again. */
static anyp_collective collective_of(int i)
{
    const unsigned all = anyp_algorithm_find("exchange")->collectives;
    int c = 0;
    for (i %= __builtin_popcount(all); i > 0 || !(all & ANYP_IN_SET(c)); c++)
        i -= (all & ANYP_IN_SET(c)) != 0;
    return (anyp_collective) c;
}

/* Proves calls of such nodes, drawn at random: collective, length, parameters, root, in place,
 * operator. Each sample draws others. */
static void prove_some(const anyp_shape *nodes, const char *text, int cases)
{
    static const int radices[] = { 2, 3, 4, 8, 64 }, lanes[] = { 0, 0, 1, 2, 3, 5, 64 };
    static const int segments[] = { 1, 1, 2, 3, 5, 64 };
    const int p = anypi_shape_ranks(nodes);
    uint64_t state = (uint64_t) slice_number() << 32 | (uint64_t) (p * 1000 + nodes->count);
    kept_set kept = { NULL, 0 };
    for (int i = 0; i < cases; i++) {
        const int64_t counts[] = { 0, 1, p - 1, p, p + 1, 37, 4096, 65537 };
        variant v = over_nodes(collective_of(i), nodes,
                               counts[draw(&state, 8)]);
        const int64_t bytes = v.call.count * v.call.type_size;
        if (v.call.collective == ANYP_REDUCE_SCATTER_BLOCK)
            v.call.count = (v.call.count + p - 1) / p * p;
        if (v.call.collective == ANYP_REDUCE)
            v.call.root = draw(&state, p);
        v.call.in_place = draw(&state, 2);
        v.call.commutative = draw(&state, 2);
        set_parameter(&v, "groups", 1 + draw(&state, 2));
        const int which = draw(&state, 8);
        set_parameter(&v, "threshold", which == 0 ? INT_MAX : which < 4 ? 0
                      : (int) (bytes >> (which - 3)));
        set_parameter(&v, "radix", radices[draw(&state, 5)]);
        set_parameter(&v, "node_radix", radices[draw(&state, 5)]);
        set_parameter(&v, "node_lanes", lanes[draw(&state, 7)]);
        set_parameter(&v, "node_segments", segments[draw(&state, 6)]);
        anyp_schedule *set = variant_set_again(&v, &kept);
        char why[512];
        anypi_verifier *verifier = anypi_verifier_new();
        const anyp_status status = anypi_verifier_check(verifier, set, &v.call,
                                                        v.algorithm->properties, why, sizeof why);
        anypi_verifier_free(verifier);
        assert_often(status == ANYP_SUCCESS, "nodes %s: %s: %s", text, variant_text(&v), why);
    }
    kept_set_free(&kept);
}

/* All even shapes up to 12 nodes of 12 ranks. */
START_TEST(even_shapes)
{
    const int most = is_fast() ? 4 : 12;
    for (int count = 1; count <= most; count++)
        for (int size = 1; size <= most; size++) {
            if (!is_tried(count * size, 30))
                continue;
            char text[40];
            snprintf(text, sizeof text, "%dx%d", count, size);
            anyp_shape *nodes = read_nodes(text);
            prove_some(nodes, text, 40);
            anypi_shape_free(nodes);
        }
}
END_TEST

/* Nodes of random sizes, consecutive or dealt round robin or at random. */
START_TEST(any_shapes)
{
    uint64_t state = (uint64_t) slice_number() << 32 | 1;
    for (int i = 0; i < 40; i++) {
        int node_of[64];
        const int p = 1 + draw(&state, is_fast() ? 12 : 64), nodes_count = 1 + draw(&state, p);
        const int kind = i % 3;
        for (int rank = 0, node = 0; rank < p; rank++) {
            node_of[rank] = kind == 0 ? node : kind == 1 ? rank % nodes_count
                : draw(&state, nodes_count);
            node += draw(&state, p) < nodes_count;
        }
        anyp_shape *nodes = anypi_shape_make(node_of, 1, p);
        char text[40];
        snprintf(text, sizeof text, "number %d", i);
        prove_some(nodes, text, 60);
        anypi_shape_free(nodes);
    }
}
END_TEST

static const char *const nested[] = {
    "2x(2x2)", "(2x3),(3)", "2x(3x1),(2x1)", "1,(2,(3,(5,8)))", "(2x4),(1,3),5", "3x(2x(2x2))",
    "(2x(2x2)),(3x1)", "4x(8x1),(5x1)", "2x(2x2),(1x2):cyclic", "2x(1,3),(2x(2x1)):cyclic",
    "20,1,1,1,1", "(5x1),(1),(1),(1)", "2x(2x(2x(2x1)))", "(7,2),(1,1,1),(4)",
};
enum { NESTED = sizeof nested / sizeof *nested };

/* Nested shapes: switches of nodes, of different sizes and depths. */
START_TEST(any_depths)
{
    for (size_t i = 0; i < NESTED; i++) {
        anyp_shape *shape = read_nodes(nested[i]);
        prove_some(shape, nested[i], is_fast() ? 60 : 400);
        anypi_shape_free(shape);
    }
}
END_TEST

/* Proves the calls of an algorithm that knows one height. */
static void prove_groups(const char *name, anyp_collective collective, const anyp_shape *shape)
{
    for (int k = 0; k < 24; k++) {
        variant v = over_nodes(collective, shape, 3 * anypi_shape_ranks(shape));
        v.algorithm = anyp_algorithm_find(name);
        v.call.root = anypi_has_root(&v.call) ? k % v.call.p : 0;
        v.call.in_place = k / 2 % 2;
        v.call.commutative = true;
        anyp_parameters_default(v.algorithm, v.parameters);
        set_parameter(&v, "groups", 1 + k % 2);
        set_parameter(&v, "radix", 2 + k / 4);
        const char *reason;
        if (anyp_applicable(v.algorithm, &v.call, v.parameters, &reason) == ANYP_SUCCESS) {
            anyp_schedule *set = variant_set(&v);
            assert_verified(&v, set);
            anypi_set_free(set, v.call.p);
        }
    }
}

START_TEST(groups_of_others)
{
    static const char *const names[] = { "binomial", "multiport" };
    for (size_t i = 0; i < NESTED; i++) {
        anyp_shape *shape = read_nodes(nested[i]);
        for (int k = 0; k < 2 * ANYP_COLLECTIVES; k++) {
            const anyp_collective its = (anyp_collective) (k / 2);
            if (!anypi_has_local_sizes(its) &&
                anyp_algorithm_find(names[k % 2])->collectives & ANYP_IN_SET(its))
                prove_groups(names[k % 2], its, shape);
        }
        anypi_shape_free(shape);
    }
}
END_TEST

/* Children that are many beside one that is deep: many levels at each height. */
START_TEST(many_levels)
{
    static const char *const texts[] = { "(1024,1023x1),1023x1",
                                         "((((256,255x1),255x1),255x1),255x1)" };
    for (size_t i = 0; i < 2 * sizeof texts / sizeof *texts; i++) {
        anyp_shape *shape = read_nodes(texts[i / 2]);
        variant v = over_nodes(ANYP_ALLREDUCE, shape, i % 2 ? 1000000 : 8);
        anyp_schedule schedule;
        set_parameter(&v, "radix", 2);
        set_parameter(&v, "node_radix", 2);
        set_parameter(&v, "threshold", 0);
        set_parameter(&v, "node_segments", 2);
        anyp_schedule_init(&schedule);
        ck_assert_int_eq(anyp_generate(v.algorithm, &v.call, v.parameters, &schedule),
                         ANYP_SUCCESS);
        ck_assert_int_gt(schedule.steps_count, 0);
        anyp_schedule_free(&schedule);
        anypi_shape_free(shape);
    }
}
END_TEST

/* Switches and groups of them with random borders; ranks at random, too. */
START_TEST(random_depths)
{
    uint64_t state = 7;
    for (int i = 0; i < (is_fast() ? 20 : 120); i++) {
        int places[3 * 48];
        const int p = 2 + draw(&state, is_fast() ? 14 : 47), heights = 2 + draw(&state, 2);
        for (int rank = 0; rank < p; rank++)
            for (int h = 0, width = 1; h < heights; h++) {
                width *= 1 + draw(&state, 2) + h;
                places[h * p + rank] = i % 3 == 2 ? draw(&state, 1 + p / width)
                    : rank == 0 || draw(&state, width) == 0 ? rank : places[h * p + rank - 1];
            }
        anyp_shape *shape = anypi_shape_make(places, heights, p);
        char text[40];
        snprintf(text, sizeof text, "number %d", i);
        prove_some(shape, text, 40);
        anypi_shape_free(shape);
    }
}
END_TEST

/* ---- time ---- */

/* The benches' network: 1 us and 0.2 us per message at each end, cards with 12.5 GB/s; inside nodes
 * 10 GB/s per message. Microseconds; a byte is reduced in no time. */
static anyp_model network_of(const anyp_shape *nodes)
{
    return (anyp_model) { .alpha = 1, .beta = 8e-5, .overhead = 0.2, .eager = true, .nodes = nodes,
                          .inside_alpha = 0.2, .inside_beta = 1e-4, .cards = 1 };
}

/* Few lanes or all, divided or not: what the benches' network takes at most, in microseconds
 * (SMPI's times are within 1 %), and the bytes that pass a node's card. */
START_TEST(times)
{
    static const struct {
        const char *nodes;
        int64_t bytes;
        int radix, node_radix, lanes, segments, threshold;
        double time, card;
    } known[] = {
        { "13x8", 8, 4, 4, 0, 1, 8192, 5.5, 48 }, { "13x8", 1024, 5, 4, 2, 1, 512, 7.4, 6 },
        { "13x8", 8192, 5, 4, 0, 1, 512, 10.2, 2.5 }, { "13x8", 65536, 13, 8, 0, 1, 0, 19.6, 1.85 },
        { "13x8", 1 << 20, 13, 8, 0, 3, 8192, 180.3, 1.85 },
        { "13x8", 4 << 20, 13, 8, 0, 5, 0, 665.8, 1.85 },
        { "12x24", 1024, 4, 4, 2, 1, 512, 8.8, 5 }, { "12x24", 8192, 4, 4, 8, 1, 512, 11.4, 2 },
        { "12x24", 1 << 20, 12, 32, 0, 1, 0, 177, 1.84 },
        { "24x4", 1 << 20, 6, 8, 0, 4, 8192, 190.3, 1.92 },
        { "24x4", 4 << 20, 6, 8, 0, 8, 8192, 697, 1.92 },
        { "6x48", 1 << 20, 6, 32, 0, 1, 0, 168, 1.67 },
        { "20x16", 1 << 20, 10, 16, 0, 1, 8192, 185, 1.91 },
        { "9x7", 1 << 20, 9, 8, 0, 3, 0, 173.2, 1.78 },
        { "12x8,3", 1 << 20, 13, 8, 0, 3, 0, 188.7, 1.85 },
        { "12x8,3", 4 << 20, 13, 8, 0, 6, 0, 684, 1.85 },
        { "8,8,5", 1 << 20, 3, 8, 0, 3, 0, 140, 1.34 },
        { "12x8:cyclic", 1 << 20, 12, 8, 0, 3, 0, 180, 1.84 },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        anyp_shape *nodes = read_nodes(known[i].nodes);
        variant v = over_nodes(ANYP_ALLREDUCE, nodes, known[i].bytes / 8);
        v.call.commutative = true;
        set_parameter(&v, "radix", known[i].radix);
        set_parameter(&v, "node_radix", known[i].node_radix);
        set_parameter(&v, "node_lanes", known[i].lanes);
        set_parameter(&v, "node_segments", known[i].segments);
        set_parameter(&v, "threshold", known[i].threshold);
        const anypi_simulation s = simulate_variant(&v, network_of(nodes));
        assert_often(s.time <= known[i].time, "%s: %s: %g us", known[i].nodes, variant_text(&v),
                     s.time);
        assert_often((double) s.card_bytes <= known[i].card * (double) known[i].bytes,
                     "%s: %s: %g m through a card", known[i].nodes, variant_text(&v),
                     (double) s.card_bytes / (double) known[i].bytes);
        anypi_shape_free(nodes);
    }
}
END_TEST

/* One level among the nodes: through a card goes what a reduce-scatter among the nodes needs, and
 * an allgather or a gather, even if sizes differ. */
START_TEST(volume_of_a_card)
{
    static const char *const texts[] = { "5x4", "8,8,5", "1,7,2,9,4", "12x8,3", "6x5:cyclic" };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        anyp_shape *nodes = read_nodes(texts[i]);
        const int n = nodes->count;
        const int64_t count = 5040 * (int64_t) n;
        for (int k = 0; k < ANYP_COLLECTIVES; k++) {
            variant v = over_nodes(collective_of(k), nodes, count);
            v.call.commutative = true;
            if (anypi_is_prefix(v.call.collective) && nodes->rank)
                continue;       /* its nodes are runs of neighbours */
            if (anypi_scatters(&v.call) && anypi_shape_size(nodes, 0) * n != v.call.p)
                continue;       /* the blocks of a node are not as many as another's */
            if (anypi_scatters(&v.call))
                v.call.count = 60 * v.call.p;
            set_parameter(&v, "radix", 64);
            set_parameter(&v, "threshold", 0);
            const anypi_simulation s = simulate_variant(&v, network_of(nodes));
            const double m = (double) (v.call.count * v.call.type_size);
            const double least = (anypi_scatters(&v.call) ? 1 : 2) * m * (n - 1) / n;
            assert_often((double) s.card_bytes <= least * 1.01, "%s: %s: %g m", texts[i],
                         variant_text(&v), (double) s.card_bytes / m);
        }
        anypi_shape_free(nodes);
    }
}
END_TEST

/* The closed form of the tree is a bound on nodes of any sizes, for any root. */
START_TEST(tree_is_bounded)
{
    static const char *const texts[] = { "3x4", "5,2,7", "1,9,4,4", "7x1", "1x7", "2x(2x2),(3x1)",
                                         "(3x1),(2x1),(1)" };
    static const anyp_model models[] = { { .alpha = 1 }, { .beta = 1 }, { .overhead = 1 } };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        anyp_shape *nodes = read_nodes(texts[i]);
        for (int k = 0; k < 3 * ANYP_COLLECTIVES; k++) {
            variant v = over_nodes((anyp_collective) (k / 3), nodes, 0);
            if (anypi_has_local_sizes(v.call.collective))
                continue;       /* its schedules are those of a gather or scatter */
            v.algorithm = anyp_algorithm_find("binomial");
            v.call.commutative = true;
            v.call.count = 6 * v.call.p;
            anyp_parameters_default(v.algorithm, v.parameters);
            set_parameter(&v, "radix", 2 + k % 3);
            for (int n = 0; n < 2 * v.call.p; n++) {
                const int root = n / 2;
                set_parameter(&v, "groups", 1 + n % 2);
                if (!(v.algorithm->collectives & ANYP_IN_SET(v.call.collective)) ||
                    (root > 0 && !anypi_has_root(&v.call)))
                    continue;
                v.call.root = root;
                const anyp_cost cost = anypi_cost_of(v.algorithm, &v.call, v.parameters);
                for (size_t m = 0; m < sizeof models / sizeof *models; m++)
                    assert_often(simulate_variant(&v, models[m]).time <=
                                 anyp_cost_time(cost, &models[m]), "%s: %s", texts[i],
                                 variant_text(&v));
            }
        }
        anypi_shape_free(nodes);
    }
}
END_TEST

/* An int numbers the blocks of all copies of the vector, also with very many nodes, and segments,
 * and in a scan, which has copies of several heights. */
START_TEST(blocks_are_numbered)
{
    static const struct {
        anyp_collective collective;
        const char *nodes;
    } calls[] = {
        { ANYP_ALLREDUCE, "2048x64" }, { ANYP_ALLREDUCE, "40000x4" },
        { ANYP_ALLREDUCE, "16384x64" },
        { ANYP_EXSCAN, "((((64,63x2),63x(2x2)),63x(2x(2x2))),63x(2x(2x(2x2)))),"
                       "63x(2x(2x(2x(2x2))))" }
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        anyp_shape *nodes = read_nodes(calls[i].nodes);
        variant v = over_nodes(calls[i].collective, nodes, (int64_t) 1 << 40);
        anyp_schedule schedule;
        set_parameter(&v, "threshold", 0);
        set_parameter(&v, "radix", 64);
        set_parameter(&v, "node_radix", 64);
        set_parameter(&v, "node_lanes", 0);
        set_parameter(&v, "node_segments", 64);
        anyp_schedule_init(&schedule);
        ck_assert_int_eq(anyp_generate(v.algorithm, &v.call, v.parameters, &schedule),
                         ANYP_SUCCESS);
        ck_assert_int_gt(schedule.steps_count, 0);
        for (int k = 0; k < schedule.steps_count; k++) {
            const anyp_step *step = &schedule.steps[k];
            const anyp_slice slice = step->kind == ANYP_SEND ? step->from : step->to;
            assert_often(0 <= slice.first && slice.first < slice.end, "%s, step %d: %d to %d",
                         calls[i].nodes, k, slice.first, slice.end);
        }
        anyp_schedule_free(&schedule);
        anypi_shape_free(nodes);
    }
}
END_TEST

/* The closed form is an upper bound, in a network without nodes. */
START_TEST(closed_form)
{
    static const char *const texts[] = { "4x3", "3x4", "5,1,3", "8,8,5", "1,7,2,9,4", "2x9" };
    static const anyp_model models[] = { { .alpha = 1 }, { .beta = 1 }, { .gamma = 1 },
                                         { .alpha = 1, .beta = 1e-4, .overhead = 0.5 } };
    static const anyp_collective which[] = { ANYP_ALLREDUCE, ANYP_REDUCE, ANYP_REDUCE_SCATTER,
                                             ANYP_SCAN, ANYP_EXSCAN };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        anyp_shape *nodes = read_nodes(texts[i]);
        for (int k = 0; k < 1000; k++) {
            static const int lanes[] = { 0, 1, 2, 5 }, thresholds[] = { 0, 500, 5000, INT_MAX };
            variant v = over_nodes(which[k / 3 % 5], nodes, 2520 * (k % 5));
            set_parameter(&v, "radix", 2 + k % 4);
            set_parameter(&v, "node_radix", 2 + k % 7);
            set_parameter(&v, "node_lanes", lanes[k / 4 % 4]);
            set_parameter(&v, "node_segments", 1 + k % 11 % 4);
            set_parameter(&v, "threshold", thresholds[k / 16 % 4]);
            const anyp_model *model = &models[k % 4];
            const double form = anyp_cost_time(anypi_cost_of(v.algorithm, &v.call, v.parameters),
                                               model);
            const double time = simulate_variant(&v, *model).time;
            assert_often(form >= time * (1 - 1e-9), "%s: %s, model %d: %g, but %g are simulated",
                         texts[i], variant_text(&v), k % 4, form, time);
        }
        anypi_shape_free(nodes);
    }
}
END_TEST

Suite *suite_nodes(void)
{
    TCase *tests;
    Suite *suite = suite_of("nodes", &tests);
    tcase_add_test(tests, even_shapes);
    tcase_add_test(tests, any_shapes);
    tcase_add_test(tests, any_depths);
    tcase_add_test(tests, groups_of_others);
    tcase_add_test(tests, random_depths);
    tcase_add_test(tests, many_levels);
    tcase_add_test(tests, times);
    tcase_add_test(tests, volume_of_a_card);
    tcase_add_test(tests, tree_is_bounded);
    tcase_add_test(tests, blocks_are_numbered);
    tcase_add_test(tests, closed_form);
    return suite;
}
