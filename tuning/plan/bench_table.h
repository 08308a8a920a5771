/* SPDX-License-Identifier: BSD-3-Clause
 *
 * bench_table.h - the times of anyp-bench, as a file and as a table. No MPI.
 */
#ifndef ANYPI_BENCH_H_INCLUDED
#define ANYPI_BENCH_H_INCLUDED

#include "plan/plan.h"

#include "select/decision.h"

enum { ANYPI_BENCH_CELLS = 32 };

typedef struct anypi_bench {
    int p;
    int count;
    struct {
        anypi_cell cell;        /* collective, commutative, p, bytes */
        double seconds;
    } rows[ANYPI_BENCH_CELLS];
} anypi_bench;

/* The cells that are timed on p processes. */
void anypi_bench_cells(anypi_bench *bench, int p);
/* The times as JSON; free() it; NULL if there is no memory. */
char *anypi_bench_text(const anypi_bench *bench);
/* Reads times back; false and a message (one line) if they are none. */
bool anypi_bench_parse(const char *text, const char *name, anypi_bench *bench, char *message,
                       size_t size);
/* Of each cell's times in the two the shorter one goes into `bench`. */
void anypi_bench_merge(anypi_bench *bench, const anypi_bench *other);
/* What the decision file (NULL: none) makes of a cell, as users write it, into text; false if it
 * leaves the cell to the library. `names_own`: its rules can name the library's own algorithms. */
bool anypi_bench_chosen(const anypi_decision *decision, const anypi_cell *cell, bool names_own,
                        char *text, size_t size);
/* Prints the table. `before` (NULL: none) are times of the same cells; `decision` (NULL: none) is
 * the file that is in force; `names_own`: its rules can name algorithms of the library's own. What
 * the file leaves to the library ran the same before, if that was without a file: these ratios are
 * noise, and the mean is that of the others. */
void anypi_bench_print(const anypi_bench *bench, const anypi_bench *before,
                       const anypi_decision *decision, bool names_own);

#endif
