/* SPDX-License-Identifier: BSD-3-Clause
 *
 * finding.h - what a page says about a cell: which algorithm is chosen, and how it compares with
 * the library's choice. Also makes the groups of cells that share a map.
 */
#ifndef ANYPI_FINDING_H_INCLUDED
#define ANYPI_FINDING_H_INCLUDED

#include "tuner/regions.h"
#include "report/markup.h"

typedef struct anypi_report {
    const anypi_plan *plan;     /* its choices have been made */
    anypi_choosing how;         /* the way in which they were made */
    FILE *page;
    bool failed;                /* there was no memory: something is missing on the page */
    int curves;                 /* number of curves so far */
} anypi_report;

typedef enum anypi_difference {
    ANYPI_IS_FASTER,            /* AnyP's choice is significantly faster than the library's */
    ANYPI_IS_OWN,               /* another algorithm of the library is significantly faster */
    ANYPI_IS_HELD,              /* AnyP's best is faster, but the library keeps its choice, because
                                   neighbours share a rule */
    ANYPI_IS_EVEN,              /* no significant difference */
    ANYPI_IS_SLOWER,            /* AnyP's best is significantly slower */
    ANYPI_IS_ALONE              /* the library's choice was not measured, or nothing else was */
} anypi_difference;

typedef struct anypi_finding {
    anypi_difference difference;
    int candidate;              /* the choice; if the library's is chosen, AnyP's best; -1: AnyP was
                                   not measured */
    double gain;                /* the time of the library's choice divided by the candidate's */
} anypi_finding;

anypi_finding anypi_finding_of(const anypi_report *report, const anypi_cell *cell);

/* The cells of a collective, a kind of operator and a kind of nodes (node_shapes.h), in the plan's
 * order. */
typedef struct anypi_cell_group {
    anyp_collective collective;
    bool commutative;
    int kind;
    const anypi_cell **cells;
    int count;
    int next;                   /* the index of the next group; 0 at the beginning */
} anypi_cell_group;

/* Makes the next group that contains cells; `cells` has room for all cells of the plan. False after
 * the last. */
bool anypi_group_next(const anypi_plan *plan, anypi_cell_group *group);
/* Returns the number of cells, from i on, that differ only in their sizes. */
int anypi_group_row(const anypi_cell_group *group, int i);
/* Writes "allreduce, sum", and the kind of nodes if the plan has any. */
void anypi_group_name(const anypi_plan *plan, const anypi_cell_group *group, char *text,
                      size_t size);

#endif
