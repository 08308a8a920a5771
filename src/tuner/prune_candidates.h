/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prune_candidates.h - selects the candidates to measure in a cell, before its first round. There
 * are many more settings than can be measured in a few minutes. Closed forms predict most of AnyP's
 * slow settings. The MPI library's algorithms have no closed forms, but times at the next smaller
 * size.
 */
#ifndef ANYPI_PRUNE_H_INCLUDED
#define ANYPI_PRUNE_H_INCLUDED

#include "tuner/cells.h"

/* ---- prune_candidates.c: by closed forms ---- */

/* The seconds of four kinds of rounds: each rank sends and receives one short message, `few` short
 * ones, `several` short ones, or one message of `bytes`. If `several` is not larger than `few`,
 * overheads are unknown. */
typedef struct anypi_probe_times {
    double short_message, few_messages, several_messages, long_message, bytes;
    int few, several;
} anypi_probe_times;

/* Returns the model, without gamma. */
anyp_model anypi_model_fit(const anypi_probe_times *times);

/* Returns the model of nodes, with messages that are sent before the receiver is ready. `across`:
 * one rank of each node sends to another node; `inside`: to a rank of its own node. `all_across`:
 * seconds of a round in which `ranks` ranks of each node send `across->bytes` to another node. */
anyp_model anypi_model_fit_nodes(const anypi_probe_times *across, const anypi_probe_times *inside,
                                 double all_across, int ranks);

/* The criteria to select AnyP's candidates of a cell. */
typedef struct anypi_selection {
    int max;                    /* number of candidates */
    double hopeless;            /* the largest ratio to the best time, ... */
    double close;               /* ... if another setting of the same algorithm is better */
    bool fine;                  /* fine points count as coarse ones; otherwise a fine point is only
                                   if it is expected to be clearly better than all coarse ones of
                                   its algorithm */
    double seconds;             /* the maximum sum of their closed forms; 0: any */
    int min;                    /* number of candidates, whatever their times */
} anypi_selection;

/* Returns the closed form of a candidate of AnyP in a cell. */
anyp_cost anypi_closed_form(const anypi_cell *cell, const anypi_candidate *candidate);
/* Removes candidates with more than `max` messages in flight together, of all ranks: a simulator
 * may need minutes of real time for such a call. 0: removes none. */
void anypi_prune_messages(anypi_cell *cell, const anypi_candidates *candidates, int64_t max);
/* Selects AnyP's candidates for the race by their closed forms under the model, the best settings
 * of different algorithms first. Of candidates with equal schedules one is measured for all.
 * Returns how many are left. */
int anypi_prune(anypi_cell *cell, const anypi_candidates *candidates, const anyp_model *model,
                anypi_selection selection);
/* Does candidate c have the schedules of a candidate that is or was measured (analysis/sample.h)?
 * If so, it becomes ANYPI_SAME. hashes[] keeps the hashes of all compared candidates; they are 0 at
 * first. */
bool anypi_trial_same(anypi_cell *cell, const anypi_candidates *candidates, int c,
                      uint64_t *hashes);
/* Returns the shortest closed form of the candidates in the race, in seconds; 0: there is none. */
double anypi_promise(const anypi_cell *cell, const anypi_candidates *candidates,
                     const anyp_model *model);

/* ---- prune_nodes.c: by simulation, where nodes matter ---- */

/* The functions of the caller that anypi_prune_nodes() calls. */
typedef struct anypi_taking {
    /* Adds a candidate, which may be new, to the race; false: there is no room for it. */
    bool (*take)(void *context, anypi_cell *cell, const anypi_candidate *candidate);
    bool (*ends)(const void *context);          /* is it time to end the simulations? NULL: never */
    void *context;
} anypi_taking;

/* Selects AnyP's candidates for the race by their simulated times under the model, which contains
 * the cell's nodes. Candidates are settings, perhaps new ones, of the algorithms that are
 * candidates already. Selected settings are taken, the best of different algorithms first; all
 * others are left out. */
void anypi_prune_nodes(anypi_cell *cell, const anypi_candidates *candidates,
                       const anyp_model *model, anypi_selection selection,
                       const anypi_taking *taking);

/* ---- prune_by_size.c: by the times at smaller sizes ---- */

/* Removes candidates that were hopeless at the next smaller size, not better there than at the size
 * before it, and slower than `slow` seconds. An example is gathering all vectors, if these are
 * long. */
void anypi_prune_hopeless(anypi_plan *plan, anypi_cell *cell, double slow);
/* Keeps about `max` settings of the MPI library's algorithms with parameters: at least one of each
 * algorithm, the best at the next smaller size, and those that are tried at every size. */
void anypi_prune_library(anypi_plan *plan, anypi_cell *cell, double max);

#endif
