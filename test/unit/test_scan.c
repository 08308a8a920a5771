/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_scan.c - scans: rounds, volume and reductions of exchange; the chain's order; barriers that
 * are none.
 */
#include "unit/common.h"

#include "algorithms/settle.h"
#include "analysis/verify.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static variant scan_of(const char *algorithm, anyp_collective collective, int p, int64_t count)
{
    variant v = { .algorithm = anyp_algorithm_find(algorithm),
                  .call = { .collective = collective, .p = p, .count = count, .type_size = 1 } };
    anyp_parameters_default(v.algorithm, v.parameters);
    return v;
}

static void set_number(variant *v, const char *name, int value)
{
    char text[16];
    const char *reason;
    snprintf(text, sizeof text, "%d", value);
    ck_assert_int_eq(anyp_parameter_set(v->algorithm, v->parameters, name, text, &reason),
                     ANYP_SUCCESS);
}

/* All levels divide: twice the rounds of the tree, hardly more than twice the vector from any rank,
 * and each rank reduces what an allreduce does, and once more for each child. */
START_TEST(long_vectors)
{
    static const struct {
        int p, radix;
        double volume, reduced;
    } known[] = { { 7, 3, 1.83, 1.84 }, { 13, 4, 2, 1.9 }, { 13, 13, 1.85, 0.93 },
                  { 16, 4, 1.94, 1.94 }, { 45, 7, 2, 1.99 }, { 64, 4, 1.98, 2.35 },
                  { 100, 10, 1.99, 1.99 }, { 100, 5, 2, 2.2 } };
    const int64_t m = 1 << 20;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        for (int c = ANYP_SCAN; c <= ANYP_EXSCAN; c++) {
            variant v = scan_of("exchange", (anyp_collective) c, known[i].p, m);
            set_number(&v, "radix", known[i].radix);
            set_number(&v, "threshold", 0);
            const anypi_simulation s = simulate_variant(&v, (anyp_model) { .alpha = 1 });
            ck_assert_double_le(s.time, 2 * rounds_of_radix(known[i].p, known[i].radix));
            ck_assert_msg((double) s.most.bytes_sent <= known[i].volume * (double) m, "%s: %g m",
                          variant_text(&v), (double) s.most.bytes_sent / (double) m);
            ck_assert_msg((double) s.most.bytes_reduced <= known[i].reduced * (double) m,
                          "%s: reduces %g m", variant_text(&v),
                          (double) s.most.bytes_reduced / (double) m);
            ck_assert_msg((double) s.most.bytes_copied <= 1.5 * (double) m, "%s: copies %g m",
                          variant_text(&v), (double) s.most.bytes_copied / (double) m);
            ck_assert_msg((double) s.most.bytes_scratch <= 1.9 * (double) m, "%s: scratch %g m",
                          variant_text(&v), (double) s.most.bytes_scratch / (double) m);
        }
}
END_TEST

/* No level divides: the rounds of dissemination, in each of them k - 1 messages at most, and no
 * message to a rank that does not need it. */
START_TEST(short_vectors)
{
    enum { M = 8 };
    for (int p = 2; p <= max_p(100); p++)
        for (int k = 2; k <= 9; k++)
            for (int c = ANYP_SCAN; c <= ANYP_EXSCAN; c++) {
                variant v = scan_of("exchange", (anyp_collective) c, p, M);
                set_number(&v, "radix", k);
                set_number(&v, "threshold", INT_MAX);
                const anypi_simulation s = simulate_variant(&v, (anyp_model) { .alpha = 1 });
                const int rounds = rounds_of_radix(p, k);
                ck_assert_double_eq(s.time, rounds);
                ck_assert_int_le(s.most.messages, rounds * (k - 1));
                ck_assert_int_le(s.most.bytes_reduced, (rounds * k - (c == ANYP_EXSCAN)) * M);
                ck_assert_int_le(s.most.bytes_copied, M);
                ck_assert_int_le(s.most.bytes_scratch, k * M);
                /* the first ranks receive less, the last ones send less */
                ck_assert_int_lt(s.total.messages, p * rounds * (k - 1));
            }
}
END_TEST

/* Not the whole tree: the first levels divide, the others are rounds across bases. */
START_TEST(levels)
{
    const int64_t m = 1 << 20;
    variant v = scan_of("exchange", ANYP_EXSCAN, 64, m);
    set_number(&v, "radix", 4);
    for (int dividing = 0; dividing <= 3; dividing++) {
        set_number(&v, "threshold", dividing == 3 ? 0 : (int) (m >> 2 * dividing));
        const anypi_simulation s = simulate_variant(&v, (anyp_model) { .alpha = 1 });
        ck_assert_double_eq(s.time, 3 + dividing);
    }
}
END_TEST

