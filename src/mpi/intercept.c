/* SPDX-License-Identifier: BSD-3-Clause
 *
 * intercept.c - does AnyP run a call? Calls with wrong arguments are passed on, so that the MPI
 * library reports them. Passed on are also intercommunicators, one process, empty vectors, and
 * buffers in device memory (which must be on all ranks or on none).
 */
#include "mpi/internal.h"

#include "anyp_control.h"

const anyp_algorithm *anypi_last_ran[ANYP_COLLECTIVES];

const anyp_algorithm *anyp_control_last(anyp_collective collective)
{
    return __atomic_load_n(&anypi_last_ran[collective], __ATOMIC_RELAXED);
}

/* What AnyP finds out about a call. */
typedef enum verdict {
    GOOD,                       /* AnyP may run it */
    WRONG,                      /* an error that the MPI library reports, or nothing to do */
    UNKNOWN,                    /* only the MPI library knows whether it is right */
    DEVICE,                     /* the processor cannot reduce it */
    OVERLAPS,                   /* scratch memory cannot hold its elements */
    NO_MEMORY
} verdict;

/* Where the blocks of a reduce_scatter begin. */
static verdict measure_blocks(anypi_job *job)
{
    anyp_call *call = &job->call;
    anypi_workspace *workspace = &job->state->workspace;
    int64_t *starts = anypi_workspace_starts(workspace, call->p + 1);
    if (!starts)
        return NO_MEMORY;
    starts[0] = 0;
    for (int i = 0; i < call->p; i++) {
        const int64_t count = job->counts ? job->counts[i] : (int64_t) job->large_counts[i];
        if (count < 0 || __builtin_add_overflow(starts[i], count, &starts[i + 1]))
            return WRONG;
        job->regular = job->regular && count == starts[1];
    }
    call->count = starts[call->p];
    return GOOD;
}

/* The elements of the vector. Its bytes are less than 2^63. */
static verdict measure(anypi_job *job)
{
    anyp_call *call = &job->call;
    const int factor = anypi_has_equal_blocks(call) ? call->p : 1;
    int64_t bytes;
    verdict found = GOOD;
    job->regular = true;
    if (anypi_has_counts(call))
        found = measure_blocks(job);
    else if (job->count < 0 || __builtin_mul_overflow(job->count, factor, &call->count))
        found = WRONG;
    if (found == GOOD && (call->count == 0 || call->type_size == 0 ||
                          __builtin_mul_overflow(call->count, call->type_size, &bytes)))
        found = WRONG;
    return found;
}

static verdict know_operands(anypi_job *job)
{
    const anypi_type *known = anypi_type_find(job->datatype);
    const unsigned kinds = anypi_operator_kinds(job->op);
    int commutative = 1;
    job->builtin = kinds != 0;
    job->type = known ? known : &job->users;
    if (!known && !anypi_type_ask(job->datatype, &job->users))
        return WRONG;
    job->call.type_size = job->type->size;
    if (!job->builtin && anypi_mpi.Op_commutative(job->op, &commutative))
        return WRONG;
    job->commutes = commutative;
    job->call.commutative = commutative && !job->call.reproducible;
    if (job->type->overlaps)
        return OVERLAPS;
    return !job->builtin || (known && known->kinds & kinds) ? GOOD : UNKNOWN;
}

/* Does this rank get a result? If its block of a reduce_scatter is empty, any buffer is valid. */
static bool gets_result(const anypi_job *job)
{
    const anyp_call *call = &job->call;
    const int64_t *starts = job->state->workspace.starts;
    return anypi_has_result(call, call->rank) &&
        (!anypi_has_counts(call) || starts[call->rank + 1] > starts[call->rank]);
}

/* Are this rank's buffers valid? If not, the MPI library reports it. (Null is MPI_BOTTOM, and valid
 * with datatypes of the user.) */
static bool buffers_are_sound(const anypi_job *job)
{
    const void *const in = job->sendbuf, *const out = job->recvbuf;
    const bool may_be_null = !job->type->kinds;
    if (!in && !may_be_null)
        return false;
    if (!gets_result(job))
        return in != MPI_IN_PLACE || !anypi_has_root(&job->call);
    return out ? out != MPI_IN_PLACE && out != in : may_be_null;
}

static bool is_on_device(const anypi_job *job)
{
    const anyp_call *call = &job->call;
    const bool out = anypi_has_result(call, call->rank);
    return anypi_is_device(call->in_place ? NULL : job->sendbuf, out ? job->recvbuf : NULL);
}

/* What only this rank knows. */
static verdict judge_buffers(const anypi_job *job)
{
    return !buffers_are_sound(job) ? WRONG : is_on_device(job) ? DEVICE : GOOD;
}

