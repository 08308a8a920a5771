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

/* The length of the option or variable that the text begins with; 0: none. */
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

/* A part of a line. A control character in front is not meant as one. */
static void put_line(const char *text, size_t length)
{
    if (length && *text == '.')
        fputs("\\&", stdout);
    for (size_t i = 0; i < length;) {
        const bool begins = i == 0 || !(isalnum((unsigned char) text[i - 1]) || text[i - 1] == '_');
        size_t literal = begins ? literal_length(text + i) : 0;
        if (literal > length - i)
            literal = length - i;
        if (literal) {
            fputs("\\fB", stdout);
            put_all(text + i, literal);
            fputs("\\fR", stdout);
            i += literal;
        } else {
            put(text[i++]);
        }
    }
    putchar('\n');
}

void roff_page(const char *name, int section, const char *sentence)
{
    fputs(".\\\" Written by maint/manual.\n.TH ", stdout);
    for (const char *c = name; *c; c++)
        put((char) toupper((unsigned char) *c));
    printf(" %d \"\" \"AnyP %s\" \"AnyP\"\n.nh\n.ad l\n.SH NAME\n", section, PACKAGE_VERSION);
    put_all(name, strlen(name));
    fputs(" \\- ", stdout);
    put_line(sentence, strlen(sentence));
}

void roff_section(const char *title)
{
    printf(".SH %s\n", title);
}

void roff_subsection(const char *title)
{
    printf(".SS %s\n", title);
}

/* Does the author end a paragraph with this line? The next one's first word would have fitted. */
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
            put_line(text + skip, length - skip);
        broken = *next && (!length || (!in_list && ends_early(text, length, next))) &&
            strncmp(next, "- ", 2);
        text = next;
    }
}

void roff_verbatim(const char *text)
{
    puts(".PP\n.RS 4\n.nf");
    while (*text) {
        const size_t length = strcspn(text, "\n");
        const size_t blanks = strspn(text, " ");
        const size_t skip = blanks < 2 ? blanks : 2;
        if (length > skip && (text[skip] == '.' || text[skip] == '\''))
            fputs("\\&", stdout);
        if (length > skip)
            put_all(text + skip, length - skip);
        putchar('\n');
        text += length + (text[length] == '\n');
    }
    puts(".fi\n.RE");
}

void roff_synopsis(const char *text)
{
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

void roff_see(const char *pages)
{
    roff_section("SEE ALSO");
    while (*pages) {
        const size_t name = strcspn(pages, "(");
        const size_t length = strcspn(pages, ",");
        fputs("\\fB", stdout);
        put_all(pages, name);
        fputs("\\fR", stdout);
        put_all(pages + name, length - name);
        pages += length;
        if (*pages) {
            putchar(',');
            pages += 1 + strspn(pages + 1, " ");
        }
        putchar('\n');
    }
}
