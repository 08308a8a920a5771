/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute/adapt.h"

#include "algorithms/automatic.h"
#include "algorithms/network.h"
#include "algorithms/registry.h"
#include "schedule/collectives.h"

#include <math.h>
#include <string.h>

bool anypi_adapts(const anyp_call *call)
{
    return anypi_has_counts(call) && call->p > 1 && !call->reproducible && call->largest > 0 &&
        (double) call->largest * call->p >= 2 * (double) call->count;
}

bool anypi_adapts_to_shape(const anyp_call *call, const anyp_algorithm *algorithm,
                           const int *parameters, const anyp_shape *shape)
{
    int defaults[ANYP_MAX_PARAMETERS];
    anyp_parameters_default(algorithm, defaults);
    const size_t count = (size_t) algorithm->parameters_count;
    return shape && (shape->above || shape->spans_count > 1) && !call->reproducible &&
        anypi_any_automatic(algorithm, parameters) &&
        !memcmp(parameters, defaults, count * sizeof *parameters);
}

/* Returns the index of the parameter `network`, which is the last one, or -1. */
static int network_of(const anyp_algorithm *algorithm)
{
    const int last = algorithm->parameters_count - 1;
    return last >= 0 && anypi_parameter_is_network(&algorithm->parameters[last]) ? last : -1;
}

static double time_of(const anyp_algorithm *algorithm, const anyp_call *call,
                      const anyp_model *model, const int *parameters)
{
    int settled[ANYP_MAX_PARAMETERS];
    return anypi_unfit(algorithm, call, parameters) ? INFINITY
        : anypi_settle_by(algorithm, call, model, parameters, settled);
}

/* With equal blocks, another algorithm replaces the rule's only if its estimate is below this part
 * of the rule's. */
static const double ENOUGH = 0.97;

/* Returns whether the algorithm's closed form knows what rules do not. Such algorithms have the
 * parameter `network`. */
static bool is_rival(const anyp_algorithm *algorithm, const anyp_call *call)
{
    int defaults[ANYP_MAX_PARAMETERS];
    anyp_parameters_default(algorithm, defaults);
    return network_of(algorithm) >= 0 &&
        (anypi_adapts(call) ? algorithm->properties & ANYP_UNEVEN
         : anypi_uses_nodes(algorithm, defaults));
}

const anyp_algorithm *anypi_adapted(const anyp_call *call, const anyp_algorithm *algorithm,
                                    int *parameters)
{
    int count, first = 0;
    const anyp_algorithm *all = anyp_algorithms(&count), *best = algorithm;
    while (!is_rival(&all[first], call))
        first++;
    const int given = network_of(algorithm);
    const anyp_algorithm *known = given < 0 ? &all[first] : algorithm;
    const int network = given < 0 ? known->parameters[network_of(known)].default_value
        : parameters[given];
    anyp_model model = anypi_network_model(&known->parameters[network_of(known)], network, call);
    model.group = 0;            /* not all estimates that are compared know leaf switches */
    double least = time_of(algorithm, call, &model, parameters);
    if (!anypi_adapts(call))
        least *= ENOUGH;
    for (const anyp_algorithm *other = &all[first]; other < all + count; other++) {
        if (!is_rival(other, call))
            continue;
        int its[ANYP_MAX_PARAMETERS];
        anyp_parameters_default(other, its);
        its[network_of(other)] = network;
        const double time = time_of(other, call, &model, its);
        if (time < least) {
            least = time;
            best = other;
            memcpy(parameters, its, sizeof its);
        }
    }
    return best;
}
