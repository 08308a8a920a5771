/* SPDX-License-Identifier: BSD-3-Clause
 *
 * run.h - presents the record of a program's run: how long its collectives work and wait, and how
 * much a faster algorithm could save. With timing files of the machine it tells what AnyP would
 * save; with the record of another run, what has been saved.
 */
#ifndef ANYPI_RUN_H_INCLUDED
#define ANYPI_RUN_H_INCLUDED

#include "record/record.h"
#include "tuner/cells.h"
#include "options/json.h"

#include <stdio.h>

/* Values from fewer sampled calls than this are marked. */
enum { ANYPI_FEW_SAMPLES = 5 };

/* The time of a kind of calls in a run, in seconds of an average process, or of rank 0 if the
 * record is incomplete. */
typedef struct anypi_run_time {
    const anypi_calls *calls;   /* NULL: the run made no such calls */
    double seconds;
    double work;                /* at most; negative: unknown */
    bool sampled;               /* the work is from samples; otherwise it is a bound */
    const char *mark;           /* of the work in tables: "~" few samples, "*" a bound, or "" */
} anypi_run_time;

/* A kind of calls that a run made, or that at least one of two runs made. */
typedef struct anypi_run_line {
    const anypi_calls *calls;   /* of the first run; if it made none, of the second */
    anypi_run_time before, after;
    bool served;                /* AnyP has the collective */
    bool measured;              /* the timing files tell what AnyP saves in the first run's calls */
    bool together;              /* these times are of processes that enter together; here some are
                                 * late */
    double gain, least_gain, largest_gain;
} anypi_run_line;

typedef struct anypi_run_sums {
    double seconds;             /* of all lines */
    double waiting;             /* lower bound of the waiting in these seconds */
    double work;                /* upper bound, of the collectives that AnyP serves */
    double unknown;             /* the part of `work` for which not even a bound is known */
} anypi_run_sums;

typedef struct anypi_run {
    const anypi_record *record, *after;         /* `after`: NULL, or a second run of the program */
    const anypi_plan *plan;     /* NULL: no timing files */
    anypi_run_line *lines;      /* the longest first */
    int count;
    anypi_run_sums sum, sum_after;
    int measured;               /* number of lines whose gain is known from the timing files */
    double gain, least_gain, largest_gain;
    /* of the calls that both runs made and that were measured: the predicted and the real gain */
    int compared;
    double expected, saved_work, saved_seconds;
} anypi_run;

/* Makes the lines. The choices of the plan's cells must have been made. False: no memory. */
bool anypi_run_make(anypi_run *run, const anypi_record *record, const anypi_record *after,
                    const anypi_plan *plan);
void anypi_run_free(anypi_run *run);

/* Returns "allreduce, sum"; "alltoall, nonblocking, p=8, in place" */
typedef struct anypi_run_text {
    char text[160];
} anypi_run_text;
anypi_run_text anypi_run_name(const anypi_run *run, const anypi_run_line *line);
/* Returns "2 KiB"; "8 B" or "1 KiB to 1.5 KiB". */
anypi_run_text anypi_run_size(int64_t bytes);
anypi_run_text anypi_run_bytes(const anypi_run_line *line);

/* Writes sentences, one a line: what the run spends in collectives, and what can be saved. */
void anypi_run_headline(FILE *file, const anypi_run *run);
/* Writes the table for a terminal. */
void anypi_run_table(FILE *file, const anypi_run *run);
/* Writes the data of the page, as members of an object. */
void anypi_run_data(anypi_json *json, const anypi_run *run);

#endif
