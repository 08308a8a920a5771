/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_circulant.c - what the circulant algorithm promises beyond being right: skips, rounds,
 * blocks, no copies, scratch, and the sums of the paper's example.
 */
#include "unit/common.h"

#include "algorithms/circulant/skips.h"
#include "analysis/simulate.h"
#include "schedule/memory.h"

#include <stdio.h>
#include <string.h>

enum { FAMILIES = ANYPI_SKIPS_LINEAR + 1, MOST_P = 1025 };

/* Reduce, which has only one block, is last. */
static const anyp_collective collectives[] = {
    ANYP_ALLREDUCE, ANYP_REDUCE_SCATTER, ANYP_REDUCE_SCATTER_BLOCK, ANYP_REDUCE
};

enum { COLLECTIVES = sizeof collectives / sizeof *collectives, WITH_BLOCKS = COLLECTIVES - 1 };

/* One element of one byte in each block. */
static variant unit_blocks(anyp_collective collective, int p, int family, bool in_place)
{
    return (variant) { .algorithm = anyp_algorithm_find("circulant"),
                       .call = { .collective = collective, .p = p, .count = p, .type_size = 1,
                                 .commutative = true, .in_place = in_place },
                       .parameters = { family } };
}

/* ---- skips ---- */

START_TEST(test_skips_of_22)
{
    static const struct {
        int family, count, skips[21];
    } rows[] = {
        { ANYPI_SKIPS_HALVING, 5, { 11, 6, 3, 2, 1 } },
        { ANYPI_SKIPS_POW2, 5, { 16, 8, 4, 2, 1 } },
        { ANYPI_SKIPS_SQRT, 6, { 17, 12, 7, 4, 2, 1 } },
        { ANYPI_SKIPS_LINEAR, 21, { 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5,
                                    4, 3, 2, 1 } },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ck_assert_int_eq(anypi_skips_count(22, rows[i].family), rows[i].count);
        for (int k = 0; k < rows[i].count; k++)
            ck_assert_int_eq(anypi_skip(22, rows[i].family, k + 1), rows[i].skips[k]);
    }
}
END_TEST

START_TEST(test_skips_are_allowed)
{
    for (int p = 1; p <= MOST_P; p++) {
        for (int family = 0; family < FAMILIES; family++) {
            int above = anypi_skip(p, family, 0);
            ck_assert_int_eq(above, p);
            for (int k = 1; k <= anypi_skips_count(p, family); k++) {
                const int skip = anypi_skip(p, family, k);
                assert_often(skip < above && above <= 2 * skip,
                             "p=%d, family %d: %d follows %d", p, family, skip, above);
                above = skip;
            }
            ck_assert_int_eq(above, 1);
        }
    }
}
END_TEST

START_TEST(test_fewest_rounds)
{
    for (int p = 1; p <= MOST_P; p++) {
        int q = 0, root = 0;
        while (1 << q < p)
            q++;
        while (root * root < p)
            root++;
        ck_assert_int_eq(anypi_skips_count(p, ANYPI_SKIPS_HALVING), q);
        ck_assert_int_eq(anypi_skips_count(p, ANYPI_SKIPS_POW2), q);
        ck_assert_int_eq(anypi_skips_count(p, ANYPI_SKIPS_LINEAR), p - 1);
        ck_assert_int_le(anypi_skips_count(p, ANYPI_SKIPS_SQRT), root + (q + 1) / 2);
    }
}
END_TEST

/* ---- rounds, blocks, copies, scratch ---- */

/* Träff's Theorems 1 and 2: in a reduce-scatter every rank sends, receives and reduces exactly p-1
 * blocks in exactly q rounds; in an allreduce it sends and receives 2(p-1) blocks in 2q rounds, and
 * still reduces p-1. */
START_TEST(test_theorems)
{
    anyp_schedule schedule;
    anyp_schedule_init(&schedule);
    for (int p = 1, q = 0; p <= MOST_P && p <= max_p(MOST_P); p++) {
        q += 1 << q < p;
        if (!is_tried(p, MOST_P))
            continue;
        for (int phases = 1; phases <= 2; phases++) {
            variant v = unit_blocks(phases == 1 ? ANYP_REDUCE_SCATTER : ANYP_ALLREDUCE, p,
                                    ANYPI_SKIPS_HALVING, false);
            const anypi_partition partition = { .blocks = p, .count = p };
            for (v.call.rank = 0; v.call.rank < p; v.call.rank++) {
                ck_assert_int_eq(anyp_generate(v.algorithm, &v.call, v.parameters, &schedule),
                                 ANYP_SUCCESS);
                const anypi_layout layout = anypi_layout_of(&schedule, &partition, NULL);
                const anypi_counts counts = count_schedule(&schedule, &layout, 1);
                assert_often((p == 1 || counts.rounds == phases * q) &&
                             counts.messages == phases * q &&
                             counts.bytes_sent == phases * (p - 1) &&
                             counts.bytes_received == phases * (p - 1) &&
                             counts.bytes_reduced == p - 1, "%s, rank %d", variant_text(&v),
                             v.call.rank);
            }
        }
    }
    anyp_schedule_free(&schedule);
}
END_TEST

