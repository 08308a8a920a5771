/* SPDX-License-Identifier: BSD-3-Clause
 *
 * choice.c - does the requested algorithm serve the call? If not:
 *   forced by a variable     MPIR_CVAR_COLLECTIVE_FALLBACK decides, as for MPICH's own algorithms
 *   chosen by a rule         the first of AnyP's algorithms that serves the call runs, else MPICH's
 *                            own that serves every call; never the automatic choice, which would
 *                            find the same rule again
 *
 * Where blocks differ in size, closed forms may replace what a rule chose (adapt.h).
 * If results must be reproducible, the first of AnyP's algorithms that serves the call runs in both
 * cases. Only datatypes with overlapping elements go to MPICH's own, with a warning.
 * All ranks decide before the first message, from what is the same on all of them.
 */
#include "mpir/internal.h"

#include "algorithms/registry.h"
#include "execute/adapt.h"

#include <stdatomic.h>
#include <string.h>

static anypi_mpir_way forced_refused(const anypi_mpir_job *job, const anyp_algorithm *algorithm,
                                     const char *reason)
{
    if (MPIR_CVAR_COLLECTIVE_FALLBACK == MPIR_CVAR_COLLECTIVE_FALLBACK_error)
        return ANYPI_MPIR_REFUSE;
    if (MPIR_CVAR_COLLECTIVE_FALLBACK == MPIR_CVAR_COLLECTIVE_FALLBACK_print && !job->call.rank)
        fprintf(stderr, "anyp: %s%s: anyp_%s cannot be applied: %s; MPICH's automatic choice "
                "runs\n", job->mode == ANYPI_BLOCKING ? "" : "i",
                anyp_collective_name(job->call.collective), algorithm->name, reason);
    job->comm->coll.anyp->forced_refused = reason;
    return ANYPI_MPIR_AUTOMATIC;
}

/* Once in a process. */
static void warn_not_reproducible(const anypi_mpir_job *job, const char *reason)
{
    static atomic_flag warned = ATOMIC_FLAG_INIT;
    if (job->call.rank == 0 && !atomic_flag_test_and_set(&warned))
        fprintf(stderr, "anyp: the result of %s%s is not reproducible, although "
                "MPIR_CVAR_ANYP_REPRODUCIBLE is set: %s\n",
                job->mode == ANYPI_BLOCKING ? "" : "i",
                anyp_collective_name(job->call.collective), reason);
}

/* Does the algorithm serve the call? Then settled[] are its parameters without "auto". */
static bool applies(const anypi_mpir_job *job, const anyp_algorithm *algorithm, const int *asked,
                    int settled[ANYP_MAX_PARAMETERS], const char **reason)
{
    *reason = anypi_unfit(algorithm, &job->call, asked);
    if (*reason)
        return false;
    anypi_cache_settle(&job->comm->coll.anyp->workspace.cache, algorithm, &job->call, asked,
                       settled);
    return anyp_applicable(algorithm, &job->call, settled, reason) == ANYP_SUCCESS;
}

/* Why closed forms replaced what a rule asks for. */
static const char *why_adapted(const anypi_mpir_job *job, const anypi_mpir_asked *asked)
{
    int count;
    const char *reason = anypi_unfit(&anyp_algorithms(&count)[asked->algorithm], &job->call,
                                     asked->parameters);
    return reason ? reason : ANYPI_BLOCKS_DIFFER;
}

