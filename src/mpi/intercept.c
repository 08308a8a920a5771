/* SPDX-License-Identifier: BSD-3-Clause
 *
 * intercept.c - finds whether AnyP runs a call. These calls are forwarded to the MPI library:
 *
 * - calls with wrong arguments, so that the library reports them
 * - calls on intercommunicators, or with one process
 * - calls with empty vectors
 * - reductions with inputs in device memory; either all ranks have their input there, or none
 */
#include "mpi/operations.h"

#include "anyp_control.h"

const anyp_algorithm *anypi_last_ran[ANYP_COLLECTIVES];

const char *anyp_control_last(const char *collective)
{
    const anyp_collective found = anyp_collective_find(collective);
    const anyp_algorithm *last = found == ANYP_COLLECTIVES ? NULL
        : __atomic_load_n(&anypi_last_ran[found], __ATOMIC_RELAXED);
    return last ? last->name : NULL;
}

/* ---- are the arguments valid? ---- */

/* Returns whether the collective needs a handle or an array that is null. If there is a root and
 * blocks, arguments that MPI ignores on this rank must have been replaced. */
static bool lacks(const anypi_arguments *its)
{
    const anypi_collective *of = &anypi_collectives[its->collective];
    const bool counts = of->arguments == ANYPI_TAKES_COUNTS;
    if (anypi_has_no_data(its->collective))
        return false;
    if (anypi_lacks_arrays(its))
        return true;
    if (of->arguments == ANYPI_TAKES_TYPED_PAIRS)
        return false;
    if (its->datatype == MPI_DATATYPE_NULL || (counts && !its->counts.at))
        return true;
    if (!of->moves)
        return its->op == MPI_OP_NULL;
    return (its->sendtype == MPI_DATATYPE_NULL && its->sendbuf != MPI_IN_PLACE &&
            of->arguments != ANYPI_TAKES_BUFFER) || (counts && !its->displs.at);
}

/* Sets the elements of the vector, or bytes if data are moved. ANYP_ERR_ARGUMENT: the vector is
 * empty (except a barrier's), or has at least 2^63 bytes. ANYP_ERR_MEMORY: there is no memory. */
static anyp_status measure(anypi_job *job)
{
    anyp_call *call = &job->call;
    const int64_t unit = anypi_moves(call->collective) ? job->type->size : 1;
    const int blocks = anypi_has_equal_blocks(call) ? call->p : 1;
    int64_t bytes;
    if (job->its.counts.at) {
        const anyp_status status = anypi_blocks_measure(call, job->its.counts, unit,
                                                        &job->state->workspace);
        if (status != ANYP_SUCCESS)
            return status;
    } else if (job->its.count < 0 || __builtin_mul_overflow(job->its.count, unit, &call->count) ||
               __builtin_mul_overflow(call->count, blocks, &call->count)) {
        return ANYP_ERR_ARGUMENT;
    }
    const bool is_empty = call->count == 0 && !anypi_has_no_data(call->collective);
    return is_empty || call->type_size == 0 ||
        __builtin_mul_overflow(call->count, call->type_size, &bytes) ? ANYP_ERR_ARGUMENT
        : ANYP_SUCCESS;
}

/* Describes a reduction's type and operator. Returns false if they are wrong. (MPI's operators for
 * windows cannot reduce. Their error must be found here, because a rank of a scan that reduces
 * nothing would not notice it.) */
static bool know_operands(anypi_job *job)
{
    anyp_call *call = &job->call;
    int commutative = 1;
    job->builtin = anypi_operator_kinds(job->its.op) != 0;
    job->type = anypi_type_know(job->its.datatype, &job->users);
    if (!job->type || job->its.op == MPI_REPLACE || job->its.op == MPI_NO_OP ||
        (!job->builtin && anypi_mpi.Op_commutative(job->its.op, &commutative)))
        return false;
    job->commutes = commutative;
    call->type_size = job->type->size;
    call->commutative = commutative && !call->reproducible;
    return true;
}

/* Does the same for a call that moves data. Its elements are bytes, and only this rank knows their
 * layout in its memory. */
