/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_options.c - command lines, and the tables of an MPICH's names that they select.
 */
#include "common.h"

#include "schedule/collectives.h"
#include "tuner/candidates.h"
#include "tuner/tuner_options.h"
#include "select/jsonc.h"
#include "select/mpich.h"

#include <string.h>
#include <unistd.h>

START_TEST(lists_on_the_command_line)
{
    static const char *const wrong[] = { "", ",", "2,", "a", "5-2", "2-", "-2", "2 3", "1", "17",
                                         "99999999999999999999", "2--3", "2-99", "3KK" };
    int64_t list[ANYPI_MAX_LIST];
    const char *reason;
    ck_assert_int_eq(anypi_parse_list("8,2-4,3", 2, 16, list, &reason), 4);
    ck_assert_int_eq(list[0], 2);
    ck_assert_int_eq(list[3], 8);
    ck_assert_int_eq(anypi_parse_list("1M,16,2k", 1, 1 << 30, list, &reason), 3);
    ck_assert_int_eq(list[1], 2048);
    ck_assert_int_eq(list[2], 1 << 20);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        reason = NULL;
        ck_assert_msg(!anypi_parse_list(wrong[i], 2, 16, list, &reason), "%s", wrong[i]);
        ck_assert_ptr_nonnull(reason);
    }
    ck_assert_int_eq(anypi_parse_list("1-100", 1, 1000, list, &reason), 0);
}
END_TEST

START_TEST(command_lines)
{
    static const struct {
        char *arguments[6];
        const char *message;
    } wrong[] = {
        { { "t", "--nonsense" }, "unknown or ambiguous option '--nonsense'" },
        { { "t", "--buget=9" }, "did you mean --budget?" },
        { { "t", "-b" }, "unknown option '-b'" },
        { { "t", "--output" }, "option '--output' requires a value" },
        { { "t", "--verbose=1" }, "option '--verbose=1' does not take a value" },
        { { "t", "file" }, "'file' is not an option" },
        { { "t", "--join" }, "which files?" },
        { { "t", "--calls" }, "option '--calls' requires a value" },
        { { "t", "--calls", "" }, "--calls: the name of a file is missing" },
        { { "t", "--calls", "a", "b", "--sizes", "8" }, "leave out --sizes, --procs, " },
        { { "t", "--calls", "a", "--procs=3" }, "leave out --sizes, --procs, " },
        { { "t", "--calls", "a", "--validate", "b" }, "leave out --sizes, --procs, " },
        { { "t", "--budget", "0" }, "--budget: '0' is not a number from 1 to 1000000" },
        { { "t", "--budget", "x" }, "'x' is not a number" },
        { { "t", "--budget", "10min" }, "(seconds; s, m or h may follow)" },
        { { "t", "--budget", "m" }, "'m' is not a number" },
        { { "t", "--budget", "-1m" }, "'-1m' is not a number" },
        { { "t", "--budget", "999h" }, "'999h' is not a number from 1 to 1000000" },
        { { "t", "--budget", "inf" }, "'inf' is not a number" },
        { { "t", "--procs", "17" }, "out of range" },
        { { "t", "--procs", "2-" }, "not numbers and ranges" },
        { { "t", "--sizes", "0" }, "out of range" },
        { { "t", "--collectives", "broadcast" }, "there is no broadcast" },
        { { "t", "--operators", "max" }, "there is no max" },
        { { "t", "--operators", "" }, "--operators: nothing is named" },
        { { "t", "--collectives", "" }, "--collectives: nothing is named" },
        { { "t", "--output", "" }, "--output: the name of a file is missing" },
        { { "t", "--save", "" }, "--save: the name of a file is missing" },
        { { "t", "--most-messages", "x" }, "'x' is not a whole number from 0 to" },
        { { "t", "--most-messages", "-1" }, "'-1' is not a whole number" },
        { { "t", "--check-bytes", "64Kx" }, ", or one followed by K, M or G" },
        { { "t", "--check-bytes", "9999999999G" }, "is not a whole number" },
    };
    static char *right[] = { "t", "--check-bytes", "64K", "--budget", "1.5", "--most-messages=3m" };
    static anypi_plan plan;
    anypi_options options;
    char message[256];
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char *arguments[6];
        int count = 0;
        while (count < 6 && wrong[i].arguments[count]) {
            arguments[count] = wrong[i].arguments[count];
            count++;
        }
        message[0] = '\0';
        optind = 0;
        ck_assert(!anypi_options_read(count, arguments, 16, &options, &plan, message,
                                      sizeof message));
        ck_assert_msg(strstr(message, wrong[i].message), "%s: %s", wrong[i].arguments[1], message);
    }
    optind = 0;
    ck_assert_msg(anypi_options_read(6, right, 16, &options, &plan, message, sizeof message), "%s",
                  message);
    ck_assert_int_eq(plan.max_checked, 1 << 16);
    ck_assert_int_eq(plan.max_messages, 3 << 20);
    ck_assert_double_eq(options.budget, 1.5);
    ck_assert_int_eq(plan.sizes_count, 19);
}
END_TEST

