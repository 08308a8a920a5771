/* SPDX-License-Identifier: BSD-3-Clause
 *
 * verbose.c - logs for MPIR_CVAR_ANYP_VERBOSE: rank 0 of a communicator writes to stderr which
 * algorithm runs and why. The lines are those of log.h, and continue with
 *
 *   [ instead of ALGORITHM...[: REASON]], chosen by VARIABLE | FILE: RULE | MPICH's defaults
 *
 * ALGORITHM is a value of MPIR_CVAR_<COLLECTIVE>_INTRA_ALGORITHM. When MPIR_CVAR_ANYP_VERBOSE
 * changes from one number to another, all lines are written again.
 */
#include "mpir/internal.h"

#include "select/text.h"
#include "select/vocabulary.h"

/* Returns whether the order of operands is free. Moving data has no operator. */
static bool commutes(anyp_collective collective, MPI_Op op)
{
    return anypi_moves(collective) || MPIR_Op_is_commutative(op);
}

/* Begins a line. Returns false if it is not the first of its kind on the communicator. */
static bool begin(anypi_log_line *to, anypi_mode mode, anyp_collective collective, int64_t bytes,
                  MPI_Op op, MPIR_Comm *comm)
{
    const anypi_operator_kind kind = !commutes(collective, op) ? ANYPI_NON_COMMUTATIVE
        : anypi_moves(collective) || HANDLE_IS_BUILTIN(op) ? ANYPI_COMMUTATIVE
        : ANYPI_COMMUTATIVE_USER;
    return comm->rank == 0 && anypi_mpir_comm_make(comm) &&
        anypi_log_begin(to, &comm->coll.anyp->logged, (unsigned) MPIR_CVAR_ANYP_VERBOSE, mode,
                        collective, comm->local_size, bytes, kind);
}

/* Returns the bytes of the whole vector. */
static int64_t bytes_of(const anypi_arguments *arguments, const MPIR_Comm *comm)
{
    const anypi_arguments its = anypi_mpir_significant(arguments, comm);
    MPI_Aint size;
    MPIR_Datatype_get_size_macro(its.datatype, size);
    return anypi_mpir_vector_count(&its, comm) * size;
}

/* Returns "smp" for "MPIR_Allreduce_intra_smp": the variable's value. */
static const char *value_name(const char *name)
{
    static const char *const kinds[] = { "_intra_", "_inter_", "_allcomm_" };
    for (int i = 0; i < 3; i++) {
        const char *found = strstr(name, kinds[i]);
        if (found)
            return found + strlen(kinds[i]);
    }
    return name;
}

/* Adds the rule that chose the last algorithm. */
static void add_rule(anypi_log_line *to, const anypi_choice *rule)
{
    char file[1024] = "";
    anypi_append(file, sizeof file, rule->hole ? "" : anypi_mpir_decision_file());
    if (rule->hole)
        anypi_log_add(to, ", chosen by MPICH's defaults");
    else
        anypi_log_add(to, ", chosen by %s: %s", file, rule->path);
}

/* If the variable requests an algorithm of AnyP's that does not run, adds the reason: MPICH refused
 * it because of the operator, or choice.c did. (A device may also call the automatic choice; then
 * no reason is added.) */
static void add_refused_variable(anypi_log_line *to, anypi_mode mode, anyp_collective collective,
                                 MPI_Op op, const MPIR_Comm *comm)
{
    int count;
    const int form = mode != ANYPI_BLOCKING;
    const anypi_mpir_variable *variable = anypi_mpir_algorithm_variable(form, collective);
    const anyp_algorithm *algorithms = anyp_algorithms(&count);
    const char *reason = comm->coll.anyp->forced_refused;
    for (int i = 0; i < count; i++)
        if (*variable->value == anypi_mpir_algorithm_values[form][collective][i] &&
            (reason || !(commutes(collective, op) ||
                         algorithms[i].properties & ANYP_CANONICAL)))
            anypi_log_add(to, " (the anyp_%s of %s does not serve the call: %s)",
                          algorithms[i].name, variable->name,
                          reason ? reason : "the operator does not commute");
}

