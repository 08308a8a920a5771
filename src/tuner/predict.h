/* SPDX-License-Identifier: BSD-3-Clause
 *
 * predict.h - predicts the times of candidates where nothing was measured: at sizes between the
 * measured ones and beyond them, and at other numbers of processes.
 *
 * A prediction is a closed form times its error, the ratio of measured time to closed form. Errors
 * are interpolated between the two nearest measured sizes and the two nearest measured numbers of
 * processes. The times of the MPI library's algorithms are expected to grow as AnyP's best does.
 */
#ifndef ANYPI_PREDICT_H_INCLUDED
#define ANYPI_PREDICT_H_INCLUDED

#include "tuner/cells.h"

/* The measured cells of one number of processes, one collective and one operator kind, in ascending
 * order of sizes. */
typedef struct anypi_measured_row {
    const anypi_cell *cells;
    int count;
    double *errors;             /* [cell][candidate]; 0: not computed yet */
} anypi_measured_row;

/* The measured sizes around a size: cells low and high of a row. They are the same cell if the size
 * was measured, or is below or beyond all measured ones. */
typedef struct anypi_size_place {
    int low, high;
    double part;                /* of the way from low to high, by logarithms */
} anypi_size_place;

/* Allocates room for errors; free it with free(). False: no memory. */
bool anypi_measured_row_make(const anypi_plan *plan, anypi_measured_row *row);
anypi_size_place anypi_size_place_of(const anypi_measured_row *row, int64_t bytes);

/* The measured numbers of processes around one: the next below and the next above. They are the
 * same if it was measured, or is below or beyond all. */
typedef struct anypi_near_rows {
    const anypi_measured_row *low, *high;
    double part;                /* of the way from low to high, by logarithms */
} anypi_near_rows;

/* Writes the expected time of each candidate of the collective into times[], in seconds, for a cell
 * that was not measured. A time is INFINITY if it is unknown, if the candidate does not serve the
 * cell, or if it cannot be trusted because the candidate was far behind in the measured cells
 * around. Beyond the measured cells, only candidates whose parameters are "auto" have a time. */
void anypi_predict(const anypi_plan *plan, const anypi_near_rows *rows, const anypi_cell *cell,
                   double *times);

#endif