START_TEST(durations)
{
    static const struct { char *text; double seconds; } rows[] = {
        { "90", 90 }, { "90s", 90 }, { "10m", 600 }, { ".5h", 1800 }, { "1h", 3600 },
    };
    static anypi_plan plan;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *arguments[] = { "t", "--budget", rows[i].text }, message[256];
        anypi_options options;
        optind = 0;
        ck_assert(anypi_options_read(3, arguments, 16, &options, &plan, message, sizeof message));
        ck_assert_double_eq(options.budget, rows[i].seconds);
    }
}
END_TEST

/* No file replaces another one, whatever its names. */
START_TEST(files_of_a_command_line)
{
    static const struct {
        char *arguments[7];
        const char *message;            /* NULL: right */
    } lines[] = {
        { { "t", "--output", "x", "--save", "x" }, "--output and --save are the same file, x;" },
        { { "t", "--output", "x", "--save", "./x" }, "are the same file" },
        { { "t", "--save", "./anyp-tuned.json" }, "are the same file" },
        { { "t", "--output", "x", "--save", "sub/./x" }, "are the same file" },
        { { "t", "--output", "x", "--save", "sub/x" }, "are the same file" },
        { { "t", "--output", "there", "--save", "hard" }, "are the same file" },
        { { "t", "--output", "there", "--mpich", "soft" }, "--output and --mpich" },
        { { "t", "--save", "hard", "--mpich", "there" }, "--save and --mpich" },
        { { "t", "--join", "--output", "x", "./x" }, "would replace the times" },
        { { "t", "--join", "--output", "there", "x", "soft" }, "would replace the times" },
        { { "t", "--output", "x", "--save", "y" }, NULL },
        { { "t", "--output", "loop", "--save", "none/x" }, NULL },
        { { "t", "--output", "soft", "--save", "sub/y" }, NULL },
        { { "t", "--join", "--output", "x", "--save", "there", "hard" }, NULL },
    };
    static anypi_plan plan;
    anypi_options options;
    char folder[] = "/tmp/tune-test-XXXXXX", before[4096], message[256];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_ptr_nonnull(getcwd(before, sizeof before));
    ck_assert_int_eq(chdir(folder), 0);
    FILE *file = fopen("there", "w");
    ck_assert_ptr_nonnull(file);
    fclose(file);
    ck_assert(!link("there", "hard") && !symlink("there", "soft") && !symlink(".", "sub") &&
              !symlink("loop", "loop"));
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char *arguments[7];
        int count = 0;
        for (; count < 7 && lines[i].arguments[count]; count++)
            arguments[count] = lines[i].arguments[count];
        message[0] = '\0';
        optind = 0;
        ck_assert_msg(anypi_options_read(count, arguments, 16, &options, &plan, message,
                                         sizeof message), "%s", message);
        const bool apart = anypi_options_apart(&options, message, sizeof message);
        ck_assert_msg(apart == !lines[i].message && (apart || strstr(message, lines[i].message)),
                      "line %d: %s", (int) i, message);
    }
    ck_assert_int_eq(system("rm there hard soft sub loop"), 0);
    ck_assert(!chdir(before) && !rmdir(folder));
}
END_TEST

