/* SPDX-License-Identifier: BSD-3-Clause
 *
 * new_operation.c - makes operations: their requests, memory and tags.
 */
#include "mpi/operation.h"

static anypi_operations *const all = &anypi_all_operations;

/* Returns the job with copies of the caller's arrays in `room`. */
static anypi_job keep_job(const anypi_job *job, anypi_operation *it, char *room)
{
    anypi_job kept = *job;
    kept.call.starts = NULL;
    kept.call.nodes = NULL;
    kept.entry = NULL;
    if (job->type == &job->users)
        kept.type = &it->job.users;
    if (job->sends == &job->users || job->sends == &job->users_sends)
        kept.sends = job->sends == &job->users ? &it->job.users : &it->job.users_sends;
    anypi_task_keep_arrays(&job->call, &kept.its, room);
    return kept;
}

/* Finds a place for a persistent request that is free on all ranks. Returns -1 if there is none.
 * Collective, as MPI permits for the function that makes the request. */
static int free_place(const anypi_state *state)
{
    uint64_t used[ANYPI_PLACES / 64];
    uint64_t own[ANYPI_PLACES / 64];
    anypi_operations_finish();
    anypi_operations_lock();
    memcpy(own, state->places, sizeof own);
    anypi_operations_unlock();
    if (anypi_mpi.Allreduce(own, used, ANYPI_PLACES / 64, MPI_UINT64_T, MPI_BOR,
                            state->user))
        return -1;
    for (int i = 0; i < all->turns; i++)
        if (!(used[i / 64] >> i % 64 & 1))
            return i;
    return -1;
}

/* Gives an operation a tag, the same on all ranks. `place`: of a persistent request. */
static void take_turn(anypi_operation *it, int place)
{
    anypi_state *state = it->job.state;
    const bool persistent = it->job.mode == ANYPI_PERSISTENT;
    it->turn = persistent ? (uint64_t) place : state->begun++;
    if (persistent)
        state->places[place / 64] |= UINT64_C(1) << place % 64;
    const int turn = 1 + (persistent ? all->turns + place
                          : (int) (it->turn % (unsigned) all->turns));
    it->transport.tag = anypi_channel_tag(&state->channel, turn);
    it->transport.context |= (uint64_t) turn << 32;
}

/* Returns the sizes of a call's blocks; NULL: there is no memory. They were valid when the call was
 * examined. Sets where the kept job has its blocks. */
static int64_t *sizes_of(anypi_job *job)
{
    const size_t bytes = 2 * (size_t) job->call.p * sizeof(int64_t);
    int64_t *const sizes = anypi_realloc(NULL, bytes);
    if (!sizes || anypi_measure_sides(job) != ANYP_SUCCESS) {
        anypi_free(sizes);
        return NULL;
    }
    return memcpy(sizes, job->state->workspace.starts, bytes);
}

/* Returns a tag that no other operation has. */
static int free_slot(void)
{
    const anypi_operation *it;
    do {
        const int slot = all->next_slot;
        all->next_slot = (slot + 1) % all->slots;
        all->wrapped |= all->next_slot == 0;
        it = all->wrapped ? all->first : NULL;
        while (it && it->slot != slot)
            it = it->next;
        if (!it)
            return slot;
    } while (true);
}

