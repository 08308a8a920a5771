/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_shapes.c - shapes of machines: from text, as text, and from the places of ranks.
 */
#include "unit/common.h"

#include "schedule/memory.h"
#include "schedule/shape.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static anyp_shape *read_nodes(const char *text)
{
    const char *reason;
    anyp_shape *nodes = anypi_shape_read(text, 0, &reason);
    ck_assert_msg(nodes != NULL, "%s: %s", text, reason);
    return nodes;
}

START_TEST(shapes_as_text)
{
    static const struct {
        const char *text;
        int count, first[5], rank[8];
        bool permuted;
    } known[] = {
        { "2x3", 2, { 0, 3, 6 }, { 0 }, false },
        { "3,1,2", 3, { 0, 3, 4, 6 }, { 0 }, false },
        { "2x2,1", 3, { 0, 2, 4, 5 }, { 0 }, false },
        { "5", 1, { 0, 5 }, { 0 }, false },
        { "1x5:cyclic", 1, { 0, 5 }, { 0 }, false },
        { "3x1:cyclic", 3, { 0, 1, 2, 3 }, { 0 }, false },
        { "2x3:cyclic", 2, { 0, 3, 6 }, { 0, 2, 4, 1, 3, 5 }, true },
        { "3,1,2:cyclic", 3, { 0, 3, 4, 6 }, { 0, 3, 5, 1, 2, 4 }, true },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        anyp_shape *nodes = read_nodes(known[i].text);
        ck_assert_int_eq(nodes->count, known[i].count);
        for (int k = 0; k <= nodes->count; k++)
            ck_assert_int_eq(anypi_shape_first(nodes, k), known[i].first[k]);
        ck_assert_msg((nodes->rank != NULL) == known[i].permuted, "%s", known[i].text);
        for (int k = 0; nodes->rank && k < anypi_shape_ranks(nodes); k++)
            ck_assert_int_eq(nodes->rank[k], known[i].rank[k]);
        anypi_shape_free(nodes);
    }
}
END_TEST

START_TEST(no_shapes)
{
    static const char *const texts[] = {
        "", "0", "x", "3x", "x3", "0x3", "3x0", "3,", ",3", "3,,3", "-1", "3x3x3", "a", "3 ",
        "3:", "3:round", "3x3:cyclic ", "99999x99999", "9999999999", "16777216,1", "+3", " 3",
        "(3", "3)", "()", "2x()", "(3),", "(3)x2", "2x(3,(4)", "(((((((((3)))))))))",
    };
    const char *reason;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        ck_assert_msg(!anypi_shape_read(texts[i], 0, &reason), "'%s'", texts[i]);
        ck_assert_ptr_nonnull(reason);
    }
    ck_assert_ptr_null(anypi_shape_read("2x3", 5, &reason));
    ck_assert_ptr_nonnull(strstr(reason, "processes"));
}
END_TEST

/* From the node of each rank, whatever the nodes' numbers are. */
START_TEST(nodes_of_ranks)
{
    static const int names[] = { 7, -3, 1000000, 0, 5, INT_MAX, INT_MIN };
    static const char *const texts[] = { "1x1", "4x3", "3,1,2", "7x1", "2x3:cyclic",
                                         "3,1,2,5:cyclic", "2x6,1:cyclic" };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        anyp_shape *nodes = read_nodes(texts[i]);
        const int p = anypi_shape_ranks(nodes);
        int node_of[32];
        for (int node = 0; node < nodes->count; node++)
            for (int k = 0; k < anypi_shape_size(nodes, node); k++)
                node_of[anypi_shape_rank(nodes, anypi_shape_first(nodes, node) + k)] = names[node];
        anyp_shape *made = anypi_shape_make(node_of, 1, p);
        ck_assert_ptr_nonnull(made);
        ck_assert(anypi_shape_equal(made, nodes));
        anypi_shape_free(made);
        anypi_shape_free(nodes);
    }
}
END_TEST

