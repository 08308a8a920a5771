/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_cache.c - the calls and programs that a communicator keeps.
 */
#include "unit/transport.h"

#include "execute/workspace.h"
#include "schedule/memory.h"

/* The status of the program of such a call, with blocks that begin at `starts` (NULL: equal ones),
 * and the entry that has it. `value`: of the first parameter, or 0 for all defaults. */
static anyp_status prepare(anypi_workspace *workspace, const char *name, int value,
                           const anyp_call *regular, const int64_t *starts, anypi_element element,
                           anypi_entry **entry)
{
    anyp_call uneven = *regular;
    const anyp_call *call = &uneven;
    for (int i = 0; starts && i < uneven.p; i++)
        if (starts[i + 1] - starts[i] > uneven.largest)
            uneven.largest = starts[i + 1] - starts[i];
    uneven.starts = starts;
    int parameters[ANYP_MAX_PARAMETERS];
    const anyp_algorithm *algorithm = anyp_algorithm_find(name);
    anyp_parameters_default(algorithm, parameters);
    if (value)
        parameters[0] = value;
    const anypi_call_key key = anypi_key_of(call, element, algorithm, parameters);
    *entry = anypi_cache_find(&workspace->cache, &key);
    if (!*entry)
        *entry = anypi_cache_add(&workspace->cache, &key, call);
    return !*entry ? ANYP_ERR_MEMORY
        : anypi_cache_program(&workspace->cache, *entry, element);
}

static void same_program(const anypi_program *a, const anypi_program *b)
{
    ck_assert_int_eq(a->count, b->count);
    ck_assert_int_eq(a->requests, b->requests);
    ck_assert_int_eq(a->scratch, b->scratch);
    ck_assert_int_eq(a->extent, b->extent);
    for (int i = 0; i < a->count; i++) {
        const anypi_op *x = &a->ops[i], *y = &b->ops[i];
        ck_assert(x->kind == y->kind && x->from_area == y->from_area && x->to_area == y->to_area &&
                  x->peer == y->peer && x->first == y->first && x->count == y->count &&
                  x->elements == y->elements && x->from == y->from && x->to == y->to);
    }
}

/* A cached program is used for equal calls only: if anything differs, the program is the same as
 * without an earlier call. */
START_TEST(programs_are_kept)
{
    static const int64_t starts[2][8] = { { 0, 1, 1, 4, 10, 11, 12, 14 },
                                          { 0, 2, 4, 6, 8, 10, 12, 14 } };
    const anyp_call base = { .collective = ANYP_REDUCE_SCATTER, .p = 7, .rank = 3, .count = 14,
                             .type_size = 4, .commutative = true };
    enum { CALLS = 8 };
    anyp_call calls[CALLS];
    anypi_workspace kept, fresh;
    anypi_entry *of_kept, *of_fresh;
    for (int i = 0; i < CALLS; i++)
        calls[i] = base;
    calls[1].count = 28;
    calls[2].in_place = true;
    calls[3].commutative = false;
    calls[4].collective = ANYP_REDUCE_SCATTER_BLOCK;
    calls[5].type_size = 8;
    calls[6].collective = calls[7].collective = ANYP_REDUCE;
    calls[7].root = 3;
    kept = (anypi_workspace) { .starts = NULL };
    for (int i = 0; i < 2 * CALLS * CALLS * 4; i++) {   /* after each, each other */
        const int k = i % 2 ? i / 2 % CALLS : i / (2 * CALLS) % CALLS;
        const bool may_own = calls[k].count == 14 && calls[k].collective != ANYP_REDUCE;
        const int64_t *own = may_own && i % 3 < 2 ? starts[i % 3] : NULL;
        const anypi_element element = elements[i / (2 * CALLS * CALLS) * (i % 2)];
        const int value = i / 4 % 2 * 3;        /* skips=linear, ports=3 */
        fresh = (anypi_workspace) { .starts = NULL };
        const char *name = i % 5 ? "circulant" : "ring";
        const anyp_status status = prepare(&fresh, name, value, &calls[k], own, element, &of_fresh);
        ck_assert_int_eq(prepare(&kept, name, value, &calls[k], own, element, &of_kept), status);
        if (status == ANYP_SUCCESS)
            same_program(of_kept->program, of_fresh->program);
        else                    /* ring serves only operators that commute */
            ck_assert_int_eq(status, ANYP_ERR_NOT_APPLICABLE);
        anypi_workspace_free(&fresh);
    }
    anypi_workspace_free(&kept);
}
END_TEST

