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
    const char *sentence;
} anypi_option_row;

extern const anypi_option_row anypi_option_rows[];

/* The rest of --help, in lines. */
extern const char anypi_usage_synopsis[], anypi_usage_description[], anypi_usage_notes[],
    anypi_usage_statuses[];

/* Writes --help. */
void anypi_usage(FILE *file);

/* Reads the command line into options and into the plan's procs, sizes and wanted, for a run on
 * `most` processes. False with a message (one line) if something is wrong with it. */
bool anypi_options_read(int argc, char **argv, int most, anypi_options *options, anypi_plan *plan,
                        char *message, size_t size);

#endif
