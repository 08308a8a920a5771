/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_papers.c - numbers as they stand printed in the papers.
 *
 * Rabenseifner & Träff 2004, Table 1, the columns of the elimination protocol: times in units of
 * alpha, written as in the paper: rounds + beta part + gamma part = sum, all rounded. Of p = 63, the
 * latency-optimal column prints one beta*m less than the paper's own formula, (q+1)*beta*m, gives
 * (and than its entries for all other p): "7 + 6.0 + 0.60 = 13.6" where (q+1) = 7. That column is
 * compared with its beta part put right, and that it is not right as printed is tested, too.
 */
#include "unit/common.h"

#include "core/simulate.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct row {
    int p;
    double beta, gamma;         /* of the whole vector, in units of alpha */
    bool halving;               /* bandwidth-optimal; else latency-optimal */
    const char *rounds, *sent, *reduced, *sum;
};

#define S 0.1, 0.01
#define M 1, 0.1
#define L 10, 1
#define XL 100, 10

static const struct row table[] = {
    { 3, S, false, "3", "0.3", "0.02", "3.32" }, { 3, S, true, "4", "0.20", "0.01", "4.21" },
    { 3, M, false, "3", "3.0", "0.20", "6.20" }, { 3, M, true, "4", "2.00", "0.10", "6.10" },
    { 3, L, false, "3", "30.", "2.00", "35.0" }, { 3, L, true, "4", "20.0", "1.00", "25.0" },
    { 5, S, false, "4", "0.4", "0.03", "4.43" }, { 5, S, true, "6", "0.25", "0.01", "6.26" },
    { 5, M, false, "4", "4.0", "0.30", "8.30" }, { 5, M, true, "6", "2.50", "0.13", "8.63" },
    { 5, L, false, "4", "40.", "3.00", "47.0" }, { 5, L, true, "6", "25.0", "1.25", "32.3" },
    { 7, S, false, "4", "0.4", "0.03", "4.43" }, { 7, S, true, "6", "0.25", "0.01", "6.26" },
    { 7, M, false, "4", "4.0", "0.30", "8.30" }, { 7, M, true, "6", "2.50", "0.13", "8.63" },
    { 7, L, false, "4", "40.", "3.00", "47.0" }, { 7, L, true, "6", "25.0", "1.25", "32.3" },
    { 13, S, true, "8", "0.28", "0.01", "8.29" },
    { 13, M, false, "5", "5.0", "0.40", "10.4" }, { 13, M, true, "8", "2.75", "0.14", "10.9" },
    { 13, L, true, "8", "27.5", "1.38", "36.9" },
    { 15, S, false, "5", "0.5", "0.04", "5.54" }, { 15, S, true, "8", "0.28", "0.01", "8.29" },
    { 15, M, false, "5", "5.0", "0.40", "10.4" }, { 15, M, true, "8", "2.75", "0.14", "10.9" },
    { 15, L, true, "8", "27.5", "1.38", "36.9" },
    { 23, S, false, "6", "0.6", "0.05", "6.65" }, { 23, S, true, "10", "0.29", "0.01", "10.3" },
    { 23, M, false, "6", "6.0", "0.50", "12.5" }, { 23, M, true, "10", "2.88", "0.14", "13.0" },
    { 23, L, true, "10", "28.8", "1.44", "40.2" },
    { 63, S, true, "12", "0.29", "0.01", "12.3" }, { 63, M, true, "12", "2.94", "0.15", "15.1" },
    { 63, L, true, "12", "29.4", "1.47", "42.9" }, { 63, XL, true, "12", "294.", "14.7", "321." },
};

static const struct row misprinted[] = {
    { 63, S, false, "7", "0.6", "0.06", "7.66" },
    { 63, M, false, "7", "6.0", "0.60", "13.6" },
    { 63, XL, false, "7", "600", "60.0", "667." },
};

/* Is the printed number the value, rounded either way to the printed digits? */
static bool printed_as(const char *printed, double value)
{
    const char *point = strchr(printed, '.');
    double unit = 1;
    for (const char *digit = point ? point + 1 : ""; *digit; digit++)
        unit /= 10;
    const double difference = value - strtod(printed, NULL);
    return (difference < 0 ? -difference : difference) <= unit / 2 * (1 + 1e-9);
}

static double simulate(const struct row *row, anyp_model model)
{
    enum { VECTOR = 1 << 20 };
    const variant v = { .algorithm = anyp_algorithm_find("butterfly"),
                        .call = { .collective = ANYP_ALLREDUCE, .p = row->p, .count = VECTOR,
                                  .type_size = 1, .commutative = true },
                        .parameters = { row->halving ? 0 : INT_MAX, 0, 3 } };
    anyp_schedule *set = variant_set(&v);
    const anypi_partition partition = { .blocks = set[0].blocks, .count = VECTOR };
    anypi_simulation simulation;
    model.beta /= VECTOR;
    model.gamma /= VECTOR;
    ck_assert_int_eq(anypi_simulate(set, row->p, &partition, 1, &model, &simulation), ANYP_SUCCESS);
    anypi_set_free(set, row->p);
    return simulation.time;
}

/* As the row prints it, with `more` added to the beta part and the sum that it prints? */
static bool agrees(const struct row *row, double more)
{
    const double rounds = simulate(row, (anyp_model) { .alpha = 1 });
    const double sent = simulate(row, (anyp_model) { .beta = row->beta }) - more;
    const double reduced = simulate(row, (anyp_model) { .gamma = row->gamma });
    const double sum = simulate(row, (anyp_model) { .alpha = 1, .beta = row->beta,
                                                        .gamma = row->gamma }) - more;
    const double of_parts = strtod(row->rounds, NULL) + strtod(row->sent, NULL) +
        strtod(row->reduced, NULL);     /* 42.9 for p = 63 is the sum of rounded parts */
    return printed_as(row->rounds, rounds) && printed_as(row->sent, sent) &&
        printed_as(row->reduced, reduced) &&
        (printed_as(row->sum, sum) || printed_as(row->sum, of_parts));
}

START_TEST(test_table_1)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        ck_assert_msg(agrees(&table[i], 0), "p=%d: not %s + %s + %s = %s", table[i].p,
                      table[i].rounds, table[i].sent, table[i].reduced, table[i].sum);
    for (size_t i = 0; i < sizeof misprinted / sizeof *misprinted; i++) {
        ck_assert(!agrees(&misprinted[i], 0));
        ck_assert(agrees(&misprinted[i], misprinted[i].beta));
    }
}
END_TEST

Suite *suite_papers(void)
{
    TCase *tests;
    Suite *suite = suite_of("papers", &tests);
    tcase_add_test(tests, test_table_1);
    return suite;
}
