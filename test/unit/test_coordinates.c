/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_coordinates.c - where a process is, by Slurm's variables and by a file of coordinates.
 */
#include "unit/common.h"

#include "settings/coordinates.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The levels of two addresses, as "=" where they are the same and "x" elsewhere, from the top. */
static void compare(const char *pattern, const char *one, const char *other, const char *same)
{
    anypi_location a, b;
    char found[ANYPI_LOCATION_LEVELS + 1];
    anypi_location_of_slurm(&a, one, pattern);
    anypi_location_of_slurm(&b, other, pattern);
    ck_assert_str_eq(a.fault, "");
    ck_assert_str_eq(b.fault, "");
    ck_assert_int_eq(a.count, b.count);
    for (int i = 0; i < a.count; i++)
        found[i] = a.name[a.count - 1 - i] == b.name[a.count - 1 - i] ? '=' : 'x';
    found[a.count] = '\0';
    ck_assert_msg(!strcmp(found, same), "%s, %s: %s", one, other, found);
}

START_TEST(slurm)
{
    static const char pattern[] = "switch.switch.switch.node";
    compare(pattern, "s0.s4.s8.tux1", "s0.s4.s8.tux1", "====");
    compare(pattern, "s0.s4.s8.tux1", "s0.s4.s8.tux2", "===x");
    compare(pattern, "s0.s4.s8.tux1", "s0.s4.s9.tux2", "==xx");
    compare(pattern, "s0.s4.s8.tux1", "s0.s5.s10.tux3", "=xxx");
    compare(pattern, "s[0-1].s4.s8.tux1", "s[0-1].s4.s8.tux1", "====");
    compare(pattern, "s[0-1].s4.s8.tux1", "s[0,2].s4.s8.tux1", "x===");
    compare("block.node", "b8.tux1", "b8.tux2", "=x");
    compare("node", "tux1", "tux2", "x");
    /* the last part may have dots */
    compare("block.node", "b8.tux1.site", "b8.tux1.other", "=x");
    /* no switch at a level: alone there */
    compare(pattern, "s0.s4..tux1", "s0.s4..tux2", "==xx");
    compare(pattern, "s0...tux1", "s0...tux1", "====");
    compare(pattern, "s0..s8.tux1", "s0..s8.tux2", "===x");
    compare(pattern, "s0..s8.tux1", "s0..s9.tux2", "=xxx");
    compare(pattern, "...tux1", "...tux2", "xxxx");
}
END_TEST

START_TEST(no_slurm)
{
    static const struct {
        const char *address, *pattern, *fault;
    } known[] = {
        { NULL, NULL, "" },
        { "s0.tux1", NULL, "SLURM_TOPOLOGY_ADDR_PATTERN is not set" },
        { NULL, "switch.node", "SLURM_TOPOLOGY_ADDR is not set" },
        { "tux1", "switch.node", "it has fewer parts" },
        { "", "switch.switch.node", "it has fewer parts" },
        { "s0.", "switch.node", "it names no node" },
        { "", "node", "it names no node" },
        { "a.b.c.d.e.f.g.h", "s.s.s.s.s.s.s.node", "more than 7 levels" },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        anypi_location levels = { .count = 3 };
        anypi_location_of_slurm(&levels, known[i].address, known[i].pattern);
        ck_assert_int_eq(levels.count, 0);
        ck_assert_msg(*known[i].fault ? strstr(levels.fault, known[i].fault) != NULL
                      : !*levels.fault, "%zu: %s", i, levels.fault);
    }
    char large[2000];
    memset(large, 'a', sizeof large);
    large[sizeof large - 1] = '\0';
    anypi_location levels;
    anypi_location_of_slurm(&levels, large, "switch.node");
    ck_assert_int_eq(levels.count, 0);
    ck_assert_ptr_nonnull(strstr(levels.fault, "SLURM_TOPOLOGY_ADDR=aaa"));
}
END_TEST

/* Of rank 2 of 4. */
static void read_file(anypi_location *levels, const char *text)
{
    char path[64];
    snprintf(path, sizeof path, "levels-%ld.tmp", (long) getpid());
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
    anypi_location_of_file(levels, path, 2, 4);
    unlink(path);
}

START_TEST(files)
{
    static const char *const right[] = {
        "# rank: group switch port\n0: 0 0 0\n1: 0 0 1\n2: 5 7 -1\n3: 1 2 3\n",
        "rank: group, switch, port\n\n2:5 7 0\r\n",
        "2: 5 7 9",
        "# one\n# another\n  2:   5   7   -1  \n# the end",
    };
    static const struct {
        const char *text, *fault;
    } wrong[] = {
        { "", "no line for rank 2" },
        { "\n0: 0 0 0\n1: 0 0 0\n3: 1 1 1\n", "no line for rank 2" },
        { "2: 5 7\n", "line 1: expected a rank" },
        { "0: 5 7 1\n2: 5 7 1 1\n", "line 2: expected a rank" },
        { "0: 5 7 1\nanything\n2: 5 7 1\n", "line 2: expected a rank" },
        { "2 5 7 1\n", "line 1: expected a rank" },
        { "2: 5 7 1\n4: 5 7 1\n", "line 2: rank 4; expected 0 to 3" },
        { "-1: 5 7 1\n2: 5 7 1\n-1: 5 7 1\n", "line 3: rank -1; expected" },
        { "2: -1 7 1\n", "line 1: rank 2 has no group or no switch" },
        { "2: 1 -1 1\n", "line 1: rank 2 has no group or no switch" },
        { "2: 99999999999999999999999999999999999999: 5\n", "line 1: expected" },
    };
    anypi_location levels;
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        read_file(&levels, right[i]);
        ck_assert_msg(!*levels.fault, "%zu: %s", i, levels.fault);
        ck_assert_int_eq(levels.count, 2);
        ck_assert_int_eq((int) levels.name[0], 7);
        ck_assert_int_eq((int) levels.name[1], 5);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        read_file(&levels, wrong[i].text);
        ck_assert_int_eq(levels.count, 0);
        ck_assert_msg(strstr(levels.fault, wrong[i].fault) != NULL, "%zu: %s", i, levels.fault);
    }
    anypi_location_of_file(&levels, "/", 2, 4);
    ck_assert_int_eq(levels.count, 0);
    ck_assert_str_ne(levels.fault, "");
    anypi_location_of_file(&levels, "/none/none", 2, 4);
    ck_assert_ptr_nonnull(strstr(levels.fault, "/none/none: No such file"));
}
END_TEST

Suite *suite_coordinates(void)
{
    Suite *suite = suite_create("coordinates");
    TCase *tests = tcase_create("coordinates");
    tcase_add_test(tests, slurm);
    tcase_add_test(tests, no_slurm);
    tcase_add_test(tests, files);
    suite_add_tcase(suite, tests);
    return suite;
}
