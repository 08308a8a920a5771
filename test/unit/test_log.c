/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_log.c - which lines of the log a process writes.
 */
#include "unit/common.h"

#include "execute/log.h"
#include "schedule/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static FILE *heard;
static int true_stderr;

static void listen(void)
{
    heard = tmpfile();
    fflush(stderr);
    true_stderr = dup(STDERR_FILENO);
    ck_assert(heard && true_stderr >= 0 && dup2(fileno(heard), STDERR_FILENO) >= 0);
}

/* What was written since listen() must be this. */
static void heard_only(const char *wanted)
{
    char text[4096];
    fflush(stderr);
    dup2(true_stderr, STDERR_FILENO);
    close(true_stderr);
    rewind(heard);
    text[fread(text, 1, sizeof text - 1, heard)] = '\0';
    fclose(heard);
    ck_assert_str_eq(text, wanted);
}

/* A call of p ranks on a communicator. */
static void say(anypi_logged *logged, int p, int64_t bytes, const char *what, unsigned age)
{
    anypi_log_line line;
    if (!anypi_log_begin(&line, logged, age, ANYPI_BLOCKING, ANYP_ALLREDUCE, p, bytes,
                         ANYPI_COMMUTATIVE))
        return;
    anypi_log_add(&line, "%s", what);
    anypi_log_end(&line);
}

/* 300 communicators with the same calls: a line for each algorithm and size class. */
START_TEST(lines_are_written_once)
{
    enum { COMMUNICATORS = 300 };
    anypi_logged *logged = calloc(COMMUNICATORS + 1, sizeof *logged);
    listen();
    for (int i = 0; i < COMMUNICATORS; i++)
        for (int call = 0; call < 3; call++) {
            say(&logged[i], 13, 8 + i % 8, "anyp_ring, by A", 0);
            say(&logged[i], 13, 1000, i == 7 ? "anyp_ring, by B" : "anyp_ring, by A", 0);
        }
    say(&logged[COMMUNICATORS], 12, 8, "anyp_ring, by A", 0);
    anypi_log_finish();
    heard_only("anyp: allreduce p=13 bytes=8 op=commutative -> anyp_ring, by A\n"
               "anyp: allreduce p=13 bytes=1000 op=commutative -> anyp_ring, by A\n"
               "anyp: allreduce p=13 bytes=1000 op=commutative -> anyp_ring, by B\n"
               "anyp: allreduce p=12 bytes=8 op=commutative -> anyp_ring, by A\n"
               "anyp: on 299 other communicators: allreduce p=13 bytes=8 op=commutative -> "
               "anyp_ring, by A\n"
               "anyp: on 298 other communicators: allreduce p=13 bytes=1000 op=commutative -> "
               "anyp_ring, by A\n");
    for (int i = 0; i <= COMMUNICATORS; i++)
        anypi_free(logged[i].lines);
    free(logged);
}
END_TEST

/* Settings that have changed, and what was finished: lines are written again, also of a
 * communicator that has had them. */
START_TEST(lines_are_written_again)
{
    static anypi_logged logged[6];
    const char *const line = "anyp: allreduce p=3 bytes=8 op=commutative -> anyp_ring\n";
    char wanted[1024];
    listen();
    for (int i = 0; i < 4; i++)
        say(&logged[i], 3, 8, "anyp_ring", (unsigned) i / 2);
    anypi_log_finish();
    anypi_log_finish();
    say(&logged[4], 3, 8, "anyp_ring", 1);
    anypi_log_finish();
    for (unsigned age = 1; age < 3; age++)
        say(&logged[4], 3, 8, "anyp_ring", age);
    anypi_log_finish();
    snprintf(wanted, sizeof wanted, "%sanyp: on 1 other communicator: %s%s"
             "anyp: on 1 other communicator: %s%s%s", line, line + strlen("anyp: "), line,
             line + strlen("anyp: "), line, line);
    heard_only(wanted);
    for (int i = 0; i < 6; i++)
        anypi_free(logged[i].lines);
}
END_TEST

Suite *suite_log(void)
{
    TCase *tests;
    Suite *suite = suite_of("log", &tests);
    tcase_add_test(tests, lines_are_written_once);
    tcase_add_test(tests, lines_are_written_again);
    return suite;
}