/* The same for all skips, in place or not: only scratch may differ between ranks. */
static void check_counts(const variant *v, int rounds)
{
    const anypi_simulation simulation = simulate_variant(v, (anyp_model) { .alpha = 1 });
    const anypi_counts most = simulation.most, total = simulation.total;
    const int p = v->call.p, phases = v->call.collective == ANYP_ALLREDUCE ? 2 : 1;
    const bool scatters = anypi_scatters(&v->call);
    const int64_t moved = (int64_t) phases * (p - 1);

    assert_often(simulation.time == phases * rounds && most.rounds == phases * rounds &&
                 most.messages == phases * rounds, "%s: %g rounds instead of %d",
                 variant_text(v), simulation.time, phases * rounds);
    assert_often(most.bytes_sent == moved && total.bytes_sent == p * moved &&
                 most.bytes_received == moved && most.bytes_reduced == p - 1 &&
                 total.bytes_reduced == (int64_t) p * (p - 1),
                 "%s: %d blocks sent, %d reduced", variant_text(v), (int) most.bytes_sent,
                 (int) most.bytes_reduced);
    assert_often(total.bytes_copied == (scatters && v->call.in_place ? p : 0),
                 "%s: %d blocks copied", variant_text(v), (int) total.bytes_copied);
    assert_often(most.bytes_scratch <= p, "%s: %d blocks of scratch", variant_text(v),
                 (int) most.bytes_scratch);
    if (v->parameters[0] == ANYPI_SKIPS_HALVING)
        assert_often(most.bytes_scratch <= (scatters ? (3 * p + 1) / 4 : p / 2),
                     "%s: %d blocks of scratch", variant_text(v), (int) most.bytes_scratch);
}

START_TEST(test_counts)
{
    for (int p = 2; p <= max_p(130); p++)
        for (int family = is_tried(p, 130) ? 0 : FAMILIES; family < FAMILIES; family++)
            for (int kind = 0; kind < 2 * WITH_BLOCKS; kind++) {
                const variant v = unit_blocks(collectives[kind / 2], p, family, kind % 2);
                check_counts(&v, anypi_skips_count(p, family));
            }
}
END_TEST

/* A reduce takes as many rounds, in all of which the root receives; all others send once. */
START_TEST(test_reduce)
{
    for (int p = 1; p <= max_p(130); p++) {
        if (!is_tried(p, 130))
            continue;
        for (int kind = 0; kind < 2 * FAMILIES; kind++) {
            for (int root = 0; root < p; root += 1 + p / 5) {
                variant v = unit_blocks(ANYP_REDUCE, p, kind / 2, kind % 2);
                v.call.root = root;
                const anypi_simulation s = simulate_variant(&v, (anyp_model) { .alpha = 1 });
                const int rounds = anypi_skips_count(p, kind / 2);
                assert_often(s.time == rounds, "%s: %g rounds instead of %d", variant_text(&v),
                             s.time, rounds);
                ck_assert_int_eq(s.most.bytes_received, rounds * p);
                ck_assert_int_eq(s.most.messages, p > 1);
                ck_assert_int_eq(s.total.messages, p - 1);
                ck_assert_int_eq(s.total.bytes_reduced, (p - 1) * p);
                ck_assert_int_eq(s.total.bytes_copied, p == 1 && !v.call.in_place);
            }
        }
    }
}
END_TEST

/* One message in each round. A block is copied where it is passed on or arrives, at most: its own
 * alone if nothing is passed on. Of p = 2^q, half of the blocks travel in each round. */
START_TEST(test_alltoall)
{
    for (int p = 2; p <= max_p(130); p++) {
        if (!is_tried(p, 130))
            continue;
        for (int family = 0; family < FAMILIES; family++) {
            const variant v = unit_blocks(ANYP_ALLTOALL, p, family, false);
            const anypi_simulation s = simulate_variant(&v, (anyp_model) { .alpha = 1 });
            const int rounds = anypi_skips_count(p, family);
            assert_often(s.time == rounds && s.most.messages == rounds, "%s: %g rounds",
                         variant_text(&v), s.time);
            assert_often(s.most.bytes_copied <= s.most.bytes_sent + p, "%s: %d blocks copied",
                         variant_text(&v), (int) s.most.bytes_copied);
            if (family == ANYPI_SKIPS_LINEAR)
                assert_often(s.most.bytes_sent == p - 1 && s.most.bytes_copied == 1 &&
                             s.most.bytes_scratch == 0, "%s", variant_text(&v));
            else if ((p & (p - 1)) == 0 && family == ANYPI_SKIPS_HALVING)
                ck_assert_int_eq(s.most.bytes_sent, rounds * p / 2);
        }
    }
}
END_TEST

