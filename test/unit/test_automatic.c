/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_automatic.c - parameters that are "auto": they become numbers with the same schedules, the
 * same on all ranks, and no other tried value is better; and the constants of the machine.
 */
#include "unit/common.h"

#include "algorithms/route.h"
#include "algorithms/cost_model.h"
#include "algorithms/network.h"
#include "analysis/simulate.h"
#include "schedule/shape.h"
#include "select/decision.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const int sizes[] = { 1, 2, 3, 7, 8, 13, 32, 100 };
static const int64_t counts[] = { 0, 1, 37, 1000, 100000 };

enum { SIZES = sizeof sizes / sizeof *sizes, COUNTS = sizeof counts / sizeof *counts };

typedef void (*call_function)(const anyp_algorithm *algorithm, const anyp_call *call,
                              const int *defaults);

/* Calls the function for calls that algorithm _i serves with its defaults. */
static void each_call(int i, int maximum, call_function function)
{
    int count, defaults[ANYP_MAX_PARAMETERS], served = 0;
    const anyp_algorithm *algorithm = &anyp_algorithms(&count)[i];
    anyp_parameters_default(algorithm, defaults);
    for (int k = 0; k < SIZES * COUNTS * ANYP_COLLECTIVES; k++) {
        const int p = sizes[k % SIZES];
        const int64_t elements = counts[k / SIZES % COUNTS];
        anyp_call call = { .collective = (anyp_collective) (k / SIZES / COUNTS), .p = p,
                           .type_size = 8, .count = elements, .commutative = true };
        const char *reason;
        if (call.collective == ANYP_REDUCE_SCATTER_BLOCK)
            call.count = (elements + p - 1) / p * p;
        if (p > maximum ||
            anyp_applicable(algorithm, &call, defaults, &reason) != ANYP_SUCCESS)
            continue;
        function(algorithm, &call, defaults);
        served++;
    }
    ck_assert_int_gt(served, 0);
}

static void assert_equal(const anyp_schedule *one, const anyp_schedule *other)
{
    ck_assert_int_eq(one->blocks, other->blocks);
    ck_assert_int_eq(one->rounds, other->rounds);
    ck_assert_int_eq(one->steps_count, other->steps_count);
    ck_assert_int_eq(one->overlap, other->overlap);
    for (int i = 0; i <= one->rounds; i++)
        assert_often(one->round_start[i] == other->round_start[i], "round %d differs", i);
    for (int i = 0; i < one->steps_count; i++) {
        const anyp_step *a = &one->steps[i], *b = &other->steps[i];
        assert_often(a->kind == b->kind && a->peer == b->peer, "step %d differs", i);
        assert_often(a->kind == ANYP_RECV || (a->from.buffer == b->from.buffer &&
                     a->from.first == b->from.first && a->from.end == b->from.end),
                     "step %d: another source", i);
        assert_often(a->kind == ANYP_SEND || (a->to.buffer == b->to.buffer &&
                     a->to.first == b->to.first && a->to.end == b->to.end),
                     "step %d: another target", i);
    }
}

static void same_schedules(const anyp_algorithm *algorithm, const anyp_call *call,
                           const int *defaults)
{
    int settled[ANYP_MAX_PARAMETERS];
    anyp_schedule one, other;
    anyp_schedule_init(&one);
    anyp_schedule_init(&other);
    anypi_settle(algorithm, call, defaults, settled);
    ck_assert(!anypi_any_automatic(algorithm, settled));
    anyp_call each = *call;
    for (each.rank = 0; each.rank < call->p; each.rank += 1 + call->p / 8) {
        ck_assert_int_eq(anyp_generate(algorithm, &each, defaults, &one), ANYP_SUCCESS);
        ck_assert_int_eq(anyp_generate(algorithm, &each, settled, &other), ANYP_SUCCESS);
        assert_equal(&one, &other);
    }
    anyp_schedule_free(&one);
    anyp_schedule_free(&other);
}

START_TEST(schedules_are_those_of_numbers)
{
    each_call(_i, max_p(100), same_schedules);
}
END_TEST

static void assert_alike(const anyp_algorithm *algorithm, const anyp_call *call,
                         const int *defaults, const int *wanted, const char *what)
{
    int settled[ANYP_MAX_PARAMETERS];
    anypi_settle(algorithm, call, defaults, settled);
    for (int i = 0; i < algorithm->parameters_count; i++)
        assert_often(settled[i] == wanted[i], "%s, %s, p = %d, count = %d: %s depends on the %s",
                     algorithm->name, anyp_collective_name(call->collective), call->p,
                     (int) call->count, algorithm->parameters[i].name, what);
}

