/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_postal.c - postal's trees need the minimum number of steps, at every p and root; and how it
 * brackets.
 */
#include "unit/common.h"

#include "analysis/simulate.h"

#include <stdlib.h>

enum { ELEMENTS = 5, MOST_STEPS = 200, MOST_RECEIVED = 200 };

/* The maximum number of ranks whose sum one can have after that many steps: in each from `lag` on
 * it adds the sum of one that had `lag` steps less. */
static long most_ranks(int steps, int lag)
{
    long ranks[MOST_STEPS + 1];
    ck_assert_int_le(steps, MOST_STEPS);
    for (int t = 0; t <= steps; t++) {
        ranks[t] = 1;
        for (int i = lag; i <= t; i++)
            ranks[t] += ranks[t - i];
    }
    return ranks[steps];
}

static int earlier(const void *one, const void *other)
{
    return *(const int *) one - *(const int *) other;
}

/* When a rank has its sum, if a message takes `lag` steps, of which the last one keeps the receiver
 * busy. */
static int steps_taken(const anyp_schedule *set, int rank, int lag)
{
    int there[MOST_RECEIVED], count = 0, now = 0;
    for (int i = 0; i < set[rank].steps_count; i++)
        if (set[rank].steps[i].kind == ANYP_RECV && count < MOST_RECEIVED)
            there[count++] = steps_taken(set, set[rank].steps[i].peer, lag) + lag;
    qsort(there, (size_t) count, sizeof *there, earlier);
    for (int i = 0; i < count; i++)
        now = there[i] > now ? there[i] : now + 1;
    return now;
}

static variant a_variant(int p, int root, int lag, int kind)
{
    return (variant) { .algorithm = anyp_algorithm_find("postal"),
                       .call = { .collective = ANYP_REDUCE, .p = p, .root = root,
                                 .count = ELEMENTS, .type_size = 1,
                                 .commutative = kind & 1, .in_place = kind & 2 },
                       .parameters = { lag } };
}

START_TEST(test_steps)
{
    static const int lags[] = { 1, 2, 3, 4, 7, 64 };
    for (size_t i = 0; i < sizeof lags / sizeof *lags; i++) {
        for (int p = 1, least = 0; p <= max_p(70); p++) {
            while (most_ranks(least, lags[i]) < p)
                least++;
            for (int root = 0; root < p; root += p <= 70 || root == 0 ? 1 : (p - 1) / 3) {
                const variant v = a_variant(p, root, lags[i], 0);
                anyp_schedule *set = variant_set(&v);
                const int steps = steps_taken(set, root, lags[i]);
                assert_often(steps == least, "%s: %d steps instead of %d", variant_text(&v), steps,
                             least);
                anypi_set_free(set, p);
            }
        }
    }
}
END_TEST

/* A message takes four times as long as it keeps its receiver busy. */
START_TEST(test_numbers)
{
    static const int rows[][2] = { { 7, 8 }, { 13, 10 }, { 24, 12 }, { 100, 17 }, { 1000, 24 } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const variant v = a_variant(rows[i][0], rows[i][0] / 2, 4, 0);
        anyp_schedule *set = variant_set(&v);
        ck_assert_int_eq(steps_taken(set, v.call.root, 4), rows[i][1]);
        anypi_set_free(set, v.call.p);
    }
}
END_TEST

/* One vector at most is copied in all, and none if the operator commutes. */
static void check_copies(const variant *v)
{
    const anypi_counts total = simulate_variant(v, (anyp_model) { .alpha = 1 }).total;
    const bool copies = v->call.p == 1 || !v->call.commutative;
    assert_often(total.bytes_copied <= copies * ELEMENTS, "%s: copies %d bytes", variant_text(v),
                 (int) total.bytes_copied);
}

START_TEST(test_copies)
{
    static const int lags[] = { 1, 2, 3, 4, 7, 64 };
    for (int p = 1; p <= max_p(70); p++)
        for (size_t i = 0; i < sizeof lags / sizeof *lags; i++)
            for (int kind = 0; kind < 4; kind++) {
                for (int root = 0; root < p; root += p <= 20 || root == 0 ? 1 : (p - 1) / 3) {
                    const variant one = a_variant(p, root, lags[i], kind);
                    check_copies(&one);
                }
            }
}
END_TEST

START_TEST(test_brackets)
{
    static const struct {
        int p, root, lag;
        const char *sum;
    } rows[] = {
        { 5, 2, 1, "x0+(x1+(x2+(x3+x4)))" },
        { 7, 2, 4, "x0+x1+(x2+x3+x4+x5+x6)" },
        { 7, 6, 4, "x0+x1+(x2+(x3+(x4+(x5+x6))))" },
        { 10, 4, 3, "x0+(x1+x2+x3+(x4+x5+x6+x7+(x8+x9)))" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int in_place = 0; in_place < 2; in_place++) {
            const variant v = a_variant(rows[i].p, rows[i].root, rows[i].lag,
                                        2 * in_place);
            assert_sum_is(&v, rows[i].root, 0, rows[i].sum);
        }
}
END_TEST

Suite *suite_postal(void)
{
    TCase *tests;
    Suite *suite = suite_of("postal", &tests);
    tcase_add_test(tests, test_steps);
    tcase_add_test(tests, test_numbers);
    tcase_add_test(tests, test_copies);
    tcase_add_test(tests, test_brackets);
    return suite;
}
