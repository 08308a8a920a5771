/* SPDX-License-Identifier: BSD-3-Clause */
#include "options/command_line.h"

#include "select/text.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CODE_FIRST = 256 };      /* getopt's code of row 0; the others follow */

static bool accepts(const anypi_command_line *line, int row)
{
    return line->accepted >> row & 1;
}

/* Writes the accepted options in the two forms of getopt. */
static void describe(const anypi_command_line *line, struct option *names, char *letters)
{
    if (line->executes)
        *letters++ = '+';       /* options end at the first operand */
    *letters++ = ':';           /* distinguishes a missing argument from an unknown option */
    for (int i = 0; line->options[i].name; i++) {
        const anypi_option *row = &line->options[i];
        const int argument = row->kind == ANYPI_FLAG ? no_argument :
            row->kind == ANYPI_LEVEL ? optional_argument : required_argument;
        if (!accepts(line, i))
            continue;
        *names++ = (struct option) { row->name, argument, NULL, CODE_FIRST + i };
        if (row->letter) {
            *letters++ = row->letter;
            if (argument == required_argument)
                *letters++ = ':';
        }
    }
    *names = (struct option) { 0 };
    *letters = '\0';
}

/* Returns the row of a code that getopt has returned (or left in optopt), or -1. */
static int row_of(const anypi_command_line *line, int code)
{
    if (code >= CODE_FIRST)
        return code - CODE_FIRST;
    for (int i = 0; code && line->options[i].name; i++)
        if (line->options[i].letter == code)
            return i;
    return -1;
}

void anypi_vcomplain(const char *from, const char *format, va_list arguments)
{
    char raw[8192], line[sizeof raw] = "";
    vsnprintf(raw, sizeof raw, format, arguments);
    anypi_append(line, sizeof line, from);
    anypi_append(line, sizeof line, ": ");
    anypi_append(line, sizeof line, raw);
    fprintf(stderr, "%s\n", line);
}

void anypi_complain(const char *from, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    anypi_vcomplain(from, format, arguments);
    va_end(arguments);
}

__attribute__((format(printf, 2, 3)))
static int wrong(anypi_command_line *line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line->message, sizeof line->message, format, arguments);
    va_end(arguments);
    return ANYPI_OPTION_WRONG;
}

/* Reports an option that is not accepted. */
static int refuse(anypi_command_line *line, const char *word)
{
    if (row_of(line, optopt) >= 0)
        return wrong(line, "option '%s' does not take a value", word);
    for (int i = 0; line->options[i].name && isdigit(optopt); i++)
        if (accepts(line, i) && line->options[i].kind == ANYPI_LEVEL)
            return wrong(line, "unknown option '-%c'; write the level as --%s=%c", optopt,
                         line->options[i].name, optopt);
    if (optopt)
        return wrong(line, "unknown option '-%c'", optopt);
    char name[64];
    anypi_nearest nearest;
    snprintf(name, sizeof name, "%.*s", (int) strcspn(word + 2, "="), word + 2);
    anypi_nearest_init(&nearest, name);
    for (int i = 0; line->options[i].name; i++)
        if (accepts(line, i))
            anypi_nearest_try(&nearest, line->options[i].name);
    return wrong(line, "unknown or ambiguous option '%s'%s%s%s", word,
                 *nearest.text ? "; did you mean --" : "", nearest.text, *nearest.text ? "?" : "");
}

int64_t anypi_number_read(const char **text, bool units)
{
    char *rest;
    if (!isdigit((unsigned char) **text))
        return -1;              /* strtoll would accept blanks and signs */
    errno = 0;
    long long number = strtoll(*text, &rest, 10);
    const char *unit = units && *rest ? strchr("KMG", toupper((unsigned char) *rest)) : NULL;
    for (int power = unit ? (int) (unit - "KMG") + 1 : 0; power > 0; power--)
        number = number > INT64_MAX / 1024 ? INT64_MAX : number * 1024;
    *text = unit ? rest + 1 : rest;
    return errno ? INT64_MAX : number;
}

/* Reads a number of at least 0 that is the whole word, followed by a unit of time if `seconds`.
 * Returns -1 for anything else. */
