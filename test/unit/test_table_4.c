/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_table_4.c - Lowery & Langou 2013, Table IV: where uni_greedy gains by segments of unequal
 * size.
 *
 * 10 elements are cut in all 512 ways; beta = 1. A row is printed where some cut beats every cut
 * into equal segments (all but the last, which may be smaller). The printed equal cut and ratio are
 * those of the best s = ceil(10/k), k = 1, 2, ..., which leaves (6,4), (7,3), (8,2) and (9,1) out.
 */
#include "unit/common.h"

#include "algorithms/uni_greedy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ELEMENTS = 10, CUTS = 1 << (ELEMENTS - 1), MOST_P = 1024 };

struct row {
    int p, alpha, gamma;
    const char *ratio, *equal, *unequal;        /* the latter: all that are as fast as the best */
};

static const struct row table[] = {
    { 6, 1, 1, "1.0408", "4,4,2", "5,3,2 3,5,2 3,4,2,1 4,2,2,2 2,4,2,2 3,2,2,2,1 2,3,2,2,1" },
    { 6, 2, 1, "1.0357", "4,4,2", "5,3,2 3,5,2" },
    { 8, 0, 1, "1.0571", "1,1,1,1,1,1,1,1,1,1", "2,1,1,1,1,1,1,1,1" },
    { 8, 1, 1, "1.0200", "4,4,2", "5,2,2,1 3,4,2,1" },
    { 12, 0, 1, "1.0732", "1,1,1,1,1,1,1,1,1,1", "2,2,1,1,1,1,1,1" },
    { 12, 1, 1, "1.0169", "4,4,2", "3,3,1,2,1 2,2,1,2,2,1" },
    { 12, 3, 1, "1.0130", "5,5", "4,5,1" },
    { 16, 1, 0, "1.0526", "3,3,3,1", "5,3,2 4,2,2,2" },
    { 16, 1, 1, "1.0161", "3,3,3,1", "3,2,2,2,1" },
    { 16, 2, 1, "1.0278", "4,4,2", "4,3,3" },
    { 24, 3, 1, "1.0108", "3,3,3,1", "5,4,1 4,3,3" },
    { 24, 4, 1, "1.0388", "5,5", "5,4,1 4,3,3" },
    { 32, 1, 0, "1.0222", "4,4,2", "3,3,2,2" },
    { 32, 1, 1, "1.0141", "2,2,2,2,2", "3,2,2,2,1" },
    { 32, 2, 1, "1.0118", "4,4,2", "4,3,3 5,2,2,1 3,3,2,2" },
    { 32, 3, 1, "1.0104", "4,4,2", "4,3,3" },
    { 48, 1, 0, "1.0408", "4,4,2", "4,2,2,2 3,2,3,2" },
    { 48, 1, 1, "1.0260", "2,2,2,2,2", "3,2,2,2,1 2,2,1,2,2,1" },
    { 48, 2, 0, "1.0164", "4,4,2", "5,3,2" },
    { 48, 2, 1, "1.0215", "3,3,3,1", "3,3,2,2" },
    { 48, 3, 1, "1.0093", "4,4,2", "4,3,3 3,4,3 3,3,2,2 3,2,3,2" },
    { 48, 4, 1, "1.0084", "4,4,2", "5,4,1 5,2,3 4,3,3 3,4,3" },
    { 64, 1, 1, "1.0253", "3,3,3,1",
      "3,2,2,2,1 2,2,2,2,1,1 2,2,2,1,2,1 2,2,2,1,1,1,1 2,2,1,1,1,1,1,1" },
    { 64, 2, 1, "1.0106", "3,3,3,1", "3,3,2,2" },
    { 64, 3, 1, "1.0093", "4,4,2", "3,3,2,2" },
    { 96, 1, 0, "1.0182", "4,4,2", "3,3,2,2 3,2,3,2 2,3,3,2" },
    { 96, 1, 1, "1.0119", "1,1,1,1,1,1,1,1,1,1", "2,2,2,2,1,1 2,2,2,1,1,1,1 2,2,1,1,1,1,1,1" },
    { 96, 2, 1, "1.0098", "3,3,3,1", "3,3,2,2" },
    { 96, 3, 1, "1.0085", "3,3,3,1", "3,3,2,2" },
    { 128, 1, 1, "1.0116", "2,2,2,2,2", "2,2,2,1,1,1,1 2,1,1,1,1,1,1,1,1 1,1,1,2,1,1,1,1,1" },
    { 192, 1, 0, "1.0169", "3,3,3,1", "2,2,2,2,1,1" },
    { 256, 1, 0, "1.0161", "2,2,2,2,2",
      "4,3,2,1 3,2,3,2 2,3,3,2 3,3,2,1,1 2,2,3,2,1 2,3,2,1,1,1 3,2,1,2,1,1 3,1,2,2,1,1"
      " 2,2,2,2,1,1 3,2,1,1,2,1 3,1,2,1,2,1 2,2,2,1,2,1 2,2,1,2,2,1 2,1,2,2,2,1 1,2,2,2,2,1"
      " 2,1,2,2,1,2" },
    { 256, 1, 1, "1.0109", "1,1,1,1,1,1,1,1,1,1", "2,1,2,1,1,1,1,1 2,1,1,1,1,1,1,1,1" },
    { 256, 2, 0, "1.0256", "4,4,2", "5,3,2 4,3,3" },
    { 256, 2, 1, "1.0085", "2,2,2,2,2", "3,2,3,2 2,2,2,3,1 2,1,2,2,2,1 2,1,2,2,1,1,1" },
    { 256, 3, 0, "1.0217", "4,4,2", "4,3,3" },
    { 256, 3, 1, "1.0224", "3,3,3,1", "3,2,3,2" },
    { 256, 4, 1, "1.0265", "3,3,3,1", "5,3,2 4,3,3" },
    { 256, 5, 1, "1.0303", "4,4,2", "5,3,2" },
    { 256, 6, 1, "1.0279", "4,4,2", "5,3,2" },
    { 384, 3, 1, "1.0142", "3,3,3,1", "3,2,3,2 2,3,3,2" },
    { 512, 1, 0, "1.0154", "2,2,2,2,2", "2,2,2,2,1,1 2,2,2,1,2,1" },
    { 512, 2, 0, "1.0238", "4,4,2", "4,3,3" },
    { 512, 3, 0, "1.0100", "4,4,2", "4,3,3" },
    { 512, 3, 1, "1.0069", "3,3,3,1", "3,2,3,2 2,3,3,2" },
    { 512, 4, 1, "1.0061", "3,3,3,1", "2,3,3,2" },
    { 512, 5, 1, "1.0167", "4,4,2", "4,3,3" },
    { 512, 6, 1, "1.0154", "4,4,2", "4,3,3" },
    { 512, 7, 1, "1.0095", "4,4,2", "4,3,3" },
    { 768, 1, 0, "1.0147", "2,2,2,2,2", "2,2,2,2,1,1 2,2,2,1,2,1 2,1,2,2,2,1 1,2,2,2,2,1" },
    { 768, 1, 1, "1.0099", "1,1,1,1,1,1,1,1,1,1", "2,1,1,1,1,1,1,1,1" },
    { 768, 2, 0, "1.0111", "3,3,3,1", "4,3,3 3,4,2,1 4,2,3,1 3,2,3,2 2,3,3,2 2,2,4,2 2,2,3,3" },
    { 768, 3, 0, "1.0189", "4,4,2", "4,3,3" },
    { 768, 3, 1, "1.0066", "2,2,2,2,2", "2,3,3,2" },
    { 768, 4, 0, "1.0164", "4,4,2", "4,3,3" },
    { 768, 4, 1, "1.0174", "3,3,3,1", "3,2,3,2 2,3,3,2" },
    { 768, 5, 1, "1.0317", "3,3,3,1", "4,3,3" },
    { 768, 6, 1, "1.0341", "4,4,2", "4,3,3" },
    { 768, 7, 1, "1.0270", "4,4,2", "4,3,3" },
    { 768, 8, 1, "1.0209", "4,4,2", "4,3,3" },
    { 1024, 3, 0, "1.0093", "4,4,2", "4,3,3" },
};

