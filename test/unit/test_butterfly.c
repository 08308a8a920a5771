/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_butterfly.c - what the butterfly promises beyond being right: rounds, volume, copies, order.
 */
#include "unit/common.h"
#include "unit/prune.h"

#include "algorithms/butterfly/butterfly.h"
#include "analysis/simulate.h"
#include "schedule/memory.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { VECTOR = 1 << 20 };      /* bytes; one element each, so that all slices are equal */

/* An allreduce of VECTOR bytes whose first h rounds halve. */
static variant halving(int p, int h)
{
    return (variant) { .algorithm = anyp_algorithm_find("butterfly"),
                       .call = { .collective = ANYP_ALLREDUCE, .p = p, .count = VECTOR,
                                 .type_size = 1, .commutative = true },
                       .parameters = { h == 0 ? INT_MAX : (VECTOR >> (h - 1)) - 1,
                                       ANYPI_ODD_OVERLAP, 3 } };
}

/* Simulated with each of latency, bytes sent and bytes reduced alone; bytes in vectors. */
static void assert_cost(const variant *v, double rounds, double sent, double reduced)
{
    const double alpha = simulate_variant(v, (anyp_model) { .alpha = 1 }).time;
    const double beta = simulate_variant(v, (anyp_model) { .beta = 1 }).time / VECTOR;
    const double gamma = simulate_variant(v, (anyp_model) { .gamma = 1 }).time / VECTOR;
    assert_often(alpha == rounds && beta == sent && gamma == reduced,
                 "%s: %g/%g/%g instead of %g/%g/%g", variant_text(v), alpha, beta, gamma, rounds,
                 sent, reduced);
}

START_TEST(test_odd_p)
{
    for (int p = 3; p <= 127; p += 2) {
        const int rounds = log2_floor(p);
        const double power = 1 << rounds;
        const variant v = halving(p, rounds), whole = halving(p, 0);
        assert_cost(&v, 2 * (rounds + 1), 2 * (1.5 - 1 / power), 1.5 - 1 / power);
        assert_cost(&whole, rounds + 2, rounds + 2, rounds + 1);
    }
}
END_TEST