/* Text to nested shapes: where nodes begin, then switches (counted in nodes), then groups. */
START_TEST(nested_shapes)
{
    static const struct {
        const char *text, *heights;
    } known[] = {
        { "2x(2x3),(3)", "0 3 6 9 12 15/0 2 4 5" },
        { "2x(2x3),4", "0 3 6 9 12 16/0 2 4 5" },
        { "(2x3),(2,1)", "0 3 6 8 9/0 2 4" },
        { "1,(2,(3,(5,8)))", "0 1 3 6 11 19/0 1 2 3 5/0 1 2 4/0 1 3" },
        { "2x(2x(2x1)),(1,1)", "0 1 2 3 4 5 6 7 8 9 10/0 2 4 6 8 9 10/0 2 4 6" },
        { "(2x3)", "0 3 6" }, { "2x(3)", "0 3 6" }, { "((2x3),(3))", "0 3 6 9/0 2 3" },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        anyp_shape *shape = read_nodes(known[i].text);
        char text[200] = "";
        for (const anyp_shape *one = shape; one; one = one->above)
            for (int k = 0; k <= one->count; k++)
                sprintf(text + strlen(text), "%s%d", k ? " " : one != shape ? "/" : "",
                        anypi_shape_first(one, k));
        ck_assert_str_eq(text, known[i].heights);
        const anyp_shape *lowest = anypi_shape_lowest(shape, true);
        ck_assert_int_eq(lowest->count, (shape->above ? shape->above : shape)->count);
        for (int k = 0; k <= lowest->count && shape->above; k++)
            ck_assert_int_eq(anypi_shape_first(lowest, k), anypi_shape_begin(shape, 1, k));
        ck_assert_ptr_null(lowest->above);
        anypi_shape_free(shape);
    }
}
END_TEST

START_TEST(texts_of_shapes)
{
    static const char *const same[] = {
        "1", "4x3", "3,1,2", "7x1", "2x3:cyclic", "3,1,2,5:cyclic", "2x6,1:cyclic",
        "5x(8x4),(5x4)", "2x(2x3),4", "(2x3),2x4,(2,1)", "1,(2,(3,(5,8)))", "40,5x1",
        "2x(2x(2x1)),(2x1)", "2x(2x2):cyclic", "(2x(2x2),(1,3)),2x(2x(2x2)),3", "12x(11x(10x9))",
    };
    static const char *const shorter[][2] = {
        { "2x(3)", "2x3" }, { "((2x3),(3))", "(2x3),3" }, { "1,1,(2,2),(2x2),1", "2x1,2x(2x2),1" },
        { "1x5:cyclic", "5" }, { "(2x3)", "2x3" },
    };
    const size_t count = sizeof same / sizeof *same;
    for (size_t i = 0; i < count + sizeof shorter / sizeof *shorter; i++) {
        anyp_shape *shape = read_nodes(i < count ? same[i] : shorter[i - count][0]);
        char *text = anypi_shape_text(shape);
        ck_assert_str_eq(text, i < count ? same[i] : shorter[i - count][1]);
        anyp_shape *again = read_nodes(text);
        ck_assert(anypi_shape_equal(shape, again));
        anypi_free(text);
        anypi_shape_free(again);
        anypi_shape_free(shape);
    }
    static const int mixed[] = { 0, 1, 1, 0 };
    anyp_shape *shape = anypi_shape_make(mixed, 1, 4);
    ck_assert_ptr_null(anypi_shape_text(shape));
    anypi_shape_free(shape);
}
END_TEST

/* Ranks that are dealt to nodes at switches; the runs of consecutive ones for operators that do
 * not commute. */
