/* SPDX-License-Identifier: BSD-3-Clause
 *
 * verbose.c - MPIR_CVAR_ANYP_VERBOSE: rank 0 of a communicator writes to stderr what runs and why,
 * in lines of log.h, which continue with
 *
 *   [ instead of ALGORITHM...[: REASON]], chosen by VARIABLE | FILE: RULE | MPICH's defaults
 *
 * ALGORITHM is a value of MPIR_CVAR_<COLLECTIVE>_INTRA_ALGORITHM.
 */
#include "mpir/internal.h"

#include "select/vocabulary.h"

/* Begins the line, if it is the first of its kind on the communicator; else false. */
static bool begin(anypi_log_line *to, anypi_mode mode, anyp_collective collective, int64_t bytes,
                  MPI_Op op, MPIR_Comm *comm)
{
    const anypi_operator_kind kind = !MPIR_Op_is_commutative(op) ? ANYPI_NON_COMMUTATIVE
        : HANDLE_IS_BUILTIN(op) ? ANYPI_COMMUTATIVE : ANYPI_COMMUTATIVE_USER;
    return comm->rank == 0 && anypi_log_begin(to, &comm->coll.anyp->logged, mode, collective,
                                              comm->local_size, bytes, kind);
}

/* "MPIR_Allreduce_intra_smp" -> "smp": as the variable's value is called. */
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

/* The signature of a call. */
static void signature_of(anypi_signature *signature, anypi_mode mode, anyp_collective collective,
                         int64_t count, const MPI_Aint counts[], MPI_Datatype datatype, MPI_Op op,
                         bool in_place, MPIR_Comm *comm)
{
    MPI_Aint size;
    MPIR_Datatype_get_size_macro(datatype, size);
    const anypi_collective *its = &anypi_collectives[collective];
    anypi_signature_init(signature, mode == ANYPI_BLOCKING ? its->name : its->nonblocking,
                         comm->local_size, count, size);
    signature->inter = comm->comm_kind == MPIR_COMM_KIND__INTERCOMM;
    signature->multi_threaded = MPIR_IS_THREADED;
    /* without nodes no condition on their ranks holds */
    signature->ppn = ANYPI_NODES(comm) > 0
        ? (comm->local_size + ANYPI_NODES(comm) - 1) / ANYPI_NODES(comm) : INT_MAX;
    signature->one_node = ANYPI_ONE_NODE(comm);
    signature->node_consecutive = !signature->inter && MPII_Comm_is_node_consecutive(comm);
    signature->hierarchy = ANYPI_HIERARCHY_OF(comm);
    signature->commutative = MPIR_Op_is_commutative(op);
    signature->builtin_op = HANDLE_IS_BUILTIN(op);
    signature->in_place = in_place;
    for (int i = 1; counts && i < comm->local_size; i++)
        if (counts[i] != counts[i - 1])
            signature->block_regular = false;
}

/* Sets *reason to why the automatic choice chooses *choice. False if *choice is not known. */
static bool automatic(const anypi_signature *signature, anypi_choice *choice,
                      anypi_log_line *reason)
{
    const anypi_decision *decision = anypi_mpir_decision();
    reason->length = 0;
    if (decision && anypi_decision_select(decision, signature, choice) == ANYP_SUCCESS &&
        !choice->hole) {
        anypi_log_add(reason, "%s: %s", anypi_mpir_decision_file(), choice->path);
        return true;
    }
    anypi_log_add(reason, "MPICH's defaults");
    return anypi_mpir_default_choice(signature, choice);
}

/* Adds why the algorithm of AnyP's that the variable asks for does not run, if it asks for one:
 * MPICH refused it for the operator, or choice.c. (A device may choose it, too.) */
static void add_refused_variable(anypi_log_line *to, anypi_mode mode, anyp_collective collective,
                                 MPI_Op op, const MPIR_Comm *comm)
{
    int count;
    const int form = mode != ANYPI_BLOCKING;
    const anypi_mpir_variable *variable = &anypi_mpir_algorithm_variables[form][collective];
    const anyp_algorithm *algorithms = anyp_algorithms(&count);
    const char *reason = comm->coll.anyp->forced_refused;
    for (int i = 0; i < count; i++)
        if (*variable->value == anypi_mpir_algorithm_values[form][collective][i] &&
            (reason || !(MPIR_Op_is_commutative(op) ||
                         algorithms[i].properties & ANYP_CANONICAL)))
            anypi_log_add(to, " (the anyp_%s of %s does not serve the call: %s)",
                          algorithms[i].name, variable->name,
                          reason ? reason : "the operator does not commute");
}

