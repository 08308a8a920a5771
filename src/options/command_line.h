/* SPDX-License-Identifier: BSD-3-Clause
 *
 * command_line.h - reads the options of a command line, and prints their help, by a table. Numbers
 * must be whole words, and in range. And writes the messages of programs.
 */
#ifndef ANYPI_COMMAND_LINE_H_INCLUDED
#define ANYPI_COMMAND_LINE_H_INCLUDED

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef enum anypi_option_kind {
    ANYPI_FLAG,
    ANYPI_WORD,
    ANYPI_NUMBER,               /* whole */
    ANYPI_SIZE,                 /* whole; K, M or G may follow */
    ANYPI_LEVEL,                /* whole, and optional: the minimum if it is left out */
    ANYPI_REAL,
    ANYPI_SECONDS               /* as ANYPI_REAL; s, m or h may follow */
} anypi_option_kind;

enum { ANYPI_MAX_OPTIONS = 64 };

/* An option; a row without a name is the last of a table. */
typedef struct anypi_option {
    const char *name;
    char letter;                /* 0: none */
    anypi_option_kind kind;
    double minimum, maximum;    /* of numbers: from 0 on; of whole numbers: at most 2^52 */
    const char *argument;       /* NULL: none */
    const char *help;
} anypi_option;

/* A command line that is read. */
typedef struct anypi_command_line {
    const anypi_option *options;
    uint64_t accepted;          /* bit i: row i can be given */
    bool executes;              /* its operands are a command: options end at the first of them */
    int argc;
    char **argv;                /* argv[0] is no option */

    /* the value of the option that was read last */
    int64_t number;
    double real;
    const char *word;           /* as it was given; NULL: none was */
    char message[512];          /* one line, if it is wrong */
} anypi_command_line;

enum { ANYPI_OPTIONS_END = -1, ANYPI_OPTION_WRONG = -2 };

/* Reads the next option: returns its row, or one of the above. Operands are then argv[optind] to
 * argv[argc - 1] (getopt_long()). */
int anypi_option_next(anypi_command_line *line);

/* Writes "FROM: message" to stderr, as one line: control characters of words in it are escaped.
 * `from` is the program, or a file. */
void anypi_complain(const char *from, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void anypi_vcomplain(const char *from, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

/* Writes the help of the accepted options; those that are needed are marked so. */
void anypi_option_help(const anypi_option *options, uint64_t accepted, uint64_t needed,
                       FILE *file);

/* Reads the number at *text, and K, M or G (times 1024 and its powers) after it if there are
 * `units`; moves *text past it. -1 if there is none; INT64_MAX if it is too large. */
int64_t anypi_number_read(const char **text, bool units);

#endif
