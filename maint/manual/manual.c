/* SPDX-License-Identifier: BSD-3-Clause
 *
 * manual - reads the text of a manual page from stdin, and writes the page to stdout:
 *
 *     manual <maint/manual/anyp.1.md >man/anyp.1
 *
 * The text is Markdown, which can also be read without installing it. These forms are known:
 *
 *   # name(section) - summary     the head
 *   ## Section, ### Subsection
 *   - item                         further lines of an item begin with two blanks
 *   `literal`, [name](link)        bold; both end on their line
 *   ```, ```synopsis               until ```: verbatim lines; lines of a synopsis
 *   <!-- list NAME -->             a list of lists.h
 */
#include "lists.h"
#include "roff.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The kind of the present text. */
static enum { HEADING, PARAGRAPHS, LIST, VERBATIM, SYNOPSIS } inside;
static bool begins;             /* the next line begins a paragraph */

static void write_fence(const char *kind)
{
    if (inside == VERBATIM)
        roff_verbatim_end();
    if (inside == VERBATIM || inside == SYNOPSIS) {
        inside = PARAGRAPHS;
    } else if (!strcmp(kind, "synopsis")) {
        inside = SYNOPSIS;
    } else {
        inside = VERBATIM;
        roff_verbatim_begin();
    }
    begins = true;
}

/* A line of paragraphs or lists. */
static void write_filled(const char *line)
{
    const bool item = !strncmp(line, "- ", 2), more = !strncmp(line, "  ", 2);
    if (item)
        puts(".IP \\(bu 2");
    else if (begins)
        puts(inside == LIST && more ? ".IP \"\" 2" : ".PP");
    inside = item || (inside == LIST && more) ? LIST : PARAGRAPHS;
    begins = false;
    line += item || more ? 2 : 0;
    roff_line(line, strlen(line));
}

/* Returns false if a list is unknown. */
static bool write_line(const char *line)
{
    char name[64], summary[256];
    int section;
    if (!strncmp(line, "```", 3)) {
        write_fence(line + 3);
    } else if (inside == VERBATIM) {
        roff_verbatim_line(line, strlen(line));
    } else if (inside == SYNOPSIS) {
        if (!begins)
            puts(".br");
        begins = false;
        roff_synopsis(line);
    } else if (sscanf(line, "# %63[^(](%d) - %255[^\n]", name, &section, summary) == 3) {
        roff_page(name, section, summary);
    } else if (!strncmp(line, "## ", 3) || !strncmp(line, "### ", 4)) {
        inside = HEADING;
        begins = false;
        line[2] == ' ' ? roff_section(line + 3) : roff_subsection(line + 4);
    } else if (sscanf(line, "<!-- list %63s -->", name) == 1) {
        inside = PARAGRAPHS;
        begins = true;
        return list_write(name);
    } else if (!*line) {
        begins = inside != HEADING;
    } else {
        write_filled(line);
    }
    return true;
}

int main(void)
{
    char *line = NULL;
    size_t size = 0;
    bool good = true;
    for (ssize_t length; good && (length = getline(&line, &size, stdin)) > 0;) {
        if (line[length - 1] == '\n')
            line[length - 1] = '\0';
        good = write_line(line);
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
