/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_memory.c - makes one allocation after the other fail: each time a clean error, and (seen by
 * valgrind or a sanitizer) nothing lost.
 */
#include "unit/common.h"

#include "algorithms/shared/lists.h"
#include "algorithms/shared/plans.h"
#include "analysis/simulate.h"
#include "analysis/verify.h"
#include "schedule/memory.h"
#include "schedule/shape.h"

#include <stdlib.h>

enum { STEPS_OF_WORK = 4 };

/* Generates a set and runs all operations of the core on it. Sets *done to the
 * number of those that succeeded. */
static anyp_status work(const variant *v, int *done)
{
    const anyp_model models[] = { { .alpha = 1 }, { .alpha = 1, .eager = true } };
    double times[2];
    anypi_simulation simulation;
    anyp_schedule *set;
    char reason[300], *text;
    const int rank = v->call.collective == ANYP_EXSCAN ? 1 : v->call.root;     /* has a result */

    *done = 0;
    anyp_status status = anypi_set_generate(v->algorithm, &v->call, v->parameters, &set);
    if (status != ANYP_SUCCESS) {
        ck_assert_ptr_null(set);
        return status;
    }
    ++*done;
    const anypi_partition partition = anypi_partition_for(&v->call, set[0].blocks);
    status = anypi_verify(set, &v->call, v->algorithm->properties, reason, sizeof reason);
    if (status == ANYP_SUCCESS) {
        ++*done;
        status = anypi_simulate_models(set, v->call.p, &partition, 8, models, 2, &simulation,
                                       times);
    }
    if (status == ANYP_SUCCESS && anypi_has_no_data(v->call.collective)) {
        ++*done;                /* it computes nothing */
    } else if (status == ANYP_SUCCESS) {
        ++*done;
        status = set_expression(set, &v->call, rank, 0, &text);
        ck_assert((status == ANYP_SUCCESS) == (text != NULL));
        anypi_free(text);
    }
    *done += status == ANYP_SUCCESS;
    anypi_set_free(set, v->call.p);
    return status;
}

static void fail_each_allocation(const variant *v, void *state)
{
    int done = 0, failed[STEPS_OF_WORK] = { 0 };
    (void) state;
    for (long after = 0; done < STEPS_OF_WORK; after++) {
        anypi_fail_allocation(after);
        const anyp_status status = work(v, &done);
        anypi_fail_allocation(-1);
        ck_assert_int_eq(status, done < STEPS_OF_WORK ? ANYP_ERR_MEMORY : ANYP_SUCCESS);
        if (done < STEPS_OF_WORK)
            failed[done]++;
    }
    const int steps = STEPS_OF_WORK - anypi_has_no_data(v->call.collective);
    for (int i = 0; i < steps; i++)
        ck_assert_int_gt(failed[i], 0);
}

START_TEST(each_allocation_fails)
{
    int count;
    const anyp_algorithm *algorithm = &anyp_algorithms(&count)[_i];
    for (int collective = 0; collective < ANYP_COLLECTIVES; collective++) {
        const anyp_call call = { .collective = (anyp_collective) collective, .p = 13, .count = 1300,
                                 .type_size = 8, .commutative = true };
        if (algorithm->collectives & ANYP_IN_SET(collective))
            ck_assert_int_gt(each_parameters(algorithm, &call, fail_each_allocation, NULL), 0);
    }
}
END_TEST

