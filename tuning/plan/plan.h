/* SPDX-License-Identifier: BSD-3-Clause
 *
 * plan.h - what the tuner measures and what it knows of it: candidates (an algorithm with its
 * parameters), cells (one collective, operator kind, number of processes and vector size), and the
 * plan that holds both. Nothing here, nor in plan.c, candidates.c, choose.c, decision_file.c, knows MPI.
 */
#ifndef ANYPI_TUNE_H_INCLUDED
#define ANYPI_TUNE_H_INCLUDED

#include "anyp.h"
#include "select/mpich.h"

/* Bytes of one element that is measured: a double for MPI_SUM, a 2x2 matrix of uint32_t. */
#define ANYPI_SUM_SIZE 8
#define ANYPI_MATRIX_SIZE 16

enum {
    ANYPI_MAX_CANDIDATES = 2048,        /* of one collective */
    ANYPI_MAX_LIST = 64,                /* numbers in --procs and --sizes */
    ANYPI_MAX_ROUNDS = 31,              /* timed rounds of one cell */
    ANYPI_LEAST_ROUNDS = 3,             /* fewer prove nothing */
    ANYPI_NAME_SIZE = 64
};

/* What one cell can run. Candidate 0 of every collective is the MPI library's own choice. */
typedef struct anypi_candidate {
    char name[ANYPI_NAME_SIZE];         /* as variables take it: "anyp_circulant" */
    int value;                          /* a control variable's number for that name */
    const anyp_algorithm *algorithm;    /* NULL: the library's own */
    const anypi_mpich_algorithm *own;   /* the library's own, by name; NULL: AnyP's, or "auto" */
    int parameters[ANYP_MAX_PARAMETERS];        /* of the library's own as rules keep them */
    bool fine;                          /* a point between the coarse ones of the grid: tried where
                                           the model promises something of it; of the library's own
                                           all but the first */
    bool refused[2];                    /* not for every call with operators that commute [0], that
                                           do not [1]: no rule can name it */
} anypi_candidate;

typedef struct anypi_candidates {
    anypi_candidate *list;
    int count, room;
} anypi_candidates;

/* One cell. `same[c]` is the candidate that is measured for candidate c: c itself, another one
 * whose schedules are the same here, or -1 if c does not serve the cell. Only rank 0 has what lies
 * behind `candidates`. */
typedef struct anypi_cell {
    anyp_collective collective;
    bool commutative;
    int p;
    int64_t bytes;                      /* of the whole vector, as the rules count it */
    int candidates;
    int *same;
    bool *alive;                        /* still in the race; false where same[c] != c */
    bool *skipped;                      /* not measured because of its closed form */
    double promise;                     /* seconds of the most promising, before it is measured */
    double *times;                      /* [round * candidates + c]: seconds, NAN: not measured */
    int rounds;
    int choice;                         /* a candidate; 0: leave it to the library */
} anypi_cell;

/* Cells lie in the order p, collective, operator kind (commutative first), size. */
typedef struct anypi_plan {
    bool follows;                       /* a rank that is told what to run: its cells are empty */
    bool reference;                     /* algorithms kept as reference are candidates, too */
    bool only_anyp;                     /* the library's choice is no candidate, wherever one of
                                           AnyP's algorithms serves */
    bool exact;                         /* a clock without noise, as a simulator's: each time is
                                           measured once, and the least wins */
    int procs[ANYPI_MAX_LIST];          /* ascending */
    bool complete[ANYPI_MAX_LIST];      /* every cell of that p has been measured */
    int procs_count;
    int64_t sizes[ANYPI_MAX_LIST];      /* bytes, ascending */
    int sizes_count;
    bool wanted[ANYP_COLLECTIVES];
    bool unwanted[2];                   /* operators that commute [0], that do not [1] */
    anypi_candidates candidates[ANYP_COLLECTIVES];
    anypi_cell *cells;
    int cells_count;
} anypi_plan;

/* Which values the library's control variables take: share/anyp/cvars.json. */
typedef struct anypi_names anypi_names;

/* ---- cvars.c ---- */

/* Reads cvars.json's text; NULL and a message (one line) if it is not what it should be. */
anypi_names *anypi_names_parse(const char *text, const char *file, char *message, size_t size);
void anypi_names_free(anypi_names *names);
/* The i-th value of a control variable: its name (NULL: there is no such one) and its number. */
const char *anypi_names_value(const anypi_names *names, const char *variable, int i, int *value);
/* Of a control variable whose values have names this one is left. */
void anypi_names_keep(anypi_names *names, const char *variable, const char *name);
/* The number of a value by its name; `otherwise` if the file does not say. */
int anypi_names_find(const anypi_names *names, const char *variable, const char *name,
                     int otherwise);

/* Puts in force the names of the MPICH that `which` says (anypi_mpich_open() of select/mpich.h);
 * NULL: of the one that the program is installed with, else of the one that AnyP has built in. False
 * and a message (one line) if there is no such one. */
