/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cells.h - the cells that a run measures, and a trial of each candidate in each cell. A cell is a
 * collective, an operator kind, a number of processes and a vector size.
 */
#ifndef ANYPI_CELLS_H_INCLUDED
#define ANYPI_CELLS_H_INCLUDED

#include "tuner/arrivals.h"
#include "tuner/candidates.h"

#include "analysis/uneven.h"

/* Bytes of one element: of a double for MPI_SUM; of a 2x2 matrix of uint32_t. */
#define ANYPI_SUM_SIZE 8
#define ANYPI_MATRIX_SIZE 16

/* Seconds that the first call of a kind takes longer if a rule serves it, since AnyP makes the
 * schedule: 2 to 6 microseconds on 2 processes, with MPICH and Open MPI. */
#define ANYPI_SET_UP 5e-6

enum {
    ANYPI_MAX_LIST = 64,                /* numbers in --procs and --sizes; more take hours */
    ANYPI_MAX_ROUNDS = 31,              /* timed rounds of a cell; more hardly change a quartile */
    ANYPI_SURE_ROUNDS = 7,              /* fewer are not significant */
    ANYPI_NODES_KINDS = 3, ANYPI_NETWORK_SIZE = ANYP_VALUE_SIZE
};

/* A candidate in a cell. */
typedef struct anypi_trial {
    bool running;                       /* in the race: is or will be measured. Not if it does not
                                           serve the cell, was clearly slow, or has failed */
    int count;                          /* number of times: those of the first rounds */
    double times[ANYPI_MAX_ROUNDS];     /* seconds */
} anypi_trial;

typedef struct anypi_cell {
    anyp_collective collective;
    bool commutative;
    int p;
    const anyp_shape *nodes;            /* as in anypi_plan */
    int procs;                          /* the index of p and nodes there; only of cells that
                                           anypi_plan_cells() has made */
    int64_t bytes;                      /* of the whole vector, as in rules; 0 if there is no size
                                           that all ranks know */
    int candidates;
    anypi_trial *trials;                /* of each candidate; on rank 0 */
    double promise;                     /* the shortest time that closed forms expect, seconds */
    int rounds;
    double round_seconds;               /* duration of the last round of this cell */
    int calls;                          /* of a candidate in a round */
    int choice;                         /* a candidate; 0: the library's choice */
    bool passed;                        /* its first pass has ended */
    bool earlier;                       /* its times are of the run that this one continues */
    /* with anypi_plan.only */
    double stake;                       /* seconds at stake, of all calls that it stands for */
    double uncertain;                   /* those of calls of which few were sampled: waiting may
                                           count as work */
    double program_calls;               /* how often a rank makes such calls; 0: unknown */
    anypi_arrivals arrivals;            /* if ranks arrive apart, the time of this call is how much
                                           later the last rank arrives at the next call */
    anypi_uneven blocks;
} anypi_cell;

/* What a run measures. The order of cells is nodes (anypi_nodes_order), p, collective, operator
 * kind (commutative first), size. */
typedef struct anypi_plan {
    bool follows;                       /* not rank 0, which commands: there are no trials */
    bool reference;                     /* reference algorithms are also candidates */
    bool only_anyp;                     /* the library's choice is no candidate if one of AnyP's
                                           algorithms serves the cell */
    bool exact;                         /* the clock has no noise, as in a simulator: each time is
                                           measured once, and the shortest wins */
    bool forms;                         /* the "times" are closed forms (generic.h): nothing was
                                           measured */
    int64_t max_messages;               /* in flight together, of all ranks; 0: any number */
    int64_t max_checked;                /* bytes of a vector whose result is checked */
    int procs[ANYPI_MAX_LIST];          /* ascending for the same nodes */
    anyp_shape *nodes[ANYPI_MAX_LIST];  /* of each p: two or more, one of them with several
                                           ranks; NULL: one node, or nodes do not matter */
    bool measured[ANYPI_MAX_LIST];      /* this p and nodes have cells that were measured */
    int procs_count;
    int64_t sizes[ANYPI_MAX_LIST];      /* bytes, ascending */
    int sizes_count;
    bool wanted[ANYP_COLLECTIVES];
    bool unwanted[2];                   /* operators that commute [0], that do not [1]; a barrier
                                           and moved data only have cells of kind [0] */
    anypi_candidates candidates[ANYP_COLLECTIVES];
    const anypi_cell *only;             /* the only cells that are made, before their bytes are
                                           rounded to blocks; NULL: all */
    int only_count;
    anypi_cell *cells;
    int cells_count;
    /* The constants of the machine for parameters that are "auto" (algorithms/network.h), for each
     * kind of nodes (node_shapes.h), and for operators that commute [0], that do not [1]; "":
     * unknown */
    char networks[ANYPI_NODES_KINDS][2][ANYPI_NETWORK_SIZE];
} anypi_plan;

