/* SPDX-License-Identifier: BSD-3-Clause
 *
 * bench_table.h - the times of anyp-bench, as a file and as a table. It needs no MPI.
 */
#ifndef ANYPI_BENCH_H_INCLUDED
#define ANYPI_BENCH_H_INCLUDED

#include "tuner/noise.h"
#include "tuner/cells.h"

#include "analysis/uneven.h"
#include "select/decision.h"

enum {
    ANYPI_BENCH_SIZES = 5, ANYPI_BENCH_CELLS = 2 * ANYPI_BENCH_SIZES * ANYP_COLLECTIVES,
    ANYPI_BENCH_ROUNDS = ANYPI_MAX_VALUES       /* of a row; more would hardly change a median */
};

typedef struct anypi_bench {
    int p;
    anypi_uneven shape;         /* how blocks with counts differ */
    int count;
    struct {
        anypi_cell cell;        /* collective, commutative, p, nodes, bytes */
        char algorithm[sizeof(anypi_text)];     /* as users write it */
        int count;                      /* number of times */
        double times[ANYPI_BENCH_ROUNDS];       /* seconds, of all runs */
    } rows[ANYPI_BENCH_CELLS];
} anypi_bench;

/* Makes the cells of the wanted collectives on p processes. If p is so large that no size has an
 * element for each process, there are none. `nodes` (NULL: one node, or nodes do not matter) still
 * belongs to the caller. */
void anypi_bench_cells(anypi_bench *bench, const bool wanted[ANYP_COLLECTIVES], int p,
                       const anyp_shape *nodes);
/* Returns the times as JSON, to be freed with free(); NULL if there is no memory. */
char *anypi_bench_text(const anypi_bench *bench);
/* Reads a text of anypi_bench_text(). Returns false and a message (one line) if it is none. */
bool anypi_bench_parse(const char *text, const char *name, anypi_bench *bench, char *message,
                       size_t size);
/* Returns the median of a row's times and its interval. */
anypi_interval anypi_bench_interval(const anypi_bench *bench, int row);
/* Adds the times of equal cells in an earlier run; if they are too many, the latest of them. */
void anypi_bench_merge(anypi_bench *bench, const anypi_bench *other);
/* Writes the algorithm that the decision file (NULL: none) selects for a cell into text, as users
 * write it; of an algorithm of the MPI library, only the name. Blocks are equal or not. Returns
 * false if it is not AnyP's. */
bool anypi_bench_chosen(const anypi_decision *decision, const anypi_cell *cell, bool equal,
                        char *text, size_t size);
/* Sets the algorithm of each row to the one that anypi_bench_chosen() returns. */
void anypi_bench_choose(anypi_bench *bench, const anypi_decision *decision);
/* Prints the table. `before` (NULL: none) contains earlier times of the same cells. A row is within
 * noise if the intervals of its two medians overlap. Rows that ran the same algorithm in both runs
 * can differ only by noise, so the means exclude them. If such a row is not within noise, the table
 * says that the machine was disturbed. */
void anypi_bench_print(const anypi_bench *bench, const anypi_bench *before);

#endif
