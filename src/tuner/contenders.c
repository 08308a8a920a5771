/* SPDX-License-Identifier: BSD-3-Clause */
#include "tuner/contenders.h"

#include "algorithms/network.h"
#include "algorithms/registry.h"
#include "algorithms/settle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Algorithms of several ports have as many messages of one rank in flight; without them, none might
 * be left for very many ranks. */
static const double few_of_a_rank = 8;

/* Does an algorithm with these settled parameters have too many messages in flight? */
static bool floods(const anypi_plan *plan, const anyp_algorithm *algorithm, const anyp_call *call,
                   const int *parameters)
{
    if (!plan->max_messages || (call->nodes && anypi_uses_nodes(algorithm, parameters)))
        return false;           /* few messages are between two nodes: the rest costs little */
    const anyp_cost cost = anypi_cost_of(algorithm, call, parameters);
    const double of_a_rank = cost.overheads / 2 / fmax(cost.latencies, 1);
    return of_a_rank > few_of_a_rank && call->p * of_a_rank > (double) plan->max_messages;
}

/* Makes the contender of a candidate; false: it does not serve the cell. */
static bool make(const anypi_plan *plan, const anyp_call *call, const char *network,
                 const anyp_model *model, const anypi_candidate *candidate, anypi_contender *one)
{
    const anyp_algorithm *algorithm = candidate->algorithm;
    int settled[ANYP_MAX_PARAMETERS];
    const char *reason;
    if (!algorithm || anyp_applicable(algorithm, call, candidate->parameters, &reason) !=
        ANYP_SUCCESS)
        return false;
    *one = (anypi_contender) { .candidate = *candidate };
    one->time = anypi_settle_by(algorithm, call, model, candidate->parameters, settled);
    one->floods = one->time < INFINITY && floods(plan, algorithm, call, settled);
    if (anypi_candidate_automatic(candidate) &&
        anyp_parameter_set(algorithm, one->candidate.parameters, "network", network, &reason) !=
        ANYP_SUCCESS)
        return false;
    return one->time < INFINITY;
}

/* First those that do not flood. */
static int by_time(const void *one, const void *other)
{
    const anypi_contender *a = one, *b = other;
    const int order = a->floods != b->floods ? a->floods - b->floods
        : (a->time > b->time) - (a->time < b->time);
    return order ? order : strcmp(a->candidate.name, b->candidate.name);
}

int anypi_contenders(const anypi_plan *plan, const anypi_cell *cell, double within, int max,
                     anypi_contender *list)
{
    const anypi_candidates *candidates = &plan->candidates[cell->collective];
    const anyp_call call = anypi_cell_call(cell);
    const char *network = anypi_cell_network(plan, cell);
    anyp_model model;
    int count = 0, kept = 0;
    if (!*network || !anypi_network_read(network, &call, &model))
        return 0;
    for (int c = 1; c < candidates->count; c++) {
        const anypi_candidate *one = &candidates->list[c];
        bool first = true;      /* others are the same with the constants of a machine */
        for (int i = 1; i < c; i++)
            first = first && candidates->list[i].algorithm != one->algorithm;
        count += first && make(plan, &call, network, &model, one, &list[count]);
    }
    if (count)
        qsort(list, (size_t) count, sizeof *list, by_time);
    while (kept < count && kept < max && list[kept].floods == list[0].floods &&
           list[kept].time <= within * list[0].time)
        kept++;
    return kept;
}
