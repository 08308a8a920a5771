/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Closed forms know no nodes, whose ranks share network cards. So candidates of cells with nodes are
 * simulated: the search of src/analysis/best.h finds their parameters.
 */
#include "plan/prune.h"

#include "analysis/best.h"

#include <math.h>
#include <stdio.h>

enum { MAX_POINTS = 64 };

anyp_model anypi_model_fit_nodes(const anypi_probe_times *across, const anypi_probe_times *inside,
                                 double all_across, int ranks)
{
    anyp_model model = anypi_model_fit(across), within = anypi_model_fit(inside);
    const double one = across->long_message - across->short_message;
    const double all = all_across - across->short_message;
    const double max = fmin(across->short_message, inside->short_message) / 2;
    /* a sender and a receiver work at the same time */
    model.overhead = fmin(across->several > 1 ? 2 * model.overhead : model.overhead, max);
    model.alpha = across->short_message - 2 * model.overhead;
    model.eager = true;
    model.inside_alpha = inside->short_message - 2 * model.overhead;
    model.inside_beta = within.beta;
    model.cards = one > 0 && all > 0 ? (int) fmin(fmax(round(ranks * one / all), 1), ranks) : 1;
    return model;
}

void anypi_prune_nodes(anypi_cell *cell, const anypi_candidates *candidates,
                       const anyp_model *model, anypi_selection selection,
                       bool (*take)(void *context, anypi_cell *cell,
                                    const anypi_candidate *candidate), void *context)
{
    anypi_best list[MAX_POINTS];
    anypi_points points = { .maximum = MAX_POINTS, .list = list };
    const anyp_call call = anypi_cell_call(cell);
    int left = selection.max;
    for (int c = 0; c < cell->candidates; c++)
        if (cell->trials[c].state == ANYPI_RUNNING && candidates->list[c].algorithm)
            cell->trials[c].state = ANYPI_LEFT_OUT;
    anypi_best_points(&call, model, selection.hopeless, &points);
    for (int second = 0; second < 2; second++)
        for (int i = 0; i < points.count; i++) {
            bool first = true;
            for (int k = 0; k < i; k++)
                first = first && list[k].algorithm != list[i].algorithm;
            if (first == second ||
                list[i].time > (second ? selection.close : selection.hopeless) * list[0].time)
                continue;
            anypi_candidate candidate = { .algorithm = list[i].algorithm };
            snprintf(candidate.name, sizeof candidate.name, "anyp_%s", list[i].algorithm->name);
            for (int k = 0; k < ANYP_MAX_PARAMETERS; k++)
                candidate.parameters[k] = list[i].parameters[k];
            if (left-- <= 0 || !take(context, cell, &candidate))
                return;
        }
}