static bool know_data(anypi_job *job)
{
    const anypi_arguments *its = &job->its;
    anyp_call *call = &job->call;
    job->builtin = job->commutes = call->commutative = true;
    call->type_size = 1;
    job->type = job->sends = NULL;
    if (its->datatypes)         /* each block has its own datatype */
        return true;
    job->type = anypi_type_know(its->datatype, &job->users);
    job->sends = anypi_input_in_out(call) || its->sendtype == its->datatype ? job->type
        : anypi_type_know(its->sendtype, &job->users_sends);
    return job->type && job->sends;
}

/* Returns the elements of blocks first .. end - 1 of the vector, which has one block for each
 * rank. */
static int64_t elements_of(const anyp_call *call, int first, int end)
{
    return call->starts ? call->starts[end] - call->starts[first]
        : call->count / call->p * (end - first);
}

/* Sets, after measure(), which of this rank's buffers have gaps. Returns false if the length of its
 * input is wrong. */
static bool look_at_data(anypi_job *job)
{
    const anypi_arguments *its = &job->its;
    anyp_call *call = &job->call;
    const int64_t own = anypi_has_counts(call) ? elements_of(call, call->rank, call->rank + 1)
        : call->count / (anypi_has_equal_blocks(call) ? call->p : 1);
    int64_t bytes;
    call->gaps_out = anypi_has_result(call, call->rank) &&
        (!anypi_type_is_contiguous(job->type) ||
         (its->counts.at && !anypi_blocks_in_order(call->p, its->counts, its->displs)));
    call->gaps_in = !anypi_input_in_out(call) && !anypi_type_is_contiguous(job->sends) &&
        anypi_input_of(call, call->rank, call->p).end > 0;
    return call->in_place || (!__builtin_mul_overflow(its->sendcount, job->sends->size, &bytes) &&
                              bytes == own);
}

/* Returns whether a part of the vector has elements. If it has none, any buffer is valid for it. */
static bool has_elements(const anyp_call *call, anyp_slice part)
{
    return part.end > part.first &&
        (!anypi_has_counts(call) || elements_of(call, part.first, part.end) > 0);
}

/* Returns whether this rank's buffers are valid. If not, the MPI library reports the error. (NULL
 * is MPI_BOTTOM, which is valid with user datatypes. If data are moved, both buffers may begin at
 * the same address: the datatypes or displacements give the places of the data, or the input is
 * empty. In an exscan in place, the input of rank 0 is in its output buffer, although rank 0
 * receives no output.) */
static bool buffers_are_sound(const anypi_job *job)
{
    const anyp_call *call = &job->call;
    const void *const in = job->its.sendbuf, *const out = job->its.recvbuf;
    const bool may_be_null = !job->type->kinds;
    if (anypi_has_one_buffer(call))
        return out ? out != MPI_IN_PLACE : may_be_null;
    if (!in && (anypi_moves(call->collective) ? job->sends->kinds != 0 : !may_be_null) &&
        has_elements(call, anypi_input_of(call, call->rank, call->p)))
        return false;
    if ((in != MPI_IN_PLACE || anypi_has_root(call)) &&
        !has_elements(call, anypi_output_of(call, call->rank, call->p)))
        return in != MPI_IN_PLACE;
    return out ? out != MPI_IN_PLACE && (out != in || anypi_moves(call->collective)) : may_be_null;
}

/* ---- can AnyP run it? ---- */

/* Returns why AnyP does not reduce these buffers, or NULL. Only inputs decide, because some ranks
 * may have no output. (Data that are moved may be on a device on some ranks; MPI moves them
 * anywhere.) */
static const char *refusal_of_buffers(anypi_job *job)
{
    const anyp_call *call = &job->call;
    if (anypi_moves(call->collective))
        return NULL;
    const bool in_out = anypi_input_in_out(call);
    const bool has_out = !in_out && has_elements(call, anypi_output_of(call, call->rank, call->p));
    const unsigned device = anypi_device_buffers(in_out ? job->its.recvbuf : job->its.sendbuf,
                                                 has_out ? job->its.recvbuf : NULL);
    job->device_out = device & ANYPI_DEVICE_OUT;
    return device & ANYPI_DEVICE_IN ? ANYPI_INPUT_ON_DEVICE : NULL;
}

