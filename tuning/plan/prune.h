/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prune.h - which candidates are worth a measurement in a cell. There are many more settings than
 * can be measured in a few minutes. Closed forms tell most of AnyP's losers in advance; of the
 * library's own algorithms they say nothing, but the next smaller size does. All before the first
 * round of the cell.
 */
#ifndef ANYPI_PRUNE_H_INCLUDED
#define ANYPI_PRUNE_H_INCLUDED

#include "plan/plan.h"

/* ---- prune.c: by closed forms ---- */

/* Seconds of a round with one message of next to no bytes, with `several` of them (0: unknown),
 * with one of `bytes`; and of a local reduction of these. */
typedef struct anypi_probe_times {
    double short_message, short_messages, long_message, reduction, bytes;
    int several;
} anypi_probe_times;

anyp_model anypi_model_fit(const anypi_probe_times *times);

/* Which candidates are worth a measurement. */
typedef struct anypi_selection {
    int max;                   /* of AnyP's in one cell */
    double hopeless;            /* none that takes so many times as long as the best, ... */
    double close;               /* ... nor so many times if another of its algorithm is better */
    bool fine;                  /* fine points count like the coarse ones; else one is only taken if
                                   it promises to be clearly better than all coarse ones of its
                                   algorithm */
    double seconds;             /* of a call of each, together, by closed form; 0: any time */
    int min;                  /* so many in any case */
} anypi_selection;

/* The closed form of a candidate of AnyP's in a cell. */
anyp_cost anypi_closed_form(const anypi_cell *cell, const anypi_candidate *candidate);
/* Takes out what has more than `most` messages on their way at once, of all ranks: a simulator may
 * need minutes of true time for such a call. 0: takes out nothing. */
void anypi_prune_messages(anypi_cell *cell, const anypi_candidates *candidates, int64_t max);
/* Leaves the most promising of AnyP's candidates in the race, by their closed forms under the
 * model; the best settings of different algorithms first. Of those that have the same schedules
 * one is measured for all. Returns how many are left. */
int anypi_prune(anypi_cell *cell, const anypi_candidates *candidates, const anyp_model *model,
                anypi_selection selection);
/* Seconds of the most promising one that is in the race; 0: there is none with a closed form. */
double anypi_promise(const anypi_cell *cell, const anypi_candidates *candidates,
                     const anyp_model *model);

/* ---- prune_by_size.c: by the times at smaller sizes ---- */

/* Takes out what was hopeless at the next smaller size, no better than at the one before that, and
 * slower than `slow` seconds: such as gathering all vectors, once these are long. */
void anypi_prune_hopeless(anypi_plan *plan, anypi_cell *cell, double slow);
/* Leaves about `most` settings of the library's algorithms with parameters: of each at least one,
 * the best at the next smaller size, and those that are tried at every size. */
void anypi_prune_library(anypi_plan *plan, anypi_cell *cell, double max);

/* ---- same_schedule.c: do two settings of an algorithm come to the same schedules? (A threshold
 * above the vector's size and one far above do.) ---- */

typedef struct anypi_sample anypi_sample;

/* The schedules of a candidate in a call, of all ranks or of some of very many; NULL if it has
 * none, or no memory. */
anypi_sample *anypi_sample_make(const anypi_candidate *candidate, anyp_call call);
bool anypi_sample_equal(const anypi_sample *one, const anypi_sample *other);
void anypi_sample_free(anypi_sample *sample);
/* If a trial of the cell that is or was run has the schedules of candidate c, c is the same: true.
 * samples[] keeps those of all candidates that were compared, for the next time. */
bool anypi_trial_same(anypi_cell *cell, const anypi_candidates *candidates, int c,
                      anypi_sample **samples);

#endif