static void alike(const anyp_algorithm *algorithm, const anyp_call *call, const int *defaults)
{
    int wanted[ANYP_MAX_PARAMETERS];
    anyp_call other = *call;
    anypi_settle(algorithm, call, defaults, wanted);
    other.rank = call->p - 1;
    assert_alike(algorithm, &other, defaults, wanted, "rank");
    other.in_place = true;
    assert_alike(algorithm, &other, defaults, wanted, "place");
    if (call->collective == ANYP_REDUCE)
        other.root = call->p / 2;
    assert_alike(algorithm, &other, defaults, wanted, "root");
    other = *call;
    other.count = anypi_count_class(call);
    ck_assert_int_eq(anypi_count_class(&other), other.count);
    assert_alike(algorithm, &other, defaults, wanted, "count inside its class");
}

START_TEST(ranks_choose_alike)
{
    each_call(_i, 100, alike);
}
END_TEST

START_TEST(classes)
{
    anyp_call call = { .collective = ANYP_ALLREDUCE, .p = 3 };
    static const int64_t rows[][2] = { { 0, 0 }, { 7, 7 }, { 8, 8 }, { 9, 10 }, { 17, 16 },
                                       { 100, 96 }, { 127, 128 }, { 1 << 20, 1 << 20 } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        call.count = rows[i][0];
        ck_assert_int_eq(anypi_count_class(&call), rows[i][1]);
    }
    call = (anyp_call) { .collective = ANYP_REDUCE_SCATTER_BLOCK, .p = 13, .count = 13 * 17 };
    ck_assert_int_eq(anypi_count_class(&call), 13 * 16);
}
END_TEST

/* ---- the choice is a local optimum ---- */

static const anyp_model models[] = {
    { .alpha = 1e-6, .overhead = 3e-7, .beta = 1e-10, .gamma = 2e-10 },
    { .alpha = 1e-5, .overhead = 1e-8, .beta = 1e-9 },
    { .alpha = 1e-8, .overhead = 1e-6, .beta = 1e-11 },
};

/* One parameter at a time has each small value, and some larger ones: more than are tried, so a
 * little better may be one that is not. */
static void optimal(const anyp_algorithm *algorithm, const anyp_call *call, const int *defaults)
{
    /* its `tries` have at most four lanes, since its form does not know what more of them cost */
    if (!strcmp(algorithm->name, "bi_greedy"))
        return;
    for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
        int settled[ANYP_MAX_PARAMETERS];
        anyp_call class = anypi_route_call(call);
        const char *reason;
        class.count = anypi_count_class(&class);
        const double time = anypi_settle_by(algorithm, call, &models[m], defaults, settled);
        ck_assert(isfinite(time));
        ck_assert(time == anypi_form_time(algorithm, &class, settled, &models[m]));
        for (int i = 0; i < algorithm->parameters_count; i++) {
            const anyp_parameter *one = &algorithm->parameters[i];
            if (!anypi_is_automatic(one, defaults[i]) || one->of_nodes)
                continue;
            int other[ANYP_MAX_PARAMETERS];
            memcpy(other, settled, sizeof other);
            for (int64_t v = one->minimum; v <= one->maximum; v += v < 20 ? 1 : v / 3) {
                other[i] = (int) v;
                if (anypi_is_automatic(one, other[i]) ||
                    anyp_applicable(algorithm, &class, other, &reason) != ANYP_SUCCESS)
                    continue;
                const double its = anypi_form_time(algorithm, &class, other, &models[m]);
                assert_often(time <= its * 1.05, "%s, %s, p = %d, count = %d, model %d: %s=%d "
                             "takes %g, but %d was chosen with %g", algorithm->name,
                             anyp_collective_name(call->collective), call->p, (int) call->count,
                             (int) m, one->name, other[i], its, settled[i], time);
            }
        }
    }
}

START_TEST(no_value_is_better)
{
    each_call(_i, 100, optimal);
}
END_TEST

/* ---- the constants ---- */

