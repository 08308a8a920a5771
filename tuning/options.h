/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ANYPI_OPTIONS_H_INCLUDED
#define ANYPI_OPTIONS_H_INCLUDED

#include "tune.h"

typedef struct anypi_options {
    const char *output;         /* the decision file */
    const char *cvars;          /* cvars.json; NULL: beside the program */
    double budget;              /* seconds */
    bool verbose, help;
} anypi_options;

extern const char anypi_usage[];

/* Reads the command line into options and into the plan's procs, sizes and wanted, for a run on
 * `most` processes. False with a message (one line) if something is wrong with it. */
bool anypi_options_read(int argc, char **argv, int most, anypi_options *options, anypi_plan *plan,
                        char *message, size_t size);

#endif
