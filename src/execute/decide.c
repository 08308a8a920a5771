/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute/decide.h"

#include "algorithms/generate.h"
#include "algorithms/registry.h"
#include "execute/adapt.h"

#include <string.h>

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

/* Sets the choice to a settled call. Returns NULL, or why the algorithm refuses it. */
static const char *take(anypi_entry *entry, const anypi_settled_call *one)
{
    const char *reason = anypi_refusal(one);
    if (reason)
        return reason;
    entry->algorithm = one->algorithm;
    memcpy(entry->parameters, one->parameters, sizeof entry->parameters);
    return NULL;
}

/* Sets the choice to the request, or to the algorithm that adapt.h prefers. Returns false if this
 * algorithm does not serve the call. */
static bool take_request(anypi_cache *cache, anypi_entry *entry, const anypi_asked *asked,
                         const anyp_shape *nodes)
{
    anyp_call *call = &entry->call;
    const size_t size = (size_t) asked->algorithm->parameters_count * sizeof *asked->parameters;
    const bool adapts = !asked->forced &&
        (anypi_adapts(call) ||
         anypi_adapts_to_shape(call, asked->algorithm, asked->parameters, nodes));
    if (adapts || knows_nodes(asked))
        call->nodes = nodes;
    if (size > 0)
        memcpy(entry->asked, asked->parameters, size);
    anypi_settled_call one = anypi_settled_call_of(asked->algorithm, call, NULL);
    const char *unfit = anypi_unfit_call(&one, entry->asked);
    if (adapts || !unfit)
        anypi_cache_settle(cache, &one, entry->asked, adapts);
    const bool same = one.algorithm == asked->algorithm &&
        (size == 0 || !memcmp(entry->asked, asked->parameters, size));
    entry->reason = same && unfit ? unfit : take(entry, &one);
    if (entry->reason)
        return false;
    if (!same)
        entry->reason = unfit ? unfit : anypi_adapts(call) ? ANYPI_BLOCKS_DIFFER
            : ANYPI_OTHER_SHAPE;
    return true;
}

/* Sets the choice to the first algorithm that serves the call, if any, with its defaults. */
static void take_first(anypi_cache *cache, anypi_entry *entry)
{
    int count;
    const anyp_algorithm *algorithms = anyp_algorithms(&count);
    anypi_settled_call one = anypi_settled_call_of(algorithms, &entry->call, NULL);
    for (; one.algorithm < algorithms + count; one.algorithm++) {
        anyp_parameters_default(one.algorithm, entry->asked);
        if (anypi_unfit_call(&one, entry->asked))
            continue;
        anypi_cache_settle(cache, &one, entry->asked, false);
        if (!take(entry, &one))
            return;
    }
}

void anypi_decide_call(anypi_cache *cache, anypi_entry *entry, const anypi_asked *asked,
                       const anyp_shape *nodes, const char *refusal)
{
    entry->reason = refusal;
    if (!refusal && asked->algorithm && take_request(cache, entry, asked, nodes))
        return;
    entry->algorithm = NULL;
    if (refusal || !may_replace(&entry->call, asked))
        return;
    entry->call.nodes = nodes;
    take_first(cache, entry);
}