START_TEST(faults)
{
    static const struct {
        const char *text, *fault;
    } rows[] = {
        { "1,2,3", "it needs 4 numbers" }, { "1,2,3,4,5", "it needs 4 numbers" },
        { "1,2,3,4,5,6,7,8", "it needs 4 numbers" }, { "1,2,0,4", "a rate" },
        { "1,2,3,4,5,0,7", "a rate" }, { "0,0,3,4", "a message takes time" },
        { "1,2,3,4,5,6,0", "1 to 1024 network cards" }, { "bad", "" }, { "", "" },
        { "1,2,3,4,5,6,7,8,9,10", "it needs 4 numbers" }, { "1,2,3,4,5,6,7,8,0", "a rate" },
        { "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23", "it needs 4 numbers" },
        { "1,2,3,4", NULL }, { "0,2,3,0", NULL }, { "1,2,3,4,0,6,7", NULL },
        { "1,2,3,4,5,6,7,0,9", NULL },
        { "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21", NULL },
    };
    char text[ANYP_VALUE_SIZE];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *fault = anypi_network_set(rows[i].text);
        ck_assert_msg(!fault == !rows[i].fault, "%s: %s", rows[i].text, fault ? fault : "good");
        if (fault)
            ck_assert_msg(strstr(fault, rows[i].fault) != NULL, "%s: %s", rows[i].text, fault);
        else
            ck_assert_str_eq(anypi_network_text(text, sizeof text), rows[i].text);
    }
    ck_assert_ptr_null(anypi_network_set(NULL));
    ck_assert_str_eq(anypi_network_text(text, sizeof text), ANYPI_NETWORK_DEFAULT);
}
END_TEST

static bool is_near(double one, double other)
{
    return fabs(one - other) <= 1e-3 * fabs(one);
}

/* k messages of a round take alpha + (k + 1) overheads, or 2 k where these are more; bytes overlap
 * with overheads. */
START_TEST(overheads_are_hidden)
{
    const anyp_model model = { .alpha = 3, .overhead = 1, .beta = 1, .gamma = 1 };
    const double times[] = { 5, 6, 7, 8, 10, 12 };
    for (int k = 1; k <= 6; k++) {
        const anyp_cost cost = { .latencies = 2, .overheads = 4 * k };
        ck_assert_double_eq_tol(anypi_expected_time(cost, &model), 2 * times[k - 1], 1e-12);
        const anyp_cost more = { .latencies = 2, .overheads = 4 * k, .bytes_sent = 100,
                                 .bytes_reduced = 10 };
        const double time = anypi_expected_time(more, &model);
        ck_assert_double_ge(time, 2 * 3 + 100 + 10);
        ck_assert_double_le(time, anyp_cost_time(more, &model));
    }
}
END_TEST

/* A model becomes a list, and the list nearly the same model. */
START_TEST(round_trip)
{
    static const anyp_span spans[] = { { .size = 2 } };
    const anyp_shape nodes = { .count = 2, .units = 4, .spans_count = 1, .spans = spans };
    const anyp_algorithm *exchange = anyp_algorithm_find("exchange");
    const anyp_parameter *network = &exchange->parameters[exchange->parameters_count - 1];
    ck_assert(anypi_parameter_is_network(network));
    for (int inside = 0; inside < 2; inside++) {
        const anyp_call call = { .p = 4, .nodes = inside ? &nodes : NULL };
        const anyp_model model = { .alpha = 2e-6, .overhead = 4e-7, .beta = 1e-10, .gamma = 5e-10,
                                   .nodes = call.nodes, .inside_alpha = 3e-7,
                                   .inside_beta = 2e-10, .cards = 2 };
        int parameters[ANYP_MAX_PARAMETERS];
        char text[ANYP_VALUE_SIZE];
        const char *reason;
        anyp_parameters_default(exchange, parameters);
        anypi_network_of_model(&model, text, sizeof text);
        ck_assert_str_eq(text, inside ? "2000,400,10000,2000,300,5000,2" : "2000,400,10000,2000");
        ck_assert_int_eq(anyp_parameter_set(exchange, parameters, "network", text, &reason),
                         ANYP_SUCCESS);
        const anyp_model again =
            anypi_network_model(network, parameters[exchange->parameters_count - 1], &call);
        ck_assert(is_near(again.alpha, model.alpha) && is_near(again.overhead, model.overhead));
        ck_assert(is_near(again.beta, model.beta) && is_near(again.gamma, model.gamma));
        ck_assert_ptr_eq(again.nodes, call.nodes);
        if (inside)
            ck_assert(is_near(again.inside_alpha, model.inside_alpha) && again.cards == 2 &&
                      is_near(again.inside_beta, model.inside_beta));
    }
}
END_TEST

