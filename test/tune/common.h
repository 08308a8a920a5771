/* SPDX-License-Identifier: BSD-3-Clause
 *
 * common.h - for the tests of the tuner without MPI: plans of a synthetic library, and synthetic
 * times.
 */
#ifndef TUNE_COMMON_H
#define TUNE_COMMON_H

#include "tuner/regions.h"

#include <check.h>

/* The table of control variables of an MPICH with some of AnyP's algorithms. */
extern const char tune_table[];

/* Names and plans are of MPICH 5.0 from now on, or of 4.0 again. */
void tune_use(bool newer);

/* A plan as the tuner makes it from a command line and the table; procs may be NULL. */
void tune_make_plan(anypi_plan *plan, int max, const char *procs, const char *sizes);

/* A plan of all collectives as with the plug-in, without cells. */
void tune_make_plugin_plan(anypi_plan *plan);

/* Adds rounds to a cell in which candidate c takes ratio[c] milliseconds. */
void tune_add_rounds(anypi_cell *cell, const double *ratio, int rounds);

/* Sets the choices of a plan, which differ from the best by `margin` at most, of what was measured
 * only; then the text of the decision file. */
void tune_choose(anypi_plan *plan, double margin);
char *tune_write(const char *origin);

/* A number in [0, 1) for each seed, the same in every run. */
double tune_noise(unsigned seed);

/* The index of a candidate by its text; the test fails if there is none. */
int tune_candidate(const anypi_plan *plan, anyp_collective collective, const char *text);

/* The closed form of a candidate in a cell, by the plan's constants; INFINITY: it does not serve
 * the cell. */
double tune_form(const anypi_plan *plan, const anypi_cell *cell, const anypi_candidate *candidate);

/* Is the candidate measured in the cell? */
static inline bool tune_running(const anypi_cell *cell, int c)
{
    return cell->trials[c].running;
}

/* Nodes from text; the test fails if it is wrong. */
anyp_shape *tune_read_nodes(const char *text);

TCase *tune_options(void);
TCase *tune_plan(void);
TCase *tune_contenders(void);
TCase *tune_boundaries(void);
TCase *tune_calls(void);
TCase *tune_choice(void);
TCase *tune_files(void);
TCase *tune_forms(void);
TCase *tune_noise_tests(void);
TCase *tune_nodes(void);
TCase *tune_validation(void);

#endif
