/* SPDX-License-Identifier: BSD-3-Clause
 *
 * choice.c - which algorithm runs a call, by the variables, then the decision file. One that does
 * not serve the call is replaced: forced by a variable, by the library's own; chosen by a rule, by
 * the first of AnyP's that serves it (MPICH's rules would look the same rule up again). All of it
 * happens before the first message, from what is the same on all ranks, and is logged (log.h):
 *
 *   ... -> ALGORITHM[ instead of ALGORITHM: REASON], chosen by VARIABLE | FILE: RULE | no rule
 */
#include "mpi/internal.h"

#include "select/text.h"

#include <stdio.h>
#include <string.h>

/* How a choice came about, for the line that tells. */
typedef struct story {
    bool forced;
    const anyp_algorithm *asked;        /* NULL: none of AnyP's */
    int parameters[ANYP_MAX_PARAMETERS];
    const char *reason;         /* why it does not serve; NULL: it does */
    anypi_choice rule;          /* if not forced, and there are rules */
    bool rules;
} story;

static void situation_of(anypi_signature *signature, const anypi_job *job,
                         const anypi_decision *decision)
{
    const anyp_call *call = &job->call;
    int level = MPI_THREAD_SINGLE;
    anypi_signature_init(signature, anyp_collective_name(call->collective), call->p, call->count,
                         call->type_size);
    if (anypi_decision_asks_threads(decision))
        anypi_mpi.Query_thread(&level);
    anypi_state_nodes(job->state);
    signature->multi_threaded = level == MPI_THREAD_MULTIPLE;
    signature->ppn = job->state->ppn;
    signature->one_node = job->state->one_node;
    signature->node_consecutive = job->state->node_consecutive;
    signature->commutative = call->commutative;
    signature->builtin_op = job->builtin;
    signature->block_regular = job->regular;
    /* of reduce only the root is in place, and all must decide alike */
    signature->in_place = call->in_place && call->collective != ANYP_REDUCE;
}

static void ask(const anypi_job *job, const anypi_settings *settings, story *told)
{
    const anypi_forced *forced = &settings->forced[job->call.collective];
    told->forced = forced->algorithm != NULL;
    if (told->forced) {
        told->asked = forced->algorithm;
        memcpy(told->parameters, forced->parameters, sizeof told->parameters);
        return;
    }
    if (!settings->decision)
        return;
    anypi_signature signature;
    situation_of(&signature, job, settings->decision);
    told->rules = anypi_decision_select(settings->decision, &signature, &told->rule) ==
        ANYP_SUCCESS;
    if (told->rules && !told->rule.hole && told->rule.algorithm) {
        told->asked = told->rule.algorithm;
        memcpy(told->parameters, told->rule.parameters, sizeof told->parameters);
    }
}

/* Sets the entry's algorithm and parameters to what serves the call. */
static void grant(const anypi_job *job, story *told, anypi_entry *entry)
{
    entry->algorithm = told->asked;
    if (!told->asked)
        return;
    if (anyp_applicable(told->asked, &job->call, told->parameters, &told->reason) == ANYP_SUCCESS)
        memcpy(entry->parameters, told->parameters, sizeof entry->parameters);
    else
        entry->algorithm = told->forced ? NULL : anypi_replacement(&job->call, entry->parameters);
    const char *missing = entry->algorithm ? anypi_state_own(job->state) : NULL;
    if (missing) {
        entry->algorithm = NULL;
        told->reason = missing;
    }
}

static bool begin_line(const anypi_job *job, anypi_log_line *line)
{
    const anyp_call *call = &job->call;
    const anypi_operator_kind kind = !call->commutative ? ANYPI_NON_COMMUTATIVE
        : job->builtin ? ANYPI_COMMUTATIVE : ANYPI_COMMUTATIVE_USER;
    return anypi_log_begin(line, &job->state->told, call->collective, call->p,
                           call->count * call->type_size, kind);
}

void anypi_tell_passed(const anypi_job *job, const char *reason)
{
    anypi_log_line line;
    if (!begin_line(job, &line))
        return;
    anypi_log_add(&line, "the library's own: %s", reason);
    anypi_log_end(&line);
}

static void tell(const anypi_job *job, const anypi_settings *settings, const story *told,
                 const anypi_entry *entry)
{
    const anyp_call *call = &job->call;
    anypi_log_line line;
    if (!begin_line(job, &line))
        return;
    if (entry->algorithm)
        anypi_log_add_algorithm(&line, entry->algorithm, entry->parameters);
    else
        anypi_log_add(&line, "the library's own");
    if (told->reason) {
        anypi_log_add(&line, " instead of ");
        anypi_log_add_algorithm(&line, told->asked, told->parameters);
        anypi_log_add(&line, ": %s", told->reason);
    }
    if (told->forced) {
        char name[64];
        snprintf(name, sizeof name, "%s", anyp_collective_name(call->collective));
        anypi_upper(name);
        anypi_log_add(&line, ", chosen by ANYP_%s_ALGORITHM", name);
    } else if (told->rules && *told->rule.path) {
        anypi_log_add(&line, ", chosen by %s: %s%s%s", settings->file, told->rule.path,
                      told->rule.hole ? ", which ends without an algorithm"
                      : told->rule.algorithm ? "" : " / ",
                      told->rule.hole || told->rule.algorithm ? "" : told->rule.name);
    } else {
        anypi_log_add(&line, ": no rule asks for another");
    }
    anypi_log_end(&line);
}

void anypi_choose(const anypi_job *job, const anypi_settings *settings, anypi_entry *entry)
{
    story told = { .forced = false };
    ask(job, settings, &told);
    grant(job, &told, entry);
    if (settings->verbose && job->state->rank == 0)
        tell(job, settings, &told, entry);
}