/* The heights above the nodes: those of the list, and others by assumption. */
START_TEST(heights)
{
    static const struct {
        const char *shape, *list;
        double alpha[2], beta[2];
    } rows[] = {
        /* a switch has three nodes of two cards, a group of two switches has six */
        { "2x(2x(3x4))", "1000,500,10000,0,300,5000,2,2000,30000,4000,20000",
          { 2e-6, 4e-6 }, { 1e-6 / 30000, 1e-6 / 20000 } },
        { "2x(2x(3x4))", "1000,500,10000,0,300,5000,2,2000,30000",
          { 2e-6, 2e-6 }, { 1e-6 / 30000, 1e-6 * 4 / 120000 } },
        { "2x(2x(3x4))", "1000,500,10000,0", { 1e-6, 1e-6 },
          { 1e-6 * 4 / 30000, 1e-6 * 4 / 60000 } },
        /* nodes of one rank use one card; pairs for other heights are ignored */
        { "4x(8x1)", "1000,500,10000,0,300,5000,2", { 1e-6 }, { 1e-6 * 4 / 80000 } },
        { "2x4", "1000,500,10000,0,300,5000,2,2000,30000", { 2e-6 }, { 1e-6 / 30000 } },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *reason;
        anyp_shape *nodes = anypi_shape_read(rows[i].shape, 0, &reason);
        const anyp_call call = { .p = anypi_shape_ranks(nodes), .nodes = nodes };
        anyp_model model;
        ck_assert(anypi_network_read(rows[i].list, &call, &model));
        ck_assert(model.nodes == nodes && model.eager && model.group == 0);
        for (int h = 0; h < 2; h++)
            ck_assert_msg(is_near(model.above[h].alpha, rows[i].alpha[h]) &&
                          is_near(model.above[h].beta, rows[i].beta[h]), "%s, %s: height %d has "
                          "%g, %g", rows[i].shape, rows[i].list, h, model.above[h].alpha,
                          model.above[h].beta);
        char text[ANYP_VALUE_SIZE];
        anypi_network_of_model(&model, text, sizeof text);
        if (i == 0)
            ck_assert_str_eq(text, rows[0].list);
        if (i == 4)
            ck_assert_str_eq(text, "1000,500,10000,0,300,5000,2");
        anypi_shape_free(nodes);
    }
}
END_TEST

/* ---- decision files ---- */

START_TEST(leaves)
{
    static const struct {
        const char *leaf;
        bool good;
    } rows[] = {
        { "\"radix=auto\": {}", true }, { "\"radix=auto\": {}, \"network=1,2,3,4\": {}", true },
        { "\"threshold=auto\": {}, \"groups=auto\": {}", true }, { "\"network=1,2\": {}", false },
        { "\"radix=Auto\": {}", false }, { "\"radix=-1\": {}", false },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[300];
        anypi_decision *decision = NULL;
        anypi_diagnosis diagnosis = { 0 };
        snprintf(text, sizeof text, "{\"collective=allreduce\": {\"comm_type=intra\": "
                 "{\"algorithm=MPIR_Allreduce_intra_anyp_exchange\": {%s}}}}", rows[i].leaf);
        const anyp_status status = anypi_decision_parse(text, strlen(text), "text", &decision,
                                                        &diagnosis);
        ck_assert_msg((status == ANYP_SUCCESS) == rows[i].good, "%s: %s", rows[i].leaf,
                      diagnosis.text);
        anypi_decision_free(decision);
    }
}
END_TEST

/* What is chosen is in range, also where very many messages at once are cheapest. */
START_TEST(choices_are_in_range)
{
    const anyp_algorithm *exchange = anyp_algorithm_find("exchange");
    static const anyp_model cheap[] = { { .alpha = 5e-6, .beta = 8e-11 },
                                        { .alpha = 5e-7, .beta = 2e-11, .overhead = 15e-8 } };
    for (int p = 2; p <= 1030; p += 1 + p / 40)
        for (int i = 0; i < 4; i++) {
            const anyp_call call = { .collective = ANYP_ALLREDUCE, .p = p, .count = 4096 << i * 4,
                                     .type_size = 8, .commutative = true };
            int parameters[ANYP_MAX_PARAMETERS];
            const char *reason;
            anyp_parameters_default(exchange, parameters);
            anypi_settle_by(exchange, &call, &cheap[i % 2], parameters, parameters);
            ck_assert_msg(anyp_applicable(exchange, &call, parameters, &reason) == ANYP_SUCCESS,
                          "p = %d: radix %d: %s", p, parameters[1], reason);
        }
}
END_TEST

Suite *suite_automatic(void)
{
    TCase *tests;
    int count;
    Suite *suite = suite_of("automatic", &tests);
    anyp_algorithms(&count);
    tcase_add_loop_test(tests, schedules_are_those_of_numbers, 0, count);
    tcase_add_loop_test(tests, ranks_choose_alike, 0, count);
    tcase_add_test(tests, classes);
    tcase_add_loop_test(tests, no_value_is_better, 0, count);
    tcase_add_test(tests, faults);
    tcase_add_test(tests, overheads_are_hidden);
    tcase_add_test(tests, round_trip);
    tcase_add_test(tests, heights);
    tcase_add_test(tests, leaves);
    tcase_add_test(tests, choices_are_in_range);
    return suite;
}