void anypi_mpir_log_job(const anypi_mpir_job *job, anypi_mpir_way way, const anypi_asked *asked)
{
    const anyp_call *call = &job->call;
    anypi_log_line text;
    if (way == ANYPI_MPIR_AUTOMATIC ||  /* is logged by the automatic choice */
        !begin(&text, job->mode, call->collective, anypi_known_count(call) * call->type_size,
               job->its.op, job->comm))
        return;
    anypi_log_add_decision(&text, job->entry, asked,
                           way == ANYPI_MPIR_OWN ? "MPICH's own" : "error");
    if (asked->forced) {
        anypi_log_add(&text, ", chosen by %s",
                      anypi_mpir_algorithm_variable(job->mode != ANYPI_BLOCKING, call->collective)
                      ->name);
    } else {
        anypi_choice rule;
        anypi_decision_rule(anypi_mpir_decision(), job->comm->coll.anyp->rule, &rule);
        if (call->reproducible && *rule.name && !strstr(rule.name, "_anyp_"))
            anypi_log_add(&text, " instead of %s", value_name(rule.name));
        add_rule(&text, &rule);
        add_refused_variable(&text, job->mode, call->collective, job->its.op, job->comm);
    }
    anypi_log_end(&text);
}

/* Logs the automatic choice if it is one of MPICH's algorithms. */
static void log_automatic(anypi_mode mode, const anypi_arguments *arguments, MPIR_Comm *comm,
                          const MPII_Csel_container_s *chosen)
{
    const anyp_collective collective = arguments->collective;
    const char *name = anypi_mpir_own_names[chosen->id];
    anypi_choice rule;
    anypi_log_line text;
    if (comm->rank != 0 || !anypi_mpir_comm_make(comm))
        return;
    comm->coll.anyp->rule =
        anypi_mpir_tree_is_own() ? chosen->anyp_rule : ANYPI_RULE_OF_DEFAULTS;
    if (!name || !begin(&text, mode, collective, bytes_of(arguments, comm), arguments->op, comm))
        return;
    anypi_decision_rule(anypi_mpir_decision(), comm->coll.anyp->rule, &rule);
    anypi_log_add(&text, "%s", value_name(name));
    add_rule(&text, &rule);
    add_refused_variable(&text, mode, collective, arguments->op, comm);
    anypi_log_end(&text);
}

void anypi_mpir_log(const MPIR_Csel_coll_sig_s *coll_sig, const MPII_Csel_container_s *chosen,
                    bool persistent)
{
    const anypi_mode nonblocking = persistent ? ANYPI_PERSISTENT : ANYPI_NONBLOCKING;
    switch (coll_sig->coll_type) {
#define CASE(mode, TYPE, ...)                                                                    \
        case MPIR_CSEL_COLL_TYPE__##TYPE:                                                        \
            log_automatic(mode, &ANYPI_MPIR_ARGUMENTS(__VA_ARGS__), coll_sig->comm_ptr, chosen); \
            break;
#define ANYP_COLLECTIVE(NAME, Name, name, kind, input, output, arguments, forward, own)          \
        CASE(ANYPI_BLOCKING, NAME, NAME, kind##_##arguments, coll_sig->u.name.)                  \
        CASE(nonblocking, I##NAME, NAME, kind##_##arguments, coll_sig->u.i##name.)
#include "schedule/collectives.def"
        default:
            break;
    }
}

void anypi_mpir_log_forced(const char *collective, bool persistent, const char *algorithm,
                           const anypi_arguments *arguments, MPIR_Comm *comm_ptr)
{
    bool nonblocking;
    const anyp_collective found = anypi_collective_of(collective, &nonblocking);
    const anypi_mode mode = !nonblocking ? ANYPI_BLOCKING
        : persistent ? ANYPI_PERSISTENT : ANYPI_NONBLOCKING;
    anypi_log_line text;
    if (found == ANYP_COLLECTIVES ||
        !begin(&text, mode, found, bytes_of(arguments, comm_ptr), arguments->op, comm_ptr))
        return;
    anypi_log_add(&text, "%s, chosen by %s", value_name(algorithm),
                  anypi_mpir_algorithm_variable(mode != ANYPI_BLOCKING, found)->name);
    anypi_log_end(&text);
}
