/* SPDX-License-Identifier: BSD-3-Clause */
#include "unit/tap.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* Runs a suite and passes what Check writes on to the pipe, a line at a time: lines of other
 * processes may be in between. */
static bool run_suite(Suite *suite, int pipe)
{
    char path[] = "/tmp/anyp-tap-XXXXXX", *line = NULL;
    size_t size = 0;
    const int file = mkstemp(path);
    FILE *results = file >= 0 ? fdopen(file, "r") : NULL;
    if (!results)
        return false;
    SRunner *runner = srunner_create(suite);
    srunner_set_tap(runner, path);
    srunner_run_all(runner, CK_SILENT);
    srunner_free(runner);
    while (getline(&line, &size, results) >= 0)
        if (write(pipe, line, strlen(line)) < 0)
            return false;
    free(line);
    fclose(results);
    return !unlink(path);
}

/* "ok 7 - /some/file.c:suite:test: Passed" with a number of its own, as "ok 12 - suite:test". Other
 * lines belong to a failure; a suite's plan is left out. Returns whether it is a result, and in
 * *failed if it is a bad one. */
static bool write_line(const char *line, int number, bool *failed)
{
    static const char passed[] = ": Passed\n";
    const char *name = strstr(line, " - ");
    const bool good = !strncmp(line, "ok ", 3);
    *failed = !strncmp(line, "not ok ", 7);
    if (!name || !(good || *failed)) {
        if (strncmp(line, "1..", 3))
            printf("# %s", line);
        return false;
    }
    name += 3;
    const char *file_end = strchr(name, ':');
    if (good && file_end)
        name = file_end + 1;
    const char *end = strstr(name, passed);
    printf("%s %d - %.*s\n", good ? "ok" : "not ok", number,
           end ? (int) (end - name) : (int) strcspn(name, "\n"), name);
    return true;
}

int tap_run(Suite *(*const *suites)(void), int count)
{
    const char *fork_or_not = getenv("CK_FORK");
    long workers = fork_or_not && !strcmp(fork_or_not, "no") ? 1 : sysconf(_SC_NPROCESSORS_ONLN);
    atomic_int *next = mmap(NULL, sizeof *next, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int ends[2], number = 0, failures = 0;
    /* by default Check ends a test after 4 s, which a busy machine takes for any */
    if (next == MAP_FAILED || pipe(ends) || setenv("CK_DEFAULT_TIMEOUT", "0", 0)) {
        puts("Bail out! no memory or no pipe");
        return EXIT_FAILURE;
    }
    workers = workers < 1 ? 1 : workers < count ? workers : count;
    fflush(stdout);
    for (long i = 0; i < workers; i++) {
        if (fork() == 0) {
            bool good = true;
            for (int k; good && (k = atomic_fetch_add(next, 1)) < count; )
                good = run_suite(suites[k](), ends[1]);
            exit(good ? EXIT_SUCCESS : EXIT_FAILURE);
        }
    }
    close(ends[1]);
    FILE *results = fdopen(ends[0], "r");
    char *line = NULL;
    size_t size = 0;
    while (results && getline(&line, &size, results) >= 0) {
        bool failed;
        number += write_line(line, number + 1, &failed);
        failures += failed;
        fflush(stdout);
    }
    free(line);
    if (results)
        fclose(results);
    for (int status; wait(&status) >= 0; )
        if (status) {
            puts("Bail out! a process of the tests did not come to its end");
            failures++;
        }
    printf("1..%d\n", number);
    return failures || !number ? EXIT_FAILURE : EXIT_SUCCESS;
}
