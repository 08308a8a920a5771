/* SPDX-License-Identifier: BSD-3-Clause
 *
 * manual - reads the text of a manual page from stdin, and writes the page to stdout:
 *
 *     manual <maint/manual/anyp.1.md >man/anyp.1
 *
 * The text is Markdown in the forms of roff.h, which can also be read without installing it, with
 *
 *   <!-- list NAME -->             a list of lists.h
 */
#include "lists.h"
#include "roff.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    char *line = NULL, name[64];
    size_t size = 0;
    bool good = true;
    for (ssize_t length; good && (length = getline(&line, &size, stdin)) > 0;) {
        if (line[length - 1] == '\n')
            line[length - 1] = '\0';
        if (sscanf(line, "<!-- list %63s -->", name) == 1)
            good = list_write(name);
        else
            roff_line(line);
        if (!good)
            fprintf(stderr, "manual: there is no such list: %s\n", line);
    }
    free(line);
    if (good && (ferror(stdin) || fflush(stdout) || ferror(stdout))) {
        perror("manual");
        good = false;
    }
    return good ? 0 : 1;
}