static int choose(anypi_mpir_job *job, const anypi_mpir_asked *asked, anypi_mpir_way *chosen)
{
    int count;
    const anyp_algorithm *algorithm = &anyp_algorithms(&count)[asked->algorithm];
    anypi_cache *cache = &job->comm->coll.anyp->workspace.cache;
    anypi_call_key key = anypi_key_of(&job->call, job->element, algorithm, asked->parameters);
    key.adapts = !asked->forced && !job->overlaps && anypi_adapts(&job->call);
    /* the key does not tell a datatype with overlapping elements from others */
    job->entry = job->overlaps ? NULL : anypi_cache_find(cache, &key);
    *chosen = ANYPI_MPIR_RUN;
    if (job->entry && !MPIR_CVAR_ANYP_VERBOSE)
        return MPI_SUCCESS;     /* it has served such a call */
    if ((key.adapts || anypi_uses_nodes(algorithm, asked->parameters)) &&
        !anypi_mpir_find_nodes(job->comm, &job->call.nodes))
        return anypi_mpir_no_memory("nodes");

    const char *reason = ANYPI_ELEMENTS_OVERLAP;
    int parameters[ANYP_MAX_PARAMETERS];
    int defaults[ANYP_MAX_PARAMETERS], settled[ANYP_MAX_PARAMETERS];
    anypi_mpir_way way = ANYPI_MPIR_RUN;
    memcpy(parameters, asked->parameters,
           (size_t) algorithm->parameters_count * sizeof *parameters);
    if (key.adapts)
        algorithm = anypi_adapted(&job->call, algorithm, parameters);
    const bool adapted = algorithm != key.algorithm ||
        memcmp(parameters, asked->parameters,
               (size_t) algorithm->parameters_count * sizeof *parameters);

    if (!job->overlaps && applies(job, algorithm, parameters, settled, &reason)) {
        reason = NULL;
    } else if (asked->forced && !job->call.reproducible) {
        way = forced_refused(job, algorithm, reason);
    } else {
        algorithm = job->overlaps ? NULL : anypi_replacement(&job->call, defaults);
        /* as if it had been requested: equal keys must have equal programs */
        if (algorithm && anypi_uses_nodes(algorithm, defaults) &&
            !anypi_mpir_find_nodes(job->comm, &job->call.nodes))
            return anypi_mpir_no_memory("nodes");
        way = algorithm ? ANYPI_MPIR_RUN : ANYPI_MPIR_OWN;
    }
    if (way == ANYPI_MPIR_RUN) {
        if (reason) {
            key = anypi_key_of(&job->call, job->element, algorithm, defaults);
            job->entry = anypi_cache_find(cache, &key);
            anypi_cache_settle(cache, algorithm, &job->call, defaults, settled);
        }
        if (!job->entry) {
            job->entry = anypi_cache_add(cache, &key, &job->call);
            if (!job->entry)
                return anypi_mpir_no_memory("choice");
            job->entry->algorithm = algorithm;
            memcpy(job->entry->parameters, settled, sizeof settled);
        }
    } else if (job->call.reproducible) {
        warn_not_reproducible(job, reason);
    }
    if (MPIR_CVAR_ANYP_VERBOSE && job->call.rank == 0)
        anypi_mpir_log_job(job, way, asked, adapted && !reason ? why_adapted(job, asked) : reason);
    *chosen = way;
    return MPI_SUCCESS;
}

static int make_program(const anypi_mpir_job *job)
{
    anypi_workspace *workspace = &job->comm->coll.anyp->workspace;
    return anypi_cache_program(&workspace->cache, job->entry, &workspace->schedule,
                               job->element) == ANYP_SUCCESS
        ? MPI_SUCCESS : anypi_mpir_no_memory("schedule");
}

int anypi_mpir_choose(anypi_mpir_job *job, const anypi_mpir_asked *asked, anypi_mpir_way *way)
{
    int error = MPI_SUCCESS;
    *way = ANYPI_MPIR_NOTHING;
    /* counts and types are the same on all ranks, so the vector is empty on all or none */
    if (job->call.count == 0 || job->call.type_size == 0)
        return MPI_SUCCESS;
    if (!anypi_mpir_find_starts(job))
        return anypi_mpir_no_memory("block starts");
    error = choose(job, asked, way);
    if (!error && *way == ANYPI_MPIR_RUN)
        error = make_program(job);
    if (!error && *way == ANYPI_MPIR_REFUSE)
        MPIR_ERR_SET(error, MPI_ERR_OTHER, "**collalgo");
    return error;
}