static double read_real(const char *word, bool seconds)
{
    static const struct { const char *unit; double seconds; } units[] = {
        { "", 1 }, { "s", 1 }, { "m", 60 }, { "h", 3600 },
    };
    char *end;
    if (*word != '.' && !isdigit((unsigned char) *word))    /* no sign, blank, "inf" or "nan" */
        return -1;
    const double number = strtod(word, &end);
    for (size_t i = 0; end > word && i < (seconds ? sizeof units / sizeof *units : 1); i++)
        if (!strcmp(end, units[i].unit))
            return number * units[i].seconds;
    return -1;
}

/* Reads the value of an option and returns its row. */
static int take(anypi_command_line *line, int i)
{
    const anypi_option *row = &line->options[i];
    const char *rest = line->word = optarg;
    if (row->kind == ANYPI_REAL || row->kind == ANYPI_SECONDS) {
        line->real = read_real(rest, row->kind == ANYPI_SECONDS);
        if (line->real >= row->minimum && line->real <= row->maximum)
            return i;
        return wrong(line, "--%s: '%s' is not a number from %.10g to %.10g%s", row->name, rest,
                     row->minimum, row->maximum,
                     row->kind == ANYPI_SECONDS ? " (seconds; s, m or h may follow)" : "");
    }
    line->number = (int64_t) row->minimum;
    if (row->kind < ANYPI_NUMBER || !rest)
        return i;
    line->number = anypi_number_read(&rest, row->kind == ANYPI_SIZE);
    if (!*rest && (double) line->number >= row->minimum && (double) line->number <= row->maximum)
        return i;
    return wrong(line, "--%s: '%s' is not a whole number from %.0f to %.0f%s", row->name,
                 line->word, row->minimum, row->maximum, row->kind == ANYPI_SIZE
                 ? ", or one followed by K, M or G" : "");
}

int anypi_option_next(anypi_command_line *line)
{
    struct option names[ANYPI_MAX_OPTIONS + 1];
    char letters[2 * ANYPI_MAX_OPTIONS + 3];
    describe(line, names, letters);
    opterr = 0;
    const int code = getopt_long(line->argc, line->argv, letters, names, NULL);
    if (code == -1)
        return ANYPI_OPTIONS_END;
    if (code == ':')
        return wrong(line, "option '%s' requires a value", line->argv[optind - 1]);
    return code == '?' ? refuse(line, line->argv[optind - 1]) : take(line, row_of(line, code));
}

enum { HELP_LEFT = 26, HELP_WIDTH = 100 };

/* Writes the line of an option; a long help continues below. */
static void help_line(FILE *file, const char *left, const char *help)
{
    fprintf(file, "  %-*s", HELP_LEFT, left);
    if (strlen(left) > HELP_LEFT)
        fprintf(file, "\n%*s", 2 + HELP_LEFT, "");
    int column = 2 + HELP_LEFT;
    for (const char *word = help; *word;) {
        const int width = (int) strcspn(word, " ");
        if (column + 1 + width > HELP_WIDTH) {
            fprintf(file, "\n%*s", 2 + HELP_LEFT, "");
            column = 2 + HELP_LEFT;
        }
        fprintf(file, " %.*s", width, word);
        column += 1 + width;
        word += width;
        word += strspn(word, " ");
    }
    fputc('\n', file);
}

void anypi_option_help(const anypi_option *options, uint64_t accepted, uint64_t needed, FILE *file)
{
    for (int i = 0; options[i].name; i++) {
        const anypi_option *row = &options[i];
        const bool level = row->kind == ANYPI_LEVEL;
        const char letter[] = { '-', row->letter, ',', ' ', '\0' };
        char left[64], help[512];
        if (!(accepted >> i & 1))
            continue;
        snprintf(left, sizeof left, "%s--%s%s%s%s", row->letter ? letter : "    ", row->name,
                 !row->argument ? "" : level ? "[=" : " ", row->argument ? row->argument : "",
                 level ? "]" : "");
        snprintf(help, sizeof help, "%s%s", row->help, needed >> i & 1 ? " (required)" : "");
        help_line(file, left, help);
    }
}

void anypi_help_write(const anypi_help *program, FILE *file)
{
    fprintf(file, "usage: %s\n\n%s\n", program->synopsis, program->description);
    anypi_option_help(program->options, UINT64_MAX, 0, file);
    fprintf(file, "\n%s%sExit status:\n%s", program->notes, *program->notes ? "\n" : "",
            program->statuses);
}