static verdict judge(anypi_job *job, const anypi_settings *settings)
{
    anyp_call *call = &job->call;
    call->p = job->state->p;
    call->rank = job->state->rank;
    call->in_place = job->sendbuf == MPI_IN_PLACE;
    if (call->root < 0 || call->root >= call->p)
        return WRONG;
    call->reproducible = settings->reproducible;
    const verdict operands = know_operands(job);
    const verdict size = operands == WRONG ? WRONG : measure(job);
    return size != GOOD ? size : operands != GOOD ? operands : judge_buffers(job);
}

/* The key of a call after judge(). */
static anypi_call_key key_of(const anypi_job *job)
{
    const bool is_users = job->type == &job->users;
    anypi_call_key key =
        anypi_key_of_arguments(job->call.collective, job->sendbuf, job->count, job->datatype,
                               job->op, job->call.root);
    if (anypi_has_counts(&job->call)) {
        key.count = job->call.count;
        key.irregular = !job->regular;
    }
    if (is_users) {
        key.datatype = 0;
        key.type_size = job->call.type_size;
        key.element = job->type->element;
    }
    if (!job->builtin) {
        key.op = 0;
        key.commutative = job->commutes;
    }
    return key;
}

/* The entry of an earlier call with the same arguments; NULL: none. */
static anypi_entry *recall(anypi_job *job)
{
    if (anypi_has_counts(&job->call))   /* its counts would have to be compared */
        return NULL;
    const anypi_call_key key =
        anypi_key_of_arguments(job->call.collective, job->sendbuf, job->count, job->datatype,
                               job->op, job->call.root);
    anypi_entry *entry = anypi_cache_find(&job->state->workspace.cache, &key);
    if (entry) {
        job->call = entry->call;
        job->type = anypi_type_find(job->datatype);
        job->builtin = true;
        job->commutes = true;
        job->regular = true;
    }
    return entry;
}

/* The entry of a call after judge(), a new one if there is none; NULL: no memory. */
static anypi_entry *look_up(const anypi_job *job, const anypi_settings *settings, bool good)
{
    anypi_cache *cache = &job->state->workspace.cache;
    const anypi_call_key key = key_of(job);
    anypi_entry *entry = anypi_cache_find(cache, &key);
    if (entry)
        return entry;
    entry = anypi_cache_add(cache, &key, &job->call);
    if (entry && good)
        anypi_choose(job, settings, entry);
    return entry;
}

/* Sets job->entry, or job->error. */
static void decide(anypi_job *job, const anypi_settings *settings)
{
    anypi_entry *entry = recall(job);
    verdict found = !entry ? judge(job, settings) : entry->algorithm ? judge_buffers(job) : GOOD;
    if (!entry && (found == GOOD || found == UNKNOWN)) {
        entry = look_up(job, settings, found == GOOD);
        found = entry ? found : NO_MEMORY;
    }
    if (found == GOOD)
        job->entry = entry->algorithm ? entry : NULL;
    else if (found == NO_MEMORY)
        job->error = anypi_state_fail(job->comm, MPI_ERR_NO_MEM);
    else if (found != WRONG)
        anypi_report_passed(job, settings, found == DEVICE ? "a buffer is in device memory"
                            : found == OVERLAPS ? ANYPI_ELEMENTS_OVERLAP
                            : "AnyP does not know the operator for the datatype");
}

bool anypi_intercept(anypi_job *job)
{
    job->begin = -1;
    job->entry = NULL;
    job->error = MPI_SUCCESS;
    __atomic_store_n(&anypi_last_ran[job->call.collective], NULL, __ATOMIC_RELAXED);
    if (job->comm == MPI_COMM_NULL || job->datatype == MPI_DATATYPE_NULL ||
        job->op == MPI_OP_NULL ||
        (anypi_has_counts(&job->call) && !job->counts && !job->large_counts))
        return false;
    job->state = anypi_state_of(job->comm, &job->error);
    if (job->error)
        return true;
    if (!job->state || job->state->passes)
        return false;
    const anypi_settings *settings = anypi_settings_get();
    decide(job, settings);
    if (job->error)
        return true;
    if (settings->verbose >= 2)
        job->begin = anypi_mpi.Wtime();
    if (!job->entry)
        return false;
    __atomic_store_n(&anypi_last_ran[job->call.collective], job->entry->algorithm,
                     __ATOMIC_RELAXED);
    job->error = anypi_mpi_execute(job);
    if (job->begin >= 0)
        anypi_summary_add(job);
    if (job->error)
        job->error = anypi_state_fail(job->comm, job->error);
    return true;
}

int anypi_passed(anypi_job *job, int error)
{
    if (job->begin >= 0)
        anypi_summary_add(job);
    return error;
}
