/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_decide.c - the table in decide.h, for every algorithm and collective.
 */
#include "unit/common.h"

#include "execute/decide.h"
#include "schedule/collectives.h"
#include "schedule/shape.h"


static const anyp_shape *nodes;  /* of the ranks */
static const char refusal[] = "no algorithm can";

/* Decides the call of an entry, by default parameters. */
static void decide(anypi_cache *cache, anypi_entry *entry, const anyp_call *call,
                   const anyp_algorithm *algorithm, bool forced, const char *why)
{
    int parameters[ANYP_MAX_PARAMETERS];
    *entry = (anypi_entry) { .call = *call };
    if (algorithm)
        anyp_parameters_default(algorithm, parameters);
    anypi_decide_call(cache, entry, &(anypi_asked) { algorithm, parameters, forced }, nodes, why);
}

/* Is it the first that serves the call? */
static bool is_replacement(const anypi_entry *entry)
{
    int count, parameters[ANYP_MAX_PARAMETERS];
    const char *why;
    const anyp_algorithm *first = anyp_algorithms(&count);
    for (; count > 0; count--, first++) {
        anyp_parameters_default(first, parameters);
        if (anyp_applicable(first, &entry->call, parameters, &why) == ANYP_SUCCESS)
            return entry->algorithm == first;
    }
    return !entry->algorithm;
}

static void requests(const anyp_call *call, const anyp_algorithm *algorithm)
{
    anypi_cache cache = { .entries = NULL };
    anypi_entry entry;
    int parameters[ANYP_MAX_PARAMETERS];
    const char *why;
    anyp_parameters_default(algorithm, parameters);
    const bool serves = anyp_applicable(algorithm, call, parameters, &why) == ANYP_SUCCESS;
    for (int forced = 0; forced < 2; forced++) {
        decide(&cache, &entry, call, algorithm, forced, NULL);
        if (serves) {
            ck_assert_ptr_eq(entry.algorithm, algorithm);
            ck_assert_ptr_null(entry.reason);
        } else {
            ck_assert_ptr_nonnull(entry.reason);
            ck_assert(forced && !call->reproducible ? !entry.algorithm : is_replacement(&entry));
        }
        if (entry.algorithm)
            ck_assert_int_eq(anyp_applicable(entry.algorithm, call, entry.parameters, &why),
                             ANYP_SUCCESS);
        decide(&cache, &entry, call, algorithm, forced, refusal);
        ck_assert_ptr_null(entry.algorithm);
        ck_assert_ptr_eq(entry.reason, refusal);
    }
    anypi_cache_free(&cache);
}

START_TEST(requests_are_kept_or_replaced)
{
    int count;
    const anyp_algorithm *algorithms = anyp_algorithms(&count);
    for (int i = 0; i < count; i++)
        for (int c = 0; c < ANYP_COLLECTIVES; c++)
            for (int kind = 0; kind < 3; kind++)
                for (int p = 1; p < 9; p++)
                    requests(&(anyp_call) { .collective = (anyp_collective) c, .p = p,
                                            .count = 12 * p, .type_size = 1,
                                            .commutative = kind == 0,
                                            .reproducible = kind == 2 &&
                                                !anypi_moves((anyp_collective) c) },
                             &algorithms[i]);
}
END_TEST

/* Without a request, only reproducible results need an algorithm of AnyP's. */
START_TEST(no_request)
{
    anypi_cache cache = { .entries = NULL };
    anypi_entry entry;
    anyp_call call = { .collective = ANYP_REDUCE, .p = 5, .count = 5, .type_size = 8 };
    decide(&cache, &entry, &call, NULL, false, NULL);
    ck_assert_ptr_null(entry.algorithm);
    call.reproducible = true;
    decide(&cache, &entry, &call, NULL, false, NULL);
    ck_assert_ptr_nonnull(entry.algorithm);
    ck_assert(is_replacement(&entry));
    anypi_cache_free(&cache);
}
END_TEST

/* The choice of "auto" knows the nodes, and so does what replaces a request, also if that does not
 * use them. */