/* The chain adds from the left, whatever the operator may allow. */
START_TEST(chain_adds_from_the_left)
{
    variant v = scan_of("chain", ANYP_SCAN, 5, 64);
    set_number(&v, "segment", 1);
    v.call.reproducible = true;
    assert_sum_is(&v, 0, 63, "x0");
    assert_sum_is(&v, 4, 63, "x0+x1+x2+x3+x4");
    v.call.collective = ANYP_EXSCAN;
    assert_sum_is(&v, 1, 0, "x0");
    assert_sum_is(&v, 4, 0, "x0+x1+x2+x3");
}
END_TEST

/* Many segments: rounds overlap, but no rank waits more than for `lag` of them. */
START_TEST(chain_overlaps)
{
    for (int p = 3; p <= 20; p++) {
        variant v = scan_of("chain", ANYP_EXSCAN, p, 4096);
        set_number(&v, "segment", 64);
        const anypi_simulation s = simulate_variant(&v, (anyp_model) { .alpha = 1 });
        ck_assert_double_eq(s.time, 3 * (p - 2) + 64);
        ck_assert_int_le(s.most.bytes_copied, 4096);
        ck_assert_int_le(s.most.bytes_scratch, 4096);
        anyp_schedule *set = variant_set(&v);
        ck_assert_int_eq(set[1].overlap, 2);
        anypi_set_free(set, p);
    }
}
END_TEST

static double chain_estimate(const variant *v, const anyp_model *model)
{
    return anypi_form_time(v->algorithm, &v->call, v->parameters, model);
}

static anyp_model chain_model(double alpha, int megabytes)
{
    return (anyp_model) { .alpha = alpha, .overhead = 0.5e-6, .beta = 1e-6 / 12500,
                          .gamma = megabytes > 0 ? 1e-6 / megabytes : 0, .eager = true };
}

/* Estimates are near the simulation, for few and many segments, with and without reductions.
 * Segments and latency are so short that the processor is the slowest: the simulator's messages do
 * not wait for their receiver, so nothing else paces rank 0. */
START_TEST(chain_estimates_are_near)
{
    static const int ranks[] = { 3, 4, 13, 39 }, gammas[] = { 0, 20000, 5000, 1000 };
    static const int segments[] = { 1024, 2048, 3600 }, counts[] = { 1024, 8192, 65536, 262144 };
    for (int i = 0; i < 4 * 4 * 3 * 4 * 2; i++) {
        const int c = i / 2 % 4, s = i / 8 % 3, g = i / 24 % 4, p = ranks[i / 96];
        variant v = scan_of("chain", i % 2 ? ANYP_EXSCAN : ANYP_SCAN, p, counts[c]);
        set_number(&v, "segment", segments[s]);
        const anyp_model model = chain_model(0.2e-6, gammas[g]);
        const double simulated = simulate_variant(&v, model).time;
        const double estimated = chain_estimate(&v, &model);
        assert_often(fabs(log(estimated / simulated)) < log(1.05),
                     "%s: reductions of %d MB/s: estimated %g, simulated %g", variant_text(&v),
                     gammas[g], estimated, simulated);
    }
}
END_TEST

/* Also where the port is the slowest: scans of 1 MiB in SMPI (test/sim), whose ranks send a segment
 * when its receiver is ready; the operator took time. */
START_TEST(chain_estimates_are_those_of_smpi)
{
    static const struct {
        int p, gamma;           /* MB/s */
        double times[6];        /* us, with segments of 4, 8, 16, 32, 64 and 128 KiB */
    } rows[] = {
        { 3, 0, { 259.7, 132.5, 90.7, 94.5, 101.4, 106.9 } },
        { 13, 0, { 282.9, 159.1, 129.5, 163.1, 238.2, 226.8 } },
        { 39, 0, { 343.5, 228.2, 224.4, 325.5, 530.8, 538.4 } },
        { 3, 8000, { 391.2, 264.6, 204.1, 179.4, 169.5, 254.3 } },
        { 13, 8000, { 419.7, 301.4, 257.7, 266.6, 318.9, 538.0 } },
        { 39, 8000, { 493.5, 397.1, 397.1, 493.4, 707.2, 1275.7 } },
        { 39, 3000, { 743.5, 678.7, 741.9, 964.4, 1430.8, 2504.5 } },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int s = 0; s < 6; s++) {
            variant v = scan_of("chain", ANYP_SCAN, rows[i].p, 1 << 20);
            set_number(&v, "segment", 4096 << s);
            const anyp_model model = chain_model(1e-6, rows[i].gamma);
            const double estimated = 1e6 * chain_estimate(&v, &model);
            ck_assert_msg(fabs(log(estimated / rows[i].times[s])) < log(1.08),
                          "p = %d, %d MB/s, segment %d: estimated %g us, measured %g",
                          rows[i].p, rows[i].gamma, 4096 << s, estimated, rows[i].times[s]);
        }
}
END_TEST