void anypi_mpir_log_job(const anypi_mpir_job *job, anypi_mpir_way way,
                        const anypi_mpir_asked *asked, const char *reason)
{
    int count;
    const anyp_call *call = &job->call;
    anypi_log_line text;
    if (way == ANYPI_MPIR_AUTOMATIC ||  /* logs itself */
        !begin(&text, job->mode, call->collective, call->count * call->type_size, job->op,
               job->comm))
        return;
    if (way == ANYPI_MPIR_RUN)
        anypi_log_add_algorithm(&text, job->entry->algorithm, job->entry->parameters,
                                job->entry->asked);
    else
        anypi_log_add(&text, way == ANYPI_MPIR_OWN ? "MPICH's own" : "error");
    if (reason) {
        anypi_log_add(&text, " instead of ");
        anypi_log_add_algorithm(&text, &anyp_algorithms(&count)[asked->algorithm],
                                asked->parameters, asked->parameters);
        anypi_log_add(&text, ": %s", reason);
    }
    if (asked->forced) {
        anypi_log_add(&text, ", chosen by %s",
                      anypi_mpir_algorithm_variables[job->mode != ANYPI_BLOCKING]
                      [call->collective].name);
    } else {
        anypi_signature signature;
        anypi_choice choice;
        anypi_log_line rule;
        signature_of(&signature, job->mode, call->collective, call->count, job->counts,
                     job->datatype, job->op, call->in_place, job->comm);
        const bool known = automatic(&signature, &choice, &rule);
        if (call->reproducible && known && !choice.algorithm)
            anypi_log_add(&text, " instead of %s", value_name(choice.name));
        anypi_log_add(&text, ", chosen by %s", rule.text);
        add_refused_variable(&text, job->mode, call->collective, job->op, job->comm);
    }
    anypi_log_end(&text);
}

/* Only MPICH's own algorithms: AnyP's log themselves. */
static void log_automatic(anypi_mode mode, anyp_collective collective, MPI_Aint count,
                          const MPI_Aint counts[], MPI_Datatype datatype, MPI_Op op, bool in_place,
                          MPIR_Comm *comm)
{
    const int64_t elements = anypi_mpir_vector_count(collective, count, counts, comm);
    anypi_signature signature;
    anypi_choice choice;
    anypi_log_line text, rule;
    MPI_Aint size;
    if (comm->rank != 0)
        return;
    signature_of(&signature, mode, collective, elements, counts, datatype, op, in_place, comm);
    const bool known = automatic(&signature, &choice, &rule);
    if ((known && choice.algorithm) || (MPIR_CVAR_ANYP_REPRODUCIBLE && !signature.inter))
        return;
    MPIR_Datatype_get_size_macro(datatype, size);
    if (!begin(&text, mode, collective, elements * size, op, comm))
        return;
    anypi_log_add(&text, "%s, chosen by %s", known ? value_name(choice.name) : "MPICH's own",
                  rule.text);
    add_refused_variable(&text, mode, collective, op, comm);
    anypi_log_end(&text);
}

void anypi_mpir_log(const MPIR_Csel_coll_sig_s *coll_sig, bool persistent)
{
    const anypi_mode nonblocking = persistent ? ANYPI_PERSISTENT : ANYPI_NONBLOCKING;
    switch (coll_sig->coll_type) {
#define ANYPI_LOG_COUNT(of) of.count, NULL
#define ANYPI_LOG_ROOTED ANYPI_LOG_COUNT
#define ANYPI_LOG_BLOCK(of) of.recvcount, NULL
#define ANYPI_LOG_COUNTS(of) 0, of.recvcounts
#define CASE(mode, collective, TYPE, of, arguments)                                                \
        case MPIR_CSEL_COLL_TYPE__##TYPE:                                                          \
            log_automatic(mode, collective, ANYPI_LOG_##arguments(coll_sig->u.of),                 \
                          coll_sig->u.of.datatype, coll_sig->u.of.op,                              \
                          coll_sig->u.of.sendbuf == MPI_IN_PLACE, coll_sig->comm_ptr);             \
            break;
#define ANYP_REDUCTION(NAME, Name, name, input, output, arguments, own)                            \
        CASE(ANYPI_BLOCKING, ANYP_##NAME, NAME, name, arguments)                                   \
        CASE(nonblocking, ANYP_##NAME, I##NAME, i##name, arguments)
#include "schedule/collectives.def"
#undef CASE
        default:
            break;
    }
}

void anypi_mpir_log_forced(const char *collective, bool persistent, const char *algorithm,
                           MPI_Aint count, const MPI_Aint counts[], MPI_Datatype datatype,
                           MPI_Op op, MPIR_Comm *comm_ptr)
{
    bool nonblocking;
    const anyp_collective found = anypi_collective_of(collective, &nonblocking);
    const anypi_mode mode = !nonblocking ? ANYPI_BLOCKING
        : persistent ? ANYPI_PERSISTENT : ANYPI_NONBLOCKING;
    anypi_log_line text;
    MPI_Aint size;
    if (found == ANYP_COLLECTIVES)
        return;
    MPIR_Datatype_get_size_macro(datatype, size);
    if (!begin(&text, mode, found, anypi_mpir_vector_count(found, count, counts, comm_ptr) * size,
               op, comm_ptr))
        return;
    anypi_log_add(&text, "%s, chosen by %s", value_name(algorithm),
                  anypi_mpir_algorithm_variables[mode != ANYPI_BLOCKING][found].name);
    anypi_log_end(&text);
}
