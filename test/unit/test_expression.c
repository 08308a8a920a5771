/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_expression.c - sums as text.
 */
#include "unit/common.h"

#include "schedule/memory.h"

#include <string.h>

static void assert_expression(const anyp_call *call, int blocks, const char *const *texts, int rank,
                              int block, const char *expected)
{
    char *text;
    anyp_schedule *set = set_from_text(call->p, blocks, texts);
    ck_assert_int_eq(set_expression(set, call, rank, block, &text), ANYP_SUCCESS);
    ck_assert_str_eq(text, expected);
    anypi_free(text);
    anypi_set_free(set, call->p);
}

START_TEST(brackets)
{
    const anyp_call call = { .collective = ANYP_REDUCE, .p = 4 };
    static const char *const chain[] = {
        "<1 A0-1 =I0-1 B0-1 +B0-1 A0-1 | <2 B1-2 +A0-1 B1-2 | <3 O0-1 +B1-2 O0-1", ">0 I0-1",
        ">0 I0-1", ">0 I0-1" };
    static const char *const right[] = {
        "<1 A0-1 <2 A1-2 <3 O0-1 +A1-2 O0-1 +A0-1 O0-1 +I0-1 O0-1", ">0 I0-1", ">0 I0-1",
        ">0 I0-1" };
    static const char *const balanced[] = { "<1 A0-1 +I0-1 A0-1 | <2 O0-1 +A0-1 O0-1", ">0 I0-1",
                                            "<3 A0-1 =I0-1 B0-1 +B0-1 A0-1 | >0 A0-1", ">2 I0-1" };
    assert_expression(&call, 1, chain, 0, 0, "x0+x1+x2+x3");
    assert_expression(&call, 1, right, 0, 0, "x0+(x1+(x2+x3))");
    assert_expression(&call, 1, balanced, 0, 0, "x0+x1+(x2+x3)");
}
END_TEST

START_TEST(blocks_and_copies)
{
    const anyp_call call = { .p = 2 };
    static const char *const texts[] = {
        "=I0-2 A2-4 =I0-1 A4-5 | >1 A3-5 <1 B3-5 +A3-5 B3-5 =B3-4 O1-2 =B4-5 O0-1",
        "=I0-2 A0-2 =I0-1 A2-3 | >0 A1-3 <0 B5-7 +B5-6 A1-2 +A2-3 B6-7 =A1-2 O1-2 =B6-7 O0-1" };
    assert_expression(&call, 2, texts, 0, 0, "x0+x1");
    assert_expression(&call, 2, texts, 0, 1, "x0+x1");
    assert_expression(&call, 2, texts, 1, 0, "x1+x0");
    assert_expression(&call, 2, texts, 1, 1, "x0+x1");
}
END_TEST

START_TEST(order_of_scratch)
{
    const anyp_call call = { .p = 2 };
    static const char *const texts[] = {
        "@1 2 0 >1 I0-3 <1 A0-2 <1 A2-3 +I1-3 A0-2 =A0-2 O1-3 =I0-1 B5-6 +A2-3 B5-6 =B5-6 O0-1",
        "@1 2 0 <0 O0-3 >0 I1-3 >0 I0-1 +I0-3 O0-3" };
    assert_expression(&call, 3, texts, 0, 0, "x1+x0");
    assert_expression(&call, 3, texts, 0, 1, "x0+x1");
    assert_expression(&call, 3, texts, 0, 2, "x0+x1");
}
END_TEST

START_TEST(in_place)
{
    const anyp_call all = { .p = 2, .in_place = true };
    static const char *const both[] = { ">1 O0-1 <1 A0-1 +O0-1 A0-1 =A0-1 O0-1",
                                        "<0 A0-1 >0 O0-1 +A0-1 O0-1" };
    assert_expression(&all, 1, both, 0, 0, "x0+x1");
    assert_expression(&all, 1, both, 1, 0, "x0+x1");
    const anyp_call root = { .collective = ANYP_REDUCE, .p = 2, .root = 1, .in_place = true };
    static const char *const one[] = { ">1 I0-1", "<0 A0-1 +A0-1 O0-1" };
    assert_expression(&root, 1, one, 1, 0, "x0+x1");
}
END_TEST

START_TEST(what_is_not_there)
{
    static const char *const texts[] = { "=I0-1 A0-1", "=I1-2 O1-2" };
    static const char *const twice[] = { "=I0-1 O0-1 +I0-1 O0-1 +I0-1 O0-1", "" };
    static const char *const stuck[] = { "<1 O0-1", "" };
    const anyp_call all = { .p = 2 };
    char *text;
    anyp_schedule *set = set_from_text(2, 2, texts);
    ck_assert_int_eq(set_expression(set, &all, 0, 0, &text), ANYP_ERR_SCHEDULE);
    ck_assert_ptr_null(text);
    anypi_set_free(set, 2);
    set = set_from_text(2, 1, twice);
    ck_assert_int_eq(set_expression(set, &all, 0, 0, &text), ANYP_ERR_SCHEDULE);
    anypi_set_free(set, 2);
    set = set_from_text(2, 1, stuck);
    ck_assert_int_eq(set_expression(set, &all, 0, 0, &text), ANYP_ERR_SCHEDULE);
    anypi_set_free(set, 2);
}
END_TEST

/* A chain of sums through all ranks, the deepest one. */
START_TEST(deep)
{
    enum { P = 20000 };
    const anyp_call call = { .collective = ANYP_REDUCE, .p = P };
    anyp_schedule *set = anypi_realloc(NULL, P * sizeof *set);
    for (int rank = 0; rank < P; rank++) {
        anyp_schedule *s = &set[rank];
        const anyp_slice sum = anypi_slice(rank == 0 ? ANYP_OUT : ANYP_SCRATCH, 0, 1);
        const anyp_slice own = anypi_slice(ANYP_IN, 0, 1);
        anyp_schedule_init(s);
        anypi_schedule_begin(s, P, rank, 1);
        if (rank < P - 1) {
            anypi_recv(s, rank + 1, sum);
            anypi_reduce(s, own, sum);
        }
        anypi_round(s);
        if (rank > 0)
            anypi_send(s, rank - 1, rank < P - 1 ? sum : own);
        ck_assert_int_eq(anypi_schedule_end(s), ANYP_SUCCESS);
    }
    char *text;
    ck_assert_int_eq(set_expression(set, &call, 0, 0, &text), ANYP_SUCCESS);
    ck_assert_mem_eq(text, "x0+(x1+(x2+(", 12);
    ck_assert_str_eq(text + strlen(text) - 5, ")))))");
    size_t open = 0;
    for (const char *c = text; *c; c++)
        open += *c == '(';
    ck_assert_uint_eq(open, P - 2);
    anypi_free(text);
    anypi_set_free(set, P);
}
END_TEST

Suite *suite_expression(void)
{
    TCase *tests;
    Suite *suite = suite_of("expression", &tests);
    tcase_add_test(tests, brackets);
    tcase_add_test(tests, blocks_and_copies);
    tcase_add_test(tests, order_of_scratch);
    tcase_add_test(tests, in_place);
    tcase_add_test(tests, what_is_not_there);
    tcase_add_test(tests, deep);
    return suite;
}
