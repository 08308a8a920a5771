/* SPDX-License-Identifier: BSD-3-Clause
 *
 * operations.c - runs operations until their ends, and finds those of requests and handles.
 */
#include "mpi/operation.h"

#include <sched.h>

anypi_operations anypi_all_operations = {
    .comm = MPI_COMM_NULL, .newest = &anypi_all_operations.oldest
};
static anypi_operations *const all = &anypi_all_operations;

bool anypi_operations_hooked;

/* ---- the lock ---- */

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

/* Changes a number of operations, which threads may read without the lock. */
static void add(int *number, int change)
{
    __atomic_store_n(number, *number + change, __ATOMIC_RELEASE);
}

static anypi_operation *find(MPI_Request request)
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

bool anypi_operations_use_op(MPI_Op op)
{
    const anypi_operation *it = all->first;
    while (it && !uses_op(it, op))
        it = it->next;
    return it;
}

bool anypi_operations_use_type(MPI_Datatype type)
{
    const anypi_operation *it = all->first;
    while (it && !uses_type(it, type))
        it = it->next;
    return it;
}

void anypi_operation_end(anypi_operation *it)
{
    anypi_state *const state = it->job.state;
    *it->link = it->next;
    if (it->next)
        it->next->link = it->link;
    add(&anypi_operations_count, -1);
    anypi_reason_add(-1);
    if (it->job.mode == ANYPI_PERSISTENT)
        state->places[it->turn / 64] &= ~(UINT64_C(1) << it->turn % 64);
    anypi_free_handles(anypi_operations_use_op, anypi_operations_use_type);
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

/* An error handler may wait for other operations, so it is called when this is possible. */
static void remember_failure(MPI_Comm comm, int error)
{
    anypi_failure *more = anypi_grow(all->failures, &all->failures_room, all->failures_count,
                                     sizeof *more);
    if (!more)
        return;
    all->failures = more;
    all->failures[all->failures_count++] = (anypi_failure) { comm, error };
}

/* Takes a failure whose handler may be called now. */
static bool take_failure(anypi_failure *one)
{
    anypi_operations_lock();
    const bool is_one = all->failures_count > 0 && !all->moving;
    if (is_one)
        *one = all->failures[--all->failures_count];
    anypi_operations_unlock();
    return is_one;
}

void anypi_operations_call_handlers(void)
{
    anypi_failure one;
    while (take_failure(&one))
        if (anypi_state_found(one.comm))
            anypi_state_fail(one.comm, one.error);
}

/* Completes the request. A message that is too long lets it fail. */
static void complete(anypi_operation *it)
{
    const char nothing[1] = { 0 };
    anypi_state *const state = it->job.state;
    anypi_transport *transport = &it->transport;
    const bool persistent = it->job.mode == ANYPI_PERSISTENT;
    if (it->run.no_memory)
        record(transport, MPI_ERR_NO_MEM);
    else if (transport->local && transport->local->disagrees)
        record(transport, MPI_ERR_TRUNCATE);
    unlink_active(it);
    it->active = false;
    add(&anypi_operations_active, -1);
    if (!persistent && it->turn == state->oldest)
        anypi_operation_oldest(state);
    if (it->host && !transport->error)
        anypi_mpi_to_device(transport, it->run.out);
    if (transport->error) {
        state->channel.failed = true;
        if (!__atomic_load_n(&state->ended, __ATOMIC_RELAXED))
            remember_failure(it->job.comm, transport->error);
    }
    anypi_mpi.Send(nothing, transport->error != MPI_SUCCESS, MPI_BYTE, 0, it->slot, all->comm);
    if (!persistent || it->freed)
        anypi_operation_end(it);
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

enum { AWAITED = 64 };          /* messages at a time */

/* Lists the messages of the library for which operations wait. Returns their number; 0: there are
 * none or too many, or some operation waits for something else. */
static int list_missing(anypi_transport **of, MPI_Request *missing)
{
    int count = 0;
    for (anypi_operation *it = all->oldest; it; it = it->later) {
        if (!it->begun)
            continue;           /* it waits for another operation */
        if (!it->transport.missing || it->transport.missing_parcel || count == AWAITED)
            return 0;
        of[count] = &it->transport;
        missing[count++] = *it->transport.missing;
    }
    return count;
}

/* Waits in the library for one of the messages that operations need. */
static void wait_for_message(void)
{
    anypi_transport *of[AWAITED];
    MPI_Request missing[AWAITED];
    int index = 0, error;
    const int listed = list_missing(of, missing);
    if (!listed)
        return;
    all->moving = true;         /* the messages are those of the list */
    if (listed == 1)            /* MPICH's MPI_Waitany does not leave the processor to others */
        error = anypi_mpi.Wait(missing, MPI_STATUS_IGNORE);
    else
        error = anypi_mpi.Waitany(listed, missing, &index, MPI_STATUS_IGNORE);
    all->moving = false;
    if (index != MPI_UNDEFINED) {
        *of[index]->missing = missing[index];
        record(of[index], error);
    }
}

/* Returns whether all operations under way wait for messages over lanes. */
static bool wait_for_lanes(void)
{
    const anypi_operation *it = all->oldest;
    while (it && (!it->begun || it->transport.missing_parcel))
        it = it->later;
    return !it;
}

static bool waits_for_operation(const MPI_Request *requests, int count)
{
    for (int i = 0; i < count; i++) {
        const anypi_operation *it = find(requests[i]);
        if (it && it->active)
            return true;
    }
    return false;
}

void anypi_operations_idle(const MPI_Request *requests, int count, int *turns)
{
    if (all->threads)
        sched_yield();          /* another thread may complete any of the messages */
    else if (anypi_my_node.lanes)
        anypi_lanes_idle(anypi_my_node.lanes, turns,
                         wait_for_lanes() && waits_for_operation(requests, count));
    else if (!all->moving && waits_for_operation(requests, count))
        wait_for_message();
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

void anypi_operation_link(anypi_operation *it)
{
    it->next = all->first;
    it->link = &all->first;
    if (all->first)
        all->first->link = &it->next;
    all->first = it;
    add(&anypi_operations_count, 1);
    anypi_reason_add(1);
    anypi_state_hold(it->job.state);
}

/* ---- requests ---- */

bool anypi_operation_owns(MPI_Request request)
{
    anypi_operations_lock();
    const bool owns = find(request);
    anypi_operations_unlock();
    return owns;
}

void anypi_operation_start(MPI_Request request)
{
    anypi_operations_lock();
    anypi_operation *it = find(request);
    if (it)
        anypi_operation_run(it);
    anypi_operations_unlock();
    if (it)
        anypi_operations_call_handlers();
}

int anypi_operation_free(MPI_Request *request)
{
    anypi_operations_lock();    /* another thread could get the same handle for a new request */
    anypi_operation *it = find(*request);
    const int error = anypi_mpi.Request_free(request);
    if (it && !error) {
        it->freed = true;
        if (!it->active)
            anypi_operation_end(it);
    }
    anypi_operations_unlock();
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
    anypi_free(all->failures);
    all->failures = NULL;
    all->failures_count = all->failures_room = 0;
    anypi_free_handles(NULL, NULL);
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
