/* SPDX-License-Identifier: BSD-3-Clause
 *
 * intercept.c - does AnyP run a call? Calls with wrong arguments are passed on, so that the MPI
 * library reports them. Passed on are also intercommunicators, one process, empty vectors, and
 * reductions of buffers in device memory (which must be on all ranks or on none).
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

/* Where the blocks begin, and whether they are equal. An element of MPI's counts is `factor` of the
 * call's. */
static verdict measure_blocks(anypi_job *job, int64_t factor)
{
    anyp_call *call = &job->call;
    anypi_workspace *workspace = &job->state->workspace;
    int64_t *starts = anypi_workspace_starts(workspace, call->p + 1);
    if (!starts)
        return NO_MEMORY;
    int64_t largest = 0;
    starts[0] = 0;
    for (int i = 0; i < call->p; i++) {
        int64_t count = anypi_count_of(job, i);
        if (count < 0 || __builtin_mul_overflow(count, factor, &count) ||
            __builtin_add_overflow(starts[i], count, &starts[i + 1]))
            return WRONG;
        job->regular = job->regular && count == starts[1];
        largest = count > largest ? count : largest;
    }
    call->count = starts[call->p];
    if (!job->regular) {
        call->starts = starts;
        call->largest = largest;
    }
    return GOOD;
}

