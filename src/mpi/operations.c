/* SPDX-License-Identifier: BSD-3-Clause
 *
 * operations.c - runs operations until their ends, and finds those of requests and handles.
 */
#include "mpi/operation.h"

#include <pthread.h>

anypi_operations anypi_all_operations = {
    .comm = MPI_COMM_NULL, .newest = &anypi_all_operations.oldest
};
static anypi_operations *const all = &anypi_all_operations;

bool anypi_operations_hooked;

static pthread_mutex_t lock_of_list = PTHREAD_MUTEX_INITIALIZER;

/* ---- locks ---- */

void anypi_operations_lock(void)
{
    if (all->threads)
        anypi_operations_take_lock();
}

void anypi_operations_unlock(void)
{
    if (all->threads)
        anypi_operations_drop_lock();
}

/* Between these two calls, the list of all operations does not change, nor do the handles that are
 * kept. The program and the library are not called there. */
static void list_lock(void)
{
    if (all->threads)
        pthread_mutex_lock(&lock_of_list);
}

static void list_unlock(void)
{
    if (all->threads)
        pthread_mutex_unlock(&lock_of_list);
}

/* Changes a number of operations, which threads may read without the lock. */
static void add(int *number, int change)
{
    __atomic_store_n(number, *number + change, __ATOMIC_RELEASE);
}

anypi_operation *anypi_operation_of(MPI_Request request)
{
    anypi_operation *it = request == MPI_REQUEST_NULL ? NULL : all->first;
    while (it && (it->freed || it->request != request))
        it = it->next;
    return it;
}

/* ---- the end of an operation ---- */

static void unlink_active(anypi_operation *it)
{
    anypi_operation **link = &all->oldest;
    while (*link != it)
        link = &(*link)->later;
    *link = it->later;
    if (!*link)
        all->newest = link;
    it->later = NULL;
}

static bool uses_type(const anypi_operation *it, MPI_Datatype type)
{
    const anypi_arguments *its = &it->job.its;
    bool uses = its->datatype == type || its->sendtype == type;
    for (int i = 0; i < it->job.call.p && !uses; i++)
        uses = (its->datatypes && its->datatypes[i] == type) ||
            (its->sendtypes && its->sendtypes[i] == type);
    return uses;
}

static bool uses_op(const anypi_operation *it, MPI_Op op)
{
    return !anypi_moves(it->job.call.collective) && it->job.its.op == op;
}

static bool any_uses_op(MPI_Op op)
{
    const anypi_operation *it = all->first;
    while (it && !uses_op(it, op))
        it = it->next;
    return it;
}

static bool any_uses_type(MPI_Datatype type)
{
    const anypi_operation *it = all->first;
    while (it && !uses_type(it, type))
        it = it->next;
    return it;
}

bool anypi_operations_keep_op(MPI_Op op)
{
    list_lock();
    const bool keeps = any_uses_op(op) && anypi_keep_op(op);
    list_unlock();
    return keeps;
}

bool anypi_operations_keep_type(MPI_Datatype type)
{
    list_lock();
    const bool keeps = any_uses_type(type) && anypi_keep_type(type);
    list_unlock();
    return keeps;
}

/* Frees the handles that no operation uses any more. Their attributes may call the program, so no
 * lock is held then. */
static void free_handles(void)
{
    MPI_Op op = MPI_OP_NULL;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    while (anypi_any_kept()) {
        list_lock();
        const bool found = anypi_unused_handle(any_uses_op, any_uses_type, &op, &type);
        list_unlock();
        if (!found)
            return;
        anypi_free_handle(&op, &type);
    }
}

void anypi_operation_link(anypi_operation *it)
{
    list_lock();
    it->next = all->first;
    it->link = &all->first;
    if (all->first)
        all->first->link = &it->next;
    all->first = it;
    list_unlock();
    add(&anypi_operations_count, 1);
    anypi_reason_add(1);
    anypi_state_hold(it->job.state);
}

void anypi_operation_end(anypi_operation *it)
{
    anypi_state *const state = it->job.state;
    list_lock();
    *it->link = it->next;
    if (it->next)
        it->next->link = it->link;
    list_unlock();
    add(&anypi_operations_count, -1);
    anypi_reason_add(-1);
    if (it->job.mode == ANYPI_PERSISTENT)
        state->places[it->turn / 64] &= ~(UINT64_C(1) << it->turn % 64);
    anypi_task_close(&it->run, &it->transport);
    anypi_free(it->host);
    anypi_free(it->sizes);
    anypi_free(it);
    anypi_state_release(state);
}

