/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_count_sample.c - the counts of a sample of ranks, and the closed form, against all ranks.
 */
#include "unit/common.h"

#include "analysis/count_sample.h"
#include "schedule/collectives.h"
#include "schedule/shape.h"


enum { RANKS = 64, BYTES = 1 << 16 };

typedef struct comparison {
    int calls, lower;           /* compared, and those of which the sample misses a maximum */
    int lower_messages;         /* by more than an eighth */
    double most, least;         /* time of the closed form over the simulated time */
} comparison;

static bool all_equal(const anypi_counts *a, const anypi_counts *b)
{
    return a->rounds == b->rounds && a->messages == b->messages && a->pieces == b->pieces &&
        a->bytes_sent == b->bytes_sent && a->bytes_received == b->bytes_received &&
        a->bytes_reduced == b->bytes_reduced && a->bytes_copied == b->bytes_copied &&
        a->bytes_scratch == b->bytes_scratch;
}

/* One algorithm in one collective at one p, with what "auto" becomes. */
static void compare(const anyp_algorithm *algorithm, const anyp_call *call, const anyp_model *model,
                    comparison *sum)
{
    int parameters[ANYP_MAX_PARAMETERS];
    const char *reason;
    anypi_sample_counts sampled;
    anypi_simulation all;
    anyp_schedule *set;
    anyp_parameters_default(algorithm, parameters);
    if (anyp_applicable(algorithm, call, parameters, &reason) != ANYP_SUCCESS)
        return;
    anypi_settle_by(algorithm, call, model, parameters, parameters);
    ck_assert_int_eq(anypi_set_generate(algorithm, call, parameters, &set), ANYP_SUCCESS);
    const anypi_partition partition = anypi_partition_for(call, set[0].blocks);
    ck_assert_int_eq(anypi_simulate(set, call->p, &partition, call->type_size, model, &all),
                     ANYP_SUCCESS);
    anypi_set_free(set, call->p);
    ck_assert_int_eq(anypi_count_sample(algorithm, call, parameters, RANKS, 1e9, &sampled),
                     ANYP_SUCCESS);
    ck_assert_int_eq(sampled.ranks, (call->p < RANKS ? call->p : RANKS));
    ck_assert_int_le(sampled.most.messages, all.most.messages);
    ck_assert_int_le(sampled.most.bytes_sent, all.most.bytes_sent);
    ck_assert_int_le(sampled.card_bytes, model->nodes ? all.card_bytes : -1);
    const bool same = all_equal(&sampled.most, &all.most);
    const double form = model->nodes ? anypi_form_time(algorithm, call, parameters, model)
        : anyp_cost_time(anypi_cost_of(algorithm, call, parameters), model);
    ck_assert_msg(same || call->p > RANKS, "%s, p = %d", algorithm->name, call->p);
    sum->calls++;
    sum->lower += !same;
    sum->lower_messages += sampled.most.messages * 8 < all.most.messages * 7;
    if (all.time > 0) {
        sum->most = form / all.time > sum->most ? form / all.time : sum->most;
        sum->least = form / all.time < sum->least ? form / all.time : sum->least;
    }
}

static comparison compare_all(const char *shape, int p, const anyp_model *plain)
{
    int count;
    const char *reason;
    anyp_model model = *plain;
    comparison sum = { .least = 1e9 };
    anyp_shape *nodes = shape ? anypi_shape_read(shape, p, &reason) : NULL;
    const anyp_algorithm *algorithms = anyp_algorithms(&count);
    model.nodes = nodes;
    for (int i = 0; i < count; i++)
        for (int c = 0; c < ANYP_COLLECTIVES; c++) {
            const anyp_call call = {
                .collective = (anyp_collective) c, .p = p, .root = 0, .commutative = true,
                .count = anypi_has_no_data((anyp_collective) c) ? 0 : (int64_t) p * (BYTES / p),
                .type_size = anypi_has_no_data((anyp_collective) c) ? 0 : 1, .nodes = nodes };
            if ((algorithms[i].collectives & ANYP_IN_SET(c)) &&
                !anypi_has_local_sizes(call.collective))
                compare(&algorithms[i], &call, &model, &sum);
        }
    anypi_shape_free(nodes);
    return sum;
}

/* Without nodes: the closed form is a bound, at most 1.25 times the simulated time with what "auto"
 * becomes. ANYP_MAX_P=1000 also tries 1000 ranks. */
START_TEST(sampled_flat)
{
    static const anyp_model model = { .alpha = 1, .beta = 1e-3, .gamma = 2e-4, .overhead = 0.2 };
    static const int sizes[] = { 2, 13, 100, 257, 1000 };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (sizes[i] > max_p(300))
            continue;
        const comparison sum = compare_all(NULL, sizes[i], &model);
        ck_assert_int_le(sum.lower * 20, sum.calls);
        ck_assert_int_eq(sum.lower_messages, 0);
        ck_assert(sum.least > 1 - 1e-9 && sum.most < 1.25);
    }
}
END_TEST

/* With nodes it is an estimate: of some algorithms that ignore nodes, far too long. */
START_TEST(sampled_nodes)
{
    static const anyp_model model = { .alpha = 1, .beta = 1e-3, .gamma = 2e-4, .overhead = 0.2,
                                      .eager = true, .inside_alpha = 0.3, .inside_beta = 2e-4,
                                      .cards = 1, .taper = 1 };
    static const char *const shapes[] = { "5x4", "12x8" };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const comparison sum = compare_all(shapes[i], i == 0 ? 20 : 96, &model);
        ck_assert_int_le(sum.lower * 20, sum.calls);
        ck_assert_int_eq(sum.lower_messages, 0);
        ck_assert(sum.least > 0.4 && sum.most < 12);
    }
}
END_TEST

Suite *suite_count_sample(void)
{
    TCase *tests;
    Suite *suite = suite_of("count_sample", &tests);
    tcase_add_test(tests, sampled_flat);
    tcase_add_test(tests, sampled_nodes);
    return suite;
}