bool anypi_names_open(const char *which, char *message, size_t size);
/* Is the table of the same release as the names in force, as far as names go? Else false and a
 * message (one line). `file` is the table. */
bool anypi_names_agree(const anypi_names *names, const char *file, char *message, size_t size);

/* ---- plan.c ---- */

/* The numbers of processes worth measuring up to `most` into procs[], ascending: all up to 8, then
 * per octave those beside and between the powers of two, and `most` itself. Returns how many. */
int anypi_default_procs(int most, int procs[ANYPI_MAX_LIST]);
/* The order in which to measure procs[]: the largest (the likeliest job), those up to 8, then the
 * others with powers of two last, since libraries serve these well. order[] gets places in
 * procs[]. */
void anypi_procs_order(const int *procs, int count, int *order);
/* "2,3,5-8" into ascending numbers without repetition; 0 and *reason (static text) if it is not
 * that. Sizes may end in K, M or G (1024 and its powers). */
int anypi_parse_list(const char *text, int64_t least, int64_t most, int64_t list[ANYPI_MAX_LIST],
                     const char **reason);
/* Elements of the whole vector in a cell: a whole number of elements per process where the
 * collective scatters, and at least one. */
int64_t anypi_cell_count(const anypi_cell *cell);
/* The call of a cell as rank 0 sees it. */
anyp_call anypi_cell_call(const anypi_cell *cell);
/* Makes the cells once procs, sizes, wanted and candidates are set. Where the collective scatters,
 * the smallest size is one element per process. ANYP_ERR_MEMORY. */
anyp_status anypi_plan_cells(anypi_plan *plan);
void anypi_plan_free(anypi_plan *plan);
/* "anyp_butterfly threshold=0" and so on into text; returns text. */
char *anypi_candidate_text(const anypi_candidate *candidate, char *text, size_t size);
/* A parameter of it: "threshold=0"; false behind the last. */
bool anypi_candidate_parameter(const anypi_candidate *candidate, int i, char *text, size_t size);

/* ---- library.c ---- */

/* The library's own algorithm of that name; NULL: there is none. */
const anypi_mpich_algorithm *anypi_own_find(anyp_collective collective, const char *name);
/* Is it a candidate: can a rule name it, and keep it from calls that it does not serve? */
bool anypi_own_nameable(const anypi_mpich_algorithm *own);
/* What it needs of a call: the row of anypi_keys that asks for it (-1: none does), and whether that
 * must hold. False behind the last. */
bool anypi_own_need(const anypi_mpich_algorithm *own, int i, int *key, bool *holds);
/* Does it serve only reduce_scatters whose blocks are equal? NULL: no. */
bool anypi_own_equal(const anypi_mpich_algorithm *own);
/* Does it serve the call, with equal blocks, and with a built-in operator or another? */
bool anypi_own_serves(const anypi_mpich_algorithm *own, const anyp_call *call, bool builtin);
/* May it be chosen for p processes? Its rule may hold for fewer as well, which none has measured. */
bool anypi_own_worthwhile(const anypi_candidate *candidate, int p);
/* The points of its parameters' grid; returns how many. One without parameters has one. */
int anypi_own_grid(const anypi_mpich_algorithm *own, const anypi_names *names,
                   int points[][ANYP_MAX_PARAMETERS], int room);
/* The candidate whose call is the same as that of candidate c, one of the library's own: all numbers
 * of partners above p are one, and a vector shorter than a chunk is not cut. */
int anypi_own_same(const anypi_candidates *candidates, int c, const anyp_call *call);
/* Sets all parameters from "name=value name=value", which it changes; false if it is not that. */
bool anypi_own_set(anypi_candidate *candidate, char *settings);

/* ---- candidates.c ---- */

/* Appends the algorithm with every point of its parameters' grid: an enum's values; for numbers the
 * least, the default, the greatest, and for bytes two to an octave between 256 and 1 Mi (the powers
 * of 8 from 1 Ki to 64 Ki are coarse), for others some to 128 (3, 4 and 8 are). If these are very
 * many, one to an octave, and at most one value that is not coarse. */
anyp_status anypi_candidates_add(anypi_candidates *candidates, const anyp_algorithm *algorithm,
                                 const char *name, int value);
/* The collective's candidate that anypi_candidate_text() calls so, appended if it is not there; -1:
 * there is no such algorithm or parameter, or no room. */
int anypi_candidates_text(anypi_candidates *candidates, anyp_collective collective,
                          const char *text);
/* The control variable that chooses the algorithm of a collective, into name; returns name. */
char *anypi_algorithm_variable(anyp_collective collective, char *name, size_t size);
/* The candidates of all wanted collectives: for each the library's choice, its own algorithms (none
 * if `names` is NULL: they cannot be forced), AnyP's. A collective without any of AnyP's is no
 * longer wanted. */