/* The second of two equal small calls allocates nothing; nor does a call that needs no memory, even
 * if it is the first of its communicator. */
START_TEST(nothing_is_allocated_again)
{
    static const int calls[][2] = { { 64, 2 }, { 2, 2 }, { 1, 2 }, { 64, 0 } };    /* p, count */
    int32_t in[64] = { 0 }, out[64] = { 0 };
    int count;
    const anyp_algorithm *all = anyp_algorithms(&count);
    for (int i = 0; i < count; i++) {
        anypi_workspace workspace;
        anypi_entry *entry;
        anypi_transport transport = { .extent = 4 };
        anyp_call call = { .collective = ANYP_ALLREDUCE, .p = calls[_i][0],
                           .rank = calls[_i][0] > 5 ? 5 : 0, .count = calls[_i][1], .type_size = 4,
                           .commutative = true };
        if (!(all[i].collectives & ANYP_IN_SET(ANYP_ALLREDUCE)))
            continue;
        workspace = (anypi_workspace) { .starts = NULL };
        for (int again = 0; again < 2; again++) {
            transport.said[0] = '\0';
            if (again)
                anypi_fail_allocation(0);
            ck_assert_int_eq(prepare(&workspace, all[i].name, 0, &call, NULL, elements[0], &entry),
                             ANYP_SUCCESS);
            const char *missing =
                anypi_execute_call(&workspace, anypi_one_part(entry->program), false, in, out,
                                   &transport);
            anypi_fail_allocation(-1);
            ck_assert_msg(!missing, "%s p=%d", all[i].name, call.p);
        }
        anypi_workspace_free(&workspace);
    }
}
END_TEST

/* Whichever allocation fails, nothing was sent, and the next try is as if there had been none; or
 * the call does without that memory. */
START_TEST(without_memory)
{
    int32_t in[64] = { 0 }, out[64] = { 0 };
    const anyp_call before = { .collective = ANYP_ALLREDUCE, .p = 3, .rank = 1, .count = 2,
                               .type_size = 4, .commutative = true };
    const anyp_call call = { .collective = ANYP_ALLREDUCE, .p = 64, .rank = 5, .count = 64,
                             .type_size = 4, .commutative = true };
    enum { MOST = 30 };         /* more than there are */
    int failed = 0;
    for (int after = 0; after < MOST; after++) {
        anypi_workspace workspace = { .starts = NULL }, fresh = { .starts = NULL };
        anypi_entry *entry, *of_fresh;
        anypi_transport transport = { .extent = 4 };
        ck_assert_int_eq(prepare(&workspace, "butterfly", 0, &before, NULL, elements[0], &entry),
                         ANYP_SUCCESS);
        anypi_cache_end();
        anypi_fail_allocation(after);
        const anyp_status status =
            prepare(&workspace, "butterfly", 0, &call, NULL, elements[0], &entry);
        const bool done = status == ANYP_SUCCESS &&
            !anypi_execute_call(&workspace, anypi_one_part(entry->program), false, in, out,
                                &transport);
        anypi_fail_allocation(-1);
        ck_assert(status == ANYP_SUCCESS || status == ANYP_ERR_MEMORY);
        ck_assert(done == (transport.said[0] != '\0'));
        ck_assert(done || after < MOST / 2);
        failed += !done;
        ck_assert_int_eq(prepare(&workspace, "butterfly", 0, &call, NULL, elements[0], &entry),
                         ANYP_SUCCESS);
        ck_assert_int_eq(prepare(&fresh, "butterfly", 0, &call, NULL, elements[0], &of_fresh),
                         ANYP_SUCCESS);
        same_program(entry->program, of_fresh->program);
        ck_assert_ptr_null(anypi_execute_call(&workspace, anypi_one_part(entry->program), false,
                                              in, out, &transport));
        anypi_workspace_free(&workspace);
        anypi_workspace_free(&fresh);
    }
    ck_assert_int_gt(failed, 4);
}
END_TEST

