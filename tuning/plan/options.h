/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ANYPI_OPTIONS_H_INCLUDED
#define ANYPI_OPTIONS_H_INCLUDED

#include "plan/plan.h"

#include <stdio.h>

typedef struct anypi_options {
    const char *output;         /* the decision file */
    const char *cvars;          /* cvars.json; NULL: beside the program */
    const char *mpich;          /* which MPICH's names; NULL: see anypi_names_open() */
    const char *save;           /* where the times go; NULL: nowhere */
    char **join;                /* files of times instead of measuring; NULL: none */
    int join_count;
    double budget;              /* seconds */
    bool all;                   /* measure what closed forms call hopeless, too */
    bool verbose, help;
} anypi_options;

/* The options; a row without a name is the last. --help and the manual come from here. */
typedef struct anypi_option_row {
    int code;
    const char *name;
    const char *argument;       /* NULL: none */
    const char *help;
} anypi_option_row;

extern const anypi_option_row anypi_option_rows[];

/* Writes what --help says of the options of a program. */
void anypi_option_help(const anypi_option_row *rows, FILE *file);
/* The code of the next option of the command line, whose value is optarg (getopt_long()); -1 behind
 * the last, '?' and a message (one line) if it is wrong. */
int anypi_option_next(int argc, char **argv, const anypi_option_row *rows, char *message,
                      size_t size);

/* The rest of --help, in lines. */
extern const char anypi_usage_synopsis[], anypi_usage_description[], anypi_usage_notes[],
    anypi_usage_statuses[];

/* Writes --help. */
void anypi_usage(FILE *file);

/* Reads the command line into options and into the plan's procs, sizes and wanted, for a run on
 * `most` processes. False with a message (one line) if something is wrong with it. */
bool anypi_options_read(int argc, char **argv, int max, anypi_options *options, anypi_plan *plan,
                        char *message, size_t size);

/* "2,3,5-8" into ascending numbers without repetition; 0 and *reason (static text) if it is not
 * that. Sizes may end in K, M or G (1024 and its powers). */
int anypi_parse_list(const char *text, int64_t min, int64_t max, int64_t list[ANYPI_MAX_LIST],
                     const char **reason);

/* Puts in force the names of the MPICH that --mpich says (anypi_mpich_open() of select/mpich.h).
 * False and a message (one line) if there is no such one. */
bool anypi_names_open(const char *which, char *message, size_t size);

#endif
