/* SPDX-License-Identifier: BSD-3-Clause
 *
 * main.c - runs the suites of suites.def. Environment: ANYP_SUITES, a list of suites with commas,
 * runs only these; ANYP_MAX_P as in common.h; CK_* as Check has them (CK_FORK=no for debuggers).
 */
#include "unit/common.h"

#include <limits.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    Suite *(*make)(void);
} suites[] = {
#define SUITE(name) { #name, suite_##name },
#include "unit/suites.def"
#undef SUITE
};

/* Is the name in the list? */
static bool listed(const char *list, const char *name)
{
    const size_t length = strlen(name);
    while (*list) {
        const size_t next = strcspn(list, ",");
        if (next == length && !strncmp(list, name, length))
            return true;
        list += next + (list[next] == ',');
    }
    return false;
}

int main(void)
{
    const char *list = getenv("ANYP_SUITES");
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 32 << 20);        /* the most that it takes: proofs use the same
                                                 * memory again and again */
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
#endif
    SRunner *runner = NULL;
    for (size_t i = 0; i < sizeof suites / sizeof *suites; i++) {
        if (list && *list && !listed(list, suites[i].name))
            continue;
        if (runner)
            srunner_add_suite(runner, suites[i].make());
        else
            runner = srunner_create(suites[i].make());
    }
    if (!runner) {
        fprintf(stderr, "ANYP_SUITES=%s names no suite of test/unit/suites.def\n", list);
        return EXIT_FAILURE;
    }
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