/* exchange makes the schedule of a segment first. */
START_TEST(allocations_of_segments)
{
    const char *reason;
    anyp_shape *nodes = anypi_shape_read("4,4,5", 13, &reason);
    ck_assert_ptr_nonnull(nodes);
    variant v = { .algorithm = anyp_algorithm_find("exchange"),
                  .call = { .collective = ANYP_ALLREDUCE, .p = 13, .count = 1300, .type_size = 8,
                            .nodes = nodes } };
    anyp_parameters_default(v.algorithm, v.parameters);
    static const char *const settings[][2] = {
        { "groups", "nodes" }, { "threshold", "0" }, { "radix", "4" }, { "node_radix", "8" },
        { "node_lanes", "0" }, { "node_segments", "3" }
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        ck_assert_int_eq(anyp_parameter_set(v.algorithm, v.parameters, settings[i][0],
                                            settings[i][1], &reason), ANYP_SUCCESS);
    int failed = 0;
    for (long after = 0; after < 20 * v.call.p; after++) {
        anyp_schedule *set;
        char why[300];
        anypi_fail_allocation(after);
        const anyp_status status = anypi_set_generate(v.algorithm, &v.call, v.parameters, &set);
        anypi_fail_allocation(-1);
        assert_often(status == ANYP_ERR_MEMORY ||
                     anypi_verify(set, &v.call, v.algorithm->properties, why, sizeof why) ==
                     ANYP_SUCCESS, "allocation %ld: %s", after, why);
        failed += status == ANYP_ERR_MEMORY;
        anypi_set_free(set, status == ANYP_SUCCESS ? v.call.p : 0);
    }
    ck_assert_int_gt(failed, 3 * v.call.p);
    anypi_shape_free(nodes);
}
END_TEST

static long taken, kept;                /* blocks of the other allocator: all, and not freed */

static void *counting_realloc(void *pointer, size_t size)
{
    taken++;
    kept += !pointer;
    return realloc(pointer, size);
}

static void counting_free(void *pointer)
{
    kept -= pointer != NULL;
    free(pointer);
}

/* All memory, also that of the process's tables, comes from a program's own allocator and is
 * returned to it. */
START_TEST(another_allocator)
{
    static const char *const settings[][3] = { { "circulant", "skips", "7,5,3,2,1" },
                                               { "bi_greedy", "segment", "1000" } };
    anypi_plans_free();
    anypi_lists_free();
    taken = kept = 0;
    anypi_use_allocator((anypi_allocator) { counting_realloc, counting_free });
    for (int i = 0; i < 2; i++) {
        const char *reason;
        int done;
        variant v = { .algorithm = anyp_algorithm_find(settings[i][0]),
                      .call = { .collective = ANYP_REDUCE, .p = 13, .count = 1300, .type_size = 8,
                                .commutative = true } };
        anyp_parameters_default(v.algorithm, v.parameters);
        ck_assert_int_eq(anyp_parameter_set(v.algorithm, v.parameters, settings[i][1],
                                            settings[i][2], &reason), ANYP_SUCCESS);
        ck_assert_int_eq(work(&v, &done), ANYP_SUCCESS);
    }
    ck_assert_int_gt(taken, 100);
    ck_assert_int_ge(kept, 2);          /* a list and a plan */
    anypi_plans_free();
    anypi_lists_free();
    anypi_use_allocator((anypi_allocator) { realloc, free });
    ck_assert_int_eq(kept, 0);
}
END_TEST

/* Memory that is kept over calls: larger, smaller, larger again, and with failures between. */
START_TEST(kept_memory)
{
    static const int sizes[] = { 5, 3, 1, 9, 4, 16, 2 };
    int count, capacity = 0, parameters[ANYP_MAX_PARAMETERS];
    const anyp_algorithm *algorithm = &anyp_algorithms(&count)[_i];
    const int collective = __builtin_ctz(algorithm->collectives);
    anyp_schedule *set = NULL;
    anypi_verifier *verifier = anypi_verifier_new();
    ck_assert_ptr_nonnull(verifier);
    anyp_parameters_default(algorithm, parameters);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const anyp_call call = { .collective = (anyp_collective) collective, .p = sizes[i],
                                 .count = 1000 * sizes[i], .type_size = 8, .commutative = true };
        char reason[300];
        anyp_status status = ANYP_ERR_MEMORY;
        for (long after = 0; status == ANYP_ERR_MEMORY; after++) {
            anypi_fail_allocation(after);
            status = anypi_set_generate_again(algorithm, &call, parameters, &set, &capacity);
            if (status == ANYP_SUCCESS)
                status = anypi_verifier_check(verifier, set, &call, algorithm->properties, reason,
                                              sizeof reason);
            anypi_fail_allocation(-1);
        }
        assert_often(status == ANYP_SUCCESS, "%s, p=%d: %s", algorithm->name, call.p, reason);
        ck_assert_int_ge(capacity, call.p);
    }
    anypi_verifier_free(verifier);
    anypi_set_free(set, capacity);
}
END_TEST

Suite *suite_memory(void)
{
    int algorithms;
    TCase *tests;
    Suite *suite = suite_of("memory", &tests);
    anyp_algorithms(&algorithms);
    tcase_add_loop_test(tests, each_allocation_fails, 0, algorithms);
    tcase_add_test(tests, allocations_of_segments);
    tcase_add_test(tests, another_allocator);
    tcase_add_loop_test(tests, kept_memory, 0, algorithms);
    return suite;
}
