/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/cost_model.h"

#include "algorithms/fitted.h"
#include "schedule/ranks.h"

double anyp_cost_time(anyp_cost cost, const anyp_model *model)
{
    return cost.latencies * model->alpha + cost.bytes_sent * model->beta +
        cost.bytes_reduced * model->gamma + cost.overheads * model->overhead;
}

double anypi_overlapped(double before, double overheads, double transfer)
{
    const double longer = anypi_fmax(overheads, transfer);
    return before + longer + ANYPI_VISIBLE * (overheads + transfer - longer);
}

/* The closed form's time, which is an upper bound and so favours few messages too much, but
 * - of k messages of a round, the others are sent while the first one travels, and only then
 *   received: that hides (k - 1) overheads, or the whole latency;
 * - overheads of a rank's messages overlap with the transfer of bytes of others. */
double anypi_expected_time(anyp_cost cost, const anyp_model *model)
{
    const double all = cost.overheads * model->overhead;
    const double others = anypi_fmax(all / 2 - cost.latencies * model->overhead, 0);
    const double overheads = all - anypi_fmin(others, cost.latencies * model->alpha);
    return anypi_overlapped(cost.latencies * model->alpha + cost.bytes_reduced * model->gamma,
                            overheads, cost.bytes_sent * model->beta);
}

anyp_model anypi_inside_model(const anyp_model *model)
{
    anyp_model inside = *model;
    if (model->nodes) {
        inside.alpha = model->inside_alpha;
        inside.beta = model->inside_beta;
        inside.nodes = NULL;
    }
    return inside;
}

anyp_model anypi_shared_model(const anyp_model *model, int p)
{
    anyp_model shared = *model;
    const anyp_shape *one = model->nodes;
    if (!one)
        return shared;
    double most = 1;
    shared.beta *= anypi_fmax((double) p / one->count / model->cards, 1);
    shared.nodes = NULL;
    shared.group = 0;
    shared.taper = 1;
    /* of the links above the nodes, those that are shared most */
    for (int h = 0; (one = one->above) && shared.beta > 0; h++) {
        const int group = (int) anypi_divide_up(p, one->count);
        const double taper = model->above[h].beta * group / shared.beta;
        shared.alpha = anypi_fmax(shared.alpha, model->above[h].alpha);
        if (taper * (p - group) > most * p) {
            most = taper * (p - group) / p;
            shared.group = group;
            shared.taper = taper;
        }
    }
    return shared;
}

anyp_model anypi_spread_model(const anyp_model *shared, int p)
{
    anyp_model spread = *shared;
    if (shared->group > 0)
        spread.beta *= anypi_fmax(shared->taper * (p - shared->group) / p, 1);
    spread.group = 0;
    return spread;
}
