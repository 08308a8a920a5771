/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_shapes.c - nodes as text, and the first ranks of nodes.
 */
#include "common.h"

#include "tuner/node_shapes.h"
#include "schedule/memory.h"
#include "schedule/nodes.h"

START_TEST(shapes_as_text)
{
    static const char *const texts[] = { "1", "4x3", "3,1,2", "7x1", "2x3:cyclic", "3,1,2,5:cyclic",
                                         "2x6,1:cyclic" };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        anyp_nodes *nodes = tune_read_nodes(texts[i]);
        char *text = anypi_nodes_text(nodes);
        ck_assert_str_eq(text, texts[i]);
        anypi_free(text);
        anypi_nodes_free(nodes);
    }
    static const int mixed[] = { 0, 1, 1, 0 };
    anyp_nodes *nodes = anypi_nodes_make(mixed, 4);
    ck_assert_ptr_nonnull(nodes);
    ck_assert_ptr_null(anypi_nodes_text(nodes));
    anypi_nodes_free(nodes);
}
END_TEST

START_TEST(parts_of_nodes)
{
    static const struct {
        const char *all;
        int p;
        const char *part;
    } known[] = {
        { "3x4", 12, "3x4" }, { "3x4", 8, "2x4" }, { "3x4", 9, "2x4,1" }, { "3x4", 3, "3" },
        { "4,1,3", 5, "4,1" }, { "3x4:cyclic", 8, "2x4:cyclic" }, { "3x4:cyclic", 4, "4" },
        { "4,1,3:cyclic", 8, "4,1,3:cyclic" }, { "2x3:cyclic", 4, "3,1:cyclic" },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        anyp_nodes *nodes = tune_read_nodes(known[i].all);
        anyp_nodes *part = anypi_nodes_part(nodes, known[i].p);
        ck_assert_ptr_nonnull(part);
        char *text = anypi_nodes_text(part);
        ck_assert_str_eq(text, known[i].part);
        anypi_free(text);
        anypi_nodes_free(part);
        anypi_nodes_free(nodes);
    }
}
END_TEST

TCase *tune_shapes(void)
{
    TCase *tests = tcase_create("shapes");
    tcase_add_test(tests, shapes_as_text);
    tcase_add_test(tests, parts_of_nodes);
    return tests;
}
