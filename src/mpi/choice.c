/* SPDX-License-Identifier: BSD-3-Clause
 *
 * choice.c - which algorithm runs a call, by the variables, then the decision file. One that does
 * not serve the call is replaced: forced by a variable, by the library's own; chosen by a rule, by
 * the first of AnyP's that serves it. If results must be reproducible, this one runs wherever
 * another does not serve the call, or none is chosen. All ranks decide before the first message,
 * from what is the same on all of them, and rank 0 logs it (log.h). Where blocks differ in size,
 * closed forms may replace what a rule chose (adapt.h):
 *
 *   ... -> ALGORITHM[ instead of ALGORITHM: REASON], chosen by VARIABLE | FILE: RULE | no rule
 */
#include "mpi/internal.h"

#include "algorithms/registry.h"
#include "execute/adapt.h"
#include "schedule/collectives.h"
#include "select/text.h"
#include "settings/variables.h"

#include <stdatomic.h>
#include <string.h>

/* Why a choice was made, for the log. */
typedef struct choice_origin {
    bool forced;
    const anyp_algorithm *asked;        /* NULL: none of AnyP's */
    int parameters[ANYP_MAX_PARAMETERS];
    const char *reason;         /* why it does not serve the call; NULL: it does */
    anypi_choice rule;          /* if not forced, and there are rules */
    bool rules;
} choice_origin;

static void signature_of(anypi_signature *signature, const anypi_job *job,
                         const anypi_settings *settings)
{
    const anypi_decision *decision = settings->decision;
    const anyp_nodes *nodes = anypi_state_nodes(job->state, settings);
    const anyp_call *call = &job->call;
    int level = MPI_THREAD_SINGLE;
    anypi_signature_init(signature, anyp_collective_name(call->collective), call->p, call->count,
                         call->type_size);
    if (anypi_decision_asks_threads(decision))
        anypi_mpi.Query_thread(&level);
    signature->multi_threaded = level == MPI_THREAD_MULTIPLE;
    anypi_signature_nodes(signature, nodes);
    if (!nodes) {               /* unknown: each rank may be on another */
        signature->ppn = 1;
        signature->one_node = call->p == 1;
    }
    signature->commutative = job->commutes;
    signature->builtin_op = job->builtin;
    signature->block_regular = job->regular;
    /* only the root can be in place if there is one, but all ranks must decide alike */
    signature->in_place = call->in_place && !anypi_has_root(call);
}

static void ask(const anypi_job *job, const anypi_settings *settings, choice_origin *origin)
{
    const anypi_forced *forced = &settings->forced[job->call.collective];
    origin->forced = forced->algorithm != NULL;
    if (origin->forced) {
        origin->asked = forced->algorithm;
        memcpy(origin->parameters, forced->parameters, sizeof origin->parameters);
        return;
    }
    if (!settings->decision)
        return;
    anypi_signature signature;
    signature_of(&signature, job, settings);
    origin->rules = anypi_decision_select(settings->decision, &signature, &origin->rule) ==
        ANYP_SUCCESS;
    if (origin->rules && !origin->rule.hole && origin->rule.algorithm) {
        origin->asked = origin->rule.algorithm;
        memcpy(origin->parameters, origin->rule.parameters, sizeof origin->parameters);
    }
}

/* What moves data does not bracket anything. */
static bool must_be_reproducible(const anypi_job *job, const anypi_settings *settings)
{
    return settings->reproducible && !anypi_moves(job->call.collective);
}

/* Once in a process. */
static void warn_not_reproducible(const anypi_job *job, const char *reason)
{
    static atomic_flag warned = ATOMIC_FLAG_INIT;
    if (job->state->rank == 0 && !atomic_flag_test_and_set(&warned))
        fprintf(stderr, "anyp: the result of %s is not reproducible, although ANYP_REPRODUCIBLE is "
                "set: %s\n", anyp_collective_name(job->call.collective), reason);
}

/* Does the entry's algorithm serve the call? Then its parameters are those without "auto". */
static bool applies(const anypi_job *job, choice_origin *origin, anypi_entry *entry)
{
    origin->reason = anypi_unfit(entry->algorithm, &entry->call, entry->asked);
    if (origin->reason)
        return false;
    anypi_cache_settle(&job->state->workspace.cache, entry->algorithm, &entry->call, entry->asked,
                       entry->parameters);
    return anyp_applicable(entry->algorithm, &entry->call, entry->parameters, &origin->reason) ==
        ANYP_SUCCESS;
}

static bool same_parameters(const anyp_algorithm *algorithm, const int *one, const int *other)
{
    return !memcmp(one, other, (size_t) algorithm->parameters_count * sizeof *one);
}