void anypi_operation_oldest(anypi_state *state)
{
    const anypi_operation *it = all->oldest;
    while (it && (it->job.state != state || it->job.mode == ANYPI_PERSISTENT))
        it = it->later;
    state->oldest = it ? it->turn : state->begun;
}

/* Completes the request of an operation. A message that is too long lets it fail. */
static void finish(anypi_operation *it)
{
    const char nothing[1] = { 0 };
    const bool ends = it->job.mode != ANYPI_PERSISTENT || it->freed;
    it->active = false;
    anypi_mpi.Send(nothing, it->transport.error != MPI_SUCCESS, MPI_BYTE, 0, it->slot, all->comm);
    /* Not before: a thread that finds no operation under way waits in the library, and MPICH does
     * not wake it for a message from its own process. */
    add(&anypi_operations_active, -1);
    if (ends)
        anypi_operation_end(it);
}

/* Takes an operation whose error handler may be called now; NULL: there is none. Who calls this may
 * hold locks of the library, so it does not wait for the lock. */
static anypi_operation *take_failed(void)
{
    anypi_operation *it = NULL;
    if (!__atomic_load_n(&all->failed, __ATOMIC_ACQUIRE) ||
        (all->threads && !anypi_operations_try_lock()))
        return NULL;
    if (!all->moving)
        it = all->failed;
    if (it)
        __atomic_store_n(&all->failed, it->later, __ATOMIC_RELEASE);
    anypi_operations_unlock();
    return it;
}

void anypi_operations_call_handlers(void)
{
    anypi_operation *it;
    while ((it = take_failed())) {
        if (!__atomic_load_n(&it->job.state->ended, __ATOMIC_RELAXED) &&
            anypi_state_found(it->job.comm))
            anypi_state_fail(it->job.comm, it->transport.error);
        anypi_operations_lock();
        finish(it);
        anypi_operations_unlock();
    }
    free_handles();
}

/* Ends the run of an operation. If it has failed, its error handler is called first: an error
 * handler may wait for other operations, and must not be called after the program could free the
 * communicator. */
static void complete(anypi_operation *it)
{
    anypi_state *const state = it->job.state;
    anypi_transport *transport = &it->transport;
    if (it->run.no_memory)
        record(transport, MPI_ERR_NO_MEM);
    else if (transport->local && transport->local->disagrees)
        record(transport, MPI_ERR_TRUNCATE);
    unlink_active(it);
    if (it->job.mode != ANYPI_PERSISTENT && it->turn == state->oldest)
        anypi_operation_oldest(state);
    if (it->host && !transport->error)
        anypi_mpi_to_device(transport, it->run.out);
    if (!transport->error) {
        finish(it);
        return;
    }
    state->channel.failed = true;
    it->later = all->failed;
    __atomic_store_n(&all->failed, it, __ATOMIC_RELEASE);
}

/* ---- running ---- */

/* Returns whether an earlier call of the communicator may still be under way with the same tag. */
static bool must_wait(const anypi_operation *it)
{
    return it->job.mode == ANYPI_NONBLOCKING &&
        it->turn >= it->job.state->oldest + (unsigned) all->turns;
}

static void begin(anypi_operation *it)
{
    anypi_transport *transport = &it->transport;
    it->begun = true;
    transport->error = MPI_SUCCESS;
    transport->failed = false;
    transport->missing = NULL;
    transport->missing_parcel = NULL;
    if (transport->lanes) {
        anypi_lanes_changed(transport->lanes);
        if (anypi_operations_active > 1)
            anypi_lanes_release(transport->lanes);
    }
    if (transport->local)       /* got[] follows given[] */
        memcpy(transport->local->given, it->sizes, 2 * (size_t) it->job.call.p * sizeof *it->sizes);
    anypi_task_begin(&it->run, transport);
}

/* Returns whether a message is still missing for which the task waits. */
static bool is_missing(anypi_transport *transport)
{
    int flag = 1;
    if (transport->missing_parcel && !transport->missing_parcel->over)
        return true;
    if (transport->missing)
        record(transport, anypi_mpi.Test(transport->missing, &flag, MPI_STATUS_IGNORE));
    return !flag;
}

/* Continues an operation. Returns whether it has ended. */
static bool move(anypi_operation *it)
{
    anypi_transport *transport = &it->transport;
    if (!it->begun) {
        if (must_wait(it))
            return false;
        begin(it);
    }
    if (is_missing(transport))
        return false;
    transport->missing = NULL;
    transport->missing_parcel = NULL;
    if (!anypi_task_run(&it->run, transport))
        return false;
    if (transport->lanes)
        anypi_lanes_changed(transport->lanes);
    complete(it);
    return true;
}