/* Inserts a number into an ascending list, unless it is there; false if the list is full. */
bool anypi_list_insert(int64_t list[ANYPI_MAX_LIST], int *count, int64_t number);
/* Writes the default numbers of processes up to `max` into procs[], ascending: all up to 4; after
 * that the powers of two and the middle between each two; and `max`. Returns their number. */
int anypi_default_procs(int max, int procs[ANYPI_MAX_LIST]);
/* Makes procs[] and nodes[] for a run on several nodes. If procs[] is empty, it becomes numbers on
 * one node, as above, and numbers of whole nodes. Each p means the first p ranks in the order of
 * nodes. `parts`: the nodes of a part of the world are known. Otherwise nodes do not matter for a p
 * other than the world's, and the default is the world. ANYP_ERR_MEMORY. */
anyp_status anypi_plan_nodes(anypi_plan *plan, const anyp_shape *world, bool parts);
/* Adds a number of processes with nodes, which then belong to the plan, unless the plan contains
 * it. Returns its index, which a later addition may change; -1: there are too many. */
int anypi_plan_add(anypi_plan *plan, int p, anyp_shape *nodes);
/* Returns how many numbers of processes were measured. */
int anypi_plan_measured(const anypi_plan *plan);

/* Returns the elements of the whole vector in a cell: at least one, and a multiple of p if each
 * rank has a block. 0 if there is no size that all ranks know. */
int64_t anypi_cell_count(const anypi_cell *cell);
/* Is the cell measured by calls in a row, as a program makes them? With anypi_plan.only, this is so
 * for cells in which all ranks wait for all others. Other cells are measured after ranks have met,
 * as a record does. */
bool anypi_cell_in_row(const anypi_cell *cell);
/* Returns the call of a cell as rank 0 sees it. */
anyp_call anypi_cell_call(const anypi_cell *cell);
/* Returns "sum" or "matrix product"; "data" if data are only moved; "no data" for a barrier. */
const char *anypi_operator(anyp_collective collective, bool commutative);
/* Returns "p=13 (2x5,3), allreduce, sum, 1024 bytes"; "p=13, barrier". */
anypi_text anypi_cell_text(const anypi_cell *cell);
/* Returns candidate c of a cell. */
static inline const anypi_candidate *anypi_candidate_of(const anypi_plan *plan,
                                                        const anypi_cell *cell, int c)
{
    return &plan->candidates[cell->collective].list[c];
}
/* Replaces "auto" by numbers in a candidate for a cell, since no variable of MPICH names the
 * constants of the machine for one collective. */
void anypi_candidate_settle(const anypi_cell *cell, anypi_candidate *candidate);
/* Does the plan contain cells of a collective with operators that commute (0), or do not (1)? */
bool anypi_plan_has(const anypi_plan *plan, int collective, int operators);
/* Compares the order of two cells: below 0, 0 or above 0. */
int anypi_cell_order(const void *one, const void *other);
/* Do two cells differ at most in their sizes? */
bool anypi_cell_alike(const anypi_cell *one, const anypi_cell *other);
/* Allocates trials, none of them running, or more of them; false if there is no memory. */
bool anypi_cell_trials(anypi_cell *cell, int candidates);

/* Returns the number of candidates of a cell that are in the race. */
int anypi_cell_running(const anypi_cell *cell);

/* Makes the candidates of the wanted collectives (candidates.h). A collective without a candidate
 * of AnyP is no longer wanted. Nor is a collective whose sizes only the program knows, except by
 * closed forms. */
anyp_status anypi_plan_candidates(anypi_plan *plan, const anypi_cvars *cvars);
/* Makes the cells; procs, sizes, wanted and candidates must be set. If each rank has a block, the
 * smallest size is one element per process. If there is no size that all ranks know, there is one
 * cell. ANYP_ERR_MEMORY. */
anyp_status anypi_plan_cells(anypi_plan *plan);
/* Removes the cells whose first pass has not ended. Returns their number. */
int anypi_plan_drop(anypi_plan *plan);
void anypi_plan_free(anypi_plan *plan);

/* Returns the constants of the machine that apply to a cell; "" if they are unknown. */
const char *anypi_cell_network(const anypi_plan *plan, const anypi_cell *cell);


#endif
