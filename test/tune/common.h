/* SPDX-License-Identifier: BSD-3-Clause
 *
 * common.h - what the tests of the tuner without MPI share: plans of a made-up library, and synthetic
 * times.
 */
#ifndef TUNE_COMMON_H
#define TUNE_COMMON_H

#include "plan/plan.h"

#include <check.h>

/* The table of control variables of an MPICH with some of AnyP's algorithms. */
extern const char tune_table[];

/* From now on names and plans are of an MPICH 5.0 instead, or of 4.0 again. */
void tune_use(bool newer);

/* A plan as the tuner makes it from a command line and the table; procs may be NULL. */
void tune_make_plan(anypi_plan *plan, int max, const char *procs, const char *sizes);

/* Gives a cell a round in which each candidate takes `ratio` of a millisecond. */
void tune_add_round(anypi_cell *cell, const double *ratio);

/* Some number in [0, 1) for each seed, the same in every run. */
double tune_noise(unsigned seed);

/* The place of a candidate by its text; fails the test if there is none. */
int tune_candidate(const anypi_plan *plan, anyp_collective collective, const char *text);

TCase *tune_plan(void);
TCase *tune_choice(void);
TCase *tune_files(void);

#endif
