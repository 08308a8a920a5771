/* SPDX-License-Identifier: BSD-3-Clause */
#include "roff.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

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

/* Returns the length of the option or variable at the beginning of the text; 0: none. */
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

/* Writes `literal` or [name](link) at the beginning of the text, and returns the length of its
 * source; 0: there is none. */
static size_t put_span(const char *text)
{
    const char *end = NULL, *link;
    if (*text == '`')
        end = strchr(text + 1, '`');
    else if (*text == '[' && (link = strstr(text, "](")))
        end = strchr(link, ')');
    if (!end)
        return 0;
    put_bold(text + 1, (size_t) ((*text == '`' ? end : link) - text) - 1);
    return (size_t) (end - text) + 1;
}

/* Writes a part of a line that is filled. `literal`, [name](link), options, variables are bold. */
static void put_text(const char *text)
{
    if (*text == '.')
        fputs("\\&", stdout);         /* no control character */
    for (size_t i = 0, done; text[i]; i += done) {
        const bool begins = i == 0 || !(isalnum((unsigned char) text[i - 1]) || text[i - 1] == '_');
        done = begins ? literal_length(text + i) : 0;
        if (done) {
            put_bold(text + i, done);
        } else if (!(done = put_span(text + i))) {
            put(text[i]);
            done = 1;
        }
    }
}

static void write_text(const char *text)
{
    put_text(text);
    putchar('\n');
}

static void put_upper(const char *text)
{
    for (; *text; text++)
        put((char) toupper((unsigned char) *text));
}

static void write_head(const char *name, int section, const char *summary)
{
    fputs("'\\\" t\n.\\\" Written by maint/manual.\n.TH ", stdout);   /* for man: needs tbl */
    put_upper(name);
    printf(" %d \"\" \"AnyP %s\" \"AnyP\"\n.nh\n.ad l\n.SH NAME\n", section, PACKAGE_VERSION);
    put_all(name, strlen(name));
    fputs(" \\- ", stdout);
    write_text(summary);
}

/* Writes a synopsis: words in lower case are literal, users replace those in upper case. */
static void write_synopsis(const char *text)
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

static void write_verbatim(const char *line)
{
    if (*line == '.' || *line == '\'')
        fputs("\\&", stdout);         /* no control character */
    put_all(line, strlen(line));
    putchar('\n');
}

/* Writes **bold** and *italics*; a long path may be broken after a slash. */
static void write_term(const char *line)
{
    bool bold = false, italics = false;
    puts(".TP");
    for (; *line; line++)
        if (!strncmp(line, "**", 2)) {
            fputs((bold = !bold) ? "\\fB" : "\\fR", stdout);
            line++;
        } else if (*line == '*') {
            fputs((italics = !italics) ? "\\fI" : "\\fR", stdout);
        } else {
            put(*line);
            fputs(*line == '/' ? "\\:" : "", stdout);
        }
    putchar('\n');
}

/* ---- lines ---- */

/* The kind of the current text. */
static enum { HEADING, PARAGRAPHS, LIST, TABLE, VERBATIM, SYNOPSIS } inside;
static bool begins;             /* the next line begins a paragraph */

static void write_fence(const char *kind)
{
    if (inside == VERBATIM)
        puts(".fi\n.RE");
    if (inside == VERBATIM || inside == SYNOPSIS) {
        inside = PARAGRAPHS;
    } else if (!strcmp(kind, "synopsis")) {
        inside = SYNOPSIS;
    } else {
        puts(inside == HEADING ? ".RS 4\n.nf" : ".PP\n.RS 4\n.nf");
        inside = VERBATIM;
    }
    begins = true;
}

/* Writes formats for tbl of the row with the titles and of the others: the last column is
 * filled. */
static void begin_table(const char *row)
{
    fputs(inside == HEADING ? ".TS\ntab(|);\n" : ".PP\n.TS\ntab(|);\n", stdout);
    for (int titles = 1; titles >= 0; titles--)
        for (const char *bar = strchr(row + 1, '|'); bar; bar = strchr(bar + 1, '|'))
            printf("l%s%s", titles ? "b" : "", bar[1] ? " " : titles ? "x\n" : "x.\n");
    inside = TABLE;
}

static void end_table(void)
{
    puts(".TE");
    inside = PARAGRAPHS;
    begins = true;
}

/* Writes a row of a table, which begins and ends with a bar. */
static void write_row(const char *row)
{
    if (inside != TABLE)
        begin_table(row);
    if (row[1] == '-')          /* the line below the titles */
        return;
    for (const char *cell = row + 1, *bar; (bar = strchr(cell, '|')); cell = bar + 1) {
        char text[512];
        cell += strspn(cell, " ");
        size_t length = (size_t) (bar - cell);
        while (length && cell[length - 1] == ' ')
            length--;
        snprintf(text, sizeof text, "%.*s", (int) length, cell);
        fputs(bar[1] ? "" : "T{\n", stdout);
        put_text(text);
        fputs(bar[1] ? "|" : "\nT}\n", stdout);
    }
}

/* Writes a line of paragraphs or lists. */
static void write_filled(const char *line)
{
    const bool item = !strncmp(line, "- ", 2), more = !strncmp(line, "  ", 2);
    if (item)
        puts(".IP \\(bu 2");
    else if (begins || (inside == LIST && !more))
        puts(inside == LIST && more ? ".IP \"\" 2" : ".PP");
    inside = item || (inside == LIST && more) ? LIST : PARAGRAPHS;
    begins = false;
    write_text(line + (item || more ? 2 : 0));
}

void roff_line(const char *line)
{
    char name[64], summary[256];
    int section;
    if (inside == TABLE && *line != '|')
        end_table();
    if (!strncmp(line, "```", 3)) {
        write_fence(line + 3);
    } else if (inside == VERBATIM) {
        write_verbatim(line);
    } else if (inside == SYNOPSIS) {
        if (!begins)
            puts(".br");
        begins = false;
        write_synopsis(line);
    } else if (sscanf(line, "# %63[^(](%d) - %255[^\n]", name, &section, summary) == 3) {
        write_head(name, section, summary);
    } else if (!strncmp(line, "## ", 3)) {
        inside = HEADING;
        fputs(".SH ", stdout);
        put_upper(line + 3);
        putchar('\n');
    } else if (!strncmp(line, "### ", 4)) {
        inside = HEADING;
        printf(".SS %s\n", line + 4);
    } else if (!strncmp(line, "**", 2)) {
        inside = HEADING;
        write_term(line);
    } else if (!strncmp(line, "<br>", 4)) {
        puts(".br");
        write_text(line + 4);
    } else if (*line == '|') {
        write_row(line);
    } else if (!*line) {
        begins = inside != HEADING;
    } else {
        write_filled(line);
    }
    begins = begins && inside != HEADING;
}
