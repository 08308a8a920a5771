/* SPDX-License-Identifier: BSD-3-Clause
 *
 * finding.h - what a page says of a cell: what is chosen, and how it compares with the library's
 * choice. And the groups of cells that share a map.
 */
#ifndef ANYPI_FINDING_H_INCLUDED
#define ANYPI_FINDING_H_INCLUDED

#include "tuner/regions.h"
#include "report/markup.h"

typedef struct anypi_report {
    const anypi_plan *plan;     /* whose choices are made */
    anypi_choosing how;         /* as they were made */
    FILE *page;
    bool failed;                /* there was no memory: something is missing on the page */
    int curves;                 /* of those so far */
} anypi_report;

typedef enum anypi_difference {
    ANYPI_IS_FASTER,            /* AnyP's choice is significantly faster than the library's */
    ANYPI_IS_OWN,               /* another of the library's algorithms is */
    ANYPI_IS_HELD,              /* AnyP's best is, but the library keeps its choice: neighbours
                                   share a rule */
    ANYPI_IS_EVEN,              /* no significant difference */
    ANYPI_IS_SLOWER,            /* the best of AnyP is significantly slower */
    ANYPI_IS_ALONE              /* the library's choice was not measured, or nothing else was */
} anypi_difference;

typedef struct anypi_finding {
    anypi_difference difference;
    int candidate;              /* the choice, or the best of AnyP if that is the library's; -1:
                                   AnyP was not measured */
    double gain;                /* the time of the library's choice divided by the candidate's */
} anypi_finding;

anypi_finding anypi_finding_of(const anypi_report *report, const anypi_cell *cell);

/* Cells of a collective, a kind of operator and a kind of nodes (node_shapes.h), in the plan's
 * order. */
typedef struct anypi_cell_group {
    anyp_collective collective;
    bool commutative;
    int kind;
    const anypi_cell **cells;
    int count;
    int next;                   /* the index of the next group; 0 at the beginning */
} anypi_cell_group;

/* Makes the next group that has cells; `cells` has room for all of the plan. False after the last.
 */
bool anypi_group_next(const anypi_plan *plan, anypi_cell_group *group);
/* The number of cells from i on that differ in their sizes only. */
int anypi_group_row(const anypi_cell_group *group, int i);
/* "allreduce, sum", and the kind of nodes if the plan has any. */
void anypi_group_name(const anypi_plan *plan, const anypi_cell_group *group, char *text,
                      size_t size);

#endif
