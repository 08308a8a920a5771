/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute/decide.h"

#include "algorithms/automatic.h"
#include "algorithms/registry.h"
#include "execute/adapt.h"

#include <string.h>

static bool may_adapt(const anyp_call *call, const anypi_asked *asked, const anyp_shape *nodes)
{
    return asked->algorithm && !asked->forced &&
        (anypi_adapts(call) ||
         anypi_adapts_to_shape(call, asked->algorithm, asked->parameters, nodes));
}

/* Returns whether another algorithm may run if there is no request, or if the request does not
 * serve the call. */
static bool may_replace(const anyp_call *call, const anypi_asked *asked)
{
    return call->reproducible || (asked->algorithm && !asked->forced);
}

/* Returns whether the algorithm's schedules, or the settled values of "auto", may depend on
 * nodes. */
static bool knows_nodes(const anypi_asked *asked)
{
    return anypi_uses_nodes(asked->algorithm, asked->parameters) ||
        anypi_any_automatic(asked->algorithm, asked->parameters);
}

bool anypi_asks_nodes(const anyp_call *call, const anypi_asked *asked)
{
    return may_replace(call, asked) ||
        (asked->algorithm && knows_nodes(asked));
}

/* Sets the entry's parameters[]. Returns NULL, or why its algorithm does not serve the call. */
static const char *settle(anypi_cache *cache, anypi_entry *entry)
{
    const char *reason = anypi_unfit(entry->algorithm, &entry->call, entry->asked);
    if (reason)
        return reason;
    anypi_cache_settle(cache, entry->algorithm, &entry->call, entry->asked, entry->parameters);
    return anyp_applicable(entry->algorithm, &entry->call, entry->parameters, &reason) ==
        ANYP_SUCCESS ? NULL : reason;
}

/* Sets the choice to the request, or to the algorithm that adapt.h prefers. Returns false if this
 * algorithm does not serve the call. */
static bool take_request(anypi_cache *cache, anypi_entry *entry, const anypi_asked *asked,
                         const anyp_shape *nodes)
{
    anyp_call *call = &entry->call;
    const size_t size = (size_t) asked->algorithm->parameters_count * sizeof *asked->parameters;
    const bool adapts = may_adapt(call, asked, nodes);
    if (adapts || knows_nodes(asked))
        call->nodes = nodes;
    entry->algorithm = asked->algorithm;
    if (size > 0)
        memcpy(entry->asked, asked->parameters, size);
    if (adapts)
        entry->algorithm = anypi_adapted(call, asked->algorithm, entry->asked);
    entry->reason = settle(cache, entry);
    if (entry->reason)
        return false;
    if (entry->algorithm == asked->algorithm &&
        (size == 0 || !memcmp(entry->asked, asked->parameters, size)))
        return true;
    entry->reason = anypi_unfit(asked->algorithm, call, asked->parameters);
    if (!entry->reason)
        entry->reason = anypi_adapts(call) ? ANYPI_BLOCKS_DIFFER : ANYPI_OTHER_SHAPE;
    return true;
}

const anyp_algorithm *anypi_replacement(const anyp_call *call, int *parameters)
{
    int count;
    const char *reason;
    const anyp_algorithm *algorithms = anyp_algorithms(&count);
    for (int i = 0; i < count; i++) {
        anyp_parameters_default(&algorithms[i], parameters);
        if (anyp_applicable(&algorithms[i], call, parameters, &reason) == ANYP_SUCCESS)
            return &algorithms[i];
    }
    return NULL;
}

void anypi_decide_call(anypi_cache *cache, anypi_entry *entry, const anypi_asked *asked,
                       const anyp_shape *nodes, const char *refusal)
{
    anyp_call *call = &entry->call;
    entry->reason = refusal;
    if (!refusal && asked->algorithm && take_request(cache, entry, asked, nodes))
        return;
    entry->algorithm = NULL;
    if (refusal || !may_replace(call, asked))
        return;
    call->nodes = nodes;
    entry->algorithm = anypi_replacement(call, entry->asked);
    if (entry->algorithm)
        anypi_cache_settle(cache, entry->algorithm, call, entry->asked, entry->parameters);
}
