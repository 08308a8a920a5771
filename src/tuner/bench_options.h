/* SPDX-License-Identifier: BSD-3-Clause
 *
 * bench_options.h - the command line of anyp-bench. It needs no MPI.
 */
#ifndef ANYPI_BENCH_OPTIONS_H_INCLUDED
#define ANYPI_BENCH_OPTIONS_H_INCLUDED

#include "analysis/uneven.h"
#include "options/command_line.h"
#include "schedule/collectives.h"

#include <stdio.h>

typedef struct anypi_bench_options {
    bool collectives[ANYP_COLLECTIVES];
    const char *save, *against;         /* timing files; NULL: none */
    const char *file;                   /* a decision file; NULL: the one in force */
    const char *mpich;                  /* the MPICH whose names count; NULL: anypi_names_open() */
    double seconds;
    bool again, help;
    anypi_uneven shape;
} anypi_bench_options;

/* --help and the manual page are made of this. */
extern const anypi_help anypi_bench_help;

/* Reads the command line. Returns false and a message (one line) if it is wrong. */
bool anypi_bench_options_read(int argc, char **argv, anypi_bench_options *options, char *message,
                              size_t size);

#endif
