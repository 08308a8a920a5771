/* SPDX-License-Identifier: BSD-3-Clause
 *
 * plan.h - what a run measures: cells (one collective, operator kind, number of processes and
 * vector size), and in each of them a trial of each candidate of the collective.
 */
#ifndef ANYPI_PLAN_H_INCLUDED
#define ANYPI_PLAN_H_INCLUDED

#include "plan/candidates.h"

/* Bytes of one element that is measured: a double for MPI_SUM, a 2x2 matrix of uint32_t. */
#define ANYPI_SUM_SIZE 8
#define ANYPI_MATRIX_SIZE 16

enum {
    ANYPI_MAX_LIST = 64,                /* numbers in --procs and --sizes: more take hours */
    ANYPI_MAX_ROUNDS = 31,              /* timed ones of a cell: more hardly change a quartile */
    ANYPI_MIN_ROUNDS = 3              /* fewer prove nothing */
};

/* What is known of a candidate in a cell. */
typedef enum anypi_trial_state {
    ANYPI_NOT_APPLICABLE,       /* it does not serve the cell, or is not asked for there */
    ANYPI_SAME,                 /* another candidate makes the same call and is measured for it */
    ANYPI_LEFT_OUT,             /* not measured because of its closed form */
    ANYPI_OVERTAKEN,            /* not measured because of the times at smaller sizes */
    ANYPI_RUNNING,              /* is measured, or will be */
    ANYPI_DROPPED,              /* was measured, and is clearly slower than the best */
    ANYPI_FAILED                /* gave an error or a wrong result, here or where a rule would use
                                   it as well */
} anypi_trial_state;

typedef struct anypi_trial {
    anypi_trial_state state;
    int same;                           /* ANYPI_SAME: the candidate that is measured for it */
    int count;                          /* of times: it took part in the first rounds */
    double times[ANYPI_MAX_ROUNDS];     /* seconds */
} anypi_trial;

typedef struct anypi_cell {
    anyp_collective collective;
    bool commutative;
    int p;
    int64_t bytes;                      /* of the whole vector, as the rules count it */
    int candidates;
    anypi_trial *trials;                /* of each candidate; on rank 0 */
    double promise;                     /* seconds of the most promising, before it is measured */
    int rounds;
    int calls;                          /* that a round takes the time of */
    int choice;                         /* a candidate; 0: leave it to the library */
} anypi_cell;

/* Cells lie in the order p, collective, operator kind (commutative first), size. */
typedef struct anypi_plan {
    bool follows;                       /* a rank that is told what to run: it has no trials */
    bool reference;                     /* algorithms kept as reference are candidates, too */
    bool only_anyp;                     /* the library's choice is no candidate, wherever one of
                                           AnyP's algorithms serves */
    bool exact;                         /* a clock without noise, as a simulator's: each time is
                                           measured once, and the least wins */
    int64_t max_messages;              /* on their way at once, of all ranks; 0: any number */
    int64_t max_checked;               /* bytes of a vector whose result is checked */
    int procs[ANYPI_MAX_LIST];          /* ascending */
    bool complete[ANYPI_MAX_LIST];      /* every cell of that p has been measured */
    int procs_count;
    int64_t sizes[ANYPI_MAX_LIST];      /* bytes, ascending */
    int sizes_count;
    bool wanted[ANYP_COLLECTIVES];
    bool unwanted[2];                   /* operators that commute [0], that do not [1] */
    anypi_candidates candidates[ANYP_COLLECTIVES];
    anypi_cell *cells;
    int cells_count;
} anypi_plan;

/* The numbers of processes worth measuring up to `most` into procs[], ascending: all up to 8, then
 * per octave those beside and between the powers of two, and `most` itself. Returns how many. */
int anypi_default_procs(int max, int procs[ANYPI_MAX_LIST]);
/* The order in which to measure procs[]: the largest (the likeliest job), those up to 8, then the
 * others with powers of two last, since libraries serve these well. order[] gets indices of
 * procs[]. */
void anypi_procs_order(const int *procs, int count, int *order);
/* Has every cell of that p been measured? */
bool anypi_plan_complete(const anypi_plan *plan, int p);

/* Elements of the whole vector in a cell: a whole number of elements per process where the
 * collective scatters, and at least one. */
int64_t anypi_cell_count(const anypi_cell *cell);
/* The call of a cell as rank 0 sees it. */
anyp_call anypi_cell_call(const anypi_cell *cell);
/* Does the collective scatter its result? */
bool anypi_scatters(anyp_collective collective);
/* "sum" or "matrix product" */
const char *anypi_operator(bool commutative);
/* The order of cells: below 0, 0 or above 0. */
int anypi_cell_order(const void *one, const void *other);
/* Do two cells differ in their sizes at most? */
bool anypi_cell_alike(const anypi_cell *one, const anypi_cell *other);
/* The cell of the next smaller size; NULL if there is none. */
const anypi_cell *anypi_cell_smaller(const anypi_plan *plan, const anypi_cell *cell);
/* Trials for so many candidates, all ANYPI_NOT_APPLICABLE; false if there is no memory. */
bool anypi_cell_trials(anypi_cell *cell, int candidates);

/* Makes the candidates of the wanted collectives (see candidates.h). A collective without any of
 * AnyP's is no longer wanted. */
anyp_status anypi_plan_candidates(anypi_plan *plan, const anypi_cvars *cvars);
/* Finds which candidates serve the cell: sets the states of its trials. */
anyp_status anypi_cell_candidates(anypi_cell *cell, const anypi_candidates *candidates);
/* Makes the cells once procs, sizes, wanted and candidates are set. Where the collective scatters,
 * the smallest size is one element per process. ANYP_ERR_MEMORY. */
anyp_status anypi_plan_cells(anypi_plan *plan);
void anypi_plan_free(anypi_plan *plan);

#endif
