/* SPDX-License-Identifier: BSD-3-Clause */
#include "roff.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 80 };            /* the texts' lines are shorter */

/* One character of text. */
static void put(char c)
{
    switch (c) {
    case '\\': fputs("\\e", stdout); break;
    case '-': fputs("\\-", stdout); break;
    case '\'': fputs("\\(aq", stdout); break;
    case '`': fputs("\\(ga", stdout); break;
    case '^': fputs("\\(ha", stdout); break;
    case '~': fputs("\\(ti", stdout); break;
    case '"': fputs("\\(dq", stdout); break;
    default: putchar(c);
    }
}

static void put_all(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        put(text[i]);
}

/* The length of the option or variable at the beginning of the text; 0: none. */
static size_t literal_length(const char *text)
{
    size_t length = 0;
    if (!strncmp(text, "--", 2) && islower((unsigned char) text[2]))
        for (length = 2; islower((unsigned char) text[length]) || text[length] == '-';)
            length++;
    else if (!strncmp(text, "ANYP_", 5) || !strncmp(text, "LD_PRELOAD", 10))
        while (isupper((unsigned char) text[length]) || text[length] == '_' ||
               isdigit((unsigned char) text[length]))
            length++;
    return length;
}

static void put_bold(const char *text, size_t length)
{
    fputs("\\fB", stdout);
    put_all(text, length);
    fputs("\\fR", stdout);
}

/* `literal` or [name](link) at the beginning of the text: writes it, and returns the length of its
 * source; 0: there is none. */
static size_t put_span(const char *text, size_t length)
{
    const char *end = NULL, *link;
    if (*text == '`')
        end = memchr(text + 1, '`', length - 1);
    else if (*text == '[' && (link = memmem(text, length, "](", 2)))
        end = memchr(link, ')', length - (size_t) (link - text));
    if (!end)
        return 0;
    put_bold(text + 1, (size_t) ((*text == '`' ? end : link) - text) - 1);
    return (size_t) (end - text) + 1;
}

void roff_line(const char *text, size_t length)
{
    if (length && *text == '.')
        fputs("\\&", stdout);         /* no control character */
    for (size_t i = 0, done; i < length; i += done) {
        const bool begins = i == 0 || !(isalnum((unsigned char) text[i - 1]) || text[i - 1] == '_');
        done = begins ? literal_length(text + i) : 0;
        if (done > length - i)
            done = length - i;
        if (done) {
            put_bold(text + i, done);
        } else if (!(done = put_span(text + i, length - i))) {
            put(text[i]);
            done = 1;
        }
    }
    putchar('\n');
}

static void put_upper(const char *text)
{
    for (; *text; text++)
        put((char) toupper((unsigned char) *text));
}

void roff_page(const char *name, int section, const char *summary)
{
    fputs(".\\\" Written by maint/manual.\n.TH ", stdout);
    put_upper(name);
    printf(" %d \"\" \"AnyP %s\" \"AnyP\"\n.nh\n.ad l\n.SH NAME\n", section, PACKAGE_VERSION);
    put_all(name, strlen(name));
    fputs(" \\- ", stdout);
    roff_line(summary, strlen(summary));
}

void roff_section(const char *title)
{
    fputs(".SH ", stdout);
    put_upper(title);
    putchar('\n');
}

void roff_subsection(const char *title)
{
    printf(".SS %s\n", title);
}

/* Does the line end a paragraph? The first word of the next one would have fitted. */
static bool ends_early(const char *line, size_t length, const char *next)
{
    return length && strchr(".:;", line[length - 1]) && length + 1 + strcspn(next, " \n") <= WIDTH;
}

void roff_text(const char *text)
{
    bool in_list = false, broken = false;
    while (*text) {
        const size_t length = strcspn(text, "\n");
        const char *next = text + length + (text[length] == '\n');
        const bool item = !strncmp(text, "- ", 2), more = !strncmp(text, "  ", 2);
        const size_t skip = item || more ? 2 : 0;
        if (item)
            puts(".IP \\(bu 2");
        else if (length && ((in_list && !more) || broken))
            puts(".PP");
        in_list = item || (in_list && more);
        if (length)
            roff_line(text + skip, length - skip);
        broken = *next && (!length || (!in_list && ends_early(text, length, next))) &&
            strncmp(next, "- ", 2);
        text = next;
    }
}

void roff_verbatim_begin(void)
{
    puts(".PP\n.RS 4\n.nf");
}

void roff_verbatim_line(const char *text, size_t length)
{
    if (length && (*text == '.' || *text == '\''))
        fputs("\\&", stdout);         /* no control character */
    put_all(text, length);
    putchar('\n');
}

void roff_verbatim_end(void)
{
    puts(".fi\n.RE");
}

void roff_examples(const char *text)
{
    roff_verbatim_begin();
    for (size_t length; *text; text += length + (text[length] == '\n')) {
        text += !strncmp(text, "  ", 2) ? 2 : 0;
        length = strcspn(text, "\n");
        roff_verbatim_line(text, length);
    }
    roff_verbatim_end();
}

void roff_synopsis(const char *text)
{
    fputs("\\&", stdout);              /* "./" is no control character */
    while (*text) {
        const size_t upper = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_");
        const size_t lower = strspn(text, "abcdefghijklmnopqrstuvwxyz-");
        if (upper)
            fputs("\\fI", stdout);
        else if (lower)
            fputs("\\fB", stdout);
        put_all(text, upper ? upper : lower ? lower : 1);
        if (upper || lower)
            fputs("\\fR", stdout);
        text += upper ? upper : lower ? lower : 1;
    }
    putchar('\n');
}

static void put_argument(const char *between, const char *argument)
{
    if (argument) {
        put_all(between, strlen(between));
        fputs("\\fI", stdout);
        put_all(argument, strlen(argument));
        fputs("\\fR", stdout);
        if (*between == '[')
            putchar(']');
    }
    putchar('\n');
}

void roff_term(const char *term, const char *between, const char *argument)
{
    fputs(".TP\n\\fB", stdout);
    for (const char *c = term; *c; c++) {
        put(*c);
        if (*c == '/')
            fputs("\\:", stdout);        /* a long path may be broken here */
    }
    fputs("\\fR", stdout);
    put_argument(between, argument);
}

void roff_option(char letter, const char *name, const char *between, const char *argument)
{
    fputs(".TP\n", stdout);
    if (letter)
        printf("\\fB\\-%c\\fR, ", letter);
    fputs("\\fB\\-\\-", stdout);
    put_all(name, strlen(name));
    fputs("\\fR", stdout);
    put_argument(between, argument);
}