/* Returns why AnyP does not run this reduction, or NULL. */
static const char *refusal(anypi_job *job)
{
    if (anypi_moves(job->its.collective))
        return NULL;
    if (job->type->overlaps)
        return ANYPI_ELEMENTS_OVERLAP;
    if (job->builtin && (job->type == &job->users ||
                         !(job->type->kinds & anypi_operator_kinds(job->its.op))))
        return "AnyP does not know the operator for the datatype";
    return refusal_of_buffers(job);
}

/* Returns the key of a call that was examined. */
static anypi_call_key key_of(const anypi_job *job)
{
    const anyp_call *call = &job->call;
    const bool moves = anypi_moves(call->collective), is_users = job->type == &job->users;
    const bool counts = job->its.counts.at;
    if (anypi_has_local_sizes(call->collective))
        return anypi_key_of_arguments(job->state, &job->its);
    /* if the datatypes of the data differ between ranks, only bytes identify the call */
    const bool bytes = moves && (is_users || job->sends != job->type || counts);
    anypi_call_key key = anypi_key_of_arguments(job->state, &job->its);
    key.gaps_in = call->gaps_in;
    key.gaps_out = call->gaps_out;
    if (counts)
        anypi_key_starts(&key, call);
    if (counts || bytes)
        key.count = call->count;
    if (bytes || is_users)
        key.datatype = 0;
    if (!moves && is_users) {
        key.type_size = call->type_size;
        key.element = job->type->element;
    }
    if (!job->builtin) {
        key.op = 0;
        key.commutative = job->commutes;
    }
    key.simple = !(counts || bytes || is_users || key.gaps_in || key.gaps_out) && job->builtin;
    return key;
}

/* Sets job->memory. Each rank may have its data elsewhere, and all must decide the same.
 * Collective. */
static void find_memory(anypi_job *job)
{
    const void *const in = anypi_input_in_out(&job->call) ? NULL : job->its.sendbuf;
    const bool on_host = !anypi_device_buffers(in, job->its.recvbuf);
    anypi_operations_finish();
    job->memory = anypi_all_ranks(job->state->user, on_host) ? ANYPI_ON_HOST : ANYPI_ON_DEVICE;
}

static anypi_entry *fail(anypi_job *job, int error)
{
    job->error = anypi_state_fail(job->comm, error);
    return NULL;
}

/* Returns the entry of a key. NULL: there is no memory. */
static anypi_entry *entry_of(const anypi_job *job, const anypi_settings *settings,
                             const anypi_call_key *key)
{
    anypi_cache *cache = &job->state->workspace.cache;
    anypi_entry *entry = anypi_cache_find(cache, key);
    if (!entry && (entry = anypi_cache_add(cache, key, &job->call)))
        anypi_choose(job, settings, entry);
    return entry;
}

/* Returns the entry of a call that was not recalled. NULL: the call is forwarded, or job->error is
 * set. */
static anypi_entry *examine(anypi_job *job, const anypi_settings *settings)
{
    anyp_call *call = &job->call;
    const bool moves = anypi_moves(job->its.collective);
    const bool local = anypi_has_local_sizes(job->its.collective);
    *call = (anyp_call) {
        .collective = job->its.collective, .p = job->state->p, .rank = job->state->rank,
        .root = job->its.root, .in_place = job->its.in_place,
        .reproducible = settings->reproducible && !moves,
    };
    if (lacks(&job->its) || call->root < 0 || call->root >= call->p ||
        !(moves ? know_data(job) : know_operands(job)))
        return NULL;
    const anyp_status status = local ? anypi_measure_sides(job) : measure(job);
    if (local)
        call->count = anypi_local_count(&job->state->learned[call->collective], call->p);
    if (status == ANYP_ERR_MEMORY)
        return fail(job, MPI_ERR_NO_MEM);
    if (status != ANYP_SUCCESS ||
        (!local && ((moves && !look_at_data(job)) || !buffers_are_sound(job))))
        return NULL;
    const char *why = refusal(job);
    if (why) {
        anypi_report_forwarded(job, settings, why);
        return NULL;
    }
    anypi_call_key key = key_of(job);
    anypi_entry *entry = entry_of(job, settings, &key);
    if (entry && entry->by_memory) {
        find_memory(job);
        key.memory = job->memory;
        entry = entry_of(job, settings, &key);
    }
    return entry ? entry : fail(job, MPI_ERR_NO_MEM);
}

/* Returns the entry of a call that was recalled, or NULL if AnyP cannot run it with these
 * buffers. */