START_TEST(runs_of_ranks)
{
    static const int places[2][8] = { { 0, 0, 1, 1, 2, 2, 0, 0 }, { 5, 5, 5, 5, 9, 9, 5, 5 } };
    static const int rank[] = { 0, 1, 6, 7, 2, 3, 4, 5 };
    /* switches of two groups have the same numbers */
    static const int again[3][4] = { { 0, 1, 2, 3 }, { 7, 8, 7, 7 }, { 0, 1, 1, 1 } };
    anyp_shape *shape = anypi_shape_make(again[0], 3, 4);
    ck_assert_ptr_null(shape->rank);
    ck_assert_int_eq(anypi_shape_heights(shape), 2);
    anypi_shape_free(shape);
    shape = anypi_shape_make(places[0], 2, 8);
    ck_assert_mem_eq(shape->rank, rank, sizeof rank);
    ck_assert(anypi_shape_equal(shape, shape) && !anypi_shape_equal(shape, shape->runs));
    ck_assert_int_eq(shape->count, 3);
    ck_assert_int_eq(shape->above->count, 2);
    ck_assert_int_eq(anypi_shape_first(shape->above, 1), 2);
    ck_assert_ptr_null(shape->runs->rank);
    ck_assert_int_eq(shape->runs->count, 4);
    ck_assert_int_eq(shape->runs->above->count, 3);
    ck_assert_int_eq(anypi_shape_heights(shape), 2);
    anypi_shape_free(shape);
    shape = read_nodes("2x(2x2):cyclic");
    ck_assert_int_eq(shape->rank[1], 4);
    ck_assert_int_eq(shape->above->count, 2);
    ck_assert_int_eq(shape->runs->count, 8);
    ck_assert_int_eq(anypi_shape_heights(shape->runs), 1);      /* runs of two at a switch */
    anypi_shape_free(shape);
}
END_TEST

/* Equal groups take one span, however many they are, and different ones one each time that they
 * change; groups of one kind are known as such. */
START_TEST(spans_of_equal_groups)
{
    static const struct {
        const char *text;
        int spans[3], like[4];  /* spans at each height; what the first nodes are like */
    } known[] = {
        { "10000x96", { 1 }, { 0, 0, 0, 0 } },
        { "1000x(10x96)", { 1, 1 }, { 0, 0, 0, 0 } },
        { "5x(8x4),(5x4)", { 1, 2 }, { 0, 0, 0, 0 } },
        { "10x8,6,10x8", { 3 }, { 0, 0, 0, 0 } },
        { "8,6,8,6", { 4 }, { 0, 1, 0, 1 } },
        { "2x(2x3,2x1),(4x3)", { 5, 2 }, { 0, 0, 2, 2 } },
        { "2x(2x(2x2)),(2x(3x2))", { 1, 2, 2 }, { 0, 0, 0, 0 } },
        { "50x8:cyclic", { 1 }, { 0, 0, 0, 0 } },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        anyp_shape *shape = read_nodes(known[i].text);
        int height = 0;
        for (const anyp_shape *one = shape; one; one = one->above, height++)
            ck_assert_msg(one->spans_count == known[i].spans[height], "%s: %d spans at height %d",
                          known[i].text, one->spans_count, height);
        for (int k = 0; k < 4; k++)
            ck_assert_int_eq(anypi_shape_span(shape, k)->like, known[i].like[k]);
        ck_assert_int_eq(anypi_shape_first(shape, shape->count), anypi_shape_ranks(shape));
        for (int k = 0; k < shape->count; k += 1 + shape->count / 100)
            ck_assert_int_eq(anypi_shape_at(shape, anypi_shape_first(shape, k)), k);
        anypi_shape_free(shape);
    }
    anyp_shape *one = read_nodes("13x8"), *other = anypi_shape_make_regular(13, 8);
    ck_assert(anypi_shape_equal(one, other));
    anypi_shape_free(one);
    anypi_shape_free(other);
}
END_TEST

Suite *suite_shapes(void)
{
    TCase *tests;
    Suite *suite = suite_of("shapes", &tests);
    tcase_add_test(tests, shapes_as_text);
    tcase_add_test(tests, no_shapes);
    tcase_add_test(tests, nodes_of_ranks);
    tcase_add_test(tests, nested_shapes);
    tcase_add_test(tests, texts_of_shapes);
    tcase_add_test(tests, runs_of_ranks);
    tcase_add_test(tests, spans_of_equal_groups);
    return suite;
}