/* Makes the memory of an operation. NULL: there is none. */
static anypi_operation *allocate(const anypi_job *job, const anypi_transport *transport)
{
    const bool stages = anypi_has_local_sizes(job->call.collective);
    anypi_cache *cache = &job->state->workspace.cache;
    anypi_parts parts = { .whole = 0 };
    if (stages ? anypi_cache_plan(cache, job->entry) != ANYP_SUCCESS
        : anypi_mpi_parts(transport, &parts) != ANYP_SUCCESS)
        return NULL;
    const anypi_task_layout layout = anypi_task_lay_out(sizeof(anypi_operation), &parts, &job->call,
                                                        &job->its);
    char *const block = layout.size < 0 ? NULL : anypi_realloc(NULL, (size_t) layout.size);
    if (!block)
        return NULL;
    anypi_operation *const it = (anypi_operation *) (void *) block;
    anypi_local *const local = stages ? (anypi_local *) (void *) (block + layout.local) : NULL;
    if (local && anypi_local_open(local, job->entry->plan, job->call.in_place,
                                  &job->state->learned[job->call.collective], false) !=
        ANYP_SUCCESS) {
        anypi_free(block);
        return NULL;
    }
    *it = (anypi_operation) {
        .transport = *transport,
        .run = anypi_task_make(block, &layout, &parts, anypi_input_in_out(&job->call)
                               ? job->its.recvbuf : (char *) job->its.sendbuf, job->its.recvbuf),
        .request = MPI_REQUEST_NULL,
    };
    it->job = keep_job(job, it, block + layout.arrays);
    it->transport.job = &it->job;
    it->transport.local = local;
    it->sizes = local ? sizes_of(&it->job) : NULL;
    if (local && !it->sizes) {
        anypi_task_close(&it->run, &it->transport);
        anypi_free(block);
        return NULL;
    }
    if (job->type == &job->users && transport->type == job->type)
        it->transport.type = it->job.type;
    return it;
}

/* Makes the request, and starts the operation if it is not persistent. Requires the lock. */
static int make(const anypi_job *job, int place, MPI_Request *request)
{
    anypi_transport transport;
    int error = anypi_mpi_open(job, &transport);
    if (error)
        return error;
    transport.polls = true;
    anypi_operation *const it = allocate(job, &transport);
    if (!it)
        return MPI_ERR_NO_MEM;
    it->slot = free_slot();
    anypi_operation_link(it);
    take_turn(it, place);
    if (job->device_out) {
        it->run.out = anypi_mpi_host_output(&it->job, &it->host);
        error = it->host ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    }
    const bool persistent = job->mode == ANYPI_PERSISTENT;
    if (!error)
        error = (persistent ? anypi_mpi.Recv_init : anypi_mpi.Irecv)
            (NULL, 0, MPI_BYTE, 0, it->slot, all->comm, request);
    if (error) {
        anypi_state *const state = it->job.state;
        anypi_state_hold(state);
        anypi_operation_end(it);
        anypi_operation_oldest(state);
        anypi_state_release(state);
        return error;
    }
    it->request = *request;
    if (!persistent)
        anypi_operation_run(it);
    return MPI_SUCCESS;
}

bool anypi_operation_new(const anypi_arguments *its, MPI_Comm comm, anypi_mode mode,
                         MPI_Request *request, int *error)
{
    anypi_job job;
    if (all->comm == MPI_COMM_NULL || !request || !anypi_serves(&job, its, comm, mode))
        return false;
    const int place = mode == ANYPI_PERSISTENT && !job.error ? free_place(job.state) : 0;
    if (place < 0) {
        __atomic_store_n(&anypi_last_ran[its->collective], NULL, __ATOMIC_RELAXED);
        return false;
    }
    if (!job.error) {
        anypi_operations_lock();
        job.error = make(&job, place, request);
        anypi_operations_unlock();
        anypi_operations_call_handlers();
        if (job.error) {
            job.state->channel.failed = true;
            anypi_state_fail(comm, job.error);
        }
    }
    *error = job.error;
    return true;
}

int anypi_operations_expect(MPI_Comm parent, MPI_Comm comm)
{
    int error = MPI_SUCCESS;
    const anypi_state *of = all->comm == MPI_COMM_NULL ? NULL : anypi_state_found(parent);
    if (!of || !of->channel.shared || comm == MPI_COMM_NULL)
        return MPI_SUCCESS;     /* calls on this communicator are forwarded */
    anypi_state *state = anypi_state_of(comm, &error);
    const anypi_settings *settings = anypi_settings_get();
    if (state && !error && settings->asks && !state->alone && !state->differ && !state->unable)
        anypi_state_nodes(state, settings);
    return error;
}

void anypi_operations_before(MPI_Comm comm)
{
    const anypi_state *state = comm == MPI_COMM_NULL ? NULL : anypi_state_found(comm);
    if (!state || !state->asked_nodes)
        anypi_operations_finish();
}