/* All elements in one block: a reduce to its rank, in as many rounds, sent and reduced p-1
 * times. */
START_TEST(test_one_block)
{
    enum { ELEMENTS = 100 };
    for (int p = 2; p <= max_p(40) && p <= MOST_P; p++) {
        for (int family = 0; family < FAMILIES; family++) {
            for (int full = 0; full < p; full++) {
                int64_t starts[MOST_P + 1];
                variant v = unit_blocks(ANYP_REDUCE_SCATTER, p, family, full % 2);
                v.call.count = ELEMENTS;
                for (int block = 0; block <= p; block++)
                    starts[block] = block <= full ? 0 : ELEMENTS;
                anyp_schedule *set = variant_set(&v);
                const anypi_partition partition = { set[0].blocks, ELEMENTS, starts, 1 };
                const anyp_model model = { .alpha = 1 };
                anypi_simulation s;
                ck_assert_int_eq(anypi_simulate(set, p, &partition, 1, &model, &s), ANYP_SUCCESS);
                anypi_set_free(set, p);
                ck_assert(s.time == anypi_skips_count(p, family));
                ck_assert_int_eq(s.total.bytes_sent, (p - 1) * ELEMENTS);
                ck_assert_int_eq(s.total.bytes_reduced, (p - 1) * ELEMENTS);
                ck_assert_int_le(s.total.bytes_copied, ELEMENTS);
                ck_assert_int_le(s.most.bytes_scratch, 2 * ELEMENTS);
            }
        }
    }
}
END_TEST

/* ---- the paper's example ---- */

/* What rank 21 of 22 computes, for another rank: all ranks change by the same distance. */
static void shifted_sum(int rank, char *text, size_t size)
{
    const char *sum = "x21+x10+(x15+x4)+(x18+x7+(x12+x1))+(x19+x8+(x13+x2)+(x16+x5))"
        "+(x20+x9+(x14+x3)+(x17+x6+(x11+x0)))";
    size_t used = 0;
    while (*sum) {
        int number, length;
        if (sscanf(sum, "x%d%n", &number, &length) == 1) {
            used += (size_t) snprintf(text + used, size - used, "x%d", (number + rank + 1) % 22);
            sum += length;
        } else {
            used += (size_t) snprintf(text + used, size - used, "%c", *sum++);
        }
    }
}

START_TEST(test_sums_of_22)
{
    for (int kind = 0; kind < WITH_BLOCKS; kind++) {
        const variant v = unit_blocks(collectives[kind], 22, ANYPI_SKIPS_HALVING, kind == 1);
        anyp_schedule *set = variant_set(&v);
        for (int rank = 0; rank < 22; rank++) {
            char expected[400], *text;
            shifted_sum(rank, expected, sizeof expected);
            ck_assert_int_eq(set_expression(set, &v.call, rank, rank, &text), ANYP_SUCCESS);
            ck_assert_str_eq(text, expected);
            anypi_free(text);
        }
        anypi_set_free(set, 22);
    }
}
END_TEST

START_TEST(test_sums_of_22_reduced)
{
    for (int root = 0; root < 22; root++) {
        char expected[400], *text;
        variant v = unit_blocks(ANYP_REDUCE, 22, ANYPI_SKIPS_HALVING, false);
        v.call.root = root;
        anyp_schedule *set = variant_set(&v);
        shifted_sum(root, expected, sizeof expected);
        ck_assert_int_eq(set_expression(set, &v.call, root, 0, &text), ANYP_SUCCESS);
        ck_assert_str_eq(text, expected);
        anypi_free(text);
        anypi_set_free(set, 22);
    }
}
END_TEST

Suite *suite_circulant(void)
{
    TCase *tests;
    Suite *suite = suite_of("circulant", &tests);
    tcase_add_test(tests, test_skips_of_22);
    tcase_add_test(tests, test_skips_are_allowed);
    tcase_add_test(tests, test_fewest_rounds);
    tcase_add_test(tests, test_theorems);
    tcase_add_test(tests, test_counts);
    tcase_add_test(tests, test_reduce);
    tcase_add_test(tests, test_alltoall);
    tcase_add_test(tests, test_one_block);
    tcase_add_test(tests, test_sums_of_22);
    tcase_add_test(tests, test_sums_of_22_reduced);
    return suite;
}
