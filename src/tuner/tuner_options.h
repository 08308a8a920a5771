/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ANYPI_TUNER_OPTIONS_H_INCLUDED
#define ANYPI_TUNER_OPTIONS_H_INCLUDED

#include "options/command_line.h"
#include "tuner/cells.h"
#include "tuner/wanted_calls.h"

typedef struct anypi_options {
    const char *output;         /* the decision file */
    const char *mpich;          /* the MPICH whose names count; NULL: see anypi_names_open() */
    const char *save;           /* file for the times; NULL: none */
    bool resume;                /* continue a run that did not end, whose timing file is `save` */
    char **join;                /* timing files to join instead of measuring; NULL: none */
    int join_count;
    bool mixed;                 /* also join timing files of different machines */
    const char *calls[ANYPI_MAX_RECORDS];       /* records; only their calls are measured */
    int calls_count;
    const char *validate;       /* a decision file to validate; NULL: tune */
    bool mend;                  /* remove its slower rules, and write `output` */
    double budget;              /* seconds */
    bool procs, sizes;          /* --procs, --sizes were given */
    bool closed_forms;          /* also rules where nothing was measured */
    bool generic;               /* no measurement: for machines that were not tuned (generic.h) */
    bool all;                   /* measure all candidates, whatever closed forms predict */
    bool verbose, help;
} anypi_options;

/* --help and the manual page are made of this. */
extern const anypi_help anypi_tuner_help;

/* Which collectives `--collectives LIST` accepts, and the default; for --help. */
extern const char anypi_collectives_help[];

/* Sets wanted[] to the collectives of such a list. NULL: the default, which is all reductions, and
 * of the collectives that move data those that programs use most. False and a message (one line) if
 * the list is wrong. */
bool anypi_collectives_read(const char *text, bool wanted[ANYP_COLLECTIVES], char *message,
                            size_t size);

/* Reads the command line into options and into the plan's procs, sizes and wanted, for a run on
 * `max` processes. False and a message (one line) if it is wrong. */
bool anypi_options_read(int argc, char **argv, int max, anypi_options *options, anypi_plan *plan,
                        char *message, size_t size);

/* Are all files of the options different, so that none replaces another? If not, sets a message
 * (one line). Call it on one rank: files of other machines may differ. */
bool anypi_options_apart(const anypi_options *options, char *message, size_t size);

/* Reads "2,3,5-8" into ascending numbers without repetition; returns their number, or 0 with
 * *reason (static text). Numbers may end in K, M or G (1024 and its powers). */
int anypi_parse_list(const char *text, int64_t min, int64_t max, int64_t list[ANYPI_MAX_LIST],
                     const char **reason);

/* Puts the names of the MPICH of --mpich in force (anypi_mpich_open() of select/mpich.h). False and
 * a message (one line) if there is no such MPICH. */
bool anypi_names_open(const char *which, char *message, size_t size);

#endif