/* Sets the entry's algorithm and parameters to what serves the call. */
static void grant(const anypi_job *job, const anypi_settings *settings, choice_origin *origin,
                  anypi_entry *entry)
{
    const bool reproducible = must_be_reproducible(job, settings);
    const bool replaces = !origin->forced || reproducible;
    entry->algorithm = origin->asked;
    if (!origin->asked && !reproducible)
        return;
    if (origin->asked && anypi_uses_nodes(origin->asked, origin->parameters))
        entry->call.nodes = anypi_state_nodes(job->state, settings);
    memcpy(entry->asked, origin->parameters, sizeof entry->asked);
    if (origin->asked && !origin->forced && anypi_adapts(&entry->call)) {
        entry->call.nodes = anypi_state_nodes(job->state, settings);
        entry->algorithm = anypi_adapted(&entry->call, origin->asked, entry->asked);
    }
    const bool adapted = entry->algorithm != origin->asked ||
        (origin->asked && !same_parameters(origin->asked, entry->asked, origin->parameters));
    if (!origin->asked || !applies(job, origin, entry)) {
        entry->algorithm = replaces ? anypi_replacement(&job->call, entry->asked) : NULL;
        if (entry->algorithm)
            anypi_cache_settle(&job->state->workspace.cache, entry->algorithm, &entry->call,
                               entry->asked, entry->parameters);
    } else if (adapted) {
        origin->reason = anypi_unfit(origin->asked, &entry->call, origin->parameters);
        if (!origin->reason)
            origin->reason = ANYPI_BLOCKS_DIFFER;
    }
    const char *missing = entry->algorithm ? anypi_state_own(job->state) : NULL;
    if (missing) {
        entry->algorithm = NULL;
        origin->reason = missing;
        if (reproducible)
            warn_not_reproducible(job, missing);
    }
}

static bool begin_line(const anypi_job *job, anypi_log_line *line)
{
    const anyp_call *call = &job->call;
    const anypi_operator_kind kind = !job->commutes ? ANYPI_NON_COMMUTATIVE
        : job->builtin ? ANYPI_COMMUTATIVE : ANYPI_COMMUTATIVE_USER;
    return anypi_log_begin(line, &job->state->logged, job->state->age, ANYPI_BLOCKING,
                           call->collective, call->p, call->count * call->type_size, kind);
}

void anypi_report_passed(const anypi_job *job, const anypi_settings *settings, const char *reason)
{
    anypi_log_line line;
    if (must_be_reproducible(job, settings))
        warn_not_reproducible(job, reason);
    if (!settings->verbose || job->state->rank != 0 || !begin_line(job, &line))
        return;
    anypi_log_add(&line, "the library's own: %s", reason);
    anypi_log_end(&line);
}

static void log_choice(const anypi_job *job, const anypi_settings *settings,
                       const choice_origin *origin, const anypi_entry *entry)
{
    const anyp_call *call = &job->call;
    anypi_log_line line;
    if (!begin_line(job, &line))
        return;
    if (entry->algorithm)
        anypi_log_add_algorithm(&line, entry->algorithm, entry->parameters, entry->asked);
    else
        anypi_log_add(&line, "the library's own");
    if (origin->reason && origin->asked) {
        anypi_log_add(&line, " instead of ");
        anypi_log_add_algorithm(&line, origin->asked, origin->parameters, origin->parameters);
        anypi_log_add(&line, ": %s", origin->reason);
    }
    if (origin->forced) {
        char name[ANYPI_NAME_SIZE];
        anypi_log_add(&line, ", chosen by ANYP_%s",
                      anypi_variable_name(name, call->collective, "ALGORITHM"));
    } else if (entry->algorithm && !origin->asked) {
        anypi_log_add(&line, ", chosen by ANYP_REPRODUCIBLE");
    } else if (origin->rules && *origin->rule.path) {
        char file[1024] = "";
        anypi_append(file, sizeof file, settings->file);
        anypi_log_add(&line, ", chosen by %s: %s%s%s", file, origin->rule.path,
                      origin->rule.hole ? ", which ends without an algorithm"
                      : origin->rule.algorithm ? "" : " / ",
                      origin->rule.hole || origin->rule.algorithm ? "" : origin->rule.name);
    } else {
        anypi_log_add(&line, ": no rule asks for another");
    }
    anypi_log_end(&line);
}

void anypi_choose(const anypi_job *job, const anypi_settings *settings, anypi_entry *entry)
{
    choice_origin origin = { .forced = false };
    ask(job, settings, &origin);
    grant(job, settings, &origin, entry);
    if (settings->verbose && job->state->rank == 0)
        log_choice(job, settings, &origin, entry);
}