static anypi_entry *check_again(anypi_job *job, const anypi_settings *settings,
                                anypi_entry *entry)
{
    job->call = entry->call;
    job->type = job->sends = anypi_type_find(job->its.datatype);
    job->builtin = job->commutes = true;
    if (!entry->algorithm || !buffers_are_sound(job))
        return NULL;
    const char *why = refusal_of_buffers(job);
    if (why)
        anypi_report_forwarded(job, settings, why);
    return why ? NULL : entry;
}

static void open_job(anypi_job *job, const anypi_arguments *its, MPI_Comm comm,
                     anypi_state *state, anypi_entry *entry, anypi_mode mode)
{
    job->its = *its;
    job->comm = comm;
    job->state = state;
    job->entry = entry;
    job->error = MPI_SUCCESS;
    job->mode = mode;
    job->sends = NULL;
    job->begin = -1;
    job->memory = ANYPI_ANY_MEMORY;
    job->device_out = false;
    __atomic_store_n(&anypi_last_ran[its->collective], NULL, __ATOMIC_RELAXED);
}

/* Finds or makes the entry of a job. Returns true if AnyP runs the call, or job->error is set. */
static bool decide(anypi_job *job)
{
    const anypi_settings *settings = anypi_settings_get();
    const bool known = job->entry && !job->entry->by_memory;
    job->entry = known && !anypi_has_local_sizes(job->its.collective)
        ? check_again(job, settings, job->entry) : examine(job, settings);
    if (job->error) {
        job->state->channel.failed = true;
        return true;
    }
    if (settings->verbose >= 2 && job->mode == ANYPI_BLOCKING)
        job->begin = anypi_mpi.Wtime();
    if (!job->entry || !job->entry->algorithm) {
        job->entry = NULL;
        return false;
    }
    __atomic_store_n(&anypi_last_ran[job->its.collective], job->entry->algorithm,
                     __ATOMIC_RELAXED);
    return true;
}

bool anypi_serves(anypi_job *job, const anypi_arguments *its, MPI_Comm comm, anypi_mode mode)
{
    anypi_state *state = anypi_state_near(comm);
    int error = MPI_SUCCESS;
    __atomic_store_n(&anypi_last_ran[its->collective], NULL, __ATOMIC_RELAXED);
    if (!state && comm != MPI_COMM_NULL && anypi_state_found(comm))
        state = anypi_state_of(comm, &error);   /* settings may have changed */
    /* not all worlds have prepared for operations */
    if (!state || state->passes || error || !state->channel.shared)
        return false;
    job->its = *its;
    anypi_entry *entry = anypi_recall(state, &job->its, &anypi_collectives[its->collective]);
    if (anypi_forwards(state, entry, its->collective))
        return false;
    const anypi_arguments found = job->its;
    open_job(job, &found, comm, state, entry, mode);
    return decide(job);
}

bool anypi_handles(anypi_job *job, const anypi_arguments *its, MPI_Comm comm, anypi_state *state,
                   anypi_entry *entry)
{
    anypi_pmpi_load();
    open_job(job, its, comm, state, entry, ANYPI_BLOCKING);
    if (!job->state) {
        /* a call with wrong arguments must not wait for other ranks; which arguments MPI ignores
         * depends on the rank */
        if (comm == MPI_COMM_NULL ||
            (!anypi_has_rooted_blocks(&anypi_collectives[its->collective]) && lacks(its)))
            return false;
        job->state = anypi_state_of(comm, &job->error);
        if (job->error)
            return true;
        if (!job->state || job->state->passes)
            return false;
        job->entry = anypi_recall(job->state, &job->its,
                                  &anypi_collectives[its->collective]);
    }
    if (!decide(job))
        return false;
    if (job->error)
        return true;
    job->error = anypi_mpi_execute(job);
    if (job->begin >= 0)
        anypi_summary_add(job);
    if (job->error) {
        job->state->channel.failed = true;
        job->error = anypi_state_fail(comm, job->error);
    }
    return true;
}

int anypi_forwarded(const anypi_job *job, int error)
{
    if (job->begin >= 0)
        anypi_summary_add(job);
    if (error && job->state)    /* other ranks may have sent messages */
        job->state->channel.failed = true;
    return error;
}
