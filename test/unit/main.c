/* SPDX-License-Identifier: BSD-3-Clause
 *
 * main.c - runs the suites of suites.def, and writes TAP. Environment: ANYP_SUITES, a list of
 * suites with commas, runs only these; ANYP_MAX_P as in common.h; CK_FORK=no runs all in one
 * process, for debuggers.
 */
#include "unit/common.h"
#include "unit/tap.h"

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
    enum { SUITES = sizeof suites / sizeof *suites };
    const char *list = getenv("ANYP_SUITES");
    Suite *(*chosen[SUITES])(void);
    int count = 0;
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 32 << 20);        /* the maximum; proofs reuse memory */
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
#endif
    for (int i = 0; i < SUITES; i++)
        if (!list || !*list || listed(list, suites[i].name))
            chosen[count++] = suites[i].make;
    if (count == 0) {
        fprintf(stderr, "ANYP_SUITES=%s names no suite of test/unit/suites.def\n", list);
        return EXIT_FAILURE;
    }
    return tap_run(chosen, count);
}
