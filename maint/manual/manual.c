/* SPDX-License-Identifier: BSD-3-Clause
 *
 * manual - writes a manual page to stdout: manual anyp.1 | libanyp.7 | anyp-tune.1. The build runs
 * it.
 */
#include "pages.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    void (*write)(void);
} pages[] = {
    { "anyp.1", page_anyp },
    { "libanyp.7", page_libanyp },
    { "anyp-tune.1", page_tune },
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 2 && i < sizeof pages / sizeof *pages; i++)
        if (!strcmp(argv[1], pages[i].name)) {
            pages[i].write();
            if (!fflush(stdout) && !ferror(stdout))
                return 0;
            perror("manual");
            return 1;
        }
    fprintf(stderr, "usage: manual anyp.1 | libanyp.7 | anyp-tune.1\n");
    return 2;
}
