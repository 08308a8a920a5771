/* SPDX-License-Identifier: BSD-3-Clause
 *
 * validation.h - is a decision file anywhere slower than the MPI library's own choice? Points are
 * cells in which the file has a rule. At each of them both are timed in turn, in pairs; a pair
 * gives one ratio, which does not feel what the machine did before and after it.
 *
 * Of many points some seem slower by chance. So those whose first interval says so are measured
 * again, and only the new pairs decide: all verdicts "slower" together are right with a probability
 * of 95 % (Bonferroni: the doubt is shared by the points that are measured again).
 */
#ifndef ANYPI_VALIDATION_H_INCLUDED
#define ANYPI_VALIDATION_H_INCLUDED

#include "tuner/decision_file.h"
#include "tuner/noise.h"

#include <stdio.h>

enum { ANYPI_MAX_PAIRS = 101 };

/* Times of a call, in seconds; times[i] of the library's choice and of the file's are neighbours in
 * time. */
typedef struct anypi_pair_times {
    int count;
    double library[ANYPI_MAX_PAIRS], file[ANYPI_MAX_PAIRS];
} anypi_pair_times;

typedef enum anypi_verdict {
    ANYPI_UNTIMED,              /* there was no time, or too little for an interval */
    ANYPI_FASTER,               /* the file is */
    ANYPI_UNCLEAR,                /* no difference is certain */
    ANYPI_SUSPECT,              /* seems slower; there was no time to measure again */
    ANYPI_SLOWER,
    ANYPI_BAD,                  /* an error or a wrong result of what the file chooses */
    ANYPI_LIBRARY_BAD           /* ... of the library's choice: there is nothing to compare with */
} anypi_verdict;

typedef struct anypi_point {
    int cell;                           /* of the plan */
    bool between;                       /* not one of those that the tuner measures by default */
    anypi_candidate candidate;          /* what the file chooses */
    char rule[512];                     /* its conditions, which name it */
    int index;                          /* of the candidate in the cell; -1: not known yet */
    bool bad, library_bad, suspect;
    double seconds;                     /* of a pair, with all around it */
    anypi_pair_times first, again;
} anypi_point;

/* The sizes and numbers of processes that the tuner measures by default. */
typedef struct anypi_grid {
    int64_t sizes[ANYPI_MAX_LIST];
    int procs[ANYPI_MAX_LIST];
    int sizes_count, procs_count;       /* 0: all are of the grid */
} anypi_grid;

typedef struct anypi_validation {
    const anypi_plan *plan;
    anypi_point *points;
    int count;
    int holes;                          /* cells without a rule: the library's choice */
    int others;                         /* cells with a rule that cannot be measured */
    int suspects;                       /* points that are measured again */
} anypi_validation;

/* Adds points that the tuner does not measure to a plan: if `sizes`, to its sizes those half way
 * between them (by factors), half of the first and four times the last; if `procs`, to its numbers
 * of processes those between them. Returns what there was, of the two that it adds to. */
anypi_grid anypi_validation_grid(anypi_plan *plan, bool sizes, bool procs);
/* Of candidates that differ only in parameters keeps the first: rules add theirs. */
void anypi_validation_candidates(anypi_plan *plan);

/* Makes the points, of the plan's cells; names_own: the file can name the library's own algorithms.
 * To be freed with anypi_validation_free(). False: no memory. */
bool anypi_validation_make(anypi_validation *validation, const anypi_plan *plan,
                           const anypi_grid *grid, const anypi_decision *decision,
                           bool names_own);
void anypi_validation_free(anypi_validation *validation);

/* How many times as fast as the library the file is. If the plan's times are exact, one pair
 * suffices. */
anypi_interval anypi_pair_speed(const anypi_plan *plan, const anypi_pair_times *pairs,
                                double doubt);
/* Finds the suspects, after the first pairs. Returns their number. */
int anypi_validation_suspect(anypi_validation *validation);
/* The pairs that suspects should get: so many that two of them do not change a verdict. */
int anypi_validation_needed(const anypi_validation *validation);
/* The doubt of the interval that decides on a point. */
double anypi_validation_doubt(const anypi_validation *validation, const anypi_point *point);
anypi_verdict anypi_validation_verdict(const anypi_validation *validation,
                                       const anypi_point *point);
/* The number of points with a verdict. */
int anypi_validation_of(const anypi_validation *validation, anypi_verdict verdict);

/* ---- validation_table.c ---- */

/* Prints the table, of the points that were timed, and the summary. */
void anypi_validation_print(const anypi_validation *validation, FILE *file);

/* ---- remove_slow_rules.c ---- */

/* Takes out the rules of points that are slower or bad; and if `strict` of those that are not
 * certainly faster. A rule stays for the nearest sizes, and numbers of processes, for which it was
 * measured and was good, and beyond them; but no part of a rule with a wrong result. Returns the
 * number of points that lost theirs. */
int anypi_mend(const anypi_validation *validation, bool strict, anypi_decision *decision);

/* The decision as a file: the comments at the head of the file that it was, `comment`, and the
 * rules. To be freed with free(); NULL: no memory. */
char *anypi_mend_text(const anypi_decision *decision, const char *before, const char *comment);

#endif
