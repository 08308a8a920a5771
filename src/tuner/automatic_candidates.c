/* SPDX-License-Identifier: BSD-3-Clause */
#include "tuner/automatic_candidates.h"

#include "algorithms/automatic.h"
#include "algorithms/network.h"
#include "tuner/node_shapes.h"

#include <math.h>

const char *anypi_cell_network(const anypi_plan *plan, const anypi_cell *cell)
{
    return plan->networks[anypi_nodes_kind(cell->nodes)][!cell->commutative];
}

bool anypi_automatic_settle(const anypi_plan *plan, const anypi_cell *cell,
                            const anypi_candidate *candidate, anypi_candidate *settled,
                            double *time)
{
    const anyp_call call = anypi_cell_call(cell);
    anyp_model model;
    const char *reason;
    if (!anypi_network_read(anypi_cell_network(plan, cell), &call, &model) ||
        anyp_applicable(candidate->algorithm, &call, candidate->parameters, &reason) !=
        ANYP_SUCCESS)
        return false;
    *settled = *candidate;
    *time = anypi_settle_by(candidate->algorithm, &call, &model, candidate->parameters,
                            settled->parameters);
    return *time < INFINITY;
}

void anypi_automatic_take(const anypi_plan *plan, anypi_cell *cell,
                          int (*take)(void *context, anypi_cell *cell,
                                      const anypi_candidate *candidate),
                          void *context)
{
    const anypi_candidates *candidates = &plan->candidates[cell->collective];
    const int count = cell->candidates;
    for (int c = 0; c < count; c++) {
        anypi_candidate settled;
        double time;
        if (!anypi_candidate_automatic(&candidates->list[c]))
            continue;
        cell->trials[c].state = ANYPI_NOT_APPLICABLE;
        if (!anypi_automatic_settle(plan, cell, &candidates->list[c], &settled, &time))
            continue;
        const int same = take(context, cell, &settled);
        if (same >= 0)
            cell->trials[c] = (anypi_trial) { .state = ANYPI_SAME, .same = same };
    }
}