/* The times of all cuts. Bit i of a cut says that it is cut after element i. */
typedef struct times {
    int p;
    double alpha, gamma;
    double of[CUTS];
} times;

/* Goes on in all ways with segments from element `begin` on. */
static void cut_on(times *t, int begin, unsigned cut, const anypi_waiting *waiting)
{
    for (int end = begin + 1; end <= ELEMENTS; end++) {
        anypi_waiting after[MOST_P], room[MOST_P];
        const double size = end - begin;
        memcpy(after, waiting, (size_t) t->p * sizeof *after);
        anypi_uni_greedy_segment(after, room, t->p, t->alpha + size, t->gamma * size, NULL, NULL);
        if (end == ELEMENTS)
            t->of[cut] = after[t->p - 1].free;
        else
            cut_on(t, end, cut | 1u << (end - 1), after);
    }
}

static void all_times(times *t, int p, int alpha, int gamma)
{
    anypi_waiting waiting[MOST_P];
    t->p = p;
    t->alpha = alpha;
    t->gamma = gamma;
    for (int process = 0; process < p; process++)
        waiting[process] = (anypi_waiting) { 0, process };
    cut_on(t, 0, 0, waiting);
}

static unsigned equal_cut(int size)
{
    unsigned cut = 0;
    for (int end = size; end < ELEMENTS; end += size)
        cut |= 1u << (end - 1);
    return cut;
}

