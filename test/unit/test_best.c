/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_best.c - the model-based choice is the best one: among the closed forms, and when the
 * schedules are simulated.
 */
#include "unit/common.h"

#include "analysis/best.h"
#include "analysis/simulate.h"
#include "schedule/collectives.h"

enum { MOST_ALGORITHMS = 64 };

/* Latency in relation to the time of a byte sent and reduced: from a fast network to a slow one. */
static const anyp_model models[] = {
    { .alpha = 1e-6, .beta = 1e-10, .gamma = 5e-11 },
    { .alpha = 5e-6, .beta = 1e-9, .gamma = 2e-9, .overhead = 5e-7 },
    { .alpha = 1e-4, .beta = 1e-10, .gamma = 0 },
};
enum { MODELS = sizeof models / sizeof *models };

/* ---- among the closed forms ---- */

static void is_no_better(const variant *v, void *state)
{
    const anypi_best *best = state;
    const anyp_model *model = &models[v->call.p % MODELS];
    const double time = anyp_cost_time(anypi_cost_of(v->algorithm, &v->call, v->parameters), model);
    assert_often(best->time <= time * 1.02, "%s: %g, but the best is said to be %g",
                 variant_text(v), time, best->time);
}

/* No values that the proofs try are better by more than the coarseness of the grid. */
START_TEST(parameters_are_good)
{
    static const int64_t counts[] = { 0, 1, 100, 8192, 1000000 };
    int count;
    const anyp_algorithm *algorithm = &anyp_algorithms(&count)[_i];
    for (int p = 1; p <= 1025; p += 1 + p / 8) {
        if (!is_tried(p, 1025))
            continue;
        for (int i = 0; i < 5 * ANYP_COLLECTIVES; i++) {
            const anyp_call call = { .collective = (anyp_collective) (i % ANYP_COLLECTIVES),
                                     .p = p, .count = counts[i / ANYP_COLLECTIVES] * p,
                                     .type_size = 8, .commutative = true };
            anypi_best best;
            if (!(algorithm->collectives & ANYP_IN_SET(call.collective)))
                continue;
            ck_assert(anypi_best_of(algorithm, &call, &models[p % MODELS], &best));
            ck_assert_int_le(best.evaluations, ANYPI_BEST_EVALUATIONS);
            ck_assert(best.time == anyp_cost_time(anypi_cost_of(algorithm, &call, best.parameters),
                                                  &models[p % MODELS]));
            each_parameters(algorithm, &call, is_no_better, &best);
        }
    }
}
END_TEST

/* Every value of a number, where there are few that differ. */
START_TEST(no_value_is_better)
{
    int count;
    const anyp_algorithm *algorithm = &anyp_algorithms(&count)[_i];
    for (int k = 0; k < 4 * ANYP_COLLECTIVES; k++) {
        const anyp_call call = { .collective = (anyp_collective) (k % ANYP_COLLECTIVES),
                                 .p = 5 + 9 * (k / ANYP_COLLECTIVES), .count = 4 * 4320,
                                 .type_size = 1, .commutative = true };
        anypi_best best;
        if (!(algorithm->collectives & ANYP_IN_SET(call.collective)))
            continue;
        ck_assert(anypi_best_of(algorithm, &call, &models[k % MODELS], &best));
        for (int i = 0; i < algorithm->parameters_count; i++) {
            const anyp_parameter *parameter = &algorithm->parameters[i];
            const int64_t most = parameter->maximum < 4 * 4320 ? parameter->maximum : 4 * 4320;
            anypi_best other = best;
            for (int64_t value = parameter->minimum; value <= most; value++) {
                const char *reason;
                other.parameters[i] = (int) value;
                if (anyp_applicable(algorithm, &call, other.parameters, &reason) != ANYP_SUCCESS)
                    continue;
                const double time =
                    anyp_cost_time(anypi_cost_of(algorithm, &call, other.parameters),
                                                   &models[k % MODELS]);
                assert_often(best.time <= time * 1.02, "%s p=%d: %s=%d takes %g, best is %g",
                             algorithm->name, call.p, parameter->name, (int) value, time,
                             best.time);
            }
        }
    }
}
END_TEST

/* ---- when schedules are simulated ---- */

static double simulated(const anypi_best *best, const anyp_call *call, const anyp_model *model)
{
    variant v = { .algorithm = best->algorithm, .call = *call };
    for (int i = 0; i < best->algorithm->parameters_count; i++)
        v.parameters[i] = best->parameters[i];
    anyp_schedule *set = variant_set(&v);
    const anypi_partition partition = anypi_partition_for(call, set[0].blocks);
    anypi_simulation s;
    ck_assert_int_eq(anypi_simulate(set, call->p, &partition, call->type_size, model, &s),
                     ANYP_SUCCESS);
    anypi_set_free(set, call->p);
    return s.time;
}

/* A set that would take too long to simulate, and is far from the best, is left out. */
static bool is_far_off(const anypi_best *one, const anypi_best *best)
{
    return one->time > 4 * best->time;
}

/* The fastest algorithm by closed forms takes, simulated, at most a quarter longer than any
 * other would. (Closed forms are upper bounds of the simulated time, and never twice as much.) */
START_TEST(simulator_confirms)
{
    static const int sizes[] = { 2, 3, 7, 13, 24, 64, 100, 257, 1000, 1025 };
    static const int64_t counts[] = { 1, 64, 4096, 100000 };
    int algorithms;
    anyp_algorithms(&algorithms);
    ck_assert_int_le(algorithms, MOST_ALGORITHMS);
    if (anypi_has_local_sizes((anyp_collective) (_i % ANYP_COLLECTIVES)))
        return;                 /* calls have no size: test_local_routes.c */
    for (int i = 0; i < 4 * 2 * MODELS; i++) {
        anyp_call call = { .collective = (anyp_collective) _i % ANYP_COLLECTIVES,
                           .p = sizes[_i / ANYP_COLLECTIVES], .type_size = 8,
                           .count = counts[i % 4] * sizes[_i / ANYP_COLLECTIVES],
                           .commutative = i / 4 % 2 };
        const anyp_model *model = &models[i / 8];
        anypi_best list[MOST_ALGORITHMS];
        const int turns = call.p > 300 ? 15 : call.p > 60 ? 3 : 1;
        if (!is_tried(call.p, 1025) || i % turns != (_i + slice_number()) % turns)
            continue;           /* large ones take long: a sample */
        call.root = call.collective == ANYP_REDUCE ? call.p / 2 : 0;
        const int count = anypi_best_of_all(&call, model, list);
        if (!count)
            continue;
        const double chosen = simulated(&list[0], &call, model);
        for (int k = 1; k < count; k++) {
            ck_assert(list[k].time >= list[k - 1].time);
            if (is_far_off(&list[k], &list[0]))
                break;
            const double time = simulated(&list[k], &call, model);
            assert_often(chosen <= 1.25 * time, "%s p=%d count=%lld: %s takes %g, %s only %g",
                         anyp_collective_name(call.collective), call.p, (long long) call.count,
                         list[0].algorithm->name, chosen, list[k].algorithm->name, time);
        }
    }
}
END_TEST

Suite *suite_best(void)
{
    enum { SIZES = 10 };
    int algorithms;
    TCase *tests;
    Suite *suite = suite_of("best", &tests);
    anyp_algorithms(&algorithms);
    tcase_add_loop_test(tests, parameters_are_good, 0, algorithms);
    tcase_add_loop_test(tests, no_value_is_better, 0, algorithms);
    tcase_add_loop_test(tests, simulator_confirms, 0, SIZES * ANYP_COLLECTIVES);
    return suite;
}
