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

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* How a choice came about, for the line that tells. */
typedef struct story {
    bool forced;
    int asked;                  /* the algorithm that was asked for; -1: none of AnyP's */
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

static void ask(anypi_job *job, const anypi_settings *settings, story *told)
{
    const anypi_forced *forced = &settings->forced[job->call.collective];
    told->forced = forced->algorithm != NULL;
    told->asked = -1;
    if (told->forced) {
        told->asked = forced->place;
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
        int count;
        told->asked = (int) (told->rule.algorithm - anyp_algorithms(&count));
        memcpy(told->parameters, told->rule.parameters, sizeof told->parameters);
    }
}

/* Sets kept->place and kept->parameters to what serves the call. */
static void grant(const anypi_job *job, story *told, anypi_kept *kept)
{
    int count;
    const anyp_algorithm *algorithms = anyp_algorithms(&count);
    kept->place = told->asked;
    if (told->asked < 0)
        return;
    if (anyp_applicable(&algorithms[told->asked], &job->call, told->parameters, &told->reason) ==
        ANYP_SUCCESS)
        memcpy(kept->parameters, told->parameters, sizeof kept->parameters);
    else
        kept->place = told->forced ? -1 : anypi_replacement(&job->call, kept->parameters);
    const char *missing = kept->place >= 0 ? anypi_state_own(job->state) : NULL;
    if (missing) {
        kept->place = -1;
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

static void tell(const anypi_job *job, const anypi_settings *settings, const story *told)
{
    const anyp_call *call = &job->call;
    anypi_log_line line;
    if (!begin_line(job, &line))
        return;
    if (job->kept->place >= 0)
        anypi_log_add_algorithm(&line, job->kept->place, job->kept->parameters);
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
        for (char *c = name; *c; c++)
            *c = (char) toupper((unsigned char) *c);
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

/* Where the choice for such a call is kept. */
static anypi_kept *place_of(const anypi_job *job)
{
    const anyp_call *call = &job->call;
    uint64_t hash = (uint64_t) call->count * UINT64_C(0x9e3779b97f4a7c15) ^
        (uint64_t) call->type_size << 8 ^ (uint64_t) call->root << 20 ^
        (uint64_t) call->collective << 3 ^ (uint64_t) call->commutative;
    hash *= UINT64_C(0x9e3779b97f4a7c15);
    return &job->state->kept[hash >> 58];
}

_Static_assert(ANYPI_KEPT == 64, "six bits of a hash");

void anypi_choose(anypi_job *job, const anypi_settings *settings)
{
    const anyp_call *call = &job->call;
    anypi_kept *kept = place_of(job);
    job->kept = kept;
    if (!kept->used || kept->count != call->count || kept->type_size != call->type_size ||
        kept->collective != (int) call->collective || kept->root != call->root ||
        kept->commutative != call->commutative || kept->builtin != job->builtin ||
        kept->in_place != call->in_place || kept->regular != job->regular) {
        story told = { .forced = false };
        *kept = (anypi_kept) {
            .count = call->count, .type_size = call->type_size,
            .collective = (int) call->collective, .root = call->root,
            .commutative = call->commutative, .builtin = job->builtin,
            .in_place = call->in_place, .regular = job->regular, .used = true,
        };
        anypi_state_forget(job->state);         /* this was their choice, perhaps */
        ask(job, settings, &told);
        grant(job, &told, kept);
        if (settings->verbose && job->state->rank == 0)
            tell(job, settings, &told);
    }
    job->place = kept->place;
}