START_TEST(choice_on_nodes)
{
    static const int node_of_rank[] = { 0, 0, 0, 1, 1, 1 };
    anyp_shape *two = anypi_shape_make(node_of_rank, 1, 6);
    anypi_cache cache = { .entries = NULL };
    anypi_entry entry;
    anyp_call call = { .collective = ANYP_ALLREDUCE, .p = 6, .count = 100, .type_size = 8,
                       .commutative = true };
    const anyp_algorithm *ring = anyp_algorithm_find("ring");
    const anyp_algorithm *circulant = anyp_algorithm_find("circulant");
    nodes = two;
    decide(&cache, &entry, &call, ring, false, NULL);
    ck_assert_ptr_eq(entry.algorithm, ring);
    ck_assert_ptr_eq(entry.call.nodes, two);
    decide(&cache, &entry, &call, circulant, false, NULL);
    ck_assert_ptr_eq(entry.algorithm, circulant);
    ck_assert_ptr_null(entry.call.nodes);
    call.commutative = false;
    decide(&cache, &entry, &call, circulant, false, NULL);
    ck_assert_ptr_ne(entry.algorithm, circulant);
    ck_assert_ptr_eq(entry.call.nodes, two);
    nodes = NULL;
    anypi_shape_free(two);
    anypi_cache_free(&cache);
}
END_TEST

/* Closed forms replace what a rule requests for blocks of very different sizes, not what a variable
 * requests. */
START_TEST(uneven_blocks)
{
    static const int64_t starts[] = { 0, 1000000, 1000001, 1000002, 1000003, 1000004 };
    const anyp_algorithm *ring = anyp_algorithm_find("ring");
    const anyp_call call = { .collective = ANYP_ALLGATHERV, .p = 5, .count = starts[5],
                             .type_size = 1, .commutative = true, .starts = starts,
                             .largest = starts[1] };
    anypi_cache cache = { .entries = NULL };
    anypi_entry entry;
    decide(&cache, &entry, &call, ring, true, NULL);
    ck_assert_ptr_eq(entry.algorithm, ring);
    decide(&cache, &entry, &call, ring, false, NULL);
    ck_assert_ptr_ne(entry.algorithm, ring);
    ck_assert_ptr_nonnull(entry.reason);
    anypi_cache_free(&cache);
}
END_TEST

/* A rule without parameters does not know the switches; then closed forms replace what it requests,
 * not what a variable requests, nor where the rule gives a parameter. */
START_TEST(switches)
{
    const char *reason;
    const anyp_algorithm *bi_greedy = anyp_algorithm_find("bi_greedy");
    const anyp_call call = { .collective = ANYP_REDUCE, .p = 192, .count = 4 << 20, .type_size = 1,
                             .commutative = true };
    anyp_shape *nested = anypi_shape_read("6x(8x4)", 0, &reason);
    anyp_shape *flat = anypi_shape_read("48x4", 0, &reason);
    anypi_cache cache = { .entries = NULL };
    anypi_entry entry = { .call = call };
    int parameters[ANYP_MAX_PARAMETERS];
    nodes = flat;
    decide(&cache, &entry, &call, bi_greedy, false, NULL);
    ck_assert_ptr_eq(entry.algorithm, bi_greedy);
    nodes = nested;
    decide(&cache, &entry, &call, bi_greedy, true, NULL);
    ck_assert_ptr_eq(entry.algorithm, bi_greedy);
    decide(&cache, &entry, &call, bi_greedy, false, NULL);
    ck_assert_ptr_eq(entry.algorithm, anyp_algorithm_find("exchange"));
    ck_assert_ptr_eq(entry.call.nodes, nested);
    ck_assert_ptr_nonnull(entry.reason);
    anyp_parameters_default(bi_greedy, parameters);
    ck_assert_int_eq(anyp_parameter_set(bi_greedy, parameters, "segment", "8192", &reason),
                     ANYP_SUCCESS);
    entry = (anypi_entry) { .call = call };
    anypi_decide_call(&cache, &entry, &(anypi_asked) { bi_greedy, parameters, false }, nested,
                      NULL);
    ck_assert_ptr_eq(entry.algorithm, bi_greedy);
    ck_assert_ptr_null(entry.reason);
    nodes = NULL;
    anypi_shape_free(flat);
    anypi_shape_free(nested);
    anypi_cache_free(&cache);
}
END_TEST

Suite *suite_decide(void)
{
    TCase *tests;
    Suite *suite = suite_of("decide", &tests);
    tcase_add_test(tests, requests_are_kept_or_replaced);
    tcase_add_test(tests, no_request);
    tcase_add_test(tests, choice_on_nodes);
    tcase_add_test(tests, uneven_blocks);
    tcase_add_test(tests, switches);
    return suite;
}
