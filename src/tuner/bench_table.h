/* SPDX-License-Identifier: BSD-3-Clause
 *
 * bench_table.h - the times of anyp-bench, as a file and as a table. Without MPI.
 */
#ifndef ANYPI_BENCH_H_INCLUDED
#define ANYPI_BENCH_H_INCLUDED

#include "tuner/noise.h"
#include "tuner/cells.h"

#include "analysis/uneven.h"
#include "select/decision.h"

enum {
    ANYPI_BENCH_SIZES = 5, ANYPI_BENCH_CELLS = 2 * ANYPI_BENCH_SIZES * ANYP_COLLECTIVES,
    ANYPI_BENCH_ROUNDS = 255            /* of a row; more hardly change a median */
};

typedef struct anypi_bench {
    int p;
    anypi_uneven shape;         /* how blocks with counts differ */
    int count;
    struct {
        anypi_cell cell;        /* collective, commutative, p, nodes, bytes */
        char algorithm[sizeof(anypi_text)];     /* as users write it */
        int count;                      /* of times */
        double times[ANYPI_BENCH_ROUNDS];       /* seconds, of all runs */
    } rows[ANYPI_BENCH_CELLS];
} anypi_bench;

/* The cells of the wanted collectives that are timed on p processes; none if p is so large that
 * no size has an element for each. `nodes` (NULL: one, or they do not matter) remain the
 * caller's. */
void anypi_bench_cells(anypi_bench *bench, const bool wanted[ANYP_COLLECTIVES], int p,
                       const anyp_shape *nodes);
/* The times as JSON, to be freed with free(); NULL if there is no memory. */
char *anypi_bench_text(const anypi_bench *bench);
/* Reads such a text; false and a message (one line) if it is something else. */
bool anypi_bench_parse(const char *text, const char *name, anypi_bench *bench, char *message,
                       size_t size);
/* The median of a row's times and its interval. */
anypi_interval anypi_bench_interval(const anypi_bench *bench, int row);
/* Has it the row of an equal cell, whose interval is so long that it needs more rounds? */
bool anypi_bench_unsure(const anypi_bench *bench, const anypi_cell *cell);
/* Adds the times of equal cells of an earlier run, the latest of them if they are too many. */
void anypi_bench_merge(anypi_bench *bench, const anypi_bench *other);
/* Writes the algorithm that the decision file (NULL: none) selects for a cell, with equal blocks or
 * not, into text, as users write it; false if it leaves the cell to the library. `names_own`: rules
 * can name the library's own algorithms. */
bool anypi_bench_chosen(const anypi_decision *decision, const anypi_cell *cell, bool equal,
                        bool names_own, char *text, size_t size);
/* Sets the algorithm of each row to that. */
void anypi_bench_choose(anypi_bench *bench, const anypi_decision *decision, bool names_own);
/* Prints the table. `before` (NULL: none) has earlier times of the same cells. A row is within
 * noise if the intervals of its two medians overlap. Rows that ran the same algorithm in both runs
 * have nothing but noise: the means exclude them, and one that is not within noise says that the
 * machine was disturbed. */
void anypi_bench_print(const anypi_bench *bench, const anypi_bench *before);

#endif
