/* SPDX-License-Identifier: BSD-3-Clause
 *
 * run.h - presents the record of a program's run: how long its collectives work and wait, and how
 * much a faster algorithm could save. With timing files of the machine it tells what AnyP would
 * save; with the records of other runs, what has been saved. Numbers of several runs are medians.
 */
#ifndef ANYPI_RUN_H_INCLUDED
#define ANYPI_RUN_H_INCLUDED

#include "record/record.h"
#include "tuner/noise.h"
#include "tuner/regions.h"
#include "options/json.h"

#include <stdio.h>

/* If all runs of one side are shorter than all runs of the other one, this happens by chance in
 * less than 5 % of cases only if both sides have this many runs. */
enum { ANYPI_SURE_RUNS = 4, ANYPI_MAX_RUNS = 31 };

/* The interval of a median requires this many values. So with this many pairs of runs, differences
 * in pairs are compared. */
enum { ANYPI_SURE_PAIRS = 6 };

/* Complete records of the same program, at most ANYPI_MAX_RUNS; or one that is incomplete. */
typedef struct anypi_run_side {
    const anypi_record *records;
    int count;                  /* 0: none */
} anypi_run_side;

/* How times of one side differ from those of the other one. */
typedef enum anypi_change {
    ANYPI_NO_CHANGE,            /* single runs, which cannot tell, or times of one side only */
    ANYPI_TOO_FEW_RUNS, ANYPI_NOISE, ANYPI_LESS, ANYPI_MORE
} anypi_change;

typedef struct anypi_difference {
    anypi_interval before, after;
    anypi_interval pairs;       /* of the differences in pairs, after minus before; otherwise only
                                 * the difference of the two medians */
    anypi_change change;
} anypi_difference;

/* The time of a kind of calls in runs, in seconds of an average process, or of rank 0 if the
 * record is incomplete. */
typedef struct anypi_run_time {
    const anypi_calls *calls;   /* of the first run that made such calls; NULL: none did */
    double times;               /* how often a rank makes the calls */
    double seconds, low, high;  /* with the interval of the median */
    double work;                /* at most; negative: unknown */
    bool sampled;               /* the work is from samples; otherwise it is a bound */
    const char *mark;           /* of the work in tables: "~" few samples, "*" a bound, or "" */
} anypi_run_time;

/* A kind of calls that a run made, or that at least one of two runs made. */
typedef struct anypi_run_line {
    const anypi_calls *calls;   /* of the first run that made such calls */
    const anypi_record *record; /* of that run */
    anypi_run_time before, after;
    anypi_change change;        /* of the seconds */
    double difference;          /* of the seconds: the median in pairs, or of the two medians */
    bool served;                /* AnyP has the collective */
    bool known;                 /* the timing files tell what AnyP saves in the first run's calls */
    bool measured;              /* they contain this size; otherwise sizes near it */
    bool together;              /* these times are of processes that enter together; here some are
                                 * late */
    double gain, least_gain, largest_gain;      /* at most the work */
    bool capped;                /* by the times alone, the gain exceeds the work */
} anypi_run_line;

typedef struct anypi_run_sums {
    double run;                 /* seconds of the run */
    double seconds;             /* of all lines */
    double waiting;             /* lower bound of the waiting in these seconds */
    double work;                /* upper bound, of the collectives that AnyP serves */
    double unknown;             /* the part of `work` for which not even a bound is known */
    double compared;            /* the part of `seconds` in lines that are compared */
} anypi_run_sums;

typedef struct anypi_run {
    anypi_run_side runs[2];         /* before and after a change; [1] may be empty */
    const anypi_record *record, *after;         /* the first ones; `after`: NULL, or another run */
    bool several;               /* a side has several runs */
    bool paired;                /* runs of both sides took turns */
    const anypi_plan *plan;     /* NULL: no timing files */
    const anypi_regions *regions;       /* the choices that anyp-tune makes of these */
    char *const *places;        /* names of the first run's places; NULL: as in the record */
    anypi_run_line *lines;      /* the longest first */
    int count;
    anypi_run_sums sums[2][ANYPI_MAX_RUNS];     /* of each run */
    anypi_run_sums sum, sum_after;
    int known, measured;        /* number of such lines */
    double gain, least_gain, largest_gain;
    /* of the lines with a known gain that both runs made: the predicted and the real gain */
    int compared, compared_measured;
    double expected, saved_work, saved_seconds;
} anypi_run;

/* Makes the lines. `regions` are those of anypi_choose_all() for the plan. False: no memory. */
bool anypi_run_make(anypi_run *run, anypi_run_side before, anypi_run_side after,
                    const anypi_plan *plan, const anypi_regions *regions);
void anypi_run_free(anypi_run *run);

/* Returns whether both sides have equally many runs, at least ANYPI_SURE_PAIRS, and the n-th of one
 * side ran next to the n-th of the other. */
bool anypi_run_took_turns(const anypi_run *run);
/* Compares a value of each run before the change with one of each run after it. */
anypi_difference anypi_run_compare(const anypi_run *run, const double *before, const double *after);
/* Compares a member of the sums, of which `offset` is the offset in the structure. */
anypi_difference anypi_run_compare_sums(const anypi_run *run, size_t offset);

/* Returns "allreduce, sum"; "alltoall, nonblocking, phase 2, p=8". If lines would have the same
 * name and bytes, also the nodes, the size of elements, how uneven blocks are, "derived" or "in
 * place". */
typedef struct anypi_run_text {
    char text[160];
} anypi_run_text;
anypi_run_text anypi_run_name(const anypi_run *run, const anypi_run_line *line);
/* Returns "phase 2"; "phase 1 (default)"; "further phases". */
anypi_run_text anypi_run_phase(int number);
/* Returns "2 KiB"; "8 B" or "1 KiB to 1.5 KiB". */
anypi_run_text anypi_run_size(int64_t bytes);
anypi_run_text anypi_run_bytes(const anypi_run_line *line);

/* Returns "-25.6 %"; "more": the median before is 0; "noise"; "?": too few runs; "-". */
anypi_run_text anypi_run_change(const anypi_run_line *line);

/* Writes sentences, one a line: what the run spends in collectives, and what can be saved. */
void anypi_run_headline(FILE *file, const anypi_run *run);
/* Writes the table for a terminal. */
void anypi_run_table(FILE *file, const anypi_run *run);
/* Writes the data of the page, as members of an object. */
void anypi_run_data(anypi_json *json, const anypi_run *run);
/* Do this for the phases that the program marks; without phases, write nothing or no entries. */
void anypi_run_phases_table(FILE *file, const anypi_run *run);
void anypi_run_phases_data(anypi_json *json, const anypi_run *run);
/* Do this for the places from which the first run called collectives. */
void anypi_run_sites_table(FILE *file, const anypi_run *run);
void anypi_run_sites_data(anypi_json *json, const anypi_run *run);

#endif
