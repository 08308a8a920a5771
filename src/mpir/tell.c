/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tell.c - MPIR_CVAR_ANYP_VERBOSE: rank 0 of a communicator tells on stderr, once per collective,
 * operator kind and size class (power of two of bytes), what runs and why, one line each:
 *
 *   anyp: COLLECTIVE p=P bytes=BYTES op=KIND -> ALGORITHM[(PARAMETER=VALUE, ...)][ instead of
 *   ALGORITHM...: REASON], chosen by VARIABLE | FILE: RULE | MPICH's defaults
 *
 * BYTES is the whole vector, all blocks together; KIND is commutative, commutative-user or
 * non-commutative. ALGORITHM is a value of MPIR_CVAR_<COLLECTIVE>_INTRA_ALGORITHM.
 */
#include "mpir/internal.h"

#include <stdarg.h>

static const char *const operator_names[ANYPI_OPERATOR_KINDS] = {
    "commutative", "commutative-user", "non-commutative"
};

/* A line in the making; what does not fit is cut. */
typedef struct line {
    char text[2048];
    size_t length;
} line;

static void add(line *to, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add(line *to, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int more = vsnprintf(to->text + to->length, sizeof to->text - to->length, format,
                               arguments);
    va_end(arguments);
    if (more > 0)
        to->length += (size_t) more;
    if (to->length >= sizeof to->text)
        to->length = sizeof to->text - 1;
}

/* Is it the first of its kind on the communicator? Then the line is begun. */
static bool begin(line *to, anyp_collective collective, int64_t bytes, MPI_Op op, MPIR_Comm *comm)
{
    const int kind = !MPIR_Op_is_commutative(op) ? 2 : !HANDLE_IS_BUILTIN(op);
    const int size_class = bytes > 0 ? 63 - __builtin_clzll((unsigned long long) bytes) : 0;
    uint64_t *told = &comm->coll.anyp->told.sizes[collective][kind];
    if (comm->rank != 0 || (*told >> size_class & 1))
        return false;
    *told |= (uint64_t) 1 << size_class;
    to->length = 0;
    add(to, "anyp: %s p=%d bytes=%lld op=%s -> ", anyp_collective_name(collective),
        comm->local_size, (long long) bytes, operator_names[kind]);
    return true;
}

static void end(line *to)
{
    fprintf(stderr, "%s\n", to->text);
}

static void add_algorithm(line *to, int place, const int *parameters)
{
    int count;
    const anyp_algorithm *algorithm = &anyp_algorithms(&count)[place];
    add(to, "anyp_%s", algorithm->name);
    for (int i = 0; i < algorithm->parameters_count; i++) {
        char value[ANYP_VALUE_SIZE];
        add(to, "%s%s=%s", i ? ", " : "(", algorithm->parameters[i].name,
            anyp_parameter_text(&algorithm->parameters[i], parameters[i], value, sizeof value));
    }
    if (algorithm->parameters_count > 0)
        add(to, ")");
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

/* The situation of a call. */
static void situation_of(anypi_situation *situation, anyp_collective collective, int64_t count,
                         const MPI_Aint counts[], MPI_Datatype datatype, MPI_Op op, bool in_place,
                         MPIR_Comm *comm)
{
    MPI_Aint size;
    MPIR_Datatype_get_size_macro(datatype, size);
    anypi_situation_init(situation, anyp_collective_name(collective), comm->local_size, count,
                         size);
    situation->inter = comm->comm_kind == MPIR_COMM_KIND__INTERCOMM;
    situation->multi_threaded = MPIR_IS_THREADED;
    if (comm->node_count > 0)
        situation->ppn = (comm->local_size + comm->node_count - 1) / comm->node_count;
    situation->one_node = comm->node_comm && comm->node_comm->local_size == comm->local_size;
    situation->node_consecutive = !situation->inter && MPII_Comm_is_node_consecutive(comm);
    situation->hierarchy =
        comm->hierarchy_kind == MPIR_COMM_HIERARCHY_KIND__PARENT ? ANYPI_HIERARCHY_PARENT :
        comm->hierarchy_kind == MPIR_COMM_HIERARCHY_KIND__NODE ? ANYPI_HIERARCHY_NODE :
        comm->hierarchy_kind == MPIR_COMM_HIERARCHY_KIND__NODE_ROOTS ? ANYPI_HIERARCHY_NODE_ROOTS :
        ANYPI_HIERARCHY_FLAT;
    situation->commutative = MPIR_Op_is_commutative(op);
    situation->builtin_op = HANDLE_IS_BUILTIN(op);
    situation->in_place = in_place;
    for (int i = 1; counts && i < comm->local_size; i++)
        if (counts[i] != counts[i - 1])
            situation->block_regular = false;
}

/* Adds the automatic choice's reason; *choice is what it chose. False if not even that is known. */
static bool automatic(const anypi_situation *situation, anypi_choice *choice, line *reason)
{
    const anypi_decision *decision = anypi_mpir_decision();
    reason->length = 0;
    if (decision && anypi_decision_select(decision, situation, choice) == ANYP_SUCCESS &&
        !choice->hole) {
        add(reason, "%s: %s", anypi_mpir_decision_file(), choice->path);
        return true;
    }
    add(reason, "MPICH's defaults");
    return anypi_mpir_default_choice(situation, choice);
}

/* Says so if the variable asked for one of AnyP's algorithms and was refused, by MPICH for the
 * operator or by choice.c. (A device may ask for the automatic choice by itself, too.) */
static void add_refused_variable(line *to, anyp_collective collective, MPI_Op op,
                                 const MPIR_Comm *comm)
{
    int count;
    const anyp_algorithm *algorithms = anyp_algorithms(&count);
    for (int i = 0; i < count; i++)
        if (*anypi_mpir_algorithm_variables[collective].value ==
            anypi_mpir_algorithm_values[collective][i] &&
            (comm->coll.anyp->forced_refused || !(MPIR_Op_is_commutative(op) ||
                                                  algorithms[i].properties & ANYP_CANONICAL)))
            add(to, " (the anyp_%s of %s does not serve the call)", algorithms[i].name,
                anypi_mpir_algorithm_variables[collective].name);
}

void anypi_mpir_tell_job(const anypi_mpir_job *job, anypi_mpir_way way, bool forced, int algorithm,
                         const int *parameters, const char *reason)
{
    const anyp_call *call = &job->call;
    line text;
    if (way == ANYPI_MPIR_AUTOMATIC ||  /* it tells itself */
        !begin(&text, call->collective, call->count * call->type_size, job->op, job->comm))
        return;
    if (way == ANYPI_MPIR_RUN)
        add_algorithm(&text, job->algorithm, job->parameters);
    else
        add(&text, way == ANYPI_MPIR_OWN ? "MPICH's own" : "error");
    if (reason) {
        add(&text, " instead of ");
        add_algorithm(&text, algorithm, parameters);
        add(&text, ": %s", reason);
    }
    if (forced) {
        add(&text, ", chosen by %s", anypi_mpir_algorithm_variables[call->collective].name);
    } else {
        anypi_situation situation;
        anypi_choice choice;
        line rule;
        situation_of(&situation, call->collective, call->count, job->counts, job->datatype,
                     job->op, call->in_place, job->comm);
        automatic(&situation, &choice, &rule);
        add(&text, ", chosen by %s", rule.text);
        add_refused_variable(&text, call->collective, job->op, job->comm);
    }
    end(&text);
}

/* MPICH's own algorithms: those of AnyP that the automatic choice runs tell of themselves. */
static void tell_automatic(anyp_collective collective, MPI_Aint count, const MPI_Aint counts[],
                           MPI_Datatype datatype, MPI_Op op, bool in_place, MPIR_Comm *comm)
{
    const int64_t elements = anypi_mpir_vector_count(collective, count, counts, comm);
    anypi_situation situation;
    anypi_choice choice;
    line text, rule;
    MPI_Aint size;
    if (comm->rank != 0)
        return;
    situation_of(&situation, collective, elements, counts, datatype, op, in_place, comm);
    const bool known = automatic(&situation, &choice, &rule);
    if (known && choice.algorithm)
        return;
    MPIR_Datatype_get_size_macro(datatype, size);
    if (!begin(&text, collective, elements * size, op, comm))
        return;
    add(&text, "%s, chosen by %s", known ? value_name(choice.name) : "MPICH's own", rule.text);
    add_refused_variable(&text, collective, op, comm);
    end(&text);
}

void anypi_mpir_tell(const MPIR_Csel_coll_sig_s *coll_sig)
{
    MPIR_Comm *comm = coll_sig->comm_ptr;
    switch (coll_sig->coll_type) {
        case MPIR_CSEL_COLL_TYPE__ALLREDUCE:
            tell_automatic(ANYP_ALLREDUCE, coll_sig->u.allreduce.count, NULL,
                           coll_sig->u.allreduce.datatype, coll_sig->u.allreduce.op,
                           coll_sig->u.allreduce.sendbuf == MPI_IN_PLACE, comm);
            break;
        case MPIR_CSEL_COLL_TYPE__REDUCE:
            tell_automatic(ANYP_REDUCE, coll_sig->u.reduce.count, NULL,
                           coll_sig->u.reduce.datatype, coll_sig->u.reduce.op,
                           coll_sig->u.reduce.sendbuf == MPI_IN_PLACE, comm);
            break;
        case MPIR_CSEL_COLL_TYPE__REDUCE_SCATTER:
            tell_automatic(ANYP_REDUCE_SCATTER, 0, coll_sig->u.reduce_scatter.recvcounts,
                           coll_sig->u.reduce_scatter.datatype, coll_sig->u.reduce_scatter.op,
                           coll_sig->u.reduce_scatter.sendbuf == MPI_IN_PLACE, comm);
            break;
        case MPIR_CSEL_COLL_TYPE__REDUCE_SCATTER_BLOCK:
            tell_automatic(ANYP_REDUCE_SCATTER_BLOCK, coll_sig->u.reduce_scatter_block.recvcount,
                           NULL, coll_sig->u.reduce_scatter_block.datatype,
                           coll_sig->u.reduce_scatter_block.op,
                           coll_sig->u.reduce_scatter_block.sendbuf == MPI_IN_PLACE, comm);
            break;
        default:
            break;
    }
}

void anypi_mpir_tell_forced(const char *collective, const char *algorithm, MPI_Aint count,
                            const MPI_Aint counts[], MPI_Datatype datatype, MPI_Op op,
                            MPIR_Comm *comm_ptr)
{
    const anyp_collective found = anyp_collective_find(collective);
    line text;
    MPI_Aint size;
    if (found == ANYP_COLLECTIVES)
        return;
    MPIR_Datatype_get_size_macro(datatype, size);
    if (!begin(&text, found, anypi_mpir_vector_count(found, count, counts, comm_ptr) * size, op,
               comm_ptr))
        return;
    add(&text, "%s, chosen by %s", value_name(algorithm),
        anypi_mpir_algorithm_variables[found].name);
    end(&text);
}