/* The elements of the vector, bytes where data are moved. Its bytes are less than 2^63. */
static verdict measure(anypi_job *job)
{
    anyp_call *call = &job->call;
    const int64_t factor = anypi_moves(call->collective) ? job->type->size : 1;
    const int blocks = anypi_has_equal_blocks(call) ? call->p : 1;
    int64_t bytes;
    verdict found = GOOD;
    job->regular = true;
    if (anypi_has_counts(call))
        found = measure_blocks(job, factor);
    else if (job->count < 0 || __builtin_mul_overflow(job->count, factor, &call->count) ||
             __builtin_mul_overflow(call->count, blocks, &call->count))
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

static const anypi_type *know_type(MPI_Datatype handle, anypi_type *users)
{
    const anypi_type *known = anypi_type_find(handle);
    return known ? known : anypi_type_ask(handle, users) ? users : NULL;
}

/* Do the blocks of the output follow each other in memory, in their order? */
static bool is_in_order(const anypi_job *job)
{
    int64_t start = 0;
    if (!anypi_has_counts(&job->call))
        return true;
    for (int i = 0; i < job->call.p; i++) {
        const int64_t count = anypi_count_of(job, i);
        if (count > 0 && anypi_displ_of(job, i) != start)
            return false;
        start += count;
    }
    return true;
}

/* MPI ignores the output of a gather where there is none, and the input of a scatter: they become
 * like the other one, with no buffer. */
static void ignore(anypi_job *job)
{
    anyp_call *call = &job->call;
    const bool at_root = job->state->rank == call->root, in = anypi_distributes(call);
    if (in && !at_root) {
        job->sendbuf = NULL;
        job->sendcount = job->count;
        job->sendtype = job->datatype;
    } else if (in ? job->recvbuf == MPI_IN_PLACE : !at_root) {
        call->in_place = in;
        job->recvbuf = NULL;
        job->count = job->sendcount;
        job->datatype = job->sendtype;
    }
}

/* May this rank's input or output be one that MPI ignores? */
static bool may_ignore(const anypi_job *job)
{
    return anypi_collectives[job->call.collective].arguments == ANYPI_TAKES_ROOTED_BLOCK;
}

/* Where data are moved, they are bytes; only this rank knows how they are in its memory. */
static verdict know_data(anypi_job *job)
{
    anyp_call *call = &job->call;
    job->builtin = job->commutes = true;
    job->type = know_type(job->datatype, &job->users);
    job->sends = anypi_input_in_out(call) || job->sendtype == job->datatype ? job->type
        : know_type(job->sendtype, &job->users_sends);
    if (!job->type || !job->sends)
        return WRONG;
    call->commutative = true;
    call->type_size = 1;
    return GOOD;
}

/* After measure(): which of this rank's buffers have gaps, and is its input what it must be? */
static verdict look_at_data(anypi_job *job)
{
    anyp_call *call = &job->call;
    const int64_t *starts = job->state->workspace.starts;
    const int64_t own = anypi_has_counts(call) ? starts[call->rank + 1] - starts[call->rank]
        : call->count / (anypi_has_equal_blocks(call) ? call->p : 1);
    int64_t bytes;
    call->gaps_out = anypi_has_result(call, call->rank) &&
        (!anypi_type_is_contiguous(job->type) || !is_in_order(job));
    call->gaps_in = !anypi_input_in_out(call) && !anypi_type_is_contiguous(job->sends) &&
        anypi_input_of(call, call->rank, call->p).end > 0;
    return call->in_place || (!__builtin_mul_overflow(job->sendcount, job->sends->size, &bytes) &&
                              bytes == own) ? GOOD : WRONG;
}

/* Has a part of the vector elements? If not, any buffer is valid for it. */
static bool has_elements(const anypi_job *job, anyp_slice part)
{
    const anyp_call *call = &job->call;
    const int64_t *starts = job->state->workspace.starts;
    return part.end > part.first &&
        (!anypi_has_counts(call) || starts[part.end] > starts[part.first]);
}

/* Are this rank's buffers valid? If not, the MPI library reports it. (Null is MPI_BOTTOM, and valid
 * with datatypes of the user. Where data are moved, both buffers may begin at one address: the
 * datatypes or displacements say where the data are, or the input is empty.) */
static bool buffers_are_sound(const anypi_job *job)
{
    const anyp_call *call = &job->call;
    const void *const in = job->sendbuf, *const out = job->recvbuf;
    const bool may_be_null = !job->type->kinds;
    if (anypi_has_one_buffer(call))
        return out ? out != MPI_IN_PLACE : may_be_null;
    if (!in && (anypi_moves(call->collective) ? job->sends->kinds != 0 : !may_be_null) &&
        has_elements(job, anypi_input_of(call, call->rank, call->p)))
        return false;
    if (!has_elements(job, anypi_output_of(call, call->rank, call->p)))
        return in != MPI_IN_PLACE || !anypi_has_root(call);
    return out ? out != MPI_IN_PLACE && (out != in || anypi_moves(call->collective)) : may_be_null;
}

static bool is_on_device(const anypi_job *job)
{
    const anyp_call *call = &job->call;
    const bool out = anypi_has_result(call, call->rank);
    return anypi_is_device(anypi_input_in_out(call) ? NULL : job->sendbuf,
                           out ? job->recvbuf : NULL);
}

/* What only this rank knows. Data that are moved may be on a device on some ranks: MPI moves them
 * anywhere. */
static verdict judge_buffers(const anypi_job *job)
{
    const bool reduces = !anypi_moves(job->call.collective);
    return !buffers_are_sound(job) ? WRONG : reduces && is_on_device(job) ? DEVICE : GOOD;
}

static verdict judge(anypi_job *job, const anypi_settings *settings)
{
    anyp_call *call = &job->call;
    call->p = job->state->p;
    call->rank = job->state->rank;
    const bool moves = anypi_moves(call->collective);
    call->in_place = call->in_place || job->sendbuf == MPI_IN_PLACE;
    if (call->root < 0 || call->root >= call->p)
        return WRONG;
    call->reproducible = settings->reproducible && !moves;
    const verdict operands = moves ? know_data(job) : know_operands(job);
    const verdict size = operands == WRONG ? WRONG : measure(job);
    const verdict data = size == GOOD && moves ? look_at_data(job) : size;
    return data != GOOD ? data : operands != GOOD ? operands : judge_buffers(job);
}

static anypi_call_key key_of_arguments(const anypi_job *job)
{
    const anyp_call *call = &job->call;
    const bool blocks = anypi_moves(call->collective) && anypi_has_equal_blocks(call);
    return anypi_key_of_arguments(call->collective, job->sendbuf,
                                  blocks && anypi_scatters(call) && call->in_place ? -1
                                  : blocks ? anypi_same_input(job->sendbuf, job->sendcount,
                                                            job->sendtype, job->count,
                                                            job->datatype) : job->count,
                                  job->datatype,
                                  anypi_moves(call->collective) ? 0 : (uint64_t) job->op,
                                  call->root);
}

/* The key of a call after judge(). */
static anypi_call_key key_of(const anypi_job *job)
{
    const bool is_users = job->type == &job->users;
    anypi_call_key key = key_of_arguments(job);
    if (anypi_moves(job->call.collective)) {
        if (is_users || job->sends != job->type || key.count < 0 ||
            anypi_has_counts(&job->call)) {
            key.count = job->call.count;
            key.datatype = 0;
            anypi_key_starts(&key, &job->call);
        }
        key.in_place = job->call.in_place;
        key.gaps_in = job->call.gaps_in;
        key.gaps_out = job->call.gaps_out;
        return key;
    }
    if (anypi_has_counts(&job->call)) {
        key.count = job->call.count;
        anypi_key_starts(&key, &job->call);
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
    /* its counts would have to be compared; and the root of a scatter in place has no key */
    if (anypi_has_counts(&job->call) || job->call.in_place)
        return NULL;
    const anypi_call_key key = key_of_arguments(job);
    anypi_entry *entry = anypi_cache_find(&job->state->workspace.cache, &key);
    if (entry) {
        job->call = entry->call;
        job->type = job->sends = anypi_type_find(job->datatype);
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

/* Is a handle or an array null which the collective needs? */
static bool lacks(const anypi_job *job)
{
    const anyp_call *call = &job->call;
    const bool counts = anypi_has_counts(call);
    if (counts && !job->counts && !job->large_counts)
        return true;
    if (!anypi_moves(call->collective))
        return job->op == MPI_OP_NULL || job->datatype == MPI_DATATYPE_NULL;
    if (may_ignore(job) && !job->state)         /* which type must be valid depends on the rank */
        return false;
    return job->datatype == MPI_DATATYPE_NULL ||
        (job->sendtype == MPI_DATATYPE_NULL && job->sendbuf != MPI_IN_PLACE) ||
        (counts && !job->displs && !job->large_displs);
}

bool anypi_intercept(anypi_job *job)
{
    job->begin = -1;
    job->entry = NULL;
    job->error = MPI_SUCCESS;
    __atomic_store_n(&anypi_last_ran[job->call.collective], NULL, __ATOMIC_RELAXED);
    if (job->comm == MPI_COMM_NULL || lacks(job))
        return false;
    job->state = anypi_state_of(job->comm, &job->error);
    if (job->error)
        return true;
    if (!job->state || job->state->passes)
        return false;
    if (may_ignore(job)) {
        ignore(job);
        if (lacks(job))
            return false;
    }
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
