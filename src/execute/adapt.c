/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute/adapt.h"

#include "algorithms/generate.h"
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

void anypi_adapt(anypi_settled_call *one, int *asked)
{
    int count, first = 0;
    const anyp_call *call = &one->call;
    const anyp_algorithm *all = anyp_algorithms(&count), *rule = one->algorithm;
    while (!is_rival(&all[first], call))
        first++;
    const int given = network_of(rule);
    const anyp_algorithm *known = given < 0 ? &all[first] : rule;
    const int network = given < 0 ? known->parameters[network_of(known)].default_value
        : asked[given];
    anyp_model model = anypi_network_model(&known->parameters[network_of(known)], network, call);
    const bool leaves = model.group > 0;
    model.group = 0;            /* not all estimates that are compared know leaf switches */
    anypi_settled_call other = *one;
    double least = anypi_unfit_call(one, asked) ? INFINITY
        : anypi_settle_call_by(one, &model, asked);
    if (!anypi_adapts(call))
        least *= ENOUGH;
    for (other.algorithm = &all[first]; other.algorithm < all + count; other.algorithm++) {
        if (!is_rival(other.algorithm, call))
            continue;
        int its[ANYP_MAX_PARAMETERS];
        anyp_parameters_default(other.algorithm, its);
        its[network_of(other.algorithm)] = network;
        const double time = anypi_unfit_call(&other, its) ? INFINITY
            : anypi_settle_call_by(&other, &model, its);
        if (time < least) {
            least = time;
            *one = other;
            memcpy(asked, its, sizeof its);
        }
    }
    if (leaves && least < INFINITY)
        anypi_settle_call(one, asked);
}
