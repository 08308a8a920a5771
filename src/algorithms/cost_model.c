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

/* The sender's processor begins a message every overhead, and its port every transfer. The last
 * one arrives a latency later, and the receiver's processor needs its overhead for it. A processor
 * that also receives is busy for longer, with two overheads for each. */
static double round_time(double messages, double transfer, bool one_way, const anyp_model *model)
{
    const double one = messages > 0 ? transfer / messages : 0, overhead = model->overhead;
    const double others = (messages - 1) * overhead;
    const double last = anypi_fmax(transfer, one + others) +
        ANYPI_VISIBLE * anypi_fmin(one_way ? others : 2 * others, transfer);
    return anypi_fmax(one_way ? 0 : 2 * messages * overhead, model->alpha + 2 * overhead + last);
}

double anypi_round_time(double messages, double transfer, const anyp_model *model)
{
    return round_time(messages, transfer, false, model);
}

double anypi_unpaced_time(const anypi_sends *rounds, int before, int count,
                          const anyp_model *model)
{
    double time = 0;
    for (int i = 0; i < before; i++) {
        const double one = rounds[i].transfer;
        const double unpaced = one > model->overhead && one <= ANYPI_UNPACED_BYTES * model->beta
            ? 1 - model->overhead / one : 0;
        for (int later = i + 1; later < count; later++)
            time += unpaced * rounds[later].messages * anypi_fmin(one, rounds[later].transfer);
    }
    return time;
}

double anypi_one_way_time(anyp_cost cost, double one_way, const anyp_model *model)
{
    const double rounds = cost.latencies > 0 ? cost.latencies : 1;
    const double messages = anypi_fmax(cost.overheads / 2 / rounds, 1);
    const double transfer = cost.bytes_sent * model->beta / rounds;
    const double others = cost.bytes_reduced * model->gamma;
    if (!(cost.latencies > 0))
        return others + anypi_fmax(cost.overheads * model->overhead, rounds * transfer);
    return others + one_way * round_time(messages, transfer, true, model) +
        (rounds - one_way) * round_time(messages, transfer, false, model);
}

double anypi_expected_time(anyp_cost cost, const anyp_model *model)
{
    return anypi_one_way_time(cost, 0, model);
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
