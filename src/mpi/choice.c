/* SPDX-License-Identifier: BSD-3-Clause
 *
 * choice.c - finds the request of variables or the decision file for a call in the plug-in, decides
 * what runs (decide.h), and logs the decision (log.h):
 *
 *   ... -> ALGORITHM[ instead of ALGORITHM: REASON], chosen by VARIABLE | FILE: RULE | no rule
 */
#include "mpi/internal.h"

#include "schedule/collectives.h"
#include "select/text.h"
#include "settings/variables.h"

#define VARIABLE "ANYP_REPRODUCIBLE"
#define OWN "the MPI library's algorithm"

/* Returns the shape of the ranks. A call that does not block asks no other ranks. */
static const anyp_shape *nodes_of(const anypi_job *job, const anypi_settings *settings)
{
    const anypi_state *state = job->state;
    return job->mode == ANYPI_BLOCKING || state->asked_nodes || state->whole
        ? anypi_state_nodes(job->state, settings) : NULL;
}

static void signature_of(anypi_signature *signature, const anypi_job *job,
                         const anypi_settings *settings)
{
    const anypi_decision *decision = settings->decision;
    const anyp_shape *nodes = nodes_of(job, settings);
    const anyp_call *call = &job->call;
    int level = MPI_THREAD_SINGLE;
    anypi_signature_init(signature, job->mode == ANYPI_BLOCKING
                         ? anyp_collective_name(call->collective)
                         : anypi_collectives[call->collective].nonblocking, call->p,
                         anypi_known_count(call), call->type_size);
    if (anypi_decision_asks_threads(decision))
        anypi_mpi.Query_thread(&level);
    signature->multi_threaded = level == MPI_THREAD_MULTIPLE;
    anypi_signature_nodes(signature, nodes);
    if (!nodes) {               /* unknown: each rank may be on a different node */
        signature->ppn = 1;
        signature->one_node = call->p == 1;
    }
    signature->commutative = job->commutes;
    signature->builtin_op = job->builtin;
    signature->block_regular = !call->starts;
    /* with a root only the root can be in place, and in a scan any single rank; but all ranks must
     * make the same choice */
    signature->in_place = call->in_place && !anypi_has_root(call) &&
        !anypi_is_prefix(call->collective);
    signature->device = job->memory == ANYPI_ON_DEVICE;
}

/* Returns the request of a variable, or otherwise of a rule. Sets *rule; rule->path is empty if
 * there is no rule. */
static anypi_asked ask(const anypi_job *job, const anypi_settings *settings, anypi_choice *rule)
{
    const anypi_forced *forced = &settings->forced[job->call.collective];
    anypi_signature signature;
    *rule = (anypi_choice) { .hole = true };
    if (forced->algorithm)
        return (anypi_asked) { forced->algorithm, forced->parameters, .forced = true };
    if (settings->decision) {
        signature_of(&signature, job, settings);
        if (anypi_decision_select(settings->decision, &signature, rule) != ANYP_SUCCESS)
            *rule = (anypi_choice) { .hole = true };
    }
    return (anypi_asked) { rule->hole ? NULL : rule->algorithm, rule->parameters, .forced = false };
}

static bool begin_line(const anypi_job *job, anypi_log_line *line)
{
    const anyp_call *call = &job->call;
    const anypi_operator_kind kind = job->memory == ANYPI_ON_DEVICE ? ANYPI_NO_OPERATOR_DEVICE
        : !job->commutes ? ANYPI_NON_COMMUTATIVE
        : job->builtin ? ANYPI_COMMUTATIVE : ANYPI_COMMUTATIVE_USER;
    return anypi_log_begin(line, &job->state->logged, job->state->age, job->mode,
                           call->collective, call->p, anypi_known_count(call) * call->type_size,
                           kind);
}

void anypi_report_forwarded(const anypi_job *job, const anypi_settings *settings,
                            const char *reason)
{
    anypi_log_line line;
    if (job->call.reproducible)
        anypi_warn_not_reproducible(job->mode, &job->call, VARIABLE, reason);
    if (!settings->verbose || job->state->rank != 0 || !begin_line(job, &line))
        return;
    anypi_log_add(&line, OWN ": %s", reason);
    anypi_log_end(&line);
}

/* Adds what has chosen the algorithm. */
static void add_origin(anypi_log_line *line, const anypi_job *job, const anypi_asked *asked,
                       const anypi_choice *rule, const anypi_entry *entry)
{
    char text[1024] = "";
    if (asked->forced) {
        anypi_log_add(line, ", chosen by ANYP_%s",
                      anypi_variable_name(text, job->call.collective, "ALGORITHM"));
    } else if (entry->algorithm && !asked->algorithm) {
        anypi_log_add(line, ", chosen by " VARIABLE);
    } else if (*rule->path) {
        const bool names_own = !rule->hole && !rule->algorithm;
        anypi_append(text, sizeof text, anypi_variable_value("TUNING_FILE"));
        anypi_log_add(line, ", chosen by %s: %s%s%s", text, rule->path,
                      rule->hole ? ", which names no algorithm" : names_own ? " / " : "",
                      names_own ? rule->name : "");
    } else {
        anypi_log_add(line, ": no variable or rule chooses another");
    }
}

void anypi_choose(const anypi_job *job, const anypi_settings *settings, anypi_entry *entry)
{
    anypi_choice rule;
    const anypi_asked asked = ask(job, settings, &rule);
    const bool tests = rule.by_memory && anypi_tests_memory(job->call.collective) && !job->memory;
    entry->by_memory = tests && job->mode == ANYPI_BLOCKING;
    if (entry->by_memory) {
        entry->algorithm = NULL;
        return;
    }
    const anyp_shape *nodes = anypi_asks_nodes(&entry->call, &asked)
        ? nodes_of(job, settings) : NULL;
    anypi_decide_call(&job->state->workspace.cache, entry, &asked, nodes,
                      tests ? ANYPI_MEMORY_UNKNOWN : NULL);
    if (entry->algorithm && job->mode == ANYPI_BLOCKING)
        anypi_channel_need(&job->state->channel, job->state->user);
    const char *missing = entry->algorithm ? job->state->channel.missing : NULL;
    if (missing) {
        entry->algorithm = NULL;
        entry->reason = missing;
        if (job->call.reproducible)
            anypi_warn_not_reproducible(job->mode, &job->call, VARIABLE, missing);
    }
    anypi_log_line line;
    if (!settings->verbose || job->state->rank != 0 || !begin_line(job, &line))
        return;
    anypi_log_add_decision(&line, entry, &asked, OWN);
    add_origin(&line, job, &asked, &rule, entry);
    anypi_log_end(&line);
}
