/* SPDX-License-Identifier: BSD-3-Clause
 *
 * wanted_calls.h - finds the cells to measure for anyp-tune --calls from records of programs
 * (record/record.h), and their stakes: the seconds that the program works in such calls.
 */
#ifndef ANYPI_WANTED_CALLS_H_INCLUDED
#define ANYPI_WANTED_CALLS_H_INCLUDED

#include "tuner/cells.h"

enum { ANYPI_MAX_WANTED = 256, ANYPI_MAX_RECORDS = 16 };

/* The cells have no nodes and no trials: rank 0 reads the records and sends the others a copy. */
typedef struct anypi_wanted_calls {
    anypi_cell list[ANYPI_MAX_WANTED];  /* most at stake first */
    int count;
    char comment[1024];         /* for the decision file: lines, each with its end */
} anypi_wanted_calls;

/* Reads `count` records, and keeps the calls that the plan wants (its collectives and operators)
 * with 2 to `max` processes. Calls with less than 0.5 % of all seconds at stake are left out.
 * *message lists the calls that are left out with the reason, a line each. Returns false if a file
 * is wrong, or no call is left; the last line says so. */
bool anypi_wanted_read(anypi_wanted_calls *calls, const char *const *files, int count,
                       const anypi_plan *plan, int max, char *message, size_t size);

/* Sets the plan's collectives, operators, sizes and numbers of processes to those of the calls, and
 * restricts its cells to them. The calls must live as long as the plan. */
void anypi_wanted_plan(anypi_plan *plan, const anypi_wanted_calls *calls);

#endif
