/* SPDX-License-Identifier: BSD-3-Clause
 *
 * predict.h - the times that candidates would take where nothing was measured: at sizes between the
 * measured ones and beyond them, and at other numbers of processes.
 *
 * A closed form times its error, the ratio of measured time to closed form. Errors are interpolated
 * between the two measured sizes, and the two measured numbers of processes, around. The library's
 * algorithms are expected to grow as the best of AnyP's does.
 */
#ifndef ANYPI_PREDICT_H_INCLUDED
#define ANYPI_PREDICT_H_INCLUDED

#include "tuner/cells.h"

/* The measured cells of one number of processes: of one collective and operator kind, of ascending
 * sizes. */
typedef struct anypi_measured_row {
    const anypi_cell *cells;
    int count;
    double *errors;             /* [cell][candidate]; 0: not computed yet */
} anypi_measured_row;

/* The measured sizes around a size: cells low and high of a row, which are the same where it was
 * measured, and below and beyond all sizes. */
typedef struct anypi_size_place {
    int low, high;
    double part;                /* of the way from low to high, by logarithms */
} anypi_size_place;

/* Allocates room for errors; free it with free(). False: no memory. */
bool anypi_measured_row_make(const anypi_plan *plan, anypi_measured_row *row);
anypi_size_place anypi_size_place_of(const anypi_measured_row *row, int64_t bytes);

/* The measured numbers of processes around one: that below and that above, which are the same where
 * it was measured, and below and beyond all. */
typedef struct anypi_near_rows {
    const anypi_measured_row *low, *high;
    double part;                /* of the way from low to high, by logarithms */
} anypi_near_rows;

/* Writes the expected time of each candidate of the collective, in seconds, in a cell that was not
 * measured into times[]. A time is INFINITY if it is unknown, if the candidate does not serve the
 * cell, or if it cannot be trusted, since the candidate was far behind in the measured cells
 * around. Beyond these, only candidates whose parameters are "auto" have a time. */
void anypi_predict(const anypi_plan *plan, const anypi_near_rows *rows, const anypi_cell *cell,
                   double *times);

#endif