/* The cut into equal segments that is fastest; of equally fast ones that with larger segments. All
 * sizes, or only ceil(10/k). */
static unsigned best_equal(const times *t, bool all_sizes)
{
    unsigned best = equal_cut(ELEMENTS);
    for (int size = ELEMENTS; size > 0; size--) {
        const int k = (ELEMENTS + size - 1) / size;
        const unsigned cut = equal_cut(size);
        if ((all_sizes || size == (ELEMENTS + k - 1) / k) && t->of[cut] < t->of[best])
            best = cut;
    }
    return best;
}

static double best_time(const times *t)
{
    double best = t->of[0];
    for (unsigned cut = 1; cut < CUTS; cut++)
        best = t->of[cut] < best ? t->of[cut] : best;
    return best;
}

/* "4,4,2" into text; returns its length. */
static int cut_text(unsigned cut, char *text, size_t size)
{
    int length = 0, begin = 0;
    for (int end = 1; end <= ELEMENTS; end++) {
        if (end < ELEMENTS && !(cut & 1u << (end - 1)))
            continue;
        length += snprintf(text + length, size - (size_t) length, begin > 0 ? ",%d" : "%d",
                           end - begin);
        begin = end;
    }
    return length;
}

static bool listed(const char *list, const char *text)
{
    const size_t length = strlen(text);
    for (; *list; list += strcspn(list, " "), list += *list == ' ')
        if (strcspn(list, " ") == length && !strncmp(list, text, length))
            return true;
    return false;
}

static void check_row(const struct row *row, const times *t)
{
    const unsigned equal = best_equal(t, false);
    const double best = best_time(t);
    char text[40], ratio[20];
    cut_text(equal, text, sizeof text);
    ck_assert_str_eq(text, row->equal);
    snprintf(ratio, sizeof ratio, "%.4f", t->of[equal] / best);
    ck_assert_str_eq(ratio, row->ratio);
    int spaces = 0, optimal = 0;
    for (const char *c = row->unequal; *c; c++)
        spaces += *c == ' ';
    for (unsigned cut = 0; cut < CUTS; cut++) {
        if (t->of[cut] > best)
            continue;
        cut_text(cut, text, sizeof text);
        ck_assert_msg(listed(row->unequal, text), "p=%d alpha=%d gamma=%d: (%s) is not printed",
                      row->p, row->alpha, row->gamma, text);
        optimal++;
    }
    ck_assert_int_eq(optimal, spaces + 1);
}

static const struct row *find_row(int p, int alpha, int gamma)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].p == p && table[i].alpha == alpha && table[i].gamma == gamma)
            return &table[i];
    return NULL;
}

START_TEST(test_printed_rows)
{
    times t;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        all_times(&t, table[i].p, table[i].alpha, table[i].gamma);
        check_row(&table[i], &t);
    }
}
END_TEST

/* The other experiments gain nothing: 986 with all p, of which 61 are printed. */
START_TEST(test_rows_not_printed)
{
    static const int ps[] = { 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768,
                              1024 };
    int experiments = 0, rows = 0;
    times t;
    for (size_t i = 0; i < sizeof ps / sizeof *ps; i++) {
        if (!is_tried(ps[i], 200))
            continue;
        for (int step = 0; step < 29; step++) {
            const int alpha = step <= 10 ? step : step <= 19 ? 10 * (step - 9) : 100 * (step - 18);
            for (int gamma = 0; gamma < 2; gamma++) {
                all_times(&t, ps[i], alpha, gamma);
                const bool gains = best_time(&t) < t.of[best_equal(&t, true)];
                ck_assert_msg(gains == (find_row(ps[i], alpha, gamma) != NULL),
                              "p=%d alpha=%d gamma=%d: printed, or not, against what is", ps[i],
                              alpha, gamma);
                experiments++;
                rows += gains;
            }
        }
    }
    ck_assert(max_p(200) < 1024 || (experiments == 986 && rows == 61));
}
END_TEST

Suite *suite_table_4(void)
{
    TCase *tests;
    Suite *suite = suite_of("table_4", &tests);
    tcase_add_test(tests, test_printed_rows);
    tcase_add_test(tests, test_rows_not_printed);
    return suite;
}
