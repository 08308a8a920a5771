/* SPDX-License-Identifier: BSD-3-Clause
 *
 * command_line.h - reads the options of a command line by a table, and prints their help. Numbers
 * must be whole words and in range. It also writes the messages of programs.
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
    ANYPI_LEVEL,                /* whole, and optional; default: the minimum */
    ANYPI_REAL,
    ANYPI_SECONDS               /* like ANYPI_REAL; s, m or h may follow */
} anypi_option_kind;

enum { ANYPI_MAX_OPTIONS = 64 };

/* An option. The last row of a table has no name. */
typedef struct anypi_option {
    const char *name;
    char letter;                /* 0: no letter */
    anypi_option_kind kind;
    double minimum, maximum;    /* of numbers, at least 0; of whole numbers, at most 2^52 */
    const char *argument;       /* NULL: no argument */
    const char *help;
} anypi_option;

/* The state of reading a command line. */
typedef struct anypi_command_line {
    const anypi_option *options;
    uint64_t accepted;          /* bit i: row i is accepted */
    bool executes;              /* operands are a command: options end at the first operand */
    int argc;
    char **argv;                /* argv[0] is not an option */

    /* The value of the option that was read last: */
    int64_t number;
    double real;
    const char *word;           /* the word itself; NULL: no argument */
    char message[512];          /* one line, if the command line is wrong */
} anypi_command_line;

enum { ANYPI_OPTIONS_END = -1, ANYPI_OPTION_WRONG = -2 };

/* Reads the next option. Returns its row, or one of the values above. After the last option,
 * operands are argv[optind] to argv[argc - 1] (getopt_long()). */
int anypi_option_next(anypi_command_line *line);

/* Writes "FROM: message" to stderr, as one line. Control characters in words are escaped. `from` is
 * the program or a file. */
void anypi_complain(const char *from, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void anypi_vcomplain(const char *from, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

/* Writes the help of the accepted options, and marks those that are needed. */
void anypi_option_help(const anypi_option *options, uint64_t accepted, uint64_t needed,
                       FILE *file);

/* A program whose help is these texts, in lines, and the rows of all its options. */
typedef struct anypi_help {
    const char *synopsis, *description, *notes, *statuses;      /* notes may be "" */
    const anypi_option *options;
} anypi_help;

/* Writes the help of a program. */
void anypi_help_write(const anypi_help *program, FILE *file);

/* Reads the number at *text and moves *text past it. If `units`, K, M or G may follow (times
 * 1024, 1024^2, 1024^3). Returns -1 if there is no number, and INT64_MAX if it is too large. */
int64_t anypi_number_read(const char **text, bool units);

#endif