static void scan_fault(const char *const *texts, anyp_collective collective, int p,
                          const char *expected)
{
    char reason[300];
    const variant v = scan_of("exchange", collective, p, 1);
    anyp_schedule *set = set_from_text(p, 1, texts);
    ck_assert_int_eq(anypi_verify(set, &v.call, ANYP_CANONICAL, reason, sizeof reason),
                     ANYP_ERR_SCHEDULE);
    ck_assert_msg(strstr(reason, expected) != NULL, "%s", reason);
    anypi_set_free(set, p);
}

/* Sums of too few ranks, or of too many, are found. */
START_TEST(wrong_prefixes)
{
    static const char *const right[] = { ">1 I0-1", "<0 O0-1" };
    static const char *const late[] = { ">1 I0-1", "<0 A0-1 =I0-1 O0-1" };
    static const char *const swapped[] = { ">1 I0-1 =I0-1 O0-1", "<0 O0-1 +I0-1 O0-1" };
    char reason[300];
    variant v = scan_of("exchange", ANYP_EXSCAN, 2, 1);
    anyp_schedule *set = set_from_text(2, 1, right);
    ck_assert_int_eq(anypi_verify(set, &v.call, ANYP_CANONICAL, reason, sizeof reason),
                     ANYP_SUCCESS);
    anypi_set_free(set, 2);
    scan_fault(right, ANYP_SCAN, 2, "rank 0: block 0 of the result is never written");
    scan_fault(late, ANYP_EXSCAN, 2, "rank 1: block 0 of the result has not every contribution");
    scan_fault(swapped, ANYP_SCAN, 2, "rank 1: block 0 of the result is not in rank order");
}
END_TEST

/* ---- barriers ---- */

/* Barriers of three ranks: in one round, rank 0 may end before rank 1 begins; in two that overlap,
 * too. */
START_TEST(wrong_barriers)
{
    static const int messages[][2] = { { 0, 1 }, { 1, 2 }, { 2, 0 } };
    const anyp_call call = { .collective = ANYP_BARRIER, .p = 3, .commutative = true };
    char reason[300];
    for (int rounds = 1; rounds <= 2; rounds++) {
        anyp_schedule set[3];
        for (int rank = 0; rank < 3; rank++) {
            anyp_schedule_init(&set[rank]);
            anypi_schedule_begin(&set[rank], 3, rank, 1);
            for (int round = 0; round < rounds; round++) {
                anypi_round(&set[rank]);
                for (int i = 0; i < 3; i++) {
                    if (messages[i][0] == rank)
                        anypi_signal(&set[rank], ANYP_SEND, messages[i][1]);
                    if (messages[i][1] == rank)
                        anypi_signal(&set[rank], ANYP_RECV, messages[i][0]);
                }
            }
            ck_assert_int_eq(anypi_schedule_end(&set[rank]), ANYP_SUCCESS);
        }
        const anyp_status status = anypi_verify(set, &call, 0, reason, sizeof reason);
        ck_assert_int_eq(status, rounds == 2 ? ANYP_SUCCESS : ANYP_ERR_SCHEDULE);
        if (rounds == 1)
            ck_assert_str_eq(reason, "rank 0: may end before rank 1 has begun");
        set[2].overlap = 1;     /* executors would send both messages of a rank at once */
        ck_assert_int_eq(anypi_verify(set, &call, 0, reason, sizeof reason), ANYP_ERR_SCHEDULE);
        ck_assert_str_eq(reason, "rank 2: 1 rounds overlap, but each needs the one before");
        for (int rank = 0; rank < 3; rank++)
            anyp_schedule_free(&set[rank]);
    }
}
END_TEST

/* Dissemination: as few rounds as can be, and no bytes. */
START_TEST(barrier_rounds)
{
    for (int p = 1; p <= max_p(100); p++)
        for (int k = 2; k <= 6; k++) {
            variant v = scan_of("exchange", ANYP_BARRIER, p, 0);
            v.call.type_size = 0;
            v.call.commutative = true;
            set_number(&v, "radix", k);
            set_number(&v, "threshold", INT_MAX);
            const anypi_simulation s = simulate_variant(&v, (anyp_model) { .alpha = 1 });
            ck_assert_double_eq(s.time, rounds_of_radix(p, k));
            ck_assert_int_eq(s.total.bytes_sent, 0);
        }
}
END_TEST

Suite *suite_scan(void)
{
    TCase *tests;
    Suite *suite = suite_of("scan", &tests);
    tcase_add_test(tests, long_vectors);
    tcase_add_test(tests, short_vectors);
    tcase_add_test(tests, levels);
    tcase_add_test(tests, chain_adds_from_the_left);
    tcase_add_test(tests, chain_overlaps);
    tcase_add_test(tests, chain_estimates_are_near);
    tcase_add_test(tests, chain_estimates_are_those_of_smpi);
    tcase_add_test(tests, wrong_prefixes);
    tcase_add_test(tests, wrong_barriers);
    tcase_add_test(tests, barrier_rounds);
    return suite;
}
