/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_uneven.c - blocks of different sizes: which algorithm serves them, and at what cost.
 */
#include "unit/common.h"

#include "algorithms/generate.h"
#include "algorithms/registry.h"
#include "analysis/uneven.h"
#include "execute/adapt.h"

#include <math.h>

static const anyp_model network = { .alpha = 1e-6, .overhead = 0.5e-6, .beta = 8e-11,
                                    .gamma = 1e-11 };
static const char network_text[] = "1000,500,12500,100000";

static const int procs[] = { 2, 3, 7, 13, 24, 37, 64 };
enum { PROCS = sizeof procs / sizeof *procs, MAX_PROCS = 64 };

/* A reduce_scatter of doubles in blocks of a shape. */
static anyp_call uneven_call(anypi_uneven shape, int p, int64_t bytes, bool commutative,
                             int64_t starts[MAX_PROCS + 1])
{
    anyp_call call = { .collective = ANYP_REDUCE_SCATTER, .p = p, .count = bytes / 8,
                       .type_size = 8, .commutative = commutative };
    anypi_uneven_cut(&call, shape, starts);
    return call;
}

static void set(const anyp_algorithm *algorithm, int *parameters, const char *name,
                const char *value)
{
    const char *reason;
    ck_assert_int_eq(anyp_parameter_set(algorithm, parameters, name, value, &reason),
                     ANYP_SUCCESS);
}

static double simulated(const anyp_algorithm *algorithm, const anyp_call *call,
                        const int *parameters)
{
    variant v = { .algorithm = algorithm, .call = *call };
    anyp_model model = network;
    model.eager = call->count * call->type_size <= 64 * 1024;   /* as MPI libraries do, about */
    ck_assert(isfinite(anypi_settle_by(algorithm, call, &network, parameters, v.parameters)));
    return simulate_variant(&v, model).time;
}

/* Closed forms replace a rule's algorithm only if it is not faster, but for their errors, and never
 * by one that does not serve the call. */
START_TEST(adapted_is_faster)
{
    double product = 1;
    int cells = 0;
    for (int i = 0; i < PROCS; i++)
        for (int shape = ANYPI_HALF; shape < ANYPI_UNEVENS; shape++)
            for (int size = 0; size < 4; size++) {
                int64_t starts[MAX_PROCS + 1];
                int rule[ANYP_MAX_PARAMETERS], its[ANYP_MAX_PARAMETERS];
                const anyp_algorithm *asked = anyp_algorithm_find(_i ? "exchange" : "multiport");
                const anyp_call call = uneven_call((anypi_uneven) shape, procs[i],
                                                   INT64_C(4096) << 3 * size, !_i, starts);
                if (!anypi_adapts(&call))
                    continue;
                anyp_parameters_default(asked, rule);
                set(asked, rule, "network", network_text);
                if (_i)         /* intervals of whole blocks */
                    set(asked, rule, "threshold", "2147483647");
                memcpy(its, rule, sizeof its);
                anypi_settled_call one = anypi_settled_call_of(asked, &call, NULL);
                anypi_adapt(&one, its);
                const anyp_algorithm *adapted = one.algorithm;
                ck_assert_ptr_null(anypi_unfit_call(&one, its));
                ck_assert_ptr_null(anypi_refusal(&one));
                const double time = simulated(adapted, &call, its);
                const double before = simulated(asked, &call, rule);
                ck_assert_msg(time <= 1.3 * before, "%s, p=%d, %lld bytes: %s takes %g, %s %g",
                              anypi_uneven_name((anypi_uneven) shape), procs[i],
                              (long long) call.count * 8, adapted->name, time, asked->name, before);
                product *= time / before;
                cells++;
            }
    ck_assert_int_gt(cells, 50);
    ck_assert_double_lt(pow(product, 1.0 / cells), 0.85);
}
END_TEST

/* Equal blocks, and those that differ little, are served as the rule says. */
START_TEST(even_blocks_keep_the_rule)
{
    int64_t starts[MAX_PROCS + 1];
    anyp_call call = uneven_call(ANYPI_EVEN, 13, 1 << 20, true, starts);
    ck_assert(!anypi_adapts(&call));
    call = uneven_call(ANYPI_HALF, 13, 1 << 20, true, starts);
    ck_assert(anypi_adapts(&call));
    call.collective = ANYP_ALLGATHERV;
    ck_assert(anypi_adapts(&call));
    call.reproducible = true;
    ck_assert(!anypi_adapts(&call));
    call.reproducible = false;
    call.largest = 2 * (call.count / 13) - 2;
    ck_assert(!anypi_adapts(&call));
}
END_TEST

/* With intervals of equal bytes no rank receives much more than the vector and the largest block,
 * even where all is at one rank. */
START_TEST(intervals_are_balanced)
{
    const anyp_algorithm *exchange = anyp_algorithm_find("exchange");
    for (int i = 1; i < PROCS; i++)
        for (int shape = ANYPI_HALF; shape < ANYPI_UNEVENS; shape++) {
            int64_t starts[MAX_PROCS + 1];
            variant v = { .algorithm = exchange,
                          .call = uneven_call((anypi_uneven) shape, procs[i], 1 << 20, false,
                                              starts) };
            anyp_parameters_default(exchange, v.parameters);
            set(exchange, v.parameters, "radix", "3");
            set(exchange, v.parameters, "threshold", "0");
            const double most = (double) simulate_variant(&v, network).most.bytes_received;
            const double wanted = 1.6 * (1 << 20) + 8.0 * (double) v.call.largest;
            assert_often(most <= wanted, "%s: a rank receives %g bytes", variant_text(&v), most);
        }
}
END_TEST

Suite *suite_uneven(void)
{
    TCase *tests;
    Suite *suite = suite_of("uneven", &tests);
    tcase_add_loop_test(tests, adapted_is_faster, 0, 2);
    tcase_add_test(tests, even_blocks_keep_the_rule);
    tcase_add_test(tests, intervals_are_balanced);
    return suite;
}
