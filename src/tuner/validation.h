/* SPDX-License-Identifier: BSD-3-Clause
 *
 * validation.h - finds out where a decision file is slower than the MPI library's own choice.
 * Points are cells for which the file has a rule with an algorithm of AnyP. At each point both are
 * timed alternately, in pairs. A pair gives one ratio, which does not depend on what the machine
 * did before and after it.
 *
 * Of many points some seem slower by chance. So points whose first interval says so are measured
 * again, and only the new pairs decide. All verdicts "slower" together are right with a probability
 * of 95 % (Bonferroni: the points that are measured again share the doubt).
 */
#ifndef ANYPI_VALIDATION_H_INCLUDED
#define ANYPI_VALIDATION_H_INCLUDED

#include "tuner/decision_file.h"
#include "tuner/noise.h"

#include <stdio.h>

enum { ANYPI_MAX_PAIRS = 101 };

/* Times of a call, in seconds; times[i] of the MPI library's choice and of the file's choice were
 * measured one after the other. */
typedef struct anypi_pair_times {
    int count;
    double library[ANYPI_MAX_PAIRS], file[ANYPI_MAX_PAIRS];
} anypi_pair_times;

typedef enum anypi_verdict {
    ANYPI_UNTIMED,              /* there was no time, or too little for an interval */
    ANYPI_FASTER,               /* the file is faster */
    ANYPI_UNCLEAR,                /* no difference is certain */
    ANYPI_SUSPECT,              /* seems slower; there was no time to measure again */
    ANYPI_SLOWER,
    ANYPI_BAD,                  /* an error or a wrong result of the file's choice */
    ANYPI_LIBRARY_BAD           /* ... of the MPI library's choice: there is nothing to compare */
} anypi_verdict;

typedef struct anypi_point {
    int cell;                           /* of the plan */
    anypi_candidate candidate;          /* the file's choice */
    char rule[512];                     /* its conditions, which name it */
    int index;                          /* of the candidate in the cell; -1: not known yet */
    bool bad, library_bad, suspect;
    double seconds;                     /* duration of a pair, including everything around it */
    anypi_pair_times first, again;
} anypi_point;

typedef struct anypi_validation {
    const anypi_plan *plan;
    anypi_point *points;
    int count;
    int holes;                          /* cells without such a rule */
    int others;                         /* cells with a rule that cannot be measured */
    int suspects;                       /* points that are measured again */
} anypi_validation;

/* Adds points that the tuner does not measure to a plan. If `sizes`, it adds sizes: half way
 * between the plan's sizes (by factors), half of the first and four times the last. If `procs`, it
 * adds the numbers of processes between the plan's. */
void anypi_validation_extend(anypi_plan *plan, bool sizes, bool procs);

/* Makes the points of the plan's cells; anypi_validation_free() frees them. False: no memory. */
bool anypi_validation_make(anypi_validation *validation, const anypi_plan *plan,
                           const anypi_decision *decision);
void anypi_validation_free(anypi_validation *validation);

/* Returns how many times as fast as the MPI library the file is. If the plan's times are exact, one
 * pair suffices. */
anypi_interval anypi_pair_speed(const anypi_plan *plan, const anypi_pair_times *pairs,
                                double doubt);
/* Finds the suspects, after the first pairs. Returns their number. */
int anypi_validation_suspect(anypi_validation *validation);
/* Returns the pairs that suspects need: so many that two of them do not change a verdict. */
int anypi_validation_needed(const anypi_validation *validation);
/* Returns the doubt of the interval that decides on a point. */
double anypi_validation_doubt(const anypi_validation *validation, const anypi_point *point);
anypi_verdict anypi_validation_verdict(const anypi_validation *validation,
                                       const anypi_point *point);
/* Returns the number of points with a verdict. */
int anypi_validation_of(const anypi_validation *validation, anypi_verdict verdict);

/* ---- validation_table.c ---- */

/* Prints the table of the points that were timed, and the summary. */
void anypi_validation_print(const anypi_validation *validation, FILE *file);

/* ---- remove_slow_rules.c ---- */

/* Removes the rules of points that are slower or bad. A rule stays for the nearest sizes and
 * numbers of processes at which it was measured and was good, and beyond them. No part of a rule
 * with a wrong result stays. Returns the number of points that lost their rule. */
int anypi_mend(const anypi_validation *validation, anypi_decision *decision);

/* Returns the decision as a file: the comments at the head of the original file, `comment`, and the
 * rules. Free it with free(); NULL: no memory. */
char *anypi_mend_text(const anypi_decision *decision, const char *before, const char *comment);

#endif