static bool move_all(void)
{
    bool ended = false;
    all->moving = true;
    if (anypi_my_node.lanes)
        anypi_lanes_move(anypi_my_node.lanes);
    for (anypi_operation *it = all->oldest, *next; it; it = next) {
        next = it->later;
        ended |= move(it);
    }
    all->moving = false;
    return ended;
}

/* If another thread holds the lock, it moves them, or soon lets others do so. */
bool anypi_operations_move(void)
{
    if (all->threads && !anypi_operations_try_lock())
        return false;
    const bool moves = !all->moving, ended = moves && move_all();
    anypi_operations_unlock();
    if (moves)
        anypi_operations_call_handlers();
    return ended;
}

void anypi_operations_complete(void)
{
    int turns = 0;
    while (anypi_operations_need_help())
        if (anypi_operations_move())
            turns = 0;
        else if (anypi_my_node.lanes)
            anypi_lanes_idle(anypi_my_node.lanes, &turns, false);
}

void anypi_operation_run(anypi_operation *it)
{
    const bool moving = all->moving;
    it->active = true;
    it->begun = false;
    *all->newest = it;
    all->newest = &it->later;
    add(&anypi_operations_active, 1);
    if (all->threads)
        anypi_operations_wake();
    all->moving = true;          /* messages may let the library call anypi_operations_move() */
    move(it);
    all->moving = moving;
}

/* ---- requests ---- */

bool anypi_operation_owns(MPI_Request request)
{
    anypi_operations_lock();
    const bool owns = anypi_operation_of(request);
    anypi_operations_unlock();
    return owns;
}

void anypi_operation_start(MPI_Request request)
{
    anypi_operations_lock();
    anypi_operation *it = anypi_operation_of(request);
    if (it)
        anypi_operation_run(it);
    anypi_operations_unlock();
    if (it)
        anypi_operations_call_handlers();
}

int anypi_operation_free(MPI_Request *request)
{
    anypi_operations_lock();    /* another thread could get the same handle for a new request */
    anypi_operation *it = anypi_operation_of(*request);
    const int error = anypi_mpi.Request_free(request);
    if (it && !error) {
        it->freed = true;
        if (!it->active)
            anypi_operation_end(it);
    }
    anypi_operations_unlock();
    anypi_operations_call_handlers();
    return error;
}

/* ---- the beginning and the end ---- */

/* For Open MPI's progress engine. */
static int hook(void)
{
    return anypi_operations_running() && anypi_operations_move();
}

static bool set_hook(const char *function)
{
    int (*const call)(int (*callback)(void)) = (int (*)(int (*)(void))) anypi_symbol(function);
    return call && call(hook) == 0;
}

static bool open_requests(void)
{
    int *tag_ub = NULL, there = 0;
    MPI_Group group;
    if (anypi_mpi.Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &tag_ub, &there) || !there ||
        anypi_mpi.Comm_group(MPI_COMM_SELF, &group))
        return false;
    all->slots = *tag_ub;
    const bool good = !anypi_mpi.Comm_create(MPI_COMM_SELF, group, &all->comm) &&
        !anypi_mpi.Comm_set_errhandler(all->comm, MPI_ERRORS_RETURN);
    anypi_mpi.Group_free(&group);
    return good;
}

static void close_operations(void)
{
    anypi_operations_thread_end();
    if (anypi_operations_hooked)
        set_hook("opal_progress_unregister");
    anypi_operations_hooked = false;
    if (all->comm != MPI_COMM_NULL)
        anypi_mpi.Comm_free(&all->comm);
    anypi_free_kept();
}

void anypi_operations_open(void)
{
#ifdef SMPI_NO_OVERRIDE_MALLOC
    const bool simulated = true;        /* a test takes simulated time */
#else
    const bool simulated = false;
#endif
    int level = MPI_THREAD_MULTIPLE;
    anypi_mpi.Query_thread(&level);
    all->turns = anypi_channels_turns() / 2;
    bool good = !simulated && anypi_settings_get()->nonblocking && all->turns > 0;
    if (good && level == MPI_THREAD_MULTIPLE)
        good = all->threads = anypi_operations_threads_open();
    good = good && open_requests();
    anypi_operations_hooked = good && (set_hook("opal_progress_register") ||
                                       (all->threads &&
                                        anypi_operations_thread_begin(anypi_operations_move)));
    good = good && (anypi_operations_hooked || !all->threads);
    anypi_state_before_end(close_operations);
    if (!anypi_all_ranks(MPI_COMM_WORLD, good))
        close_operations();
}
