/* SPDX-License-Identifier: BSD-3-Clause */
#include "markdown.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { COLUMNS = 100 };

static char paragraph[1 << 14]; /* what was not written yet */
static size_t length;
static bool in_code;            /* the paragraph ends inside `...` */
static bool verbatim;           /* between fences */
static bool in_term;            /* the paragraph is a term, and perhaps its explanation */
static bool explained;
static bool blank;              /* the next paragraph follows a blank line */
static enum { NOTHING, TEXT, ITEM } last;       /* kind of the last paragraph */

static void put(char c)
{
    if (length + 1 < sizeof paragraph)
        paragraph[length++] = c;
}

/* Appends text to the paragraph. A name such as <COLLECTIVE> would be taken for a tag. */
static void add(const char *text)
{
    if (length)
        put(' ');
    for (; *text; text++) {
        if (*text == '`')
            in_code = !in_code;
        if (*text == '<' && !in_code)
            put('\\');
        put(*text);
    }
}

/* Would the word begin a list or underline a heading, at the beginning of a line? */
static bool is_sign(const char *word, size_t width)
{
    return width == 1 && strchr("*+-=#", *word);
}

/* Writes the paragraph in lines of at most COLUMNS. */
static void flush(void)
{
    const bool item = !strncmp(paragraph, "- ", 2);
    const int indent = item ? 2 : 0;
    size_t column = 0;
    paragraph[length] = '\0';
    if (length && last != NOTHING && (blank || last != (item ? ITEM : TEXT)))
        putchar('\n');
    for (const char *word = paragraph; *word; word += strspn(word, " ")) {
        const size_t width = strcspn(word, " ");
        if (column && column + 1 + width > COLUMNS)
            column = (size_t) printf("\n%*s%s", indent, "", is_sign(word, width) ? "\\" : "") - 1;
        else if (column)
            column += (size_t) printf(" ");
        column += (size_t) printf("%.*s", (int) width, word);
        word += width;
    }
    if (length) {
        putchar('\n');
        last = item ? ITEM : TEXT;
        blank = false;
    }
    length = 0;
    in_code = in_term = explained = false;
}

/* Writes a line as it is. */
static void write_whole(const char *line)
{
    if (blank && last != NOTHING)
        putchar('\n');
    blank = false;
    puts(line);
    last = TEXT;
}

void markdown_line(const char *line)
{
    const bool fence = !strncmp(line, "```", 3);
    if (fence || verbatim) {
        flush();
        blank = blank || (fence && !verbatim);
        verbatim = fence != verbatim;
        write_whole(line);
        blank = fence && !verbatim;
    } else if (!strncmp(line, "##", 2)) {
        flush();
        blank = true;
        write_whole(line);
        blank = true;
    } else if (!*line) {
        flush();
        blank = true;
    } else if (!strncmp(line, "**", 2)) {
        flush();
        add("-");
        add(line);
        in_term = true;
    } else if (!strncmp(line, "<br>", 4)) {
        flush();
        for (const char *tag = "<br>"; *tag; tag++)
            put(*tag);              /* add() would escape it */
        add(line + 4);
    } else {
        if (in_term && !explained)
            put(':');
        if (!strncmp(line, "- ", 2))
            flush();
        explained = in_term;
        add(line + strspn(line, " "));
    }
}

void markdown_end(void)
{
    flush();
    last = NOTHING;
    blank = false;
}
