/* SPDX-License-Identifier: BSD-3-Clause
 *
 * workload.h - the calls to measure, and the check of their results. Operators:
 * - MPI_SUM on doubles that are small whole numbers, so that every order gives the same bits;
 * - products of 2x2 matrices of uint32_t, which wrap and do not commute.
 */
#ifndef ANYPI_WORK_H_INCLUDED
#define ANYPI_WORK_H_INCLUDED

#include "measure/calls.h"
#include "tuner/cells.h"

#include <mpi.h>

typedef enum anypi_outcome {
    ANYPI_RIGHT,
    ANYPI_REFUSED,              /* the library returned an error */
    ANYPI_WRONG                 /* the result is wrong, or other bytes have changed */
} anypi_outcome;

/* Bytes of a message that takes much longer than a short one in any network. */
enum { ANYPI_LONG_BYTES = 1 << 17 };

/* The data of all calls. */
typedef struct anypi_work {
    MPI_Datatype matrix;
    MPI_Op product;             /* of matrices: does not commute */
    char *send, *receive;       /* each of at least ANYPI_LONG_BYTES */
    int *counts, *displs;       /* of the blocks, and where they begin */
    int root;                   /* of rooted calls: 0, except while they are timed */
} anypi_work;

/* Allocates vectors of most_bytes for up to p processes; false if there is no memory. */
bool anypi_work_init(anypi_work *work, int64_t max_bytes, int p);
void anypi_work_free(anypi_work *work);

/* Calls the cell's collective on comm once, to time it; the result is not checked. */
int anypi_work_call(anypi_work *work, const anypi_cell *cell, MPI_Comm comm);
/* The arguments of such a call. */
anypi_mpi_call anypi_work_arguments(const anypi_work *work, const anypi_cell *cell, MPI_Comm comm);
/* Maximum calls of a time: more would only average the disturbances that the lower quartile
 * ignores. */
enum { ANYPI_MAX_CALLS = 64 };
/* Minimum calls of a time of a cell in a row. Ranks leave each call at different times, and arrive
 * at the next one so. */
enum { ANYPI_ROW = 8 };
/* Returns this rank's seconds for a call, from `calls` of them in a row; the largest of all ranks
 * counts. The calls begin at a moment of a simulated clock or, if that is 0, after a barrier.
 * The last and the first rank take turns to be the root. Otherwise a root of short vectors would
 * only send, call after call, before others have received, and the time would be that of a root,
 * not of the collective.
 * If the cell's ranks arrive apart (at most ANYPI_MAX_CALLS calls then), each rank waits before
 * each call, as if it computed. The time is without the longest of these waits: it tells how much
 * later a program arrives at its next call. It may be negative for ranks that are not the last.
 * *error is set if a call fails. */
double anypi_work_row(anypi_work *work, const anypi_cell *cell, int calls, double moment,
                      MPI_Comm comm, int *error);
/* As above after a barrier and, if `warms`, after calls that are not timed, to fill caches. */
double anypi_work_time(anypi_work *work, const anypi_cell *cell, int calls, bool warms,
                       MPI_Comm comm);
/* Sets the blocks, as the cell has them, and the input of the following calls. */
void anypi_work_fill(anypi_work *work, const anypi_cell *cell, MPI_Comm comm);
/* For a call that is timed and checked. anypi_work_prepare() sets the input, and a pattern in the
 * result buffer; then call anypi_work_call(); the second function then checks this rank's result,
 * its input and the bytes after the result. */
void anypi_work_prepare(anypi_work *work, const anypi_cell *cell, MPI_Comm comm);
anypi_outcome anypi_work_verify(anypi_work *work, const anypi_cell *cell, MPI_Comm comm);

/* Calls once and checks this rank's result, its input and the bytes after the result.
 * `equal`: the blocks of a collective with counts are as the cell has them; otherwise they
 * alternate. */
anypi_outcome anypi_work_check(anypi_work *work, const anypi_cell *cell, MPI_Comm comm,
                               bool equal);

#endif