/* The last few different calls are found again, in any order, and never another. Of one call more
 * than there are entries, in a cycle, some are found. */
START_TEST(calls_are_found_again)
{
    static const int cycles[] = { 1, 4, ANYPI_ENTRIES, ANYPI_ENTRIES + 1 };
    const int cycle = cycles[_i];
    anypi_cache cache = { .count = 0 };
    const int parameters[ANYP_MAX_PARAMETERS] = { 0 };
    int found = 0;
    for (int i = 0; i < 100 * cycle; i++) {
        const anyp_call call = { .collective = ANYP_ALLREDUCE, .p = 3, .count = i % cycle + 1 };
        const anypi_call_key key = anypi_key_of(&call, elements[0],
                                                anyp_algorithm_find("circulant"), parameters);
        anypi_entry *entry = anypi_cache_find(&cache, &key);
        if (entry) {
            ck_assert_int_eq(entry->call.count, call.count);
            found += i >= cycle;
        } else {
            entry = anypi_cache_add(&cache, &key, &call);
        }
        ck_assert_ptr_eq(anypi_cache_find(&cache, &key), entry);
    }
    if (cycle <= ANYPI_ENTRIES)
        ck_assert_int_eq(found, 99 * cycle);
    else
        ck_assert_int_gt(found, 10 * cycle);
    anypi_cache_forget(&cache);
    ck_assert_int_eq(cache.count, 0);
    anypi_cache_free(&cache);
}
END_TEST

/* The programs of long pipelines do not all stay, that of the last call does. */
START_TEST(programs_are_limited)
{
    anypi_workspace workspace = { .starts = NULL };
    size_t largest = 0;
    for (int i = 0; i < 4 * ANYPI_ENTRIES; i++) {
        const anyp_call call = { .collective = ANYP_REDUCE, .p = 5, .rank = 1, .type_size = 4,
                                 .count = 100000 + i, .commutative = true };
        size_t size = 0, last = 0;
        anypi_entry *entry;
        ck_assert_int_eq(prepare(&workspace, "bi_greedy", 1 << (i % 11), &call, NULL, elements[0],
                                 &entry), ANYP_SUCCESS);
        ck_assert(entry->ready);
        for (int k = 0; k < workspace.cache.count; k++) {
            const anypi_entry *one = workspace.cache.entries[k];
            ck_assert(one->ready || !one->program);
            const size_t own = one->program ? anypi_program_size(one->program) : 0;
            size += own;
            last = one == entry ? own : last;
        }
        ck_assert(size - last <= 64 * 1024);
        largest = size > largest ? size : largest;
    }
    ck_assert_uint_gt(largest, 64 * 1024);     /* there was something to limit */
    anypi_workspace_free(&workspace);
}
END_TEST

/* Equal calls share a program; it does not change for its other holders when its entry gets another
 * call, or is freed with its communicator. */
START_TEST(programs_are_shared)
{
    enum { EVICTED, FREED };
    const anyp_call call = { .collective = ANYP_REDUCE_SCATTER, .p = 3, .rank = 1, .count = 12,
                             .type_size = 4, .commutative = true };
    anypi_workspace workspace = { .starts = NULL }, fresh = { .starts = NULL };
    anypi_entry *entry, *of_fresh;
    prepare(&fresh, "circulant", 0, &call, NULL, elements[0], &of_fresh);
    ck_assert_int_eq(prepare(&workspace, "circulant", 0, &call, NULL, elements[0], &entry),
                     ANYP_SUCCESS);
    anypi_program *const held = anypi_program_hold(entry->program);
    prepare(&workspace, "circulant", 0, &call, NULL, elements[0], &entry);
    ck_assert_ptr_eq(entry->program, held);
    ck_assert_int_eq(held->holders, 2);
    anyp_call other = call;
    for (int i = 0; _i == EVICTED && i < 2 * ANYPI_ENTRIES; i++) {
        other.count += 3;
        prepare(&workspace, "circulant", 0, &other, NULL, elements[0], &entry);
        ck_assert_ptr_ne(entry->program, held);
    }
    if (_i == FREED)
        anypi_workspace_free(&workspace);
    same_program(held, of_fresh->program);
    ck_assert_int_eq(held->holders, 1);
    anypi_program_release(held);
    if (_i != FREED)
        anypi_workspace_free(&workspace);
    anypi_workspace_free(&fresh);
}
END_TEST

