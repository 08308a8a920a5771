/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Closed forms ignore nodes, whose ranks share network cards. So candidates of cells with nodes are
 * simulated; the search of src/analysis/best.h finds their parameters.
 */
#include "tuner/prune_candidates.h"

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
    model.overhead = fmin(model.overhead, max);
    model.alpha = across->short_message - 2 * model.overhead;
    model.eager = true;
    model.inside_alpha = inside->short_message - 2 * model.overhead;
    model.inside_beta = within.beta;
    model.cards = one > 0 && all > 0 ? (int) fmin(fmax(round(ranks * one / all), 1), ranks) : 1;
    return model;
}

typedef struct simulated {
    const anypi_cell *cell;
    const anypi_candidates *candidates;
    const anypi_taking *taking;
} simulated;

/* Is a setting of the algorithm a candidate of the cell? */
static bool wants(const void *context, const anyp_algorithm *algorithm)
{
    const simulated *s = context;
    for (int c = 0; c < s->cell->candidates; c++)
        if (s->candidates->list[c].algorithm == algorithm)
            return true;
    return false;
}

static bool ends(const void *context)
{
    const anypi_taking *taking = ((const simulated *) context)->taking;
    return taking->ends && taking->ends(taking->context);
}

static anypi_candidate candidate_of(const anypi_best *point)
{
    anypi_candidate candidate = { .algorithm = point->algorithm };
    snprintf(candidate.name, sizeof candidate.name, "anyp_%s", point->algorithm->name);
    for (int i = 0; i < ANYP_MAX_PARAMETERS; i++)
        candidate.parameters[i] = point->parameters[i];
    return candidate;
}

void anypi_prune_nodes(anypi_cell *cell, const anypi_candidates *candidates,
                       const anyp_model *model, anypi_selection selection,
                       const anypi_taking *taking)
{
    anypi_best list[MAX_POINTS];
    const simulated context = { cell, candidates, taking };
    anypi_points points = { .maximum = MAX_POINTS, .list = list, .wants = wants, .ends = ends,
                            .context = &context };
    const anyp_call call = anypi_cell_call(cell);
    double seconds = 0;
    int kept = 0;
    anypi_best_points(&call, model, selection.hopeless, &points);
    for (int c = 0; c < cell->candidates; c++)
        if (cell->trials[c].state == ANYPI_RUNNING && candidates->list[c].algorithm)
            cell->trials[c].state = ANYPI_LEFT_OUT;
    for (int second = 0; second < 2; second++)
        for (int i = 0; i < points.count && kept < selection.max; i++) {
            const double limit = second ? selection.close : selection.hopeless;
            bool first = true;          /* of its algorithm */
            for (int k = 0; k < i; k++)
                first = first && list[k].algorithm != list[i].algorithm;
            if (first == second || list[i].time > limit * list[0].time ||
                (kept >= selection.min && selection.seconds > 0 &&
                 seconds + list[i].time > selection.seconds))
                continue;
            const anypi_candidate candidate = candidate_of(&list[i]);
            if (!taking->take(taking->context, cell, &candidate))
                continue;
            seconds += list[i].time;
            kept++;
        }
}
