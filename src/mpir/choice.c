/* SPDX-License-Identifier: BSD-3-Clause
 *
 * choice.c - decides what runs a call for which MPICH requests an algorithm of AnyP's (decide.h).
 *
 * If no algorithm of AnyP's runs:
 *   forced by a variable     MPIR_CVAR_COLLECTIVE_FALLBACK decides, as for MPICH's algorithms,
 *                            unless results must be reproducible
 *   chosen by a rule         MPICH's algorithm that serves every call runs, never the automatic
 *                            choice, which would find the same rule again
 *
 * If results must be reproducible, MPICH's algorithm runs only for datatypes with overlapping
 * elements. Then a warning says that the result is not reproducible.
 */
#include "mpir/internal.h"

/* Makes the entry of a call that has none. Returns an MPI error code. */
static int add_entry(anypi_mpir_job *job, const anypi_call_key *key, const anypi_asked *asked)
{
    anypi_cache *cache = &job->comm->coll.anyp->workspace.cache;
    const anyp_shape *nodes = NULL;
    if (anypi_asks_nodes(&job->call, asked) && !anypi_mpir_find_nodes(job->comm, &nodes))
        return anypi_mpir_no_memory("nodes");
    job->entry = anypi_cache_add(cache, key, &job->call);
    if (!job->entry)
        return anypi_mpir_no_memory("choice");
    anypi_decide_call(cache, job->entry, asked, nodes,
                      job->overlaps ? ANYPI_ELEMENTS_OVERLAP : NULL);
    return MPI_SUCCESS;
}

/* Returns how MPIR_CVAR_COLLECTIVE_FALLBACK replaces a forced algorithm that does not serve the
 * call. */
static anypi_mpir_way fall_back(const anypi_mpir_job *job, const anyp_algorithm *forced)
{
    if (MPIR_CVAR_COLLECTIVE_FALLBACK == MPIR_CVAR_COLLECTIVE_FALLBACK_error)
        return ANYPI_MPIR_REFUSE;
    if (MPIR_CVAR_COLLECTIVE_FALLBACK == MPIR_CVAR_COLLECTIVE_FALLBACK_print && !job->call.rank)
        fprintf(stderr, "anyp: %s%s: anyp_%s cannot be applied: %s; MPICH chooses an "
                "algorithm\n", job->mode == ANYPI_BLOCKING ? "" : "i",
                anyp_collective_name(job->call.collective), forced->name, job->entry->reason);
    job->comm->coll.anyp->forced_refused = job->entry->reason;
    return ANYPI_MPIR_AUTOMATIC;
}

static int make_program(const anypi_mpir_job *job)
{
    anypi_workspace *workspace = &job->comm->coll.anyp->workspace;
    if (anypi_has_local_sizes(job->call.collective))
        return anypi_cache_plan(&workspace->cache, job->entry) == ANYP_SUCCESS
            ? MPI_SUCCESS : anypi_mpir_no_memory("schedule");
    return anypi_cache_program(&workspace->cache, job->entry, job->element) == ANYP_SUCCESS
        ? MPI_SUCCESS : anypi_mpir_no_memory("schedule");
}

int anypi_mpir_choose(anypi_mpir_job *job, const anypi_mpir_asked *request, anypi_mpir_way *way)
{
    int count, error = MPI_SUCCESS;
    const anypi_asked asked = { &anyp_algorithms(&count)[request->algorithm], request->parameters,
                                request->forced };
    const anyp_collective collective = job->call.collective;
    *way = ANYPI_MPIR_NOTHING;
    /* counts and types are the same on all ranks, so the vector is empty on all or none */
    if ((job->call.count == 0 || job->call.type_size == 0) &&
        !anypi_has_no_data(collective) && !anypi_has_local_sizes(collective))
        return MPI_SUCCESS;
    if (!anypi_mpir_comm_make(job->comm))
        return anypi_mpir_no_memory("communicator");
    if (anypi_has_local_sizes(collective))
        job->call.count = anypi_local_count(&job->comm->coll.anyp->learned[collective],
                                            job->call.p);
    if (anypi_has_counts(&job->call)) {
        const int64_t unit = anypi_moves(collective) ? job->size : 1;
        const anyp_status status = anypi_blocks_measure(&job->call, job->its.counts, unit,
                                                        &job->comm->coll.anyp->workspace);
        if (status == ANYP_ERR_MEMORY)
            return anypi_mpir_no_memory("block starts");
        if (status != ANYP_SUCCESS) {
            MPIR_ERR_SET(error, MPI_ERR_OTHER, "**count");
            return error;
        }
    }
    anypi_call_key key = anypi_key_of(&job->call, job->element, asked.algorithm, asked.parameters);
    key.forced = asked.forced;
    key.overlaps = job->overlaps;
    job->entry = anypi_cache_find(&job->comm->coll.anyp->workspace.cache, &key);
    if (!job->entry)
        error = add_entry(job, &key, &asked);
    if (error)
        return error;
    *way = job->entry->algorithm ? ANYPI_MPIR_RUN
        : asked.forced && !job->call.reproducible ? fall_back(job, asked.algorithm)
        : ANYPI_MPIR_OWN;
    if (*way != ANYPI_MPIR_RUN && job->call.reproducible)
        anypi_warn_not_reproducible(job->mode, &job->call, "MPIR_CVAR_ANYP_REPRODUCIBLE",
                                    job->entry->reason);
    if (MPIR_CVAR_ANYP_VERBOSE && job->call.rank == 0)
        anypi_mpir_log_job(job, *way, &asked);
    if (*way == ANYPI_MPIR_RUN)
        return make_program(job);
    if (*way == ANYPI_MPIR_REFUSE)
        MPIR_ERR_SET(error, MPI_ERR_OTHER, "**collalgo");
    return error;
}