/* Calls with equal counts share an entry and its program; others do not, not even if their hashes
 * were equal. */
START_TEST(counts_are_compared)
{
    static const int64_t starts[][4] = { { 0, 1, 6, 12 }, { 0, 8, 9, 12 } };
    const anyp_call call = { .collective = ANYP_REDUCE_SCATTER, .p = 3, .rank = 1, .count = 12,
                             .type_size = 4, .commutative = true };
    anypi_workspace workspace = { .starts = NULL };
    anypi_entry *entries[6];
    for (int i = 0; i < 6; i++) {
        int64_t mine[4];                        /* the caller's array is another one each time */
        memcpy(mine, starts[i % 2], sizeof mine);
        prepare(&workspace, "circulant", 0, &call, mine, elements[0], &entries[i]);
        ck_assert_ptr_eq(entries[i], entries[i % 2]);
        ck_assert(entries[i]->ready);
    }
    ck_assert_ptr_ne(entries[0], entries[1]);
    ck_assert_ptr_ne(entries[0]->program, entries[1]->program);
    anypi_call_key key = entries[0]->key;
    key.starts = starts[1];
    ck_assert_ptr_null(anypi_cache_find(&workspace.cache, &key));
    key.starts = starts[0];
    ck_assert_ptr_eq(anypi_cache_find(&workspace.cache, &key), entries[0]);
    anypi_workspace_free(&workspace);
}
END_TEST

/* Equal calls with local sizes share a plan, which an entry loses with its call. */
START_TEST(plans_are_shared)
{
    anyp_call call = { .collective = ANYP_GATHERV, .p = 5, .rank = 1, .commutative = true };
    const anyp_algorithm *algorithm = anyp_algorithm_find("binomial");
    int parameters[ANYP_MAX_PARAMETERS];
    anypi_cache cache = { .count = 0 };
    anyp_parameters_default(algorithm, parameters);
    anypi_local_plan *first = NULL;
    for (int i = 0; i < 2 * ANYPI_ENTRIES; i++) {
        call.root = i % 5;
        call.in_place = i >= ANYPI_ENTRIES;
        const anypi_call_key key = anypi_key_of(&call, elements[0], algorithm, parameters);
        anypi_entry *entry = anypi_cache_find(&cache, &key);
        entry = entry ? entry : anypi_cache_add(&cache, &key, &call);
        anypi_settled_call one = anypi_settled_call_of(algorithm, &call, NULL);
        anypi_cache_settle(&cache, &one, entry->asked, false);
        memcpy(entry->parameters, one.parameters, sizeof entry->parameters);
        ck_assert_int_eq(anypi_cache_plan(&cache, entry), ANYP_SUCCESS);
        ck_assert_int_eq(entry->plan->limits.call.root, call.root);
        if (i == 0)
            first = anypi_local_plan_hold(entry->plan);
        ck_assert(i % 5 != 0 || i >= ANYPI_ENTRIES || entry->plan == first);
    }
    anypi_cache_free(&cache);
    ck_assert_int_eq(first->holders, 1);
    anypi_local_plan_release(first);
}
END_TEST

Suite *suite_cache(void)
{
    TCase *tests;
    Suite *suite = suite_of("cache", &tests);
    tcase_add_test(tests, programs_are_kept);
    tcase_add_test(tests, without_memory);
    tcase_add_loop_test(tests, nothing_is_allocated_again, 0, 4);
    tcase_add_loop_test(tests, calls_are_found_again, 0, 4);
    tcase_add_test(tests, programs_are_limited);
    tcase_add_loop_test(tests, programs_are_shared, 0, 2);
    tcase_add_test(tests, counts_are_compared);
    tcase_add_test(tests, plans_are_shared);
    return suite;
}