anyp_status anypi_candidates_make(anypi_plan *plan, const anypi_names *names);
/* Finds which candidates serve the cell: sets same[] and alive[]. */
anyp_status anypi_cell_candidates(anypi_cell *cell, const anypi_candidates *candidates);

/* ---- same_schedule.c ---- */

typedef struct anypi_sample anypi_sample;

/* The schedules of a candidate in a call, of some ranks; NULL if it has none, or no memory. */
anypi_sample *anypi_sample_make(const anypi_candidate *candidate, anyp_call call);
bool anypi_sample_equal(const anypi_sample *one, const anypi_sample *other);
void anypi_sample_free(anypi_sample *sample);

/* ---- prune.c ---- */

/* Seconds of a round with one message of next to no bytes, with `several` of them (0: unknown),
 * with one of `bytes`; and of a local reduction of these. */
typedef struct anypi_probe_times {
    double short_message, short_messages, long_message, reduction, bytes;
    int several;
} anypi_probe_times;

anyp_model anypi_model_fit(const anypi_probe_times *times);

/* Which candidates are worth a measurement. */
typedef struct anypi_selection {
    int most;                   /* of AnyP's in one cell */
    double hopeless;            /* none that takes so many times as long as the best, ... */
    double close;               /* ... nor so many times if another of its algorithm is better */
    bool fine;                  /* fine points count like the coarse ones; else one is only taken if
                                   it promises to be clearly better than all coarse ones of its
                                   algorithm */
    double seconds;             /* of a call of each, together, by closed form; 0: any time */
    int least;                  /* so many in any case */
} anypi_selection;

/* Leaves the most promising of AnyP's candidates in the race, by their closed forms under the
 * model; the best settings of different algorithms first. Of those that have the same schedules
 * one is measured for all: sets same[] of the others, and skipped[] of what is not measured.
 * Returns how many are left. Before the first round of the cell. */
int anypi_cell_prune(anypi_cell *cell, const anypi_candidates *candidates, const anyp_model *model,
                     anypi_selection selection);
/* Seconds of the most promising one that is in the race; 0: there is none with a closed form. */
double anypi_cell_promise(const anypi_cell *cell, const anypi_candidates *candidates,
                          const anyp_model *model);

/* ---- choose.c ---- */

/* The lower quartile of candidate c's times in seconds; INFINITY if it was not measured. */
double anypi_time(const anypi_cell *cell, int c);
/* That time relative to that of the library's choice. */
double anypi_ratio(const anypi_cell *cell, int c);
/* The shortest time of candidate c relative to the shortest of all; INFINITY or NAN if it was not
 * measured. */
double anypi_lag(const anypi_cell *cell, int c);
/* Takes those that have clearly lost out of the race; returns how many remain, candidate 0 not
 * counted. */
int anypi_race(anypi_cell *cell);
/* Sets choice in all cells of complete p. A candidate must be faster than the library's choice
 * by more than `margin` (0.03: 3 %), and provably so in spite of noise. Among those within
 * `margin` of the best, that of the next smaller size, else that of the next smaller p, else the
 * best is taken, so that noise does not tear rules apart. */
void anypi_choose_all(anypi_plan *plan, double margin);

/* ---- prune_by_size.c ---- */

/* Leaves out what was hopeless at the next smaller size, no better than at the one before that, and
 * slower than `slow` seconds: such as gathering all vectors, once these are long. Before the first
 * round of the cell. */
void anypi_cell_leave_out(anypi_plan *plan, int place, double slow);
/* Leaves about `most` settings of the library's algorithms with parameters: of each at least one, the
 * best at the next smaller size, and those that are worth a look at every size. */
void anypi_cell_thin(anypi_plan *plan, int place, double most);

/* ---- saved_times.c ---- */

/* What was measured of the complete p, for a later join; `origin` says where. Free it with free();
 * NULL if there is no memory. */
char *anypi_times_write(const anypi_plan *plan, const char *origin);
/* What such a text says of where and when; free() it. */
char *anypi_times_origin(const char *text);
/* Makes an empty plan of `count` >= 1 such texts: of a cell that is in several, the last. files[]
 * are their names, for the message (one line) if one of them is something else. Free the plan with
 * anypi_plan_free() in any case. */
bool anypi_times_join(anypi_plan *plan, const char *const *texts, const char *const *files,
                      int count, char *message, size_t size);

/* ---- decision_file.c ---- */

/* The decision file's text; `origin` (where and when; lines) becomes a comment at its head. Free it
 * with free(); NULL if there is no memory. A p between two that were measured follows the nearer
 * one (the smaller if both are as near), a size likewise by ratio. Beyond the largest p, below half
 * of the smallest, and where the library's choice was best, the file says nothing. */
char *anypi_write_decision(const anypi_plan *plan, const char *origin);

#endif