START_TEST(test_even_p)
{
    static const struct {
        int p;
        double rounds, sent, reduced;
    } rows[] = {
        { 6, 6, 2.0, 1.0 }, { 10, 8, 2.25, 1.125 }, { 12, 8, 2.0, 1.0 }, { 14, 8, 2.25, 1.125 },
        { 20, 10, 2.125, 1.0625 }, { 24, 10, 2.0, 1.0 }, { 28, 10, 2.125, 1.0625 },
        { 100, 14, 2.21875, 1.109375 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        variant v = halving(rows[i].p, log2_floor(rows[i].p));
        v.parameters[0] = 0;
        assert_cost(&v, rows[i].rounds, rows[i].sent, rows[i].reduced);
    }
}
END_TEST

/* q + 1 + h rounds, if p is no power of two, however many of them halve. */
START_TEST(test_thresholds_between)
{
    const int most = max_p(300);
    for (int p = 2; p <= most; p++) {
        for (int h = 0; h <= log2_floor(p); h++) {
            const variant v = halving(p, h);
            const double rounds = log2_floor(p) + h + (is_power(p) ? 0 : 2);
            ck_assert_int_eq(anypi_blocks_of(v.algorithm, &v.call, v.parameters), 1 << h);
            const double time = simulate_variant(&v, (anyp_model) { .alpha = 1 }).time;
            assert_often(time == rounds, "%s: %g instead of %g", variant_text(&v), time, rounds);
        }
    }
}
END_TEST

/* The largest prime factor of p. */
static int largest_prime(int p)
{
    int prime = 2;
    for (int rest = p; rest > 1;) {
        if (rest % prime == 0)
            rest /= prime;
        else
            prime++;
    }
    return prime;
}

/* An allreduce with rings of at most `most` ranks, in which all rounds halve or none does. */
static variant rings(int p, int most, int64_t count, bool halves)
{
    return (variant) { .algorithm = anyp_algorithm_find("butterfly"),
                       .call = { .collective = ANYP_ALLREDUCE, .p = p, .count = count,
                                 .type_size = 1, .commutative = true },
                       .parameters = { halves ? 0 : INT_MAX, ANYPI_ODD_RING, most } };
}

/* A ring of p ranks, p an odd prime: q rounds and p-1 vectors, or q + p-1 rounds and optimal volume
 * (Rabenseifner & Träff 2004, section 3.5); and p = 12 needs four rounds, 24 five, 9 four. */
START_TEST(test_rings)
{
    for (int p = 3; p <= max_p(127); p += 2) {
        if (largest_prime(p) != p)
            continue;
        const variant whole = rings(p, 1023, VECTOR, false), parts = rings(p, 1023, 1000 * p, true);
        const int q = log2_floor(p) + 1;
        assert_cost(&whole, q, p - 1, p - 1);
        ck_assert(simulate_variant(&parts, (anyp_model) { .alpha = 1 }).time == q + p - 1);
        ck_assert(simulate_variant(&parts, (anyp_model) { .beta = 1 }).time == 2000 * (p - 1));
        ck_assert(simulate_variant(&parts, (anyp_model) { .gamma = 1 }).time == 1000 * (p - 1));
    }
    static const int optimal[] = { 3, 6, 9, 12, 18, 24, 36, 48, 72, 96 };
    for (size_t i = 0; i < sizeof optimal / sizeof *optimal; i++) {
        const variant v = rings(optimal[i], 3, VECTOR, false);
        ck_assert(simulate_variant(&v, (anyp_model) { .alpha = 1 }).time ==
                  log2_floor(optimal[i]) + 1);
    }
}
END_TEST

/* Nothing is copied if the operator commutes and the first round halves; else at most the slice of
 * the first round. Scratch is that slice, twice where there is no OUT. */
START_TEST(test_copies)
{
    for (int p = 1; p <= 130; p++) {
        for (int h = 0; h <= log2_floor(p); h++) {
            for (int kind = 0; kind < 8; kind++) {
                variant v = halving(p, h);
                v.call.commutative = !(kind & 1);
                v.call.in_place = kind & 2;
                v.call.collective = kind & 4 ? ANYP_REDUCE : ANYP_ALLREDUCE;
                const anypi_counts most = simulate_variant(&v, (anyp_model) { .alpha = 1 }).most;
                const int64_t slice = h > 0 ? VECTOR / 2 : VECTOR;
                const bool copies = p == 1 || !v.call.commutative || h == 0;
                assert_often(most.bytes_copied <= copies * slice, "%s: %lld bytes copied",
                             variant_text(&v), (long long) most.bytes_copied);
                assert_often(most.bytes_scratch <= (kind & 4 ? 2 : 1) * slice,
                             "%s: %lld bytes of scratch", variant_text(&v),
                             (long long) most.bytes_scratch);
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
        { 2, "x0+x1" },
        { 3, "x0+(x1+x2)" },
        { 4, "x0+x1+(x2+x3)" },
        { 5, "x0+(x1+x2)+(x3+x4)" },
        { 6, "x0+x1+(x2+x3+(x4+x5))" },
        { 7, "x0+(x1+x2)+(x3+x4+(x5+x6))" },
        { 13, "x0+(x1+x2)+(x3+x4)+(x5+x6+(x7+x8)+(x9+x10+(x11+x12)))" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const int p = rows[i].p;
        for (int h = 0; h <= log2_floor(p); h++) {
            variant v = halving(p, h);
            v.call.commutative = false;
            anyp_schedule *set = variant_set(&v);
            for (int rank = 0; rank < p; rank++) {
                for (int block = 0; block < 1 << h; block++) {
                    char *text;
                    ck_assert_int_eq(set_expression(set, &v.call, rank, block, &text),
                                     ANYP_SUCCESS);
                    ck_assert_str_eq(text, rows[i].sum);
                    anypi_free(text);
                }
            }
            anypi_set_free(set, p);
        }
    }
}
END_TEST

/* A round halves while a slice is larger than the threshold and both halves get an element. */
START_TEST(test_halvings)
{
    static const struct {
        int p;
        int64_t count, type_size;
        int threshold, blocks;
    } rows[] = {
        { 64, 8, 1, 0, 8 },
        { 64, 9, 1, 0, 8 },
        { 64, 7, 1, 0, 4 },
        { 64, 1, 1, 0, 1 },
        { 64, 0, 8, 0, 1 },
        { 64, 1000, 0, 0, 1 },
        { 64, 1000, 8, INT_MAX, 1 },
        { 64, 1024, 8, 8192, 1 },
        { 64, 1025, 8, 8192, 2 },
        { 64, 1024, 8, 8191, 2 },
        { 64, 1024, 8, 4096, 2 },
        { 64, 1024, 8, 4095, 4 },
        { 64, 1024, 8, 1, 64 },
        { 127, 1024, 8, 0, 64 },
        { 1, 1024, 8, 0, 1 },
        { 64, INT64_MAX / 8, 8, INT_MAX, 1 },
        { 64, INT64_MAX / 8, 8, INT_MAX - 1, 64 },
        { INT_MAX, INT64_MAX / 8, 8, INT_MAX - 1, 1 << 30 },
    };
    const anyp_algorithm *butterfly = anyp_algorithm_find("butterfly");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const anyp_call call = { .collective = ANYP_ALLREDUCE, .p = rows[i].p,
                                 .count = rows[i].count, .type_size = rows[i].type_size };
        const int parameters[ANYP_MAX_PARAMETERS] = { rows[i].threshold, ANYPI_ODD_OVERLAP, 3 };
        const int blocks = anypi_blocks_of(butterfly, &call, parameters);
        assert_often(blocks == rows[i].blocks, "row %d: %d blocks instead of %d", (int) i, blocks,
                     rows[i].blocks);
    }
}
END_TEST

/* Joins all messages from one rank to another: .first becomes 0 and .end how many blocks they are.
 * Returns how many there are then. */
static int joined(traffic *messages, int count)
{
    int pairs = 0;
    for (int i = 0; i < count; i++) {
        const traffic m = messages[i];
        if (pairs == 0 || messages[pairs - 1].from != m.from || messages[pairs - 1].to != m.to)
            messages[pairs++] = (traffic) { .from = m.from, .to = m.to };
        messages[pairs - 1].end += m.end - m.first;
    }
    return pairs;
}

/* Is the reduce to each root the allreduce without what the root does not need? If `exact`, in the
 * same messages; else the same ranks send, and no more blocks: a ring's message is one piece or
 * two, and of some the root needs a part only. Returns how many messages were removed. */
static int assert_pruned(variant v, bool exact)
{
    int whole, gone = 0;
    anyp_schedule *all = variant_set(&v);
    free(messages_of(all, v.call.p, -1, &whole));
    v.call.collective = ANYP_REDUCE;
    for (v.call.root = 0; v.call.root < v.call.p; v.call.root++) {
        int count, expected;
        anyp_schedule *set = variant_set(&v);
        traffic *messages = messages_of(set, v.call.p, -1, &count);
        traffic *reference = messages_of(all, v.call.p, v.call.root, &expected);
        gone += whole - count;
        if (!exact) {
            count = joined(messages, count);
            expected = joined(reference, expected);
        }
        bool same = count == expected;
        for (int i = 0; same && i < count; i++) {
            const traffic *m = &messages[i], *r = &reference[i];
            same = m->from == r->from && m->to == r->to && m->first == r->first &&
                (exact ? m->end == r->end : m->end <= r->end);
        }
        assert_often(same, "%s: %d messages instead of %d, or others", variant_text(&v), count,
                     expected);
        free(messages);
        free(reference);
        anypi_set_free(set, v.call.p);
    }
    anypi_set_free(all, v.call.p);
    return gone;
}

START_TEST(test_reduce_is_pruned)
{
    int gone = 0;
    for (int p = 1; p <= 70; p++) {
        for (int h = 0; h <= log2_floor(p) && is_tried(p, 48); h++) {
            variant v = halving(p, h);
            gone += assert_pruned(v, true);
            v.parameters[ANYPI_BUTTERFLY_ODD] = ANYPI_ODD_FOLD;
            gone += assert_pruned(v, true);
            v.parameters[ANYPI_BUTTERFLY_ODD] = ANYPI_ODD_RING;
            gone += assert_pruned(v, p % 3 != 0 || h == 0);
            v.parameters[ANYPI_BUTTERFLY_RING_MAX] = 1023;
            gone += p < 40 ? assert_pruned(v, is_power(p)) : 0;
        }
    }
    ck_assert_int_gt(gone, 0);          /* the reference does leave something out */
}
END_TEST

/* A reduce-scatter with an operator that does not commute: q + 1 rounds, log2 p for powers of two,
 * and hardly more volume than the reduction phase of an allreduce, whose slices can be halved
 * exactly: a block in each round of the eliminations, in the late one, and the one that goes to a
 * rank that dropped out. */
START_TEST(test_scatter)
{
    for (int p = 1; p <= max_p(300); p++) {
        const int rounds = log2_floor(p), plain = __builtin_ctz((unsigned) p);
        const variant all = halving(p, rounds);
        const double volume = anypi_cost_of(all.algorithm, &all.call, all.parameters).bytes_reduced;
        const variant v = { .algorithm = all.algorithm,
                            .call = { .collective = ANYP_REDUCE_SCATTER, .p = p,
                                      .count = 1000 * p, .type_size = 1 },
                            .parameters = { 0, ANYPI_ODD_OVERLAP, 3 } };
        const double alpha = simulate_variant(&v, (anyp_model) { .alpha = 1 }).time;
        const double beta = simulate_variant(&v, (anyp_model) { .beta = 1 }).time / 1000;
        const double gamma = simulate_variant(&v, (anyp_model) { .gamma = 1 }).time / 1000;
        const double exact = volume / VECTOR * p;       /* blocks */
        const int spread = is_power(p) ? 0 : rounds - plain + 1;
        assert_often(alpha == rounds + (is_power(p) ? 0 : 2), "%s: %g rounds", variant_text(&v),
                     alpha);
        assert_often(gamma <= exact + spread && beta <= exact + spread + !is_power(p),
                     "%s: %g blocks sent and %g reduced instead of %g", variant_text(&v), beta,
                     gamma, exact);
        const anyp_cost cost = anypi_cost_of(v.algorithm, &v.call, v.parameters);
        assert_often(cost.latencies == alpha && cost.bytes_sent == 1000 * beta &&
                     cost.bytes_reduced == 1000 * gamma, "%s: the formula gives %g/%g/%g",
                     variant_text(&v), cost.latencies, cost.bytes_sent, cost.bytes_reduced);
        const anypi_counts most = simulate_variant(&v, (anyp_model) { .alpha = 1 }).most;
        ck_assert_int_eq(most.bytes_copied, 1000 * (p > 1 ? p + 1 : p));
        ck_assert_int_eq(most.bytes_scratch, p > 1 ? 1000 * (p + (p + 1) / 2) : 0);
    }
}
END_TEST

/* Foreign blocks are spread evenly: both halves of a slice have as many blocks, or one has one
 * more; no rank ends with more than one of them; and the order has all blocks. */
START_TEST(test_foreign_blocks)
{
    static const anypi_protocol *const protocols[] = { &anypi_overlap, &anypi_fold };
    for (int p = 1; p <= 1025; p++) {
        for (int i = 0; i < 1 + p % 2; i++) {   /* folding is for odd numbers */
            bool seen[1025] = { false };
            int order[1025];
            anypi_protocol_order(protocols[i], p, order);
            for (int rank = 0; rank < p; rank++) {
                anypi_path path;
                protocols[i]->path(p, rank, log2_floor(p), true, &path);
                for (int k = 0; k < path.count; k++) {
                    const anypi_move *move = &path.moves[k];
                    const int gives = move->gives.end - move->gives.first;
                    const int keeps = move->keeps.end - move->keeps.first;
                    assert_often(move->to < 0 || move->from < 0 || abs(gives - keeps) <= 1,
                                 "p=%d, rank %d, move %d", p, rank, k);
                }
                if (!path.drops_out) {
                    const int first = path.slice.first;
                    assert_often(order[first] == rank &&
                                 path.slice.end - first == 1 + (path.feeds >= 0) &&
                                 (path.feeds < 0 || order[first + 1] == path.feeds),
                                 "p=%d, rank %d: its slice", p, rank);
                }
                assert_often(!seen[order[rank]], "p=%d: block %d twice", p, order[rank]);
                seen[order[rank]] = true;
            }
        }
    }
}
END_TEST

Suite *suite_butterfly(void)
{
    TCase *tests;
    Suite *suite = suite_of("butterfly", &tests);
    tcase_add_test(tests, test_odd_p);
    tcase_add_test(tests, test_even_p);
    tcase_add_test(tests, test_thresholds_between);
    tcase_add_test(tests, test_rings);
    tcase_add_test(tests, test_copies);
    tcase_add_test(tests, test_bracketing);
    tcase_add_test(tests, test_halvings);
    tcase_add_test(tests, test_reduce_is_pruned);
    tcase_add_test(tests, test_scatter);
    tcase_add_test(tests, test_foreign_blocks);
    return suite;
}
