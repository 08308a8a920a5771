/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_rows.c - the rows of pipelines on the circulant graph.
 */
#include "unit/common.h"

#include "algorithms/circulant/rows.h"
#include "algorithms/circulant/skips.h"

#include <string.h>

enum { MOST_P = 1025 };

static int rows[MOST_P][ANYPI_MAXIMUM_ROW], bases[MOST_P], skips[ANYPI_MAXIMUM_ROW + 1];

/* Of all ranks of p; returns q. */
static int make_rows(int p)
{
    const int q = anypi_row_length(p);
    for (int k = 0; k <= q; k++)
        skips[k] = anypi_skip(p, ANYPI_SKIPS_HALVING, q - k);
    for (int rank = 0; rank < p; rank++) {
        anypi_row_make(p, rank, rows[rank]);
        bases[rank] = q;
        for (int left = rank, k = q - 1; left > 0; k--)
            if (left >= skips[k]) {
                left -= skips[k];
                bases[rank] = k;
            }
    }
    return q;
}

/* Rows that were computed by another program; 33 and 81 are where simplified searches fail. */
START_TEST(known_rows)
{
    static const struct {
        int p, rank, row[8];
    } known[] = {
        { 5, 0, { -3, -1, -2 } }, { 5, 1, { 0, -1, -2 } }, { 5, 4, { -1, -2, 0 } },
        { 13, 1, { 0, -2, -3, -1 } }, { 13, 7, { -3, -2, -4, 3 } }, { 13, 12, { -2, -3, -1, 0 } },
        { 17, 9, { -3, -4, -2, -5, 4 } }, { 17, 16, { -5, -2, -3, -1, 1 } },
        { 33, 1, { 0, -3, -4, -2, -5, -1 } }, { 81, 1, { 0, -4, -6, -3, -2, -5, -1 } },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const int q = make_rows(known[i].p);
        assert_often(!memcmp(rows[known[i].rank], known[i].row, (size_t) q * sizeof(int)),
                     "p=%d rank %d", known[i].p, known[i].rank);
    }
}
END_TEST

/* The largest base that is not in the row yet, among the ranks from which the entry may come. */
START_TEST(rows_by_definition)
{
    for (int p = 2; p <= max_p(130); p++) {
        if (!is_tried(p, 130))
            continue;
        const int q = make_rows(p);
        for (int rank = 0; rank < p; rank++) {
            unsigned used = 1u << bases[rank];
            for (int k = 0; k < q; k++) {
                int best = -1;
                for (int d = skips[k]; d < skips[k + 1]; d++) {
                    const int base = bases[(rank - d + p) % p];
                    if (!(used >> base & 1) && base > best)
                        best = base;
                }
                if (best < 0)
                    best = bases[(rank - skips[k + 1] + p) % p];
                used |= 1u << best;
                const int entry = best == q ? bases[rank] : best - q;
                assert_often(rows[rank][k] == entry, "p=%d rank %d: entry %d is %d, not %d", p,
                             rank, k, rows[rank][k], entry);
            }
        }
    }
}
END_TEST

/* A rank receives each block of a phase once, its base in the first one; it sends what it has. */
START_TEST(rows_make_pipelines)
{
    for (int p = 2; p <= max_p(MOST_P); p++) {
        if (!is_tried(p, MOST_P))
            continue;
        const int q = make_rows(p);
        for (int rank = 0; rank < p; rank++) {
            unsigned blocks = 0;
            for (int k = 0; k < q; k++) {
                const int entry = rows[rank][k], sent = rows[(rank + skips[k]) % p][k];
                blocks |= 1u << (entry + q) % q;
                assert_often(entry < 0 || (rank > 0 && entry == bases[rank] &&
                                           skips[k] <= rank && rank < skips[k + 1]),
                             "p=%d rank %d: %d in round %d", p, rank, entry, k);
                bool has = rank == 0 ? sent == k : sent == bases[rank] - q;
                for (int j = 0; j < k && rank > 0; j++)
                    has = has || sent == rows[rank][j];
                assert_often(has, "p=%d rank %d sends %d in round %d", p, rank, sent, k);
            }
            assert_often(blocks == (1u << q) - 1, "p=%d rank %d: blocks %x", p, rank, blocks);
        }
    }
}
END_TEST

Suite *suite_rows(void)
{
    TCase *tests;
    Suite *suite = suite_of("rows", &tests);
    tcase_add_test(tests, known_rows);
    tcase_add_test(tests, rows_by_definition);
    tcase_add_test(tests, rows_make_pipelines);
    return suite;
}
