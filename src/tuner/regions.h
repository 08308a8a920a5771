/* SPDX-License-Identifier: BSD-3-Clause
 *
 * regions.h - makes choices from measured times, and the regions that share a choice.
 *
 * The measured times decide. The MPI library keeps its choice unless a candidate is faster.
 * Neighbouring cells share choices that are nearly as good as the best of each. The boundary of two
 * choices between two measured sizes is where their closed forms cross; if they do not, where the
 * measured times do (shared_rules.h). If the library keeps one of these sizes, it also keeps those
 * between them, except an eighth beside the other. Between two measured numbers of processes, a
 * choice must be good at both. With `beyond`, numbers far below or above all measured ones follow
 * closed forms.
 */
#ifndef ANYPI_REGIONS_H_INCLUDED
#define ANYPI_REGIONS_H_INCLUDED

#include "tuner/cells.h"

/* Choices for sizes, for a range of numbers of processes. */
typedef struct anypi_region {
    const anypi_plan *plan;     /* the plan with its candidates and constants */
    anyp_collective collective;
    bool commutative;
    const anyp_shape *nodes;    /* of the largest p; rules test their kind and mean ranks */
    int last;                   /* the largest p; INT_MAX: all others */
    int count;
    struct {
        int64_t bytes;          /* up to this size; INT64_MAX: all others */
        int choice;             /* a candidate; 0: the library's choice */
    } steps[ANYPI_MAX_LIST + 1];
} anypi_region;

typedef struct anypi_regions {
    anypi_region *list;         /* ordered as cells are */
    int count;
    anypi_plan **plans;         /* those that the regions own */
    int plans_count;
} anypi_regions;

/* How choices are made. */
typedef struct anypi_choosing {
    double margin;              /* the MPI library keeps its choice unless a candidate is faster by
                                   more, and significantly */
    double regret;              /* how much slower than the best a shared choice may be */
    bool beyond;                /* rules are also for sizes and p beyond the measured ones, by
                                   closed forms if p is far from these */
} anypi_choosing;

/* Returns how anyp-tune chooses by default. Runs of a program differ by 3 %, in a simulator they do
 * not differ. */
anypi_choosing anypi_usual_choosing(const anypi_plan *plan);

/* Sets the choices of all cells of complete p, and adds their regions, to be freed with
 * anypi_regions_free(). False: no memory. */
bool anypi_choose_all(anypi_plan *plan, const anypi_choosing *how, anypi_regions *regions);

/* Does a collective have regions that were measured, or that follow closed forms (`forms`), for one
 * operator kind (commuting: 0; -1: any) and one kind of nodes (-1: any)? */
bool anypi_regions_have(const anypi_regions *regions, anyp_collective collective, bool forms,
                        int operators, int kind);

/* Returns a new, empty plan that lives as long as the regions; NULL: no memory. */
anypi_plan *anypi_regions_plan(anypi_regions *regions);

void anypi_regions_free(anypi_regions *regions);

#endif