/* By default the reductions but scans, and what programs use most of the others; help names all. */
START_TEST(collectives_of_a_run)
{
    static const char *const usual[] = { "allreduce", "reduce", "reduce_scatter",
                                         "reduce_scatter_block", "bcast", "allgather",
                                         "alltoall" };
    bool wanted[ANYP_COLLECTIVES], named[ANYP_COLLECTIVES] = { false };
    char message[256];
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (anyp_collective_find(usual[i]) != ANYP_COLLECTIVES)
            named[anyp_collective_find(usual[i])] = true;
    ck_assert(anypi_collectives_read(NULL, wanted, message, sizeof message));
    for (int i = 0; i < ANYP_COLLECTIVES; i++) {
        const char *name = anyp_collective_name((anyp_collective) i);
        char word[64];
        ck_assert_msg(wanted[i] == named[i], "%s", name);
        snprintf(word, sizeof word, " %s,", name);
        ck_assert_msg(!strstr(anypi_collectives_help, word) ==
                      anypi_has_local_sizes((anyp_collective) i), "%s", name);
    }
    ck_assert(anypi_collectives_read("bcast,reduce", wanted, message, sizeof message));
    for (int i = 0; i < ANYP_COLLECTIVES; i++)
        ck_assert_int_eq(wanted[i], i == ANYP_BCAST || i == ANYP_REDUCE);
    ck_assert(!anypi_collectives_read("bcast,broadcast", wanted, message, sizeof message));
    ck_assert(anypi_collectives_read("allgatherv", wanted, message, sizeof message));
    ck_assert(!anypi_collectives_read("bcast,gatherv", wanted, message, sizeof message));
    ck_assert_msg(strstr(message, "gatherv is not measured") != NULL, "%s", message);
}
END_TEST

START_TEST(tables_of_names)
{
    static const char *const wrong[] = {
        "", "[]", "{}", "{\"cvars\": []}", "{\"cvars\": {\"A\": 1}}",
        "{\"cvars\": {\"A\": {\"auto\": \"0\"}}}", "{\"cvars\": {", "null"
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct json_object *table = json_tokener_parse(wrong[i]);
        ck_assert_msg(!anypi_cvars_of(table), "%s", wrong[i]);
        json_object_put(table);
    }
    struct json_object *table = json_tokener_parse(tune_table);
    anypi_cvars *cvars = anypi_cvars_of(table);
    ck_assert_int_eq(anypi_cvars_find(cvars, "MPIR_CVAR_REDUCE_INTRA_ALGORITHM", "binomial", 7), 2);
    ck_assert_int_eq(anypi_cvars_find(cvars, "MPIR_CVAR_REDUCE_INTRA_ALGORITHM", "other", 7), 7);
    ck_assert_int_eq(anypi_cvars_find(cvars, "MPIR_CVAR_OTHER", "auto", 7), 7);
    json_object_put(table);
}
END_TEST

/* The table in force has the control variables, if it is of an MPICH that is installed. */
START_TEST(the_table_in_force)
{
    static const char *const wrong[] = { "/nowhere", "9.9", "", TUNE_TABLES };
    char message[1024] = "";
    ck_assert_msg(anypi_names_open("4.0.3", message, sizeof message), "%s", message);
    ck_assert_ptr_null(anypi_mpich_table());
    ck_assert_ptr_null(anypi_cvars_of(anypi_mpich_table()));
    ck_assert_msg(anypi_names_open(TUNE_TABLES "/5.0.json", message, sizeof message), "%s",
                  message);
    ck_assert_ptr_nonnull(anypi_mpich_table());
    ck_assert_ptr_null(anypi_cvars_of(anypi_mpich_table()));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        message[0] = '\0';
        ck_assert_msg(!anypi_names_open(wrong[i], message, sizeof message), "%s", wrong[i]);
        ck_assert_msg(!strncmp(message, "--mpich: ", 9), "%s", message);
    }
    ck_assert(anypi_names_open(NULL, message, sizeof message));
    ck_assert_ptr_null(anypi_mpich_table());
}
END_TEST

TCase *tune_options(void)
{
    TCase *tests = tcase_create("options");
    tcase_add_test(tests, lists_on_the_command_line);
    tcase_add_test(tests, command_lines);
    tcase_add_test(tests, durations);
    tcase_add_test(tests, files_of_a_command_line);
    tcase_add_test(tests, collectives_of_a_run);
    tcase_add_test(tests, tables_of_names);
    tcase_add_test(tests, the_table_in_force);
    return tests;
}
