/* SPDX-License-Identifier: BSD-3-Clause
 *
 * regions.h - from measured times to choices, and to the regions that share one.
 *
 * Between algorithms, times decide where there are some. At other numbers of processes and other
 * sizes, between the measured ones and beyond them, predictions do (predict.h). Where nothing was
 * measured, the library keeps its choice unless AnyP is faster by a larger margin. Neighbouring
 * cells share choices that are nearly as good as their own, and boundaries are where times cross
 * (shared_rules.h).
 */
#ifndef ANYPI_REGIONS_H_INCLUDED
#define ANYPI_REGIONS_H_INCLUDED

#include "tuner/cells.h"

/* Choices for sizes, for a range of numbers of processes. */
typedef struct anypi_region {
    const anypi_plan *plan;     /* of which it has the candidates and the constants */
    anyp_collective collective;
    bool commutative;
    const anyp_shape *nodes;    /* of a measured p: rules see its kind and mean ranks */
    int last;                   /* the largest p; INT_MAX: all others */
    int count;
    struct {
        int64_t bytes;          /* up to these; INT64_MAX: all others */
        int choice;             /* a candidate; 0: the library's choice */
    } steps[ANYPI_MAX_LIST];
} anypi_region;

typedef struct anypi_regions {
    anypi_region *list;         /* ordered as cells are */
    int count;
    anypi_plan **plans;         /* those that belong to the regions */
    int plans_count;
} anypi_regions;

/* How choices are made. */
typedef struct anypi_choosing {
    double margin;              /* the library keeps its choice unless a candidate is faster by
                                   more, and significantly so, ... */
    double margin_by_model;     /* ... or by this where nothing was measured */
    double regret;              /* how much slower than the best a choice may be that is shared */
    double regret_by_model;     /* ... where nothing was measured, since closed forms err by as
                                   much; below `regret`, that one holds there, too */
    double automatic;           /* ... and of one that is "auto" */
    bool measured_only;         /* no choices below half of the smallest p and beyond the largest */
} anypi_choosing;

/* How anyp-tune chooses by default: runs of a program differ by 3 %, in a simulator they do not. */
anypi_choosing anypi_usual_choosing(const anypi_plan *plan);

/* Sets the choices of all cells of complete p, and the regions, to be freed with
 * anypi_regions_free(). False: no memory. */
bool anypi_choose_all(anypi_plan *plan, const anypi_choosing *how, anypi_regions *regions);

/* A new, empty plan that lives as long as the regions; NULL: no memory. */
anypi_plan *anypi_regions_plan(anypi_regions *regions);

void anypi_regions_free(anypi_regions *regions);

#endif
