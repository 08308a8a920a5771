/* SPDX-License-Identifier: BSD-3-Clause
 *
 * run.h - the record of a program's run for people: how long its collectives work and wait, what a
 * faster algorithm could save, and with times of the machine, or the record of another run, what it
 * would save, or has saved.
 */
#ifndef ANYPI_RUN_H_INCLUDED
#define ANYPI_RUN_H_INCLUDED

#include "record/record.h"
#include "tuner/cells.h"

#include <stdio.h>

/* Fewer sampled calls than this are marked. */
enum { ANYPI_FEW_SAMPLES = 5 };

/* What a kind of calls took in a run: seconds of an average process, or of rank 0 if the record is
 * incomplete. */
typedef struct anypi_run_time {
    const anypi_calls *calls;   /* NULL: the run made no such calls */
    double seconds;
    double work;                /* at most; negative: unknown */
    bool sampled;               /* the work is from samples; otherwise it is a bound */
    const char *mark;           /* of the work in tables: "~" few samples, "*" a bound, or "" */
} anypi_run_time;

/* A kind of calls that a run made, or one of two runs. */
typedef struct anypi_run_line {
    const anypi_calls *calls;   /* of the first run, or if it made none, of the second */
    anypi_run_time before, after;
    bool served;                /* AnyP has the collective */
    bool measured;              /* the times say what AnyP saves in the first run's calls */
    bool together;              /* in those times processes come together, and here some are late */
    double gain, least_gain, largest_gain;
} anypi_run_line;

typedef struct anypi_run_sums {
    double seconds;             /* of all lines */
    double waiting;             /* at least, of these */
    double work;                /* at most, of the collectives that AnyP serves */
    double unknown;             /* the part of that of which not even a bound is known */
} anypi_run_sums;

typedef struct anypi_run {
    const anypi_record *record, *after;         /* `after`: NULL, or a second run of the program */
    const anypi_plan *plan;     /* NULL: no times */
    anypi_run_line *lines;      /* the longest first */
    int count;
    anypi_run_sums sum, sum_after;
    int measured;               /* lines whose gain the times say */
    double gain, least_gain, largest_gain;
    /* of the calls that both runs made and the times have: what the times said, and what came */
    int compared;
    double expected, saved_work, saved_seconds;
} anypi_run;

/* Makes the lines. The plan's cells have their choices. False: no memory. */
bool anypi_run_make(anypi_run *run, const anypi_record *record, const anypi_record *after,
                    const anypi_plan *plan);
void anypi_run_free(anypi_run *run);

/* The work if it is known, otherwise the seconds. */
double anypi_run_most_work(const anypi_run_time *its);
/* Sets what the plan's times say about a line. */
void anypi_run_gain(const anypi_run *run, anypi_run_line *line);

/* "allreduce, sum"; "alltoall, nonblocking, p=8, in place" */
typedef struct anypi_run_text {
    char text[160];
} anypi_run_text;
anypi_run_text anypi_run_name(const anypi_run *run, const anypi_run_line *line);
/* "8 bytes", "1.00 KiB to 1.50 KiB" */
anypi_run_text anypi_run_bytes(const anypi_run_line *line);

/* Sentences: what the run spends in collectives, and what can be saved; one for each line. */
void anypi_run_headline(FILE *file, const anypi_run *run);
/* Pictures of the page: a bar for each kind of calls, and the sizes of each collective. */
void anypi_run_bars(FILE *page, const anypi_run *run);
void anypi_run_sizes(FILE *page, const anypi_run *run);
/* The table for a terminal. */
void anypi_run_table(FILE *file, const anypi_run *run);
/* The page, which needs no other file. */
void anypi_run_page(FILE *page, const anypi_run *run);

#endif
