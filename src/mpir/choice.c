/* SPDX-License-Identifier: BSD-3-Clause
 *
 * choice.c - may the algorithm that was asked for run? If it does not serve the call:
 *   forced by a variable     MPIR_CVAR_COLLECTIVE_FALLBACK decides, as for MPICH's own algorithms
 *   chosen by a rule         the first of AnyP's algorithms that serves the call runs, else MPICH's
 *                            own that serves every call; never the automatic choice, which would
 *                            find the same rule again
 * All of it happens before the first message, from what is the same on all ranks.
 */
#include "mpir/internal.h"

/* Did the variable ask for the algorithm, not a rule? MPICH looks at commutativity itself before it
 * grants what a variable asks for, so a call that fails there comes from a rule. */
static bool is_forced(const anypi_mpir_job *job, int place, const anyp_algorithm *algorithm)
{
    const anyp_collective collective = job->call.collective;
    return !job->comm->coll.anyp->forced_refused &&
        *anypi_mpir_algorithm_variables[collective].value ==
        anypi_mpir_algorithm_values[collective][place] &&
        (job->call.commutative || (algorithm->properties & ANYP_CANONICAL));
}

/* Do the elements of the datatype reach into each other, like columns of a matrix? A vector of them
 * is sound, but not two vectors in a row. */
static bool is_woven(MPI_Datatype datatype)
{
    MPI_Aint extent, true_lb, true_extent;
    if (HANDLE_IS_BUILTIN(datatype))
        return false;
    MPIR_Datatype_get_extent_macro(datatype, extent);
    MPIR_Type_get_true_extent_impl(datatype, &true_lb, &true_extent);
    return true_extent > (extent < 0 ? -extent : extent);
}

/* Does some rank keep more than a vector in a row? All ranks look at all schedules, so that they
 * come to the same answer. */
static bool keeps_several(const anypi_mpir_job *job, const anyp_algorithm *algorithm,
                          const int *parameters)
{
    anyp_schedule *schedule = &job->comm->coll.anyp->schedule;
    anyp_call call = job->call;
    for (int i = 0; i < 2 * call.p; i++) {
        call.rank = i / 2;
        call.in_place = i % 2;
        if (anyp_generate(algorithm, &call, parameters, schedule) != ANYP_SUCCESS)
            return true;
        for (int k = 0; k < schedule->scratch_count; k++)
            if (schedule->scratch[k].end - schedule->scratch[k].first > schedule->blocks)
                return true;
    }
    return false;
}

/* The same, looked up if the last question on the communicator was this one: p schedules a call
 * would cost more than the call. */
static bool is_known_to_keep_several(const anypi_mpir_job *job, const anyp_algorithm *algorithm,
                                     const int *parameters)
{
    anypi_mpir_several *last = &job->comm->coll.anyp->several;
    anypi_mpir_several asked;
    memset(&asked, 0, sizeof asked);
    asked.algorithm = algorithm;
    asked.collective = job->call.collective;
    asked.root = job->call.root;
    asked.blocks = algorithm->code->blocks(&job->call, parameters);
    asked.commutative = job->call.commutative;
    for (int i = 0; i < algorithm->parameters_count; i++)
        asked.parameters[i] = parameters[i];
    asked.answer = last->answer;
    if (memcmp(last, &asked, sizeof asked)) {
        asked.answer = keeps_several(job, algorithm, parameters);
        *last = asked;
    }
    return last->answer;
}

/* Does the algorithm serve the call? NULL, or why not. */
static const char *refusal(const anypi_mpir_job *job, const anyp_algorithm *algorithm,
                           const int *parameters)
{
    const char *reason;
    if (anyp_applicable(algorithm, &job->call, parameters, &reason) == ANYP_SUCCESS &&
        is_woven(job->datatype) && is_known_to_keep_several(job, algorithm, parameters))
        return "the datatype's elements reach into each other";
    return reason;
}

static anypi_mpir_way forced_refused(const anypi_mpir_job *job, const anyp_algorithm *algorithm,
                                     const char *reason)
{
    if (MPIR_CVAR_COLLECTIVE_FALLBACK == MPIR_CVAR_COLLECTIVE_FALLBACK_error)
        return ANYPI_MPIR_REFUSE;
    if (MPIR_CVAR_COLLECTIVE_FALLBACK == MPIR_CVAR_COLLECTIVE_FALLBACK_print && !job->call.rank)
        fprintf(stderr, "anyp: %s: anyp_%s cannot be applied: %s; MPICH's automatic choice runs\n",
                anyp_collective_name(job->call.collective), algorithm->name, reason);
    job->comm->coll.anyp->forced_refused = true;
    return ANYPI_MPIR_AUTOMATIC;
}

static anypi_mpir_way replacement(anypi_mpir_job *job)
{
    int count;
    const anyp_algorithm *algorithms = anyp_algorithms(&count);
    for (int i = 0; i < count; i++) {
        anyp_parameters_default(&algorithms[i], job->parameters);
        if (!refusal(job, &algorithms[i], job->parameters)) {
            job->algorithm = i;
            return ANYPI_MPIR_RUN;
        }
    }
    return ANYPI_MPIR_OWN;
}

anypi_mpir_way anypi_mpir_choose(anypi_mpir_job *job, int algorithm, const int *parameters)
{
    int count;
    const anyp_algorithm *asked = &anyp_algorithms(&count)[algorithm];
    const bool forced = is_forced(job, algorithm, asked);
    const char *reason = refusal(job, asked, parameters);
    anypi_mpir_way way = ANYPI_MPIR_RUN;

    if (!reason) {
        job->algorithm = algorithm;
        for (int i = 0; i < asked->parameters_count; i++)
            job->parameters[i] = parameters[i];
    } else if (forced) {
        way = forced_refused(job, asked, reason);
    } else {
        way = replacement(job);
    }
    if (MPIR_CVAR_ANYP_VERBOSE && job->call.rank == 0)
        anypi_mpir_tell_job(job, way, forced, algorithm, parameters, reason);
    return way;
}
